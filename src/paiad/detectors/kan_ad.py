"""KAN-AD: the next value as a mixture of a few cosines, of time and of the values, and the window itself."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from paiad.placement import Placement
from paiad.scorers import WindowNet


@dataclass(frozen=True)
class KANAD(WindowNet):
    """Score: absolute error of the forecast, at the step forecast."""

    width: int = 96
    batch: int = 1024
    epochs: int = 100
    learning_rate: float = 0.01
    order: int = 2

    @property
    def placement(self) -> Placement:
        return "next"

    def network(self) -> nn.Module:
        return KANADNet(self.width, self.order)

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        return ((network(windows[:, :-1]) - windows[:, -1:]) ** 2).mean()

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        return (network(windows[:, :-1]) - windows[:, -1:]).abs()


class KANADNet(nn.Module):
    waves: Tensor

    def __init__(self, width: int, order: int) -> None:
        super().__init__()
        channels = 2 * order + 1
        self.order = order
        self.first = nn.Conv1d(channels, channels, 3, padding=1, bias=False)
        self.second = nn.Conv1d(channels, channels, 3, padding=1, bias=False)
        self.mix = nn.Conv1d(channels, 1, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm1d(size) for size in (channels, channels, 1))
        self.filter = nn.Linear(width, 1)
        periods = torch.arange(1, order + 1)[:, None] * torch.arange(width) * (2 * math.pi / width)
        self.register_buffer("waves", torch.cos(periods), persistent=False)

    def forward(self, windows: Tensor) -> Tensor:
        multiples = torch.arange(1, self.order + 1, device=windows.device)[:, None]
        of_value = torch.cos(multiples * windows[:, None])  # [batch, order, width]
        channels = torch.cat((self.waves.expand_as(of_value), of_value, windows[:, None]), dim=1)
        hidden = nn.functional.gelu(self.norms[0](self.first(channels)))
        hidden = nn.functional.gelu(self.norms[1](self.second(hidden) + hidden))
        mixed = nn.functional.gelu(self.norms[2](self.mix(hidden) + windows[:, None]))
        forecast: Tensor = self.filter(mixed[:, 0])
        return forecast
