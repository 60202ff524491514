"""TimesNet: a window folded by its own periods into images, convolved, and unfolded again."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from paiad.layers.token_embedding import TokenEmbedding
from paiad.layers.window_scale import own_scale
from paiad.placement import Placement
from paiad.scorers import WindowNet

DROPOUT = 0.1
MEMORY = 0.9  # of the running mean of amplitudes, per batch


@dataclass(frozen=True)
class TimesNet(WindowNet):
    """Score: squared error of the window's last step in a reconstruction by its strongest periods.

    Training takes the periods that are strongest in the batch. Scoring takes those strongest in training,
    so that a score does not depend on which windows happen to be scored together; with
    `parity="published"` it does, as it did then.
    """

    width: int = 32
    learning_rate: float = 1e-4
    decay: float = 0.5
    decay_every: int = 1
    features: int = 8
    hidden: int = 16
    periods: int = 3
    kernels: int = 6

    def misfit(self) -> str:
        most = self.width // 2 + 1
        if self.periods <= most:
            return ""
        return f"a width of {self.width} has only {most} frequencies, but periods is {self.periods}"

    @property
    def placement(self) -> Placement:
        return "last at centre" if self.parity == "published" else "last"

    @property
    def depends_on_batch(self) -> bool:
        return self.parity == "published"

    def network(self) -> nn.Module:
        return TimesNetNet(self)

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        return self.errors(network, windows).mean()

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        return (network(windows) - windows) ** 2


class TimesNetNet(nn.Module):
    def __init__(self, recipe: TimesNet) -> None:
        super().__init__()
        self.embed = nn.Sequential(TokenEmbedding(1, recipe.features, recipe.width), nn.Dropout(DROPOUT))
        self.block = TimesBlock(recipe)
        self.norm = nn.LayerNorm(recipe.features)
        self.project = nn.Linear(recipe.features, 1)

    def forward(self, windows: Tensor) -> Tensor:
        normalised, mean, spread = own_scale(windows)
        features = self.norm(self.block(self.embed(normalised[:, :, None])))  # [batch, width, features]
        rebuilt: Tensor = self.project(features)[:, :, 0] * spread + mean
        return rebuilt


Kernel = tuple[Tensor, Tensor]
"""Weight and bias of a convolution that keeps the size of its image."""


def convolved(image: Tensor, kernel: Kernel) -> Tensor:
    weight, bias = kernel
    return nn.functional.conv2d(image, weight, bias, padding=weight.shape[2] // 2)


class TimesBlock(nn.Module):
    amplitude: Tensor

    def __init__(self, recipe: TimesNet) -> None:
        super().__init__()
        self.periods = recipe.periods
        self.of_training = recipe.parity == "none"
        self.register_buffer("amplitude", torch.zeros(recipe.width // 2 + 1))
        self.widen = Inception(recipe.features, recipe.hidden, recipe.kernels)
        self.narrow = Inception(recipe.hidden, recipe.features, recipe.kernels)

    def forward(self, steps: Tensor) -> Tensor:
        amplitudes = torch.fft.rfft(steps, dim=1).abs().mean(dim=2)  # [batch, frequencies]
        chosen = self._strongest(amplitudes.detach().mean(dim=0))
        kernels = [self.widen.joined(), self.narrow.joined()]  # once for all periods
        found = [self._by_period(steps, steps.shape[1] // frequency, kernels) for frequency in chosen]
        shares = torch.softmax(amplitudes[:, chosen], dim=1)
        return steps + (torch.stack(found, dim=3) * shares[:, None, None, :]).sum(dim=3)

    def _strongest(self, amplitude: Tensor) -> list[int]:
        if self.training:
            self.amplitude.mul_(MEMORY).add_(amplitude * (1 - MEMORY))
        elif self.of_training:
            amplitude = self.amplitude
        without_mean = amplitude.clone()
        without_mean[0] = 0
        strongest: list[int] = without_mean.topk(self.periods).indices.tolist()
        return [max(frequency, 1) for frequency in strongest]

    def _by_period(self, steps: Tensor, period: int, kernels: list[Kernel]) -> Tensor:
        batch, width, features = steps.shape
        padded = nn.functional.pad(steps, (0, 0, 0, -width % period))
        image = padded.reshape(batch, -1, period, features).permute(0, 3, 1, 2)
        seen = convolved(nn.functional.gelu(convolved(image, kernels[0])), kernels[1])
        # [batch, features, rows, period] to [batch, width, features]
        return seen.permute(0, 2, 3, 1).reshape(batch, -1, features)[:, :width]


class Inception(nn.Module):
    """The mean of convolutions with kernels 1, 3, 5, …, done as one with the mean of the kernels."""

    def __init__(self, inside: int, outside: int, kernels: int) -> None:
        super().__init__()
        self.kernels = nn.ModuleList(_kernel(inside, outside, half) for half in range(kernels))

    def joined(self) -> Kernel:
        """That one kernel."""
        reach = len(self.kernels) - 1
        weights: list[Tensor] = [
            nn.functional.pad(kernel.get_parameter("weight"), (reach - half,) * 4)
            for half, kernel in enumerate(self.kernels)
        ]
        biases: list[Tensor] = [kernel.get_parameter("bias") for kernel in self.kernels]
        return torch.stack(weights).mean(dim=0), torch.stack(biases).mean(dim=0)


def _kernel(inside: int, outside: int, half: int) -> nn.Conv2d:
    kernel = nn.Conv2d(inside, outside, 2 * half + 1, padding=half)
    nn.init.kaiming_normal_(kernel.weight, mode="fan_out", nonlinearity="relu")
    nn.init.zeros_(kernel.get_parameter("bias"))
    return kernel
