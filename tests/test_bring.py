"""Fusing another detector's scores: the same as PAI around that detector."""

from dataclasses import dataclass

import numpy as np
import pytest

from paiad.bring import fuse
from paiad.contracts import Detector, Scorer
from paiad.errors import InputError, SettingError
from paiad.fusion import RELEASE
from paiad.pai import PAI


@dataclass(frozen=True)
class Jumps(Detector):
    """Stands for somebody else's detector: the absolute difference to the value before."""

    def fit(self, train):
        return JumpScorer(jumps(train))


@dataclass(frozen=True, eq=False)
class JumpScorer(Scorer):
    calibration: np.ndarray

    def score(self, values):
        return jumps(values)


def jumps(values):
    return np.abs(np.diff(values, prepend=values[0]))


def test_fused_scores_are_those_of_pai_around_the_detector(wave):
    values = wave.copy()
    values[900:] += 2.0
    fused = fuse(jumps(values), values, train=600)
    scorer = PAI(Jumps()).fit(values[:600])
    np.testing.assert_array_equal(fused.score, scorer.score(values))
    np.testing.assert_array_equal(fused.receipt.score, fused.score)
    # The last half window of the normal steps sees what follows them, as it does when the series is scored.
    np.testing.assert_allclose(fused.calibration[:568], scorer.calibration[:568])


def test_train_can_be_given_in_every_way(wave):
    base = jumps(wave)
    mask = np.arange(1200) < 600
    by_count = fuse(base, wave, train=600)
    for train in (0.5, slice(0, 600), mask):
        np.testing.assert_array_equal(fuse(base, wave, train=train).score, by_count.score)


def test_other_weights_refit_nothing(wave):
    fused = fuse(jumps(wave), wave, train=600)
    other = fused.weighing(RELEASE)
    assert other.evidence is fused.evidence
    np.testing.assert_array_equal(other.score, fuse(jumps(wave), wave, train=600, weights=RELEASE).score)


def test_without_normal_steps_anomalies_hardly_move_the_terms(wave):
    values = wave.copy()
    values[500:520] = 40.0
    clean, dirty = fuse(jumps(wave), wave), fuse(jumps(values), values)
    for ours, theirs in zip(clean.standardizers, dirty.standardizers, strict=True):
        assert theirs.scale == pytest.approx(ours.scale, rel=0.1)
    assert 500 <= int(dirty.score.argmax()) < 520


@pytest.mark.parametrize(
    ("base", "train", "message"),
    [
        (np.zeros(10), 5, r"expected one a value \(20\), got 10"),
        (np.full(20, np.nan), 5, "base scores: value nan at row 0 is not finite"),
        (["a"] * 20, 5, "base scores: expected numbers"),
        (np.zeros(20), 1, "leaves 1 of 20 steps as normal"),
        (np.zeros(20), np.zeros(20), "a mask must be 20 truth values"),
        (np.zeros(20), 21, "how many of the 20 steps are normal, .*; got 21"),
        (np.zeros(20), 1.5, "a share between 0 and 1, .*; got 1.5"),
        (np.zeros(20), "2024", "got '2024'"),
        (np.zeros(20), True, "got True"),
    ],
)
def test_what_cannot_be_fused_is_refused(base, train, message):
    with pytest.raises(InputError, match=message):
        fuse(base, np.arange(20.0), train)


def test_weights_may_be_named_and_must_be_weights(wave):
    named = fuse(jumps(wave), wave, train=600, weights="release")
    assert np.array_equal(named.score, fuse(jumps(wave), wave, train=600, weights=RELEASE).score)
    for odd in ("paper2", (1.0, 0.5, 0.2)):
        with pytest.raises(SettingError, match=r"weights"):
            fuse(jumps(wave), wave, train=600, weights=odd)


def test_inputs_are_left_alone(wave):
    base, values = jumps(wave), wave.copy()
    before = base.copy(), values.copy()
    fuse(base, values, train=600)
    np.testing.assert_array_equal(base, before[0])
    np.testing.assert_array_equal(values, before[1])
