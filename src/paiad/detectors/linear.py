"""DLinear and NLinear: one linear map of the window, around its moving average or its last value."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from paiad.placement import Placement
from paiad.scorers import WindowNet

Task = Literal["reconstruct", "forecast"]

TREND_STEPS = 25  # of the moving average


@dataclass(frozen=True)
class LinearNet(WindowNet):
    """What the two have in common: they reconstruct the window, or forecast the step after it.

    `parity="published"` scores windows side by side, every step by its own error, as the TAB benchmark does.
    """

    published_by: ClassVar[Literal["TSB-AD", "TAB"]] = "TAB"

    learning_rate: float = 1e-4
    decay: float = 0.5
    decay_every: int = 1
    task: Task = "reconstruct"

    @property
    def placement(self) -> Placement:
        if self.task == "forecast":
            return "next"
        return "blocks" if self.parity == "published" else "last"

    @property
    def steps_out(self) -> int:
        return self.width if self.task == "reconstruct" else 1

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        return self.errors(network, windows).mean()

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        given: Tensor = network(windows[:, : self.width])
        return (given - windows[:, -self.steps_out :]) ** 2


@dataclass(frozen=True)
class DLinear(LinearNet):
    """Trend (a moving average) and rest of the window, each mapped linearly; score: squared error."""

    epochs: int = 1

    def network(self) -> nn.Module:
        return DLinearNet(self.width, self.steps_out)


@dataclass(frozen=True)
class NLinear(LinearNet):
    """The window less its last value, mapped linearly; score: squared error."""

    epochs: int = 3

    def network(self) -> nn.Module:
        return NLinearNet(self.width, self.steps_out)


class DLinearNet(nn.Module):
    def __init__(self, width: int, steps_out: int) -> None:
        super().__init__()
        self.trend = nn.Linear(width, steps_out)
        self.rest = nn.Linear(width, steps_out)
        for linear in (self.trend, self.rest):
            nn.init.constant_(linear.weight, 1 / width)

    def forward(self, windows: Tensor) -> Tensor:
        ends = (TREND_STEPS - 1) // 2
        padded = nn.functional.pad(windows[:, None], (ends, ends), mode="replicate")  # [batch, 1, width + 24]
        trend = nn.functional.avg_pool1d(padded, TREND_STEPS, stride=1)[:, 0]
        return torch.add(self.trend(trend), self.rest(windows - trend))


class NLinearNet(nn.Module):
    def __init__(self, width: int, steps_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, steps_out)

    def forward(self, windows: Tensor) -> Tensor:
        last = windows[:, -1:]
        return torch.add(self.linear(windows - last), last)
