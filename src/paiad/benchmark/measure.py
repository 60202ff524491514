"""From scores to rows of measures, under a protocol; done when a job ends, and again at will."""

from dataclasses import dataclass

from paiad.benchmark.key import digest, source_digest
from paiad.benchmark.suite import Part, Protocol
from paiad.errors import PaiadError
from paiad.metrics.definitions import Definition
from paiad.metrics.evaluation import evaluate
from paiad.period import dominant_period
from paiad.series import Series
from paiad.shapes import Labels, Scores, Values


@dataclass(frozen=True)
class Ruler:
    """A protocol settled for one detector: which part is judged, with which window and definition."""

    part: Part
    window: str
    definition: Definition
    metrics: tuple[str, ...]

    @classmethod
    def of(cls, protocol: Protocol, part: Part) -> "Ruler":
        return cls(part, str(protocol.window), protocol.definition, protocol.measures)

    @property
    def digest(self) -> str:
        """Equal for equal rulers read by equal code, so that measures can be found again."""
        code = source_digest(("paiad.metrics.evaluation", "paiad.period"))
        return digest(self.part, self.window, self.definition, ",".join(self.metrics), code)[:16]

    @property
    def digest_elsewhere(self) -> str:
        """The same for measures that came without scores: nobody can take them again, so they stay."""
        return digest("elsewhere", self.part, self.window, self.definition)[:16]


@dataclass(frozen=True)
class Measure:
    """One measure of one job; `value` is NaN where it is undefined, and `reason` says why."""

    metric: str
    value: float
    part: str
    vus_window: int
    definition: Definition
    n: int
    reason: str = ""


def measured(scores: Scores, series: Series, ruler: Ruler) -> list[Measure]:
    """Every measure of the ruler. `scores` are as long as the series, or as its test part."""
    values, labels = judged_part(series, ruler.part)
    scores = scores[len(scores) - len(labels) :]
    found = evaluate(scores, labels, judging_window(values, ruler), ruler.metrics, ruler.definition)
    return [
        Measure(name, value, ruler.part, found.window, ruler.definition, found.n, found.reasons.get(name, ""))
        for name, value in found.items()
    ]


def judged_part(series: Series, part: Part) -> tuple[Values, Labels]:
    """Values and labels of the part that is judged."""
    if series.labels is None:
        raise PaiadError(f"{series.name}: there are no labels to judge by")
    start = (series.train_end or 0) if part == "test" else 0
    return series.values[start:], series.labels[start:]


def judging_window(values: Values, ruler: Ruler) -> int | None:
    """Steps of the VUS window, or None where the labels decide."""
    if ruler.window == "labels":
        return None
    if ruler.window.isdigit():
        return int(ruler.window)
    return dominant_period(values, "paper" if ruler.window == "paper" else "tsb-ad")
