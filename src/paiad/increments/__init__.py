"""The cheapest way for each kind of scorer through a stream.

PAI adds to running sums, banks measure each new patch once, and any other scorer with a reach scores a buffer
as long as that reach again.
"""

from functools import singledispatch

from paiad.best.scorer import BestScorer
from paiad.contracts import Scorer
from paiad.detectors.prototype import NearestPrototypeScorer
from paiad.increments.best import MeasuredOnce
from paiad.increments.fused import FusedTerms
from paiad.increments.increment import Increment
from paiad.increments.patches import NearestPatches
from paiad.increments.rescored import Rescored
from paiad.pai import PAIScorer


@singledispatch
def increment_of(scorer: Scorer) -> Increment:
    """The way this scorer goes through a stream; register your own with `increment_of.register`."""
    return Rescored(scorer)


@increment_of.register
def _(scorer: NearestPrototypeScorer) -> Increment:
    return NearestPatches(scorer)


@increment_of.register
def _(scorer: PAIScorer) -> Increment:
    return FusedTerms(scorer, increment_of(scorer.base))


@increment_of.register
def _(scorer: BestScorer) -> Increment:
    return MeasuredOnce(scorer)
