"""scikit-learn's way of asking: any detector of the catalog as an outlier detector with fit and predict.

Rows are time steps in order, columns are series measured side by side. As everywhere in scikit-learn, and
unlike the rest of this library, *lower* scores are more abnormal here.
"""

from typing import Any

import numpy as np

from paiad import catalog
from paiad.contracts import Detector, Scorer
from paiad.detectors.prototype import NearestPrototype
from paiad.encoders.raw import RawPatches
from paiad.errors import TooShortError, require
from paiad.pai import PAI
from paiad.shapes import Scores, Values
from paiad.thresholds import Quantile, ThresholdRule

require("sklearn", "sklearn", "paiad.sklearn")

from sklearn.base import BaseEstimator, OutlierMixin  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402

LEAST_ROWS = 2
# scikit-learn expects an outlier detector to call some of its training rows outliers, so the library's own
# default, which seeks to call none of them so, cannot be the default here.
DEFAULT_RULE = Quantile(0.99)

EXPECTED_FAILED_CHECKS = {
    "check_methods_subset_invariance": "the score of a time step depends on the steps around it",
    "check_methods_sample_order_invariance": "the order of the rows is time",
}
"""Checks of scikit-learn that no time-series detector can pass; give them to `check_estimator`."""


class PAIDetector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """A detector of this library as a scikit-learn estimator.

    `detector` is a name of the catalog or a recipe; None takes the library's default, with shorter patches
    where there are too few rows for it. `threshold` is a rule of `paiad.thresholds`; None takes the 99 % quantile
    of the training scores. With several columns each has its own scorer, and a row is as abnormal as its most
    abnormal column.

    >>> rng = np.random.default_rng(0)
    >>> X = np.sin(np.arange(600) / 8)[:, None] + rng.normal(scale=0.1, size=(600, 1))
    >>> detector = PAIDetector().fit(X[:400])
    >>> X[500] += 5
    >>> int(detector.score_samples(X).argmin()), int(detector.predict(X)[500])
    (500, -1)
    """

    def __init__(
        self, detector: str | Detector | None = None, threshold: ThresholdRule | None = None
    ) -> None:
        self.detector = detector
        self.threshold = threshold

    def fit(self, X: Any, y: Any = None) -> "PAIDetector":
        """Learn from rows taken as normal; `y` is not looked at."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=LEAST_ROWS)
        self.training_columns_ = np.ascontiguousarray(X.T)
        self.scorers_ = [self._fit_column(column) for column in self.training_columns_]
        self.training_scores_ = np.max([scorer.calibration for scorer in self.scorers_], axis=0)
        self.threshold_ = (self.threshold or DEFAULT_RULE).fit(self.training_scores_)
        self.offset_ = -self.threshold_.value
        return self

    def score_samples(self, X: Any) -> Scores:
        """One score a row; lower is more abnormal.

        The training rows themselves are judged each by the others, as they were for the threshold. Rows that
        are too few for the detector are scored as what follows the training rows.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if np.array_equal(X.T, self.training_columns_):
            return -np.asarray(self.training_scores_)
        columns = zip(self.scorers_, self.training_columns_, np.ascontiguousarray(X.T), strict=True)
        return -np.asarray(np.max([_score(*column) for column in columns], axis=0))

    def decision_function(self, X: Any) -> Scores:
        """How far inside the threshold each row is; negative is abnormal."""
        return np.asarray(self.score_samples(X) - self.offset_)

    def predict(self, X: Any) -> np.ndarray:
        """-1 for rows whose score is beyond the threshold, 1 for the others."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def _fit_column(self, column: np.ndarray) -> Scorer:
        if isinstance(self.detector, Detector):
            return self.detector.fit(column)
        if self.detector is not None:
            return catalog.make(self.detector).fit(column)
        try:
            return catalog.make().fit(column)
        except TooShortError:
            return _for_few(len(column)).fit(column)


def _score(scorer: Scorer, training: Values, values: Values) -> Scores:
    try:
        return scorer.score(values)
    except TooShortError:
        return scorer.score(np.concatenate((training, values)))[-len(values) :]


def _for_few(rows: int) -> Detector:
    """The default's plain relative with patches that so few rows are enough for."""
    return PAI(NearestPrototype(RawPatches(max(1, rows // 8)), leave_out=True))
