"""The scikit-learn adapter: scikit-learn's own checks, a pipeline, a clone."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from paiad import catalog
from paiad.sklearn import EXPECTED_FAILED_CHECKS, PAIDetector
from paiad.thresholds import Quantile


@parametrize_with_checks([PAIDetector()], expected_failed_checks=lambda _: EXPECTED_FAILED_CHECKS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_only_the_checks_that_deny_time_fail():
    results = check_estimator(
        PAIDetector(), expected_failed_checks=EXPECTED_FAILED_CHECKS, on_fail=None, on_skip=None
    )
    failed = {result["check_name"] for result in results if result["status"] not in ("passed", "skipped")}
    assert failed == set(EXPECTED_FAILED_CHECKS)
    assert sum(result["status"] == "passed" for result in results) > 30


@pytest.fixture
def spiked(wave):
    values = wave.copy()
    values[900] += 4.0
    return values[:, None]


def test_the_scores_are_the_librarys_with_the_sign_turned(spiked):
    detector = PAIDetector("pai-raw", Quantile(0.99)).fit(spiked[:600])
    scorer = catalog.make("pai-raw").fit(spiked[:600, 0])
    np.testing.assert_array_equal(detector.score_samples(spiked), -scorer.score(spiked[:, 0]))
    threshold = Quantile(0.99).fit(scorer.calibration)
    np.testing.assert_array_equal(detector.predict(spiked) == -1, threshold.mask(scorer.score(spiked[:, 0])))


def test_it_works_in_a_pipeline_and_can_be_cloned(spiked):
    pipeline = make_pipeline(StandardScaler(), PAIDetector("pai-raw"))
    pipeline.set_params(paidetector__threshold=Quantile(0.999))
    labels = pipeline.fit(spiked[:600]).predict(spiked)
    assert labels[900] == -1
    assert (labels == -1).mean() < 0.15
    again = clone(pipeline).fit(spiked[:600])
    np.testing.assert_array_equal(again.predict(spiked), labels)


def test_a_row_is_as_abnormal_as_its_worst_column(spiked, wave):
    both = np.column_stack((wave, spiked[:, 0]))
    detector = PAIDetector().fit(both[:600])
    assert int(detector.score_samples(both).argmin()) == 900
    alone = [PAIDetector().fit(both[:600, [i]]).score_samples(both[:, [i]]) for i in range(2)]
    np.testing.assert_array_equal(detector.score_samples(both), np.minimum(*alone))


def test_recipes_are_parameters():
    recipe = catalog.make("raw")
    assert PAIDetector(recipe).get_params() == {"detector": recipe, "threshold": None}
    assert PAIDetector(recipe).fit(np.arange(200.0)[:, None]).scorers_[0].encoder.cover.width == 64
