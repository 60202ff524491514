"""Does an encoder see amplitude at all? Asked of the user's own data, without labels.

The same encoder and bank are read with cosine and with Euclidean distance, and with PAI; known anomalies of
controlled strength are put into normal data that was held back, and each way of scoring has to find them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from paiad.bank import MemoryBank
from paiad.contracts import Scorer
from paiad.detectors.prototype import NearestPrototype, NearestPrototypeScorer
from paiad.errors import TooShortError
from paiad.metrics import evaluate
from paiad.nearest import nearest, unit_length
from paiad.pai import PAI, PAIScorer
from paiad.period import dominant_period
from paiad.progress import track
from paiad.ranks import auc_roc, spearman
from paiad.series import Series
from paiad.shapes import Values, Vectors
from paiad.synthetic import KINDS, Injected, inject

STRENGTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # in MADs of the normal data
READINGS = ("cosine", "euclidean", "pai")
SEEN = 0.9  # AUC-ROC from which a way of scoring is said to see an anomaly
HELD_BACK = 0.4  # share of the normal data that is kept from fitting and gets the injections
SHORTEST = 32  # steps of a known anomaly, where patches are shorter
STRETCHES = 24  # known anomalies of each kind and strength, in as many rounds as they need room
METRICS = ("VUS-PR", "VUS-ROC", "AUC-PR", "AUC-ROC")


@dataclass(frozen=True)
class Injection:
    """How well each reading ranks known anomalies of one kind and strength, against steps that nothing altered is near:
    AUC-ROC, 0.5 is blind, 1 is perfect."""

    kind: str
    strength: float
    auc: Mapping[str, float]


@dataclass(frozen=True)
class Diagnosis:
    """What an encoder and its bank keep of amplitude, measured on one series."""

    name: str
    encoder: str
    fitted_on: int
    held_back: int
    radial_share: float
    correlation: Mapping[str, float]
    injections: tuple[Injection, ...]
    untouched: Mapping[str, float]
    """The same for the same places with nothing altered: 0.5, but for the luck of the places."""
    labelled: Mapping[str, Mapping[str, float]]
    verdict: tuple[str, ...]

    def smallest_seen(self, kind: str, reading: str) -> float | None:
        """The smallest strength from which on this reading sees the kind; None when it never does."""
        return _smallest_seen(self.injections, kind, reading)


def diagnose(series: Series, detector: NearestPrototype, seed: int = 0) -> Diagnosis:
    """Read one encoder and bank with cosine, Euclidean distance and PAI, on the normal part of `series`."""
    normal = series.train
    cut = int(len(normal) * (1 - HELD_BACK))
    readings = fit_readings(detector, normal[:cut])
    base = readings["euclidean"]
    assert isinstance(base, NearestPrototypeScorer)
    held_back = normal[cut:]
    places = _Places.of(readings["pai"], base.encoder.cover.width, len(held_back), seed)
    if len(held_back) < places.room:
        raise TooShortError(
            f"{series.name}: the diagnostic holds back {HELD_BACK:.0%} of the normal values, and needs {places.room} "
            f"of them for anomalies of {places.length} steps; got {len(held_back)}: give a longer normal part, or "
            "narrower patches (learner.width of the default encoder)"
        )
    injections, untouched = _injection_test(readings, held_back, places)
    share = radial_share(base.encoder.encode(held_back), base.bank)
    correlation = _correlations(readings["pai"], held_back if series.train_end is None else series.values)
    labelled = _labelled(readings, series)
    return Diagnosis(
        name=series.name,
        encoder=type(detector.learner).__name__,
        fitted_on=cut,
        held_back=len(held_back),
        radial_share=share,
        correlation=correlation,
        injections=injections,
        untouched=untouched,
        labelled=labelled,
        verdict=_verdict(injections, share),
    )


def fit_readings(detector: NearestPrototype, train: Values) -> dict[str, Scorer]:
    """Fit once; only the distance changes from cosine to Euclidean, and PAI stands on the latter."""
    euclidean = replace(detector, metric="euclidean").fit(train)
    cosine = _with_cosine(euclidean, train)
    return {"cosine": cosine, "euclidean": euclidean, "pai": PAI(detector).around(euclidean, train)}


def radial_share(vectors: Vectors, bank: MemoryBank) -> float:
    """Mean share of the squared distance to the nearest prototype that is a difference in length alone.

    Cosine distance is blind to that share. 0: all of the distance is a matter of direction; 1: of length.
    """
    distance, row = nearest(vectors, bank.prototypes, 1)
    lengths = np.linalg.norm(vectors, axis=1) - np.linalg.norm(bank.prototypes[row[:, 0]], axis=1)
    apart = distance[:, 0] > 0
    return float(np.mean((lengths[apart] / distance[apart, 0]) ** 2)) if apart.any() else 0.0


def _with_cosine(euclidean: NearestPrototypeScorer, train: Values) -> NearestPrototypeScorer:
    bank = replace(euclidean.bank, prototypes=unit_length(euclidean.bank.prototypes), metric="cosine")
    of_train = bank.distance(euclidean.encoder.encode(train))
    return NearestPrototypeScorer(
        euclidean.encoder, bank, euclidean.encoder.cover.spread(of_train, len(train))
    )


@dataclass(frozen=True)
class _Places:
    """Where known anomalies of `length` steps go: the same places for every kind and strength, so that nothing but
    the anomaly differs, and far enough apart to leave steps that it cannot have touched."""

    length: int
    margin: int
    room: int
    count: int
    seed: int

    @classmethod
    def of(cls, scorer: Scorer, width: int, steps: int, seed: int) -> "_Places":
        length = max(width, SHORTEST)
        margin = 2 * length if scorer.reach is None else max(scorer.reach.lookback, scorer.reach.lookahead)
        room = length + 3 * margin
        return cls(length, margin, room, max(1, min(STRETCHES, steps // room)), seed)

    def altered(self, normal: Values, kind: str, size: float) -> Iterator[Injected]:
        """One series a round. Few places would make the answer a matter of luck: some are odd, or dull, by nature."""
        for place in range(-(-STRETCHES // self.count)):
            rng = np.random.default_rng((self.seed, place))
            yield inject(normal, kind, size, self.length, self.count, rng)


def _injection_test(
    readings: Mapping[str, Scorer], normal: Values, places: _Places
) -> tuple[tuple[Injection, ...], Mapping[str, float]]:
    mad = float(np.median(np.abs(normal - np.median(normal)))) or float(np.std(normal)) or 1.0
    cases = [(kind, strength) for kind in KINDS for strength in STRENGTHS]
    found = [
        Injection(
            kind, strength, _separation(readings, places.altered(normal, kind, strength * mad), places.margin)
        )
        for kind, strength in track(cases, "injecting known anomalies")
    ]
    return tuple(found), _separation(readings, places.altered(normal, "level shift", 0.0), places.margin)


def _separation(readings: Mapping[str, Scorer], altered: Iterable[Injected], margin: int) -> dict[str, float]:
    """AUC-ROC of the altered steps against those that no altered value reaches, all rounds together."""
    known: dict[str, list[Values]] = {name: [] for name in readings}
    calm: dict[str, list[Values]] = {name: [] for name in readings}
    for one in altered:
        near = np.convolve(one.labels, np.ones(2 * margin + 1), mode="same") > 0
        for name, scorer in readings.items():
            scores = scorer.score(one.values)
            known[name].append(scores[one.labels == 1])
            calm[name].append(scores[~near])
    return {name: auc_roc(np.concatenate(known[name]), np.concatenate(calm[name])) for name in readings}


def _correlations(scorer: Scorer, values: Values) -> dict[str, float]:
    assert isinstance(scorer, PAIScorer)
    base, magnitude, shift = scorer.evidence(values).z
    return {
        "magG": spearman(base, magnitude),
        "T2": spearman(base, shift),
        "magG+T2": spearman(base, magnitude + shift),
    }


def _labelled(readings: Mapping[str, Scorer], series: Series) -> dict[str, dict[str, float]]:
    """With labels: the metrics of each reading over the whole series."""
    if series.labels is None or not 0 < series.labels.sum() < len(series):
        return {}
    window = dominant_period(series.values)
    return {
        name: dict(evaluate(scorer.score(series.values), series.labels, window=window, which=METRICS))
        for name, scorer in readings.items()
    }


def _smallest_seen(injections: tuple[Injection, ...], kind: str, reading: str) -> float | None:
    seen = None
    for injection in sorted((i for i in injections if i.kind == kind), key=lambda i: -i.strength):
        if injection.auc[reading] < SEEN:
            break
        seen = injection.strength
    return seen


def _verdict(injections: tuple[Injection, ...], share: float) -> tuple[str, ...]:
    smallest = {
        kind: {reading: _smallest_seen(injections, kind, reading) for reading in READINGS} for kind in KINDS
    }
    return (
        _in_short(smallest),
        f"{share:.0%} of the squared distance to normal is a difference in length, which cosine cannot see.",
        *(f"{kind}: {_one_verdict(seen)}" for kind, seen in smallest.items()),
    )


def _in_short(smallest: Mapping[str, Mapping[str, float | None]]) -> str:
    never = 2 * STRENGTHS[-1]
    gained = {kind: (seen["euclidean"] or never) - (seen["pai"] or never) for kind, seen in smallest.items()}
    better, worse = ([kind for kind, gain in gained.items() if sign * gain > 0] for sign in (1, -1))
    if not better and not worse:
        return "In short: PAI changes nothing here."
    parts = [
        f"sees {', '.join(f'{kind}s' for kind in kinds)} {how}"
        for kinds, how in ((better, "earlier"), (worse, "later"))
        if kinds
    ]
    return f"In short: with PAI the encoder {', and '.join(parts)}."


def _one_verdict(smallest: Mapping[str, float | None]) -> str:
    base, pai = smallest["euclidean"], smallest["pai"]
    cosine = smallest["cosine"]
    if base is None:
        before = f"the encoder does not see it up to {STRENGTHS[-1]:g} MAD"
    elif base == STRENGTHS[0]:
        before = f"the encoder sees it from {base:g} MAD on"
    else:
        before = f"the encoder ignores it below {base:g} MAD"
    if cosine != base:
        before += " (with cosine " + ("at any strength)" if cosine is None else f"below {cosine:g} MAD)")
    if pai is None:
        after = "PAI does not recover it" if base is None else "PAI loses it"
    elif base is None or pai < base:
        after = f"PAI recovers it from {pai:g} MAD on"
    elif pai > base:
        after = f"PAI needs {pai:g} MAD"
    else:
        after = "PAI changes nothing"
    return f"{before}; {after}."
