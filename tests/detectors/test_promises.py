"""Every baseline keeps the promises of a detector, and PAI around it does."""

import numpy as np
import pytest

from paiad.catalog import make
from paiad.checks import check_detector
from paiad.contracts import Detector
from paiad.errors import PaiadError
from paiad.pai import PAI

CLASSICAL = ("sub-pca", "kshape")
NETS = (
    *("dlinear", "nlinear", "deepant", "usad", "fits", "tranad", "timesnet", "patchtst", "itransformer"),
    *("kan-ad", "anomaly-transformer"),
)
SMALLER = {"anomaly-transformer": {"features": 16, "heads": 2, "layers": 2}}


def small(name: str, parity: str = "none") -> Detector:
    if name in CLASSICAL:
        return make(name)
    pytest.importorskip("torch")
    return make(name, {"epochs": 1, "device": "cpu", "parity": parity, **SMALLER.get(name, {})})


@pytest.mark.parametrize("name", CLASSICAL + NETS)
def test_promises(name: str) -> None:
    check_detector(small(name))


@pytest.mark.parametrize("name", NETS)
def test_promises_as_published(name: str) -> None:
    check_detector(small(name, "published"))


@pytest.mark.parametrize("name", CLASSICAL + NETS)
def test_promises_of_pai_around_it(name: str) -> None:
    check_detector(PAI(small(name)))


BAD = {
    "empty": np.array([]),
    "one value": np.array([1.0]),
    "missing values": np.where(np.arange(400) == 7, np.nan, np.sin(np.arange(400.0))),
    "infinite": np.where(np.arange(400) == 7, np.inf, np.sin(np.arange(400.0))),
    "two columns": np.zeros((400, 2)),
    "words": np.array(["a", "b"] * 200),
    "complex": np.zeros(400, dtype=complex),
}


@pytest.mark.parametrize("name", CLASSICAL + NETS)
def test_bad_values_are_refused_in_one_line(name: str) -> None:
    recipe = small(name)
    scorer = recipe.fit(np.sin(np.arange(400.0)))
    for what, bad in BAD.items():
        for act in (recipe.fit, scorer.score):
            with pytest.raises(PaiadError) as refused:
                act(bad)
            assert "\n" not in str(refused.value), what


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("name", CLASSICAL + NETS)
def test_values_out_of_all_proportion_have_finite_scores(name: str) -> None:
    values = np.sin(np.arange(400.0) / 3)
    scorer = small(name).fit(values)
    for odd in (
        values * 1e300,
        np.where(np.arange(400) == 200, 1e300, values),
        values + 1e12,
        values * 1e-300,
    ):
        assert np.isfinite(scorer.score(odd)).all()
    spiked = scorer.score(np.where(np.arange(400) == 200, 1e300, values))
    assert spiked[200:].max() > scorer.calibration.max()
