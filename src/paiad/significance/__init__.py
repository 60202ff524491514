"""Error bars: is a difference between two methods, or a measure of one, more than luck?"""

from paiad.significance.bootstrap import Interval, bootstrap_mean
from paiad.significance.comparison import Comparison, compare
from paiad.significance.events import compare_on_series, measure_interval
from paiad.significance.rank_tests import holm, rank_biserial, wilcoxon_signed_rank

__all__ = [
    "Comparison",
    "Interval",
    "bootstrap_mean",
    "compare",
    "compare_on_series",
    "holm",
    "measure_interval",
    "rank_biserial",
    "wilcoxon_signed_rank",
]
