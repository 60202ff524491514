"""The one training loop of all torch nets, and the batches it runs on.

Batches are index tensors into a strided view of the series, so overlapping windows are never copied but for
the batch at hand, and nothing is done sample by sample in Python:

    windows = strided(values, width, device=place)               # [windows, width], a view
    batches = Shuffled(len(windows), 128, seed)                  # index tensors, new order each epoch
    train(net, lambda rows: loss_of(net, windows[rows]), batches, epochs=10, optimizer=...)
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from paiad.errors import TooShortError
from paiad.progress import track


class Batches(Iterable[Tensor], Sized, Protocol):
    """Iterated once an epoch; as many batches each time as its length says."""


class Schedule(Protocol):
    """Anything with a `step()`, such as torch's learning-rate schedulers."""

    def step(self) -> Any: ...


@dataclass
class Shuffled:
    """Batches of row numbers in a new random order each epoch, the same for the same seed."""

    rows: int
    size: int
    seed: int
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    drop_last: bool = False

    def __post_init__(self) -> None:
        self._generator = torch.Generator().manual_seed(self.seed)

    def __len__(self) -> int:
        whole, rest = divmod(self.rows, self.size)
        return whole + (rest > 0 and not (self.drop_last and whole))

    def __iter__(self) -> Iterator[Tensor]:
        order = torch.randperm(self.rows, generator=self._generator).to(self.device)
        return iter(torch.split(order, self.size)[: len(self)])


@dataclass(frozen=True)
class Repeated:
    """`count` batches from passes over others: an "epoch" of as many iterations as one likes."""

    batches: Batches
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Tensor]:
        given = 0
        while given < self.count:
            for batch in self.batches:
                yield batch
                given += 1
                if given == self.count:
                    return


@dataclass(frozen=True)
class Patience:
    """Stop after so many epochs in which the validation loss did not fall by more than `least`."""

    epochs: int
    least: float = 0.0


@dataclass(frozen=True)
class History:
    """Mean loss of each epoch, validation loss of each epoch, and the epoch whose weights were kept."""

    losses: tuple[float, ...]
    validation: tuple[float, ...]
    best_epoch: int


def strided(
    values: np.ndarray,
    width: int,
    stride: int = 1,
    device: torch.device | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """All windows of a series as a view [windows, width]; index it with row numbers to gather a batch.

    >>> strided(np.arange(4.0), 3)
    tensor([[0., 1., 2.],
            [1., 2., 3.]])
    """
    if len(values) < width:
        raise TooShortError(f"a window needs {width} values, got a series of {len(values)}")
    return torch.tensor(values, device=device, dtype=dtype).unfold(0, width, stride)


def train(
    net: nn.Module,
    loss: Callable[[Tensor], Tensor],
    batches: Batches,
    epochs: int,
    optimizer: torch.optim.Optimizer,
    *,
    step_schedule: Schedule | None = None,
    epoch_schedule: Schedule | None = None,
    validation: Callable[[], float] | None = None,
    patience: Patience | None = None,
    keep: Literal["best", "last"] = "best",
    clip: float | None = None,
    what: str = "training",
) -> History:
    """Minimise `loss(batch)`; leaves the net in eval mode with the weights of its best epoch.

    The best epoch is the one of lowest validation loss; without validation, or where `keep` says so, the
    last. Validation runs in eval mode without gradients. Interrupting (Ctrl-C) leaves the net half-trained
    and nothing else.
    """
    losses, judged, best = [], [], _Best(patience)
    steps = track(_steps(batches, epochs), what, total=epochs * len(batches))
    running: list[Tensor] = []
    net.train()
    for batch, last_of_epoch in steps:
        running.append(_step(net, loss, batch, optimizer, clip))
        if step_schedule is not None:
            step_schedule.step()
        if not last_of_epoch:
            continue
        losses.append(float(torch.stack(running).mean()))
        running.clear()
        if epoch_schedule is not None:
            epoch_schedule.step()
        if validation is not None:
            judged.append(_validated(net, validation))
            best.see(judged[-1], len(losses) - 1, net)
            if best.exhausted:
                break
    restored = keep == "best" and bool(judged)
    if restored:
        best.restore(net)
    net.eval()
    return History(tuple(losses), tuple(judged), best.epoch if restored else len(losses) - 1)


def _steps(batches: Batches, epochs: int) -> Iterator[tuple[Tensor, bool]]:
    last = len(batches) - 1
    for _ in range(epochs):
        for number, batch in enumerate(batches):
            yield batch, number == last


def _step(
    net: nn.Module,
    loss: Callable[[Tensor], Tensor],
    batch: Tensor,
    optimizer: torch.optim.Optimizer,
    clip: float | None,
) -> Tensor:
    optimizer.zero_grad(set_to_none=True)
    value = loss(batch)
    value.backward()  # type: ignore[no-untyped-call]
    if clip is not None:
        nn.utils.clip_grad_norm_(net.parameters(), clip)
    optimizer.step()
    return value.detach()


def _validated(net: nn.Module, validation: Callable[[], float]) -> float:
    net.eval()
    with torch.no_grad():
        value = float(validation())
    net.train()
    return value


class _Best:
    """The weights of the best epoch so far: copies, because training goes on writing into the originals."""

    def __init__(self, patience: Patience | None) -> None:
        self.patience = patience
        self.epoch, self.value, self.waited = 0, math.inf, 0
        self.weights: dict[str, Tensor] | None = None

    def see(self, value: float, epoch: int, net: nn.Module) -> None:
        self.waited += 1
        if self.patience is None or value < self.value - self.patience.least:
            self.waited = 0
        if value < self.value or self.weights is None:
            self.epoch, self.value = epoch, value
            self.weights = {name: tensor.detach().clone() for name, tensor in net.state_dict().items()}

    @property
    def exhausted(self) -> bool:
        return self.patience is not None and self.waited >= self.patience.epochs

    def restore(self, net: nn.Module) -> None:
        if self.weights is not None:
            net.load_state_dict(self.weights)
