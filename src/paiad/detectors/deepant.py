"""DeepAnT (CNN in TSB-AD's tables): a small convolutional net forecasts the next value."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from paiad.placement import Placement
from paiad.scorers import WindowNet

NARROWEST = 10  # what two convolutions and two poolings leave one value of


@dataclass(frozen=True)
class DeepAnT(WindowNet):
    """Two convolutions and a linear head; score: squared error of the forecast, at the step forecast."""

    width: int = 50
    learning_rate: float = 8e-4

    def misfit(self) -> str:
        return f"width must be at least {NARROWEST}, got {self.width}" if self.width < NARROWEST else ""

    @property
    def placement(self) -> Placement:
        return "next"

    def network(self) -> nn.Module:
        return DeepAnTNet()

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        return self.errors(network, windows).mean()

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        forecast: Tensor = network(windows[:, :-1])
        return (forecast - windows[:, -1:]) ** 2


class DeepAnTNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv1d(1, 32, 3), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(32, 40, 3), nn.ReLU(), nn.MaxPool1d(2)
        )
        self.head = nn.Sequential(nn.Linear(80, 40), nn.ReLU(), nn.Dropout(0.25), nn.Linear(40, 1))

    def forward(self, windows: Tensor) -> Tensor:
        seen = self.convolutions(windows[:, None])  # [batch, 40, width / 4]
        # Upstream means to join an average and a maximum here, but takes the average twice; the published
        # numbers are of that net.
        average = seen.mean(dim=2)
        forecast: Tensor = self.head(torch.cat((average, average), dim=1))
        return forecast
