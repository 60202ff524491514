"""What kind of anomaly a series holds: amplitude, pattern, both or neither; a rule of ours, from the data alone.

An event is compared with up to 200 normal stretches of the same series, as long as itself:

- *amplitude*: its largest deviation from the median of the normal values, or the largest shift of its local
  mean, is reached by at most 2.5 % of the normal stretches, even when half a spread (MAD) is taken off it;
- *pattern*: after cutting all values to the normal range and z-normalising every patch, so that amplitude says
  nothing any more, its patches are farther from their nearest normal patch than those of 95 % of the stretches.

A series is of the kind that at least half of its events show; hybrid when both, undetermined when neither, or when
there is too little normal data to compare with. No detector, no training part and no threshold in data units is
involved, and every step is unchanged when the values are scaled or shifted.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from paiad.amplitude import Level, deviation, mean_shift
from paiad.period import dominant_period
from paiad.runs import runs_of
from paiad.series import Series
from paiad.shapes import Labels, Patches, Scores, Values

Kind = Literal["amplitude", "pattern", "hybrid", "undetermined"]
KINDS: tuple[Kind, ...] = ("amplitude", "pattern", "hybrid", "undetermined")
Starts = NDArray[np.int64]


@dataclass(frozen=True)
class Rule:
    """The constants of the rule."""

    events: int = 50
    stretches: int = 200
    fewest: int = 20
    longest: int = 1000
    library: int = 1000
    patches: int = 16
    amplitude_share: float = 0.025
    amplitude_margin: float = 0.5
    pattern_share: float = 0.05


@dataclass(frozen=True)
class Judgement:
    """The kind of a series, and the share of its events that show each kind of evidence."""

    kind: Kind
    amplitude: float
    pattern: float
    events: int


def judged(series: Series, rule: Rule | None = None) -> Judgement:
    """The kind of a labelled series."""
    assert series.labels is not None
    return judged_values(series.values, series.labels, rule or Rule())


def judged_values(values: Values, labels: Labels, rule: Rule) -> Judgement:
    """The kind of labelled values.

    >>> rng = np.random.default_rng(0)
    >>> values, labels = rng.normal(size=3000), np.zeros(3000, dtype=np.int64)
    >>> values[2000:2010] += 20; labels[2000:2010] = 1
    >>> judged_values(values, labels, Rule()).kind
    'amplitude'
    """
    events = runs_of(labels > 0)
    if not len(events):
        return Judgement("undetermined", 0.0, 0.0, 0)
    tracks = _Tracks.of(values, labels, rule)
    chosen = _thinned(events, rule.events)
    shown = np.array(
        [_evidence(tracks, int(first), int(last), rule) for first, last in chosen], dtype=np.float64
    )
    amplitude, pattern = shown.mean(axis=0)
    return Judgement(_kind(amplitude >= 0.5, pattern >= 0.5), float(amplitude), float(pattern), len(events))


def _kind(amplitude: bool, pattern: bool) -> Kind:
    if amplitude and pattern:
        return "hybrid"
    return "amplitude" if amplitude else "pattern" if pattern else "undetermined"


@dataclass(frozen=True)
class _Tracks:
    """What events and normal stretches are compared by; `far` marks what is a patch away from any anomaly."""

    deviation: Scores
    shift: Scores
    shapes: Patches
    library: Patches
    library_starts: Starts
    far: NDArray[np.bool_]
    least_spread: float

    @classmethod
    def of(cls, values: Values, labels: Labels, rule: Rule) -> "_Tracks":
        normal = labels == 0
        calm = values[normal] if normal.any() else values
        level = Level.of(calm)
        width = min(int(np.clip(dominant_period(values), 16, 128)), len(values))
        shapes = sliding_window_view(np.clip(values, *np.percentile(calm, [0.5, 99.5])), width)
        # Below this a patch is flat, and its shape would be noise.
        least_spread = 0.05 * float(np.std(shapes[::width])) + 1e-300
        starts = _thinned(_free_starts(normal, width), rule.library)
        shift = mean_shift(values, level, width // 2)
        library = _z_normalised(shapes[starts], least_spread)
        return cls(
            deviation(values, level), shift, shapes, library, starts, _far(normal, width), least_spread
        )

    @property
    def width(self) -> int:
        return self.shapes.shape[1]


def _evidence(tracks: _Tracks, first: int, last: int, rule: Rule) -> tuple[bool, bool]:
    length = min(last - first + 1, rule.longest)
    stretches = _thinned(_free_starts(tracks.far, length), rule.stretches)
    if len(stretches) < rule.fewest:
        return False, False
    chunks = np.arange(first, last + 2 - length, length)
    amplitude = any(
        _share_reaching(track, chunks, stretches, length, rule.amplitude_margin) <= rule.amplitude_share
        for track in (tracks.deviation, tracks.shift)
    )
    own = np.median([_strangeness(tracks, int(start), length, rule) for start in chunks])
    others = np.array([_strangeness(tracks, int(start), length, rule) for start in stretches])
    return amplitude, bool((others >= own).mean() <= rule.pattern_share)


def _share_reaching(track: Scores, chunks: Starts, stretches: Starts, length: int, margin: float) -> float:
    """Share of normal stretches whose peak reaches that of the event (of its middle chunk, if it is long)."""
    # Without a margin, the tiniest excess over a very regular series would count.
    own = np.median([track[start : start + length].max() for start in chunks]) - margin
    others = np.array([track[start : start + length].max() for start in stretches])
    return float((others >= own).mean())


def _strangeness(tracks: _Tracks, start: int, length: int, rule: Rule) -> float:
    """Largest distance of the patches over a stretch from their nearest patch of the normal library."""
    half = tracks.width // 2
    last_patch = len(tracks.shapes) - 1
    begin, end = np.clip([start - half, start + length - half], 0, last_patch)
    own = np.unique(np.linspace(begin, end, min(rule.patches, end - begin + 1)).astype(np.int64))
    found = _z_normalised(tracks.shapes[own], tracks.least_spread)
    squared = np.maximum(2.0 * tracks.width - 2.0 * found @ tracks.library.T, 0.0)
    overlapping = np.abs(own[:, None] - tracks.library_starts[None, :]) < tracks.width
    squared[overlapping] = np.inf
    nearest = squared.min(axis=1)
    return float(nearest[np.isfinite(nearest)].max(initial=0.0))


def _z_normalised(patches: Patches, least_spread: float) -> Patches:
    """Each patch with mean 0 and length sqrt(width); a flat one becomes a slope that no noise decides."""
    centred = patches - patches.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    width = patches.shape[1]
    slope = np.linspace(-1.0, 1.0, width)
    flat = slope / slope.std()
    return np.where(spread > least_spread, centred / np.maximum(spread, least_spread), flat)


def _far(normal: NDArray[np.bool_], margin: int) -> NDArray[np.bool_]:
    """Steps with no anomaly within `margin`."""
    blocked = np.concatenate(([0], np.cumsum(~normal)))
    step = np.arange(len(normal))
    after, before = np.minimum(step + margin + 1, len(normal)), np.maximum(step - margin, 0)
    return np.asarray(blocked[after] == blocked[before])


def _free_starts(allowed: NDArray[np.bool_], length: int) -> Starts:
    """Starts of stretches of that length that lie wholly in what is allowed."""
    if len(allowed) < length:
        return np.empty(0, dtype=np.int64)
    blocked = np.concatenate(([0], np.cumsum(~allowed)))
    return np.flatnonzero(blocked[length:] == blocked[:-length])


def _thinned(starts: Starts, most: int) -> Starts:
    """At most so many, evenly spread."""
    if len(starts) <= most:
        return starts
    return starts[np.linspace(0, len(starts) - 1, most).astype(np.int64)]
