"""Many files begun at once: all their series fitted together, for the detectors that are faster so."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from paiad.benchmark.executors import Together
from paiad.benchmark.together import fits_together
from paiad.cli.file_jobs import FileJob, Judged, Refused, attempt
from paiad.contracts import Detector, Scorer
from paiad.detecting import recipe_of
from paiad.errors import PaiadError
from paiad.judging import robustly_calibrated
from paiad.normal_part import normal_part
from paiad.reading import read
from paiad.shapes import Values


@dataclass(frozen=True, eq=False, repr=False)
class FittedBefore(Detector):
    """Stands for a recipe that has been fitted already, and gives the scorer of the values that come."""

    recipe: Detector
    scorers: Mapping[bytes, Scorer] = field(default_factory=dict)

    @classmethod
    def on(cls, recipe: Detector, trains: Sequence[tuple[Values, bool]]) -> "FittedBefore":
        """Fit the recipe on all values at once; those of a series compared with itself (True) calibrate robustly."""
        scorers: dict[bytes, Scorer] = {}
        for alone, variant in ((False, recipe), (True, robustly_calibrated(recipe))):
            distinct = {values.tobytes(): values for values, is_alone in trains if is_alone is alone}
            if distinct:
                scorers |= zip(distinct, variant.fit_many(list(distinct.values())), strict=True)
        return cls(recipe, scorers)

    def fit(self, train: Values) -> Scorer:
        return self.scorers[train.tobytes()]

    def __repr__(self) -> str:
        return repr(self.recipe)


def group(job: FileJob) -> str | None:
    """All files of one command have one recipe; a model is fitted already, and standard input is read but once."""
    if job.arguments["model"] is not None or "-" in (job.file, job.arguments["train"]):
        return None
    recipe = _recipe(job)
    return repr(recipe) if fits_together(recipe) else None


def size(job: FileJob) -> float:
    """About how much there is to learn from."""
    path = Path(job.file)
    return path.stat().st_size if path.is_file() else 0


def begin(jobs: Sequence[FileJob], _: Sequence[None]) -> list[Callable[[], Judged | Refused]]:
    """Fit the series of all files; what is left of each is to be judged and written."""
    trains = [train for job in jobs for train in _trains(job)]
    fitted = FittedBefore.on(_recipe(jobs[0]), trains)
    given = {"detector": fitted, "settings": {}}
    return [partial(attempt, replace(job, arguments={**job.arguments, **given})) for job in jobs]


TOGETHER = Together(group, size, begin)


def _recipe(job: FileJob) -> Detector:
    return recipe_of(job.arguments["detector"], job.arguments["settings"])


def _trains(job: FileJob) -> Iterator[tuple[Values, bool]]:
    """What each series of a file learns from; where that cannot be told, judging will say why."""
    asked = job.arguments
    reading = {name: asked[name] for name in ("values", "time", "series_id", "missing")}
    with suppress(PaiadError, OSError):
        table = read(job.file, labels=asked["labels"], train_until=asked["train_until"], **reading)
        normal = None if asked["train"] is None else read(asked["train"], **reading)
        for series in table.series:
            with suppress(PaiadError):
                part = normal_part(series, normal, asked["labels"] is not None)
                yield part.values(series), part.alone
