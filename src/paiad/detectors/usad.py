"""USAD: an encoder with two decoders, the second of which is to tell the first one's work from the real thing."""

from dataclasses import dataclass
from typing import Literal

from torch import Tensor, nn
from torch.func import functional_call

from paiad.placement import Placement
from paiad.scorers import WindowNet


@dataclass(frozen=True)
class USAD(WindowNet):
    """Mean squared error over the window of the first reconstruction and of its reconstruction by the second
    decoder, weighed 1 : 9, at the window's middle.

    The decoders end in a sigmoid: what lies outside 0 … 1 cannot be reconstructed, so the score is mostly
    the window's energy.

    `parity="published"` trains as the published run did: one optimiser for both losses, in which the
    adversarial terms cancel and two plain autoencoders remain.
    """

    epochs: int = 10
    weight_decay: float = 1e-5
    decay: float = 0.9
    hidden: int = 16
    latent: int = 5

    @property
    def placement(self) -> Placement:
        return "mean at centre"

    def network(self) -> nn.Module:
        return USADNet(self.width, self.hidden, self.latent)

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        assert isinstance(network, USADNet)
        first, second = network(windows)
        plain = _squared_error(first, windows) + _squared_error(second, windows)
        share = 1 / (epoch + 1)
        if self.parity == "published":
            return share * plain
        if not network.training:
            return plain  # not shrinking from epoch to epoch, or the last would always be the best
        fooling = _squared_error(network.again(windows, frozen="second"), windows)
        telling = _squared_error(network.again(windows, frozen="first"), windows)
        return share * plain + (1 - share) * (fooling - telling)

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        assert isinstance(network, USADNet)
        first, _ = network(windows)
        return 0.1 * (first - windows) ** 2 + 0.9 * (network.again(windows) - windows) ** 2


class USADNet(nn.Module):
    def __init__(self, width: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            *(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()),
            *(nn.Linear(hidden, latent), nn.ReLU()),
        )
        self.first = _decoder(width, hidden, latent)
        self.second = _decoder(width, hidden, latent)

    def forward(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        """The reconstruction by each decoder."""
        code = self.encoder(windows)
        return self.first(code), self.second(code)

    def again(self, windows: Tensor, frozen: Literal["first", "second"] | None = None) -> Tensor:
        """The first reconstruction, reconstructed by the second decoder; the frozen decoder does not learn."""
        first = _apply(self.first, self.encoder(windows), frozen == "first")
        return _apply(self.second, self.encoder(first), frozen == "second")


def _decoder(width: int, hidden: int, latent: int) -> nn.Sequential:
    return nn.Sequential(
        *(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()),
        *(nn.Linear(hidden, width), nn.Sigmoid()),
    )


def _apply(decoder: nn.Module, code: Tensor, frozen: bool) -> Tensor:
    weights = {name: weight.detach() if frozen else weight for name, weight in decoder.named_parameters()}
    given: Tensor = functional_call(decoder, weights, (code,))
    return given


def _squared_error(given: Tensor, windows: Tensor) -> Tensor:
    return ((given - windows) ** 2).mean()
