"""Sub-PCA against its formula written out, and against the published table."""

import csv

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from paiad.detectors.sub_pca import SubPCA
from paiad.errors import TooShortError
from paiad.metrics import evaluate
from paiad.period import dominant_period


def naive_scores(values: np.ndarray, width: int) -> np.ndarray:
    """The same formula by eigenvectors of the covariance, one window and one axis at a time."""
    windows = sliding_window_view(values, width)
    standard = (windows - windows.mean(axis=0)) / windows.std(axis=0)
    variances, axes = np.linalg.eigh(np.cov(standard.T))
    shares = variances / variances.sum()
    along = [standard @ axis for axis in axes.T]
    signed = [axis * np.sign(a[np.abs(a).argmax()]) for axis, a in zip(axes.T, along, strict=True)]
    return np.array(
        [
            sum(np.linalg.norm(x - v) / share for v, share in zip(signed, shares, strict=True))
            for x in standard
        ]
    )


def test_equals_the_formula_written_out() -> None:
    values = np.random.default_rng(3).normal(size=300).cumsum() + 1e6
    ours = SubPCA(width=6).fit(values).calibration
    np.testing.assert_allclose(ours[3:-2], naive_scores(values, 6), rtol=1e-6)
    assert (ours[:3] == ours[3]).all()
    assert (ours[-2:] == ours[-3]).all()


def test_finds_a_swell(wave: np.ndarray) -> None:
    broken = wave.copy()
    broken[700:740] *= 3
    assert 690 < int(SubPCA().fit(wave).score(broken).argmax()) < 750


@pytest.mark.parametrize("values", [np.zeros(100), np.full(100, 1e300), np.r_[np.zeros(90), np.ones(10)]])
def test_degenerate_series_have_finite_scores(values: np.ndarray) -> None:
    assert np.isfinite(SubPCA(width=8).fit(values).calibration).all()


def test_scores_do_not_depend_on_offset_or_unit(wave: np.ndarray) -> None:
    plain = SubPCA(width=20).fit(wave).score(wave)
    moved = SubPCA(width=20).fit(wave * 7 + 1e7).score(wave * 7 + 1e7)
    np.testing.assert_allclose(moved / moved.max(), plain / plain.max(), rtol=0.02)


def test_refuses_fewer_values_than_a_window() -> None:
    with pytest.raises(TooShortError, match="windows of 125"):
        SubPCA().fit(np.arange(50.0))


def test_agrees_with_the_published_table(shared) -> None:  # type: ignore[no-untyped-def]
    """The shortest six series here; all 92 by `benchmarks/baselines/parity.py`."""
    with open(shared / "data" / "published_vus_pr.csv") as file:
        published = {row["file"]: float(row["Sub-PCA"]) for row in csv.DictReader(file)}
    paths = sorted((shared / "data" / "TSB-AD-U").glob("*.csv"), key=lambda path: path.stat().st_size)[:6]
    for path in paths:
        values, labels = np.loadtxt(path, delimiter=",", skiprows=1).T
        measured = evaluate(SubPCA().fit(values).calibration, labels, dominant_period(values), ["VUS-PR"])
        assert measured["VUS-PR"] == pytest.approx(published[path.name], abs=0.01), path.name
