"""The default detector: two kinds of patches at several widths against banks of normal ones, without training.

values ──texture, shape──▶ vectors ──bank──▶ patch distances ──timing──▶ terms ──combining──▶ score
"""

from paiad.best.recipe import Best
from paiad.best.scorer import BestScorer

__all__ = ["Best", "BestScorer"]
