"""The recipe of the default detector."""

from dataclasses import dataclass, replace

import numpy as np

from paiad.amplitude import HALF_WIDTH, Level, Window
from paiad.best.combining import sharpness
from paiad.best.outline import Outline
from paiad.best.scorer import SHARP_FROM, SHARP_SLOPE, BestScorer
from paiad.best.stillness import Stillness
from paiad.best.term import PatchTerm, beyond
from paiad.best.texture import Texture
from paiad.best.timing import Timing
from paiad.contracts import Detector, Learner, checked_train
from paiad.errors import SettingError
from paiad.fusion import Calibration
from paiad.pai import Amplitude
from paiad.progress import track
from paiad.settings import check_settings
from paiad.shapes import Distances, Values

LEAST = 24  # training values: three patches of the finest width
NARROW = 32  # up to this width a patch is judged by `narrow_neighbours`
PATCHES = 3  # a width is used when so many whole patches fit into the training part without overlap


@dataclass(frozen=True)
class Best(Detector):
    """Outlines and textures of patches against banks of normal ones, at widths from 8 to 256; no training.

    `bank_size` is the most stretches the patches of the training part are kept in. With `window="trailing"` a
    score never looks ahead. The calibration scores judge every training step by the other training data, so
    fitting on a whole series and reading `calibration` scores a series that has no training part.

    >>> values = np.sin(np.arange(2000) / 9)
    >>> values[1500:1510] = 0
    >>> scorer = Best().fit(values[:1000])
    >>> bool(1490 <= scorer.score(values).argmax() < 1520)
    True
    """

    outline_widths: tuple[int, ...] = (8, 32, 128, 256)
    texture_widths: tuple[int, ...] = (16, 32, 64, 128)
    filters: int = 64
    bank_size: int = 4096
    neighbours: int = 3
    narrow_neighbours: int = 8
    stillness_weight: float = 0.75
    deviation_weight: float = 0.1
    mean_shift_weight: float = 0.1
    window: Window = "symmetric"
    calibration: Calibration = "mean"
    seed: int = 0

    def __post_init__(self) -> None:
        check_settings(self)
        if not self.outline_widths or list(self.outline_widths) != sorted(set(self.outline_widths)):
            raise SettingError(
                f"outline_widths must be given, the finest first, each once; got {self.outline_widths}"
            )
        if min(self.outline_widths) < 2 or min(self.texture_widths, default=8) < 8:
            raise SettingError("outlines need a width of at least 2, textures one of at least 8")

    def fit(self, train: Values) -> BestScorer:
        train = checked_train(train, LEAST, "Best")
        measured = [
            PatchTerm.of(
                name,
                learner.fit(train),
                train,
                Timing(width, self.window),
                self.bank_size,
                self.neighbours_at(width),
            )
            for name, width, learner in track(self.learners(len(train)), "learning outlines and textures")
        ]
        return self.assembled(measured, train)

    def assembled(self, measured: list[tuple[PatchTerm, Distances]], train: Values) -> BestScorer:
        """The scorer, from terms that have yet to be standardised and the honest distances of `train`."""
        terms = self._standardised(measured, train)
        split = sum(term.name.startswith("outline") for term in terms)
        weights = (self.stillness_weight, self.deviation_weight, self.mean_shift_weight)
        stillness = Stillness.of(train, self.window)
        amplitude = Amplitude(Level.of(train), HALF_WIDTH, self.window)
        levels = tuple(
            beyond(term[~np.isnan(term)], self.calibration)
            for term in (stillness.term(train), *amplitude.terms(train))
        )
        bare = BestScorer(
            terms[:split],
            terms[split:],
            stillness,
            amplitude,
            (levels[0], levels[1], levels[2]),
            weights,
            np.empty((0, 0)),
        )
        of_training = bare.contributions_of([distances for _, distances in measured], train)
        return replace(bare, training_contributions=of_training)

    def learners(self, length: int) -> list[tuple[str, int, Learner]]:
        """Name, width and learner of each patch term, for a training part of this length."""
        outlines: list[tuple[str, int, Learner]] = [
            (f"outline {width}", width, Outline(width))
            for width in self.outline_widths
            if PATCHES * width <= length
        ]
        if not outlines:
            finest = self.outline_widths[0]
            raise SettingError(
                f"outlines of {finest} steps need {PATCHES * finest} training values, got {length}"
            )
        return outlines + [
            (f"texture {width}", width, Texture(width, self.filters, self.seed))
            for width in self.texture_widths
            if PATCHES * width <= length
        ]

    def neighbours_at(self, width: int) -> int:
        """To how many neighbours the mean distance is taken: narrow patches have many, and noise in each."""
        return self.narrow_neighbours if width <= NARROW else self.neighbours

    def _standardised(
        self, measured: list[tuple[PatchTerm, Distances]], train: Values
    ) -> tuple[PatchTerm, ...]:
        (finest, distances), *coarser = measured
        alike = np.ones(len(train))
        finest = finest.standardised_on(distances, alike, self.calibration)
        surprise = sharpness(finest.z(distances, alike), SHARP_FROM, SHARP_SLOPE)
        return (finest, *(term.standardised_on(away, surprise, self.calibration) for term, away in coarser))
