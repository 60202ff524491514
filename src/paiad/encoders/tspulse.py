"""TSPulse: a small pretrained model that fills in hidden patches, in time and by spectrum, and looks one step ahead.

A step is anomalous when the model, which has not seen this series (zero-shot) or has been tuned to its training
part, cannot fill it in. The scoring follows the benchmark run of the authors; the model is granite's.

Series of no more than a window (512 values) have no window with a value after it. They are put behind their own
mirror image of 512 values, so that every step is judged, and the first steps in the light of the mirror.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from paiad.contracts import Change, Detector, Encoder, Learner, Scorer, checked_train
from paiad.cover import Cover
from paiad.devices import computing
from paiad.encoders.tspulse_model import Pulse, PulseNet, load
from paiad.encoders.tspulse_modes import FALLBACK, Mode
from paiad.encoders.tspulse_tuning import FineTuning
from paiad.errors import SettingError
from paiad.placing import Device
from paiad.progress import track
from paiad.scaling import ZScore
from paiad.series import as_values
from paiad.settings import check_settings
from paiad.shapes import Scores, Values, Vectors
from paiad.training import strided

JUDGED = 96  # values at a window's end that are filled in
SMOOTHING = 8  # steps, of the two reconstruction scores
ROWS = {"cpu": 96, "cuda": 12_288}  # windows read at once: what a CPU keeps near, what fills a GPU
FINAL_FLOOR = 1e-5

Standard = Literal["training", "scored"]


@dataclass(frozen=True)
class TSPulse(Detector):
    """The native score of TSPulse, for one mode or the maximum of several, each from 0 to 1 on its reference.

    `modes`: "time" and "fft" fill in the last 96 values of each window patch by patch, by the time head or the
    spectrum head; "forecast" predicts the value after the window. `tspulse_modes.modes_for` knows which its
    authors use for which dataset.
    `standard` is the series that sets the scale of the values and the range of each mode's scores: the
    training part, or, as in the authors' run, the very series that is scored.
    `weights` is a folder, a name on the hub, or "tspulse-mini"; see `tspulse_model.load`.
    """

    modes: tuple[Mode, ...] = FALLBACK
    weights: str = ""
    tuning: FineTuning | None = None
    standard: Standard = "training"
    device: Device = "auto"

    def __post_init__(self) -> None:
        check_settings(self)
        if not self.modes:
            raise SettingError("TSPulse: modes must be some of time, fft and forecast, got none")

    def fit(self, train: Values) -> "TSPulseScorer":
        train = checked_train(train, 2, "TSPulse")
        return fitted(self, load(self.weights), train)


def fitted(recipe: TSPulse, pulse: Pulse, train: Values) -> "TSPulseScorer":
    """The recipe on a model that is there already (its `weights` are not looked at)."""
    scaling = ZScore.of(train)
    if recipe.tuning is not None:
        pulse = recipe.tuning.tune(pulse, scaling(train), recipe.device)
    errors = mode_errors(pulse, recipe.modes, scaling(train), recipe.device)
    ranges = tuple(Range.of(error) for error in errors)
    calibration = combined(recipe.modes, errors, ranges)
    if recipe.standard == "scored":
        return TSPulseScorer(pulse, recipe.modes, None, (), recipe.device, normalised(calibration))
    return TSPulseScorer(pulse, recipe.modes, scaling, ranges, recipe.device, calibration)


@dataclass(frozen=True)
class Range:
    """The least and the largest score of a mode."""

    least: float
    largest: float

    @classmethod
    def of(cls, errors: Scores) -> "Range":
        return cls(float(errors.min()), float(errors.max()))

    def __call__(self, errors: Scores) -> Scores:
        width = self.largest - self.least
        return (errors - self.least) / (width if width > 0 else 1.0)


@dataclass(frozen=True, eq=False)
class TSPulseScorer(Scorer):
    """A TSPulse model, and the training part's scale and ranges unless the scored series sets its own."""

    pulse: Pulse
    modes: tuple[Mode, ...]
    scaling: ZScore | None
    ranges: tuple[Range, ...]
    device: Device
    calibration: Scores = field(repr=False)

    def score(self, values: Values) -> Scores:
        values = as_values(values, "values to score")
        if self.scaling is not None:
            errors = mode_errors(self.pulse, self.modes, self.scaling(values), self.device)
            return combined(self.modes, errors, self.ranges)
        errors = mode_errors(self.pulse, self.modes, ZScore.of(values)(values), self.device)
        return normalised(combined(self.modes, errors, tuple(Range.of(error) for error in errors)))

    @property
    def ignores(self) -> frozenset[Change]:
        return frozenset(("shift", "scale") if self.scaling is None else ())


@dataclass(frozen=True)
class PatchTokens(Learner):
    """TSPulse's encoder: one vector for every 8 steps, in the light of the 504 before them.

    Where fewer lie before, the first value stands in for them.
    """

    weights: str = ""
    device: Device = "auto"

    def __post_init__(self) -> None:
        check_settings(self)

    def fit(self, train: Values) -> "PatchTokenEncoder":
        train = checked_train(train, 2, "TSPulse")
        return PatchTokenEncoder.of(load(self.weights), train, self.device)


@dataclass(frozen=True, eq=False)
class PatchTokenEncoder(Encoder):
    cover: Cover
    pulse: Pulse
    scaling: ZScore
    device: Device = "auto"

    @classmethod
    def of(cls, pulse: Pulse, train: Values, device: Device = "auto") -> "PatchTokenEncoder":
        return cls(Cover(pulse.patch), pulse, ZScore.of(train), device)

    @property
    def context(self) -> int:  # type: ignore[override]
        return self.pulse.context - self.pulse.patch

    def encode(self, values: Values) -> Vectors:
        self.cover.extract(values)
        series = np.pad(self.scaling(values), (self.context, 0), mode="edge")
        with computing(self.device) as place, torch.inference_mode():
            net = self.pulse.net.to(place)
            windows = strided(series, self.pulse.context, device=place)
            parts = track(torch.split(windows, ROWS[place.type]), "encoding")
            return torch.cat([net.vectors(part) for part in parts]).cpu().numpy()


def mode_errors(pulse: Pulse, modes: tuple[Mode, ...], values: Values, device: Device) -> list[Scores]:
    """How badly each mode does at every step, [modes] of [time], not yet brought to one scale."""
    missing = pulse.context if len(values) <= pulse.context else 0
    series = mirrored_before(values, missing)
    judged = min(JUDGED, pulse.context)
    with computing(device) as place, torch.inference_mode():
        net = pulse.net.to(place)
        windows = strided(series[:-1], pulse.context, device=place)
        after = torch.tensor(series[pulse.context :], dtype=torch.float32, device=place)
        copies = (
            1 if modes == ("forecast",) else judged // pulse.patch
        )  # a window is read once a hidden patch
        size = ROWS[place.type] // copies
        parts = list(zip(torch.split(windows, size), torch.split(after, size), strict=True))
        found = [_window_errors(net, pulse, modes, *part) for part in track(parts, "scoring")]
    return [
        _placed(torch.cat(errors).cpu().numpy().astype(np.float64), mode, pulse.context, judged)[missing:]
        for mode, errors in zip(modes, zip(*found, strict=True), strict=True)
    ]


def _window_errors(
    net: PulseNet, pulse: Pulse, modes: tuple[Mode, ...], windows: Tensor, after: Tensor
) -> list[Tensor]:
    """Per mode, one error a window, [windows]."""
    errors: dict[Mode, Tensor] = {}
    if "forecast" in modes:
        errors["forecast"] = (net.next_values(windows) - after).square()
    if "time" in modes or "fft" in modes:
        judged = windows[:, -min(JUDGED, pulse.context) :]
        by_time, by_spectrum = filled_in(net, windows, judged.shape[1] // pulse.patch, pulse.patch)
        errors["time"] = (by_time - judged).square().mean(1)
        errors["fft"] = (by_spectrum - judged).square().mean(1)
    return [errors[mode] for mode in modes]


def filled_in(net: PulseNet, windows: Tensor, patches: int, width: int) -> tuple[Tensor, Tensor]:
    """The last patches of each window, [windows, patches * width], each filled in with itself hidden, by both heads."""
    hidden = torch.arange(patches, device=windows.device)
    copies = windows.repeat_interleave(patches, 0)
    observed = seen_without(hidden.repeat(len(windows)), patches, width, windows.shape[1])
    own = hidden.repeat(len(windows))[:, None, None].expand(-1, 1, width)
    heads = (
        head[:, -patches * width :].reshape(-1, patches, width).gather(1, own)
        for head in net.reconstructions(copies, observed)
    )
    by_time, by_spectrum = (head.reshape(len(windows), patches * width) for head in heads)
    return by_time, by_spectrum


def seen_without(hidden: Tensor, patches: int, width: int, context: int) -> Tensor:
    """Masks [rows, context] that hide one of the last `patches` patches, by its number, in each row."""
    step = torch.arange(context, device=hidden.device) - (context - patches * width)
    return step.div(width, rounding_mode="floor")[None] != hidden[:, None]


def combined(modes: tuple[Mode, ...], errors: list[Scores], ranges: tuple[Range, ...]) -> Scores:
    """The largest of the modes' scores at every step, each brought to its range, the reconstructions smoothed."""
    ranged = [scale(error) for error, scale in zip(errors, ranges, strict=True)]
    scores = [
        score
        if mode == "forecast"
        else np.convolve(score, np.full(SMOOTHING, 1 / SMOOTHING), mode="same")[: len(score)]
        for mode, score in zip(modes, ranged, strict=True)
    ]
    return np.max(scores, axis=0)


def normalised(scores: Scores) -> Scores:
    """Divided by the largest, as the authors' run ends."""
    return scores / (scores.max() + FINAL_FLOOR)


def mirrored_before(values: Values, count: int) -> Values:
    """The values with `count` of their mirror image before them.

    >>> mirrored_before(np.array([1.0, 2.0, 3.0]), 3)
    array([2., 3., 2., 1., 2., 3.])
    """
    return np.pad(values, (count, 0), mode="reflect" if len(values) > 1 else "edge")


def _placed(errors: Scores, mode: Mode, context: int, judged: int) -> Scores:
    """Window errors as step scores: a reconstruction stands in the middle of what it fills in, a forecast at its
    step; the first and last are repeated to the ends."""
    behind = 0 if mode == "forecast" else judged // 2
    return np.pad(errors, (context - behind, behind), mode="edge")
