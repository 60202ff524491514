"""The promises, on every entry of the catalog; and that each of them notices when it is broken."""

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache

import numpy as np
import pytest

from paiad import catalog
from paiad.checks import PROMISES, PromiseBroken, Trial, check_detector, trial_of
from paiad.contracts import Detector, Reach, Scorer
from paiad.errors import MissingWeightsError
from paiad.receipt import Receipt
from paiad.series import as_values

# Training is not what the promises are about: as little of it as there can be.
LITTLE = {"epochs": 1, "iterations": 2, "batches_per_epoch": 1, "batch": 32, "features": 16}


def briefly(recipe):
    """The recipe, and those inside it, with as little training as can be."""
    changed = {}
    for field in fields(recipe):
        value = getattr(recipe, field.name)
        if field.name in LITTLE:
            changed[field.name] = LITTLE[field.name]
        elif is_dataclass(value):
            changed[field.name] = briefly(value)
    return replace(recipe, **changed)


@cache
def trial_named(name: str) -> Trial:
    return trial_of(briefly(catalog.make(name)))


# Detectors with a net take seconds to fit even so; two stand for them all in the fast suite.
QUICK_NETS = ("usad", "ts2vec-pai")
NETS = ("paiad.recipes_torch", "paiad.encoders.dcdetector", "paiad.encoders.ts2vec", "paiad.detectors.")
NO_NETS = ("amplitude_only", "sub_pca", "kshape")


def is_slow(name: str) -> bool:
    home = catalog.CATALOG[name]
    return home.startswith(NETS) and not any(plain in home for plain in NO_NETS) and name not in QUICK_NETS


ENTRIES = [pytest.param(name, marks=[pytest.mark.slow] if is_slow(name) else []) for name in catalog.names()]


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_every_detector_keeps_every_promise(name, promise):
    try:
        promise(trial_named(name))
    except (ImportError, MissingWeightsError) as missing:
        pytest.skip(str(missing))


@dataclass(frozen=True)
class Honest(Detector):
    """The distance to the mean; keeps all promises but that of being storable."""

    fault: str = ""

    def fit(self, train):
        train = as_values(train)
        FITS.append(self)
        if self.fault == "crashes on few" and len(train) < 5:
            raise ZeroDivisionError
        if self.fault == "alters inputs" and train.flags.writeable:
            train[0] = 0.0
        return HonestScorer(self.fault, len(FITS), float(np.mean(train)), np.abs(train - np.mean(train)))


FITS: list[Detector] = []


@dataclass(frozen=True, eq=False)
class HonestScorer(Scorer):
    fault: str
    fits: int
    mean: float
    calibration: np.ndarray

    def score(self, values):
        if self.fault != "takes holes":
            values = as_values(values)
        scores = np.abs(values - self.mean)
        wrong = {
            "too short": lambda: scores[:-1],
            "not finite": lambda: np.where(scores > 3, np.nan, scores),
            "constant": lambda: np.zeros(len(values)),
            "never the same": lambda: scores + self.fits,
            "looks too far": lambda: scores / scores.max(),
        }
        return wrong.get(self.fault, lambda: scores)()

    def explain(self, values):
        part = 0.5 if self.fault == "explains half" else 1.0
        return Receipt.of_one_term("distance", part * self.score(values), values)

    @property
    def reach(self):
        return Reach(0, 0)

    @property
    def ignores(self):
        return frozenset({"shift"}) if self.fault == "declares wrongly" else frozenset()


BROKEN = {
    "too short": "gives_one_finite_score_a_step",
    "not finite": "gives_one_finite_score_a_step",
    "constant": "tells_steps_apart",
    "never the same": "is_repeatable",
    "alters inputs": "leaves_its_inputs_alone",
    "explains half": "explains_its_scores_exactly",
    "looks too far": "streams_what_it_scores",
    "declares wrongly": "answers_to_shift_and_scale_as_declared",
    "crashes on few": "refuses_too_few_values_by_name",
    "takes holes": "refuses_what_is_no_finite_number",
}


@pytest.mark.parametrize("fault", BROKEN)
def test_every_promise_notices_its_fault(fault):
    with pytest.raises(PromiseBroken, match=BROKEN[fault]):
        check_detector(Honest(fault))


def test_an_honest_plugin_has_only_to_be_allowed_to_be_stored():
    with pytest.raises(PromiseBroken, match=r"paiad\.storable\.allow") as problem:
        check_detector(Honest())
    assert [promise.__name__ for promise in PROMISES if promise.__name__ in str(problem.value)] == [
        "is_the_same_after_saving",
        "comes_back_from_its_settings",
    ]
