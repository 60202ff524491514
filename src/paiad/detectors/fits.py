"""FITS: a low-pass spectrum of every fourth value, interpolated to the full window by one complex map."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from paiad.placement import Placement
from paiad.scorers import WindowNet

EPSILON = 1e-5  # added to the variance


@dataclass(frozen=True)
class FITS(WindowNet):
    """Score: squared error of the window's last step, rebuilt from the low frequencies of every fourth value."""

    learning_rate: float = 1e-4
    every: int = 4
    frequencies: int = 12

    def misfit(self) -> str:
        sparse = -(-self.width // self.every)  # values that are looked at
        most = min(sparse // 2 + 1, (self.width // 2 + 1) // self.every)
        if self.frequencies <= most:
            return ""
        of_what = f"every {self.every}th of {self.width} values"
        return f"{of_what} has only {most} frequencies to widen, but frequencies is {self.frequencies}"

    @property
    def placement(self) -> Placement:
        return "last at centre" if self.parity == "published" else "last"

    def network(self) -> nn.Module:
        return FITSNet(self.width, self.every, self.frequencies)

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        return self.errors(network, windows).mean()

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        return (network(windows) - windows) ** 2


class FITSNet(nn.Module):
    def __init__(self, width: int, every: int, frequencies: int) -> None:
        super().__init__()
        self.width, self.every, self.frequencies = width, every, frequencies
        start = nn.Linear(frequencies, frequencies * every)  # its real start values, imaginary parts zero
        self.weight = nn.Parameter(torch.view_as_real(start.weight.detach().to(torch.complex64)).clone())
        self.bias = nn.Parameter(torch.view_as_real(start.bias.detach().to(torch.complex64)).clone())

    def forward(self, windows: Tensor) -> Tensor:
        sparse = windows[:, :: self.every]
        mean = sparse.mean(dim=1, keepdim=True)
        spread = torch.sqrt(sparse.var(dim=1, keepdim=True) + EPSILON)
        low = torch.fft.rfft((sparse - mean) / spread, dim=1)[:, : self.frequencies]
        weight, bias = torch.view_as_complex(self.weight), torch.view_as_complex(self.bias)
        wide = low @ weight.T + bias  # [batch, frequencies * every]
        full = nn.functional.pad(wide, (0, self.width // 2 + 1 - wide.shape[1]))
        # A spectrum of a quarter of the points stands for a quarter of the energy.
        return torch.fft.irfft(full, n=self.width, dim=1) * self.every * spread + mean
