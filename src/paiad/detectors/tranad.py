"""TranAD: a small transformer rebuilds the window's last step twice, the second time knowing its first error."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from paiad.placement import Placement
from paiad.scorers import WindowNet

SIZE = 2  # the value and the focus (squared error of the first pass)
HIDDEN = 16
DROPOUT = 0.1


@dataclass(frozen=True)
class TranAD(WindowNet):
    """Score: squared error of the window's last step as rebuilt in the second pass.

    Built as in TSB-AD, which leaves out the adversarial loss of the original and hands the decoders the very
    value they are to return. The output is a sigmoid: values outside 0 … 1 cannot be rebuilt.
    """

    width: int = 10
    learning_rate: float = 1e-4
    weight_decay: float = 1e-5
    decay: float = 0.9

    @property
    def placement(self) -> Placement:
        return "last at centre" if self.parity == "published" else "last"

    def network(self) -> nn.Module:
        return TranADNet(self.width)

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        first, second = network(windows)
        last, share = windows[:, -1:], 1 / (epoch + 1)
        return share * ((first - last) ** 2).mean() + (1 - share) * ((second - last) ** 2).mean()

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        _, second = network(windows)
        return (second - windows[:, -1:]) ** 2


class TranADNet(nn.Module):
    positions: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.encoder = _Layer(with_source=False)
        self.first, self.second = _Layer(with_source=True), _Layer(with_source=True)
        self.head = nn.Sequential(nn.Linear(SIZE, 1), nn.Sigmoid())
        self.dropout = nn.Dropout(DROPOUT)
        self.register_buffer("positions", _positions(width), persistent=False)

    def forward(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        """The last step of each window as rebuilt by the two passes, each [batch, 1]."""
        target = windows[:, -1:, None].expand(-1, 1, SIZE)
        focus = torch.zeros_like(windows)
        first = self.head(self.first(target, self._encoded(windows, focus)))[:, :, 0]
        focus = (first - windows) ** 2
        second = self.head(self.second(target, self._encoded(windows, focus)))[:, :, 0]
        return first, second

    def _encoded(self, windows: Tensor, focus: Tensor) -> Tensor:
        source = torch.stack((windows, focus), dim=2)  # [batch, width, 2]
        encoded: Tensor = self.encoder(self.dropout(source + self.positions))
        return encoded


class _Layer(nn.Module):
    """Attention to itself, to a source where there is one, and a feed-forward step; no normalisation and,
    as in the code the published numbers come from, no non-linearity (its leaky ReLU has slope 1)."""

    def __init__(self, with_source: bool) -> None:
        super().__init__()
        self.own = nn.MultiheadAttention(SIZE, 1, dropout=DROPOUT, batch_first=True)
        self.source = (
            nn.MultiheadAttention(SIZE, 1, dropout=DROPOUT, batch_first=True) if with_source else None
        )
        self.widen, self.narrow = nn.Linear(SIZE, HIDDEN), nn.Linear(HIDDEN, SIZE)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, steps: Tensor, source: Tensor | None = None) -> Tensor:
        steps = steps + self.dropout(self.own(steps, steps, steps, need_weights=False)[0])
        if self.source is not None:
            steps = steps + self.dropout(self.source(steps, source, source, need_weights=False)[0])
        return steps + self.dropout(self.narrow(self.dropout(self.widen(steps))))


def _positions(width: int) -> Tensor:
    """Sine and cosine of position × frequency, both added to every feature."""
    position = torch.arange(width, dtype=torch.float32)[:, None]
    frequency = torch.exp(torch.arange(SIZE) * (-math.log(10000.0) / SIZE))
    return torch.sin(position * frequency) + torch.cos(position * frequency)
