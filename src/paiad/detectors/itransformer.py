"""iTransformer: the whole window is one token of a transformer over variables.

A single series gives a single token, attention to which is always 1: what remains is a residual perceptron.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from torch import Tensor, nn

from paiad.layers.heads import headless
from paiad.layers.window_scale import own_scale
from paiad.placement import Placement
from paiad.scorers import WindowNet

DROPOUT = 0.1


@dataclass(frozen=True)
class ITransformer(WindowNet):
    """Score: squared error of the window's last step in a reconstruction of the whole window.

    Sizes and training of the TAB benchmark; `parity="published"` scores windows side by side, every step by
    its own error, as it does.
    """

    published_by: ClassVar[Literal["TSB-AD", "TAB"]] = "TAB"

    batch: int = 16
    epochs: int = 3
    learning_rate: float = 1e-4
    decay: float = 0.5
    decay_every: int = 1
    features: int = 64
    hidden: int = 128
    heads: int = 8
    layers: int = 3

    def misfit(self) -> str:
        return headless(self.features, self.heads)

    @property
    def placement(self) -> Placement:
        return "blocks" if self.parity == "published" else "last"

    def network(self) -> nn.Module:
        return ITransformerNet(self)

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        return self.errors(network, windows).mean()

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        return (network(windows) - windows) ** 2


class ITransformerNet(nn.Module):
    def __init__(self, recipe: ITransformer) -> None:
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(recipe.width, recipe.features), nn.Dropout(DROPOUT))
        layer = nn.TransformerEncoderLayer(
            recipe.features, recipe.heads, recipe.hidden, DROPOUT, activation="gelu", batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, recipe.layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(recipe.features)
        self.head = nn.Linear(recipe.features, recipe.width)

    def forward(self, windows: Tensor) -> Tensor:
        normalised, mean, spread = own_scale(windows)
        token = self.encoder(self.embed(normalised)[:, None])[:, 0]
        rebuilt: Tensor = self.head(self.norm(token)) * spread + mean
        return rebuilt
