"""PatchTST: a transformer over overlapping patches of the window, each one token."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from torch import Tensor, nn

from paiad.layers.heads import headless
from paiad.layers.positions import sinusoids
from paiad.layers.window_scale import own_scale
from paiad.placement import Placement
from paiad.scorers import WindowNet

DROPOUT = 0.1


@dataclass(frozen=True)
class PatchTST(WindowNet):
    """Score: squared error of the window's last step in a reconstruction of the whole window.

    Sizes and training of the TAB benchmark; `parity="published"` scores windows side by side, every step by
    its own error, as it does.
    """

    published_by: ClassVar[Literal["TSB-AD", "TAB"]] = "TAB"

    epochs: int = 3
    learning_rate: float = 1e-4
    decay: float = 0.5
    decay_every: int = 1
    patch: int = 16
    stride: int = 8
    features: int = 8
    hidden: int = 8
    heads: int = 8
    layers: int = 3

    def misfit(self) -> str:
        if self.width + self.stride < self.patch:
            return f"width + stride must be at least patch ({self.patch}), got {self.width} + {self.stride}"
        return headless(self.features, self.heads)

    @property
    def placement(self) -> Placement:
        return "blocks" if self.parity == "published" else "last"

    def network(self) -> nn.Module:
        return PatchTSTNet(self)

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        return self.errors(network, windows).mean()

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        return (network(windows) - windows) ** 2


class PatchTSTNet(nn.Module):
    places: Tensor

    def __init__(self, recipe: PatchTST) -> None:
        super().__init__()
        self.patch, self.stride = recipe.patch, recipe.stride
        tokens = (recipe.width - recipe.patch) // recipe.stride + 2  # one more for the padded end
        self.embed = nn.Linear(recipe.patch, recipe.features, bias=False)
        self.register_buffer("places", sinusoids(tokens, recipe.features), persistent=False)
        self.dropout = nn.Dropout(DROPOUT)
        layer = nn.TransformerEncoderLayer(
            recipe.features, recipe.heads, recipe.hidden, DROPOUT, activation="gelu", batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, recipe.layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(recipe.features)
        self.head = nn.Linear(tokens * recipe.features, recipe.width)

    def forward(self, windows: Tensor) -> Tensor:
        normalised, mean, spread = own_scale(windows)
        padded = nn.functional.pad(normalised[:, None], (0, self.stride), mode="replicate")[:, 0]
        patches = padded.unfold(1, self.patch, self.stride)  # [batch, tokens, patch]
        tokens = self.encoder(self.dropout(self.embed(patches) + self.places))
        rebuilt: Tensor = self.head(self.norm(tokens).flatten(1)) * spread + mean
        return rebuilt
