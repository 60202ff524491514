"""What detectors made of a small net share: training on windows, and errors of windows as scores of steps.

A net reconstructs its window or forecasts the step after it; the file of each detector says how, in three
methods: `network`, `loss` and `errors`.
"""

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from paiad.contracts import Detector, Reach, Scorer, checked_train
from paiad.devices import Device, computing
from paiad.errors import PaiadError
from paiad.layers.weights import to_arrays, with_arrays
from paiad.placement import (
    Placement,
    at_last,
    block_starts,
    centred,
    flush_right,
    placement_reach,
)
from paiad.progress import track
from paiad.scaling import UNSCALED, ZScore
from paiad.shapes import Scores, Values
from paiad.training import Patience, Shuffled, strided, train

Parity = Literal["none", "published"]

VALIDATION_SHARE = 0.2
LEAST_PROGRESS = 1e-4  # absolute, as in TSB-AD
LARGEST_ERROR = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class WindowNet(Detector):
    """Hyper-parameters that all window nets have; the defaults of each stand in its own file.

    The last fifth of the training values is held out; training stops after `patience` epochs without
    progress there and keeps the weights of the best epoch. The learning rate is multiplied by `decay` every
    `decay_every` epochs, counted from the one after the first `decay_after`.

    `parity="published"` repeats what the published tables of TSB-AD were made with instead of what is right:
    values enter as they are (no standardising), the last epoch's weights are kept, and scores stand where
    they stood there.
    """

    width: int = 100
    batch: int = 128
    epochs: int = 50
    patience: int = 3
    learning_rate: float = 1e-3
    weight_decay: float = 0.0
    decay: float = 0.75
    decay_every: int = 5
    decay_after: int = 0
    seed: int = 0
    device: Device = "auto"
    parity: Parity = "none"

    @property
    @abstractmethod
    def placement(self) -> Placement:
        """Which step an error belongs to; with "next" a window has one step more, to be forecast."""

    @abstractmethod
    def network(self) -> nn.Module:
        """The net, with fresh weights."""

    @abstractmethod
    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        """What training minimises on windows `[batch, steps]`, in this epoch (counted from 0)."""

    @abstractmethod
    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        """One error a step of each window, `[batch, steps]`, or one for the step forecast, `[batch, 1]`."""

    @property
    def steps(self) -> int:
        """Steps of a window as `loss` and `errors` get it."""
        return self.width + (self.placement == "next")

    def fit(self, train: Values) -> "NetScorer":
        name = type(self).__name__
        train = checked_train(train, self.steps, name)
        fitted, held_out = _split(train, self.steps)
        scale = ZScore.of(fitted) if self.parity == "none" else UNSCALED
        with computing(self.device, self.seed) as place:
            network = self.network().to(place)
            _train(self, network, scale(fitted), scale(held_out), place)
            weights = to_arrays(network)
        if not all(np.isfinite(array).all() for array in weights.values()):
            raise PaiadError(
                f"{name}: training diverged; try a smaller learning_rate than {self.learning_rate}"
            )
        return NetScorer(self, weights, scale).calibrated(train)


@dataclass(frozen=True)
class NetScorer(Scorer):
    """A trained net. Steps before its first full window get `early`: the median score of training, that is,
    no opinion (None: the first window's score)."""

    recipe: WindowNet
    weights: dict[str, np.ndarray]
    scale: ZScore
    early: float | None = None
    calibration: Scores = field(default_factory=lambda: np.empty(0))

    def calibrated(self, train: Values) -> "NetScorer":
        """The same net, with the scores of its training values."""
        if self.recipe.parity == "none" and self.recipe.placement in ("next", "last"):
            errors = self._errors(train)
            early = float(np.median(errors))
            return replace(self, early=early, calibration=at_last(errors, len(train), early))
        return replace(self, calibration=self.score(train))

    def score(self, values: Values) -> Scores:
        errors = self._errors(np.asarray(values, dtype=np.float64))
        placement, width = self.recipe.placement, self.recipe.width
        if placement == "blocks":
            return flush_right(errors, len(values))
        if placement in ("last at centre", "mean at centre"):
            return centred(errors, width, len(values))
        return at_last(errors, len(values), self.early)

    @property
    def reach(self) -> Reach | None:
        return placement_reach(self.recipe.placement, self.recipe.width, self.early is not None)

    def _errors(self, values: Values) -> np.ndarray:
        """One error a window, [windows], or for "blocks" one a step of each, [windows, width]."""
        recipe = self.recipe
        with computing(recipe.device) as place, torch.inference_mode():
            network = self._network.to(place)
            windows = strided(self.scale(values), recipe.steps, device=place)
            if recipe.placement == "blocks":
                windows = windows[torch.from_numpy(block_starts(recipe.width, len(values))).to(place)]
            parts = track(_parts(windows, recipe.batch), f"scoring with {type(recipe).__name__}")
            found = [_kept(recipe.errors(network, part), recipe.placement).cpu() for part in parts]
        errors = torch.cat(found).numpy().astype(np.float64)
        # What overflows a net is as anomalous as can be, but still a number.
        return np.nan_to_num(errors, nan=LARGEST_ERROR, posinf=LARGEST_ERROR)

    @cached_property
    def _network(self) -> nn.Module:
        return with_arrays(self.recipe.network(), self.weights)


def _kept(errors: Tensor, placement: Placement) -> Tensor:
    if placement == "blocks":
        return errors
    return errors.mean(dim=1) if placement == "mean at centre" else errors[:, -1]


def _parts(windows: Tensor, size: int) -> tuple[Tensor, ...]:
    return windows.split(size)  # type: ignore[no-untyped-call]


def _split(train: Values, steps: int) -> tuple[Values, Values]:
    """The part to fit and the part held out, which is empty when both cannot hold a window."""
    held_out = max(len(train) - int((1 - VALIDATION_SHARE) * len(train)), steps)
    if len(train) - held_out < steps:
        return train, train[:0]
    return train[:-held_out], train[-held_out:]


class _Epochs:
    """Counts the epochs and lowers the learning rate as they pass."""

    def __init__(self, recipe: WindowNet, network: nn.Module) -> None:
        self.recipe, self.number = recipe, 0
        trained = [weight for weight in network.parameters() if weight.requires_grad]
        self.optimizer = torch.optim.AdamW(trained, recipe.learning_rate, weight_decay=recipe.weight_decay)

    def step(self) -> None:
        self.number += 1
        passed = max(0, self.number - self.recipe.decay_after) // self.recipe.decay_every
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.learning_rate * self.recipe.decay**passed


def _train(
    recipe: WindowNet, network: nn.Module, fitted: Values, held_out: Values, place: torch.device
) -> None:
    windows = strided(fitted, recipe.steps, device=place)
    unseen = strided(held_out, recipe.steps, device=place) if len(held_out) else windows
    epochs = _Epochs(recipe, network)

    def held_out_loss() -> float:
        now = epochs.number - 1  # the epoch just finished
        parts = [float(recipe.loss(network, part, now)) for part in _parts(unseen, recipe.batch)]
        return float(np.mean(parts))

    train(
        network,
        lambda rows: recipe.loss(network, windows[rows], epochs.number),
        Shuffled(len(windows), recipe.batch, recipe.seed, place),
        recipe.epochs,
        epochs.optimizer,
        epoch_schedule=epochs,
        validation=held_out_loss if len(held_out) else None,
        patience=Patience(recipe.patience, LEAST_PROGRESS),
        keep="last" if recipe.parity == "published" else "best",
        what=f"training {type(recipe).__name__}",
    )
