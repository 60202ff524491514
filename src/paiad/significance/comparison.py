"""Two methods on the same series: the difference, its interval, and how sure one can be of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from paiad.errors import InputError
from paiad.significance.bootstrap import DRAWS, Floats, Interval, bootstrap_mean
from paiad.significance.rank_tests import rank_biserial, wilcoxon_signed_rank

TIE = 1e-9  # differences up to this are ties


@dataclass(frozen=True)
class Comparison:
    """`a` against `b`, series by series; positive means `a` is higher."""

    mean_a: float
    mean_b: float
    difference: Interval  # mean of a - b, bootstrapped over series, with its p-value
    wilcoxon_p: float
    rank_biserial: float  # effect size, -1..1
    standardized: float  # mean difference in standard deviations of the differences (Cohen's d_z)
    wins: int
    ties: int
    losses: int
    dropped: int  # series without a value in both

    def __str__(self) -> str:
        return (
            f"{self.mean_a:.4f} - {self.mean_b:.4f} = {self.difference}, "
            f"p = {self.difference.p_value:.2g} (bootstrap), {self.wilcoxon_p:.2g} (Wilcoxon); "
            f"{self.wins} wins, {self.ties} ties, {self.losses} losses"
        )


def compare(a: Any, b: Any, level: float = 0.95, draws: int = DRAWS, seed: int = 0) -> Comparison:
    """Compare one measure of two methods, given per series: two arrays, or two mappings from names.

    Series where either is missing or NaN are dropped and counted.

    >>> result = compare([0.8, 0.7, 0.9, 0.6], [0.7, 0.6, 0.7, 0.6])
    >>> round(result.difference.estimate, 3), result.wins, result.ties, result.losses
    (0.1, 3, 1, 0)
    """
    first, second, missing = _paired(a, b)
    present = ~(np.isnan(first) | np.isnan(second))
    first, second = first[present], second[present]
    if not first.size:
        raise InputError("nothing to compare: no series has a value in both")
    differences = np.where(np.abs(first - second) <= TIE, 0.0, first - second)
    return Comparison(
        mean_a=float(first.mean()),
        mean_b=float(second.mean()),
        difference=bootstrap_mean(first - second, level, draws, seed),
        wilcoxon_p=wilcoxon_signed_rank(differences),
        rank_biserial=rank_biserial(differences),
        standardized=_standardized(first - second),
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
        dropped=missing + int((~present).sum()),
    )


def _paired(a: Any, b: Any) -> tuple[Floats, Floats, int]:
    """Both as arrays in the same order, and how many names only one of them has."""
    if isinstance(a, Mapping) != isinstance(b, Mapping):
        raise InputError("compare two arrays or two mappings, not one of each")
    if isinstance(a, Mapping):
        shared = [name for name in a if name in b]
        missing = len(a) + len(b) - 2 * len(shared)
        a, b = [a[name] for name in shared], [b[name] for name in shared]
    else:
        missing = 0
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise InputError(
            f"one value per series and method is needed, got shapes {first.shape} and {second.shape}"
        )
    for what, values in (("first", first), ("second", second)):
        infinite = np.flatnonzero(np.isinf(values))
        if infinite.size:
            raise InputError(
                f"values to compare must be finite or NaN, got {values[infinite[0]]} at position {infinite[0]} "
                f"of the {what}"
            )
    return first, second, missing


def _standardized(differences: Floats) -> float:
    spread = float(differences.std(ddof=1)) if differences.size > 1 else 0.0
    return float(differences.mean()) / spread if spread > 0 else float("nan")
