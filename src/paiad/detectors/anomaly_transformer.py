"""AnomalyTransformer: attention as learnt from the series against attention to neighbours only.

A point is anomalous where it is badly rebuilt and where both attentions agree, for an anomaly finds like
points only next to it.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from paiad.layers.heads import headless
from paiad.layers.token_embedding import TokenEmbedding
from paiad.placement import Placement
from paiad.scorers import WindowNet

LOG_FLOOR = 1e-4  # added inside logarithms


@dataclass(frozen=True)
class AnomalyTransformer(WindowNet):
    """Score: squared error of the window's last step, times its share of a softmax over the window of how
    little the two attentions differ there."""

    width: int = 50
    epochs: int = 10
    patience: int = 7
    decay: float = 0.5
    decay_every: int = 1
    decay_after: int = 1
    features: int = 512
    heads: int = 8
    layers: int = 3
    discrepancy_weight: float = 3.0
    temperature: float = 50.0

    def misfit(self) -> str:
        return headless(self.features, self.heads)

    @property
    def placement(self) -> Placement:
        return "last at centre" if self.parity == "published" else "last"

    def network(self) -> nn.Module:
        return AnomalyTransformerNet(self.width, self.features, self.heads, self.layers)

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        """The sum of the two phases: the series' attention flees the prior, and the prior follows it."""
        rebuilt, attentions = network(windows)
        error = ((rebuilt - windows) ** 2).mean()
        fleeing = torch.stack(
            [discrepancy(series, prior.detach()).mean() for series, prior in attentions]
        ).mean()
        following = torch.stack(
            [discrepancy(series.detach(), prior).mean() for series, prior in attentions]
        ).mean()
        return 2 * error + self.discrepancy_weight * (following - fleeing)

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        rebuilt, attentions = network(windows)
        apart = torch.stack([discrepancy(series, prior) for series, prior in attentions]).sum(dim=0)
        # In float32 the share of a step where the attentions differ much would be rounded to nothing.
        share = torch.softmax(-self.temperature * apart.double(), dim=1)  # [batch, width]
        return share * (rebuilt - windows) ** 2


def discrepancy(series: Tensor, prior: Tensor) -> Tensor:
    """Divergence between two attentions [batch, heads, width, width], both ways, mean of the heads: [batch, width].

    >>> same = torch.full((1, 1, 2, 2), 0.5)
    >>> discrepancy(same, same)
    tensor([[0., 0.]])
    """
    apart = torch.log(series + LOG_FLOOR) - torch.log(prior + LOG_FLOOR)
    return ((series - prior) * apart).sum(dim=3).mean(dim=1)


class AnomalyTransformerNet(nn.Module):
    def __init__(self, width: int, features: int, heads: int, layers: int) -> None:
        super().__init__()
        self.embed = TokenEmbedding(1, features, width)
        self.layers = nn.ModuleList(_Layer(width, features, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(features)
        self.project = nn.Linear(features, 1)

    def forward(self, windows: Tensor) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
        """The windows rebuilt, and the two attentions of each layer."""
        steps, attentions = self.embed(windows[:, :, None]), []
        for layer in self.layers:
            steps, series, prior = layer(steps)
            attentions.append((series, prior))
        return self.project(self.norm(steps))[:, :, 0], attentions


class _Layer(nn.Module):
    def __init__(self, width: int, features: int, heads: int) -> None:
        super().__init__()
        self.attend = AnomalyAttention(width, features, heads)
        self.forward_step = nn.Sequential(
            nn.Linear(features, features), nn.GELU(), nn.Linear(features, features)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(features) for _ in range(2))

    def forward(self, steps: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        attended, series, prior = self.attend(steps)
        steps = self.norms[0](steps + attended)
        return self.norms[1](steps + self.forward_step(steps)), series, prior


class AnomalyAttention(nn.Module):
    """Attention of each step to the others: learnt (series), and as a bell around the step (prior)."""

    apart: Tensor

    def __init__(self, width: int, features: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(features, features), nn.Linear(features, features)
        self.value, self.out = nn.Linear(features, features), nn.Linear(features, features)
        self.breadth = nn.Linear(features, heads)
        place = torch.arange(width, dtype=torch.float32)
        self.register_buffer("apart", (place[:, None] - place).abs(), persistent=False)

    def forward(self, steps: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        query, key, value = (self._by_head(of(steps)) for of in (self.query, self.key, self.value))
        series = torch.softmax(query @ key.transpose(2, 3) / math.sqrt(query.shape[3]), dim=3)
        mixed = (series @ value).transpose(1, 2).flatten(2)  # [batch, width, features]
        return self.out(mixed), series, self._prior(steps)

    def _by_head(self, steps: Tensor) -> Tensor:
        batch, width, features = steps.shape
        by_head = steps.reshape(batch, width, self.heads, features // self.heads)
        return by_head.transpose(1, 2)  # [batch, heads, width, features / heads]

    def _prior(self, steps: Tensor) -> Tensor:
        # The bounds keep the bell between a point and a breadth of two steps.
        breadth = 3 ** (torch.sigmoid(5 * self.breadth(steps)) + 1e-5) - 1
        breadth = breadth.transpose(1, 2)[:, :, :, None]  # [batch, heads, width, 1]
        # The factor before a Gaussian cancels when its rows are made to sum to 1.
        return torch.softmax(-(self.apart**2) / (2 * breadth**2), dim=3)
