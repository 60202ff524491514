"""What detectors made of a small net share: training on windows, and errors of windows as scores of steps.

A net reconstructs its window or forecasts the step after it; the file of each detector says how, in the
methods `network`, `errors` and, where it is trained, `loss`.
"""

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn

from paiad.contracts import Detector, Reach, Scorer, checked_train
from paiad.devices import computing
from paiad.errors import PaiadError, SettingError, StoredModelError
from paiad.layers.weights import to_arrays
from paiad.placement import (
    Placement,
    at_last,
    block_starts,
    centred,
    flush_right,
    placement_reach,
)
from paiad.placing import Device
from paiad.progress import track
from paiad.scaling import UNSCALED, ZScore
from paiad.series import as_values
from paiad.settings import Share, check_settings
from paiad.shapes import Scores, Values
from paiad.training import Patience, Shuffled, strided, train

Parity = Literal["none", "published"]

LEAST_PROGRESS = 1e-4  # absolute, as in TSB-AD
WINDOWS_ON_CPU, WINDOWS_ON_GPU = 128, 512  # scored at once, at least
MAY_BE_ZERO = ("seed", "epochs", "decay_after")
LARGEST_ERROR = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class WindowDetector(Detector):
    """A net that reconstructs its window, or forecasts the step after it.

    `parity="published"` repeats how the published numbers were made instead of what is right. In TSB-AD's
    tables, values entered as they are (no standardising), the last epoch's weights were kept, and some scores
    stood early. The TAB benchmark standardised, kept the best epoch, and scored windows side by side.
    """

    published_by: ClassVar[Literal["TSB-AD", "TAB"]] = "TSB-AD"

    width: int = 100
    batch: int = 128
    seed: int = 0
    device: Device = "auto"
    parity: Parity = "none"

    def __post_init__(self) -> None:
        check_settings(self, may_be_zero=MAY_BE_ZERO)
        if self.misfit():
            raise SettingError(f"{type(self).__name__}: {self.misfit()}")

    def misfit(self) -> str:
        """Which of the settings no net can be made of together, in a few words; "" when one can."""
        return ""

    @property
    @abstractmethod
    def placement(self) -> Placement:
        """Which step an error belongs to; with "next" a window has one step more, to be forecast."""

    def lacks(self) -> str:
        """What must be installed or fetched before this can be fitted, in a sentence; "" when nothing must."""
        return ""

    @abstractmethod
    def network(self) -> nn.Module:
        """The net before training: fresh weights, or pretrained ones."""

    @abstractmethod
    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        """One error a step of each window, `[batch, steps]`, or one for the step forecast, `[batch, 1]`."""

    @property
    def depends_on_batch(self) -> bool:
        """Whether the score of a window depends on which others are scored with it."""
        return False

    @property
    def steps(self) -> int:
        """Steps of a window as `errors` gets it."""
        return self.width + (self.placement == "next")

    def scale(self, train: Values) -> ZScore:
        """How values enter the net."""
        return UNSCALED if self.as_in_tsb_ad else ZScore.of(train)

    @property
    def as_in_tsb_ad(self) -> bool:
        return self.parity == "published" and self.published_by == "TSB-AD"


@dataclass(frozen=True)
class ZeroShot(WindowDetector):
    """A pretrained net, used as it is; training values only set the scale and the calibration.

    `weights` is a folder, or a name on the Hugging Face hub. They are not copied into what is saved.
    """

    weights: str = ""

    def fit(self, train: Values) -> "NetScorer":
        train = checked_train(train, self.steps, type(self).__name__)
        return NetScorer(self, {}, self.scale(train)).calibrated(train)


@dataclass(frozen=True)
class WindowNet(WindowDetector):
    """Hyper-parameters of training; the defaults of each net stand in its own file.

    The last `held_out` share of the training values is held out; training stops after `patience` epochs
    without progress there and keeps the weights of the best epoch. The learning rate is multiplied by
    `decay` every `decay_every` epochs, counted from the one after the first `decay_after`.
    """

    epochs: int = 50
    patience: int = 3
    held_out: Share = 0.2
    learning_rate: float = 1e-3
    weight_decay: float = 0.0
    decay: float = 0.75
    decay_every: int = 5
    decay_after: int = 0

    @abstractmethod
    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        """What training minimises on windows `[batch, steps]`, in this epoch (counted from 0)."""

    def fit(self, train: Values) -> "NetScorer":
        name = type(self).__name__
        train = checked_train(train, self.steps, name)
        fitted, held_out = _split(train, self.held_out, self.steps)
        scale = self.scale(fitted)
        with computing(self.device, self.seed) as place:
            network = self.network().to(place)
            _train(self, network, scale(fitted), scale(held_out), place)
            weights = _learnt(network)
        if not all(np.isfinite(array).all() for array in weights.values()):
            raise PaiadError(
                f"{name}: training diverged; try a smaller learning_rate than {self.learning_rate}"
            )
        return NetScorer(self, weights, scale).calibrated(train)


@dataclass(frozen=True)
class NetScorer(Scorer):
    """A trained net: what it learnt, and the recipe that brings the rest.

    Steps before its first full window get `early`: the median score of training, that is, no opinion (None:
    the first window's score).
    """

    recipe: WindowDetector
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
        values = as_values(values, "values to score")
        errors = self._errors(values)
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
            parts = track(
                _parts(windows, _scored_together(recipe, place)), f"scoring with {type(recipe).__name__}"
            )
            found = [_kept(recipe.errors(network, part), recipe.placement) for part in parts]
            errors = torch.cat(found).cpu().numpy().astype(np.float64)
        # What overflows a net is as anomalous as can be, but still a number.
        return np.nan_to_num(errors, nan=LARGEST_ERROR, posinf=LARGEST_ERROR)

    @cached_property
    def _network(self) -> nn.Module:
        return _with_learnt(self.recipe.network(), self.weights)


def _learnt(network: nn.Module) -> dict[str, np.ndarray]:
    """All weights but those that were frozen, which come again from where they came."""
    frozen = {name for name, weight in network.named_parameters() if not weight.requires_grad}
    return {name: array for name, array in to_arrays(network).items() if name not in frozen}


def _with_learnt(network: nn.Module, weights: dict[str, np.ndarray]) -> nn.Module:
    tensors = {name: torch.from_numpy(np.array(array)) for name, array in weights.items()}
    unlike = network.load_state_dict(tensors, strict=False)
    expected = {name for name, weight in network.named_parameters() if weight.requires_grad}
    wrong = [*unlike.unexpected_keys, *expected.intersection(unlike.missing_keys)]
    if wrong:
        raise StoredModelError(f"the weights do not fit {type(network).__name__}: {', '.join(sorted(wrong))}")
    return network.eval().requires_grad_(False)


def _scored_together(recipe: WindowDetector, place: torch.device) -> int:
    """Windows to score at once: as many as pay, and where scores depend on their neighbours, as many as in training."""
    if recipe.depends_on_batch:
        return recipe.batch
    return max(recipe.batch, WINDOWS_ON_GPU if place.type == "cuda" else WINDOWS_ON_CPU)


def _kept(errors: Tensor, placement: Placement) -> Tensor:
    if placement == "blocks":
        return errors
    # A copy of the last column, or it would keep all the others in memory.
    return errors.mean(dim=1) if placement == "mean at centre" else errors[:, -1].clone()


def _parts(windows: Tensor, size: int) -> tuple[Tensor, ...]:
    return windows.split(size)  # type: ignore[no-untyped-call]


def _split(train: Values, share: float, steps: int) -> tuple[Values, Values]:
    """The part to fit and the part held out, which is empty when both cannot hold a window."""
    held_out = max(len(train) - int((1 - share) * len(train)), steps)
    if share == 0 or len(train) - held_out < steps:
        return train, train[:0]
    return train[:-held_out], train[-held_out:]


class _Epochs:
    """Counts the epochs and lowers the learning rate as they pass."""

    def __init__(self, recipe: WindowNet, network: nn.Module) -> None:
        self.recipe, self.number = recipe, 0
        trained = [weight for weight in network.parameters() if weight.requires_grad]
        # On a GPU these nets wait for the starting of kernels, not for their work: one for all weights.
        fused = trained[0].is_cuda or None
        self.optimizer = torch.optim.AdamW(
            trained, recipe.learning_rate, weight_decay=recipe.weight_decay, fused=fused
        )

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
        parts = [recipe.loss(network, part, now) for part in _parts(unseen, recipe.batch)]
        return float(torch.stack(parts).double().mean())  # asking the GPU once, not once a part

    train(
        network,
        lambda rows: recipe.loss(network, windows[rows], epochs.number),
        Shuffled(len(windows), recipe.batch, recipe.seed, place),
        recipe.epochs,
        epochs.optimizer,
        epoch_schedule=epochs,
        validation=held_out_loss if len(held_out) else None,
        patience=Patience(recipe.patience, LEAST_PROGRESS),
        keep="last" if recipe.as_in_tsb_ad else "best",
        what=f"training {type(recipe).__name__}",
    )
