"""The promises every detector keeps; the tests run them on the whole catalog, plug-in authors on their own.

>>> from paiad.catalog import make
>>> check_detector(make("pai-raw", {"base.learner.width": 16}))
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from paiad.contracts import Change, Detector, Scorer
from paiad.errors import InputError, PaiadError
from paiad.persistence import load_scorer, save_scorer
from paiad.receipt import Receipt
from paiad.shapes import Scores, Values
from paiad.storable import recipe_as_dict, recipe_from_dict
from paiad.streaming import Stream

TRAIN_STEPS, TEST_STEPS = 600, 400
CLOSE = 1e-6  # of the largest score; nets compute in float32
DIFFERENT = 1e-3


class PromiseBroken(AssertionError):
    """A detector does not do what every detector does; the message says which promise, and how it was broken."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A recipe on trial, with values to fit it on and values to score."""

    recipe: Detector
    train: Values
    test: Values

    @cached_property
    def scorer(self) -> Scorer:
        return self.recipe.fit(self.train)

    @cached_property
    def scores(self) -> Scores:
        return self.scorer.score(self.test)


Promise = Callable[[Trial], None]


def check_detector(recipe: Detector, train: Values | None = None, test: Values | None = None) -> None:
    """Run all promises on a recipe; PromiseBroken lists those that it does not keep.

    Without values of your own a noisy sine is taken, which in `test` has a spike and a level shift.
    """
    trial = trial_of(recipe, train, test)
    broken = [str(problem) for promise in PROMISES if (problem := _problem(promise, trial)) is not None]
    if broken:
        raise PromiseBroken(f"{recipe!r}: " + "; ".join(broken))


def trial_of(recipe: Detector, train: Values | None = None, test: Values | None = None) -> Trial:
    """The recipe with the values given, or with a noisy sine; no one can write to either."""
    noise = np.random.default_rng(0).normal(scale=0.1, size=TRAIN_STEPS + TEST_STEPS)
    wave = np.sin(np.arange(TRAIN_STEPS + TEST_STEPS) * 2 * np.pi / 25) + noise
    wave[TRAIN_STEPS + 150] += 4.0
    wave[TRAIN_STEPS + 250 : TRAIN_STEPS + 300] += 1.5
    values = [wave[:TRAIN_STEPS] if train is None else train, wave[TRAIN_STEPS:] if test is None else test]
    frozen = [np.array(part, dtype=np.float64) for part in values]
    for part in frozen:
        part.flags.writeable = False
    return Trial(recipe, *frozen)


def gives_one_finite_score_a_step(trial: Trial) -> None:
    for what, scores, values in (
        ("score", trial.scores, trial.test),
        ("calibration", trial.scorer.calibration, trial.train),
    ):
        _demand(isinstance(scores, np.ndarray) and scores.dtype == np.float64, f"{what} is no float64 array")
        _demand(scores.shape == values.shape, f"{what} of {len(values)} steps has the shape {scores.shape}")
        _demand(bool(np.isfinite(scores).all()), f"{what} holds values that are not finite")


def tells_steps_apart(trial: Trial) -> None:
    _demand(float(np.ptp(trial.scores)) > 0, "all steps have the same score, anomalies and all")


def is_repeatable(trial: Trial) -> None:
    _demand_equal(trial.scorer.score(trial.test), trial.scores, "scoring twice gives other scores")
    again = trial.recipe.fit(trial.train)
    _demand_equal(again.score(trial.test), trial.scores, "fitting twice gives other scores")
    _demand_equal(again.calibration, trial.scorer.calibration, "fitting twice gives another calibration")


def leaves_its_inputs_alone(trial: Trial) -> None:
    train, test, before = trial.train.copy(), trial.test.copy(), repr(trial.recipe)
    trial.recipe.fit(train).score(test)
    _demand(np.array_equal(train, trial.train), "fitting altered the training values")
    _demand(np.array_equal(test, trial.test), "scoring altered the values scored")
    _demand(repr(trial.recipe) == before, "fitting altered the recipe")


def explains_its_scores_exactly(trial: Trial) -> None:
    _demand_receipt(trial.scorer.explain(trial.test), trial.scores, "explain")
    _demand_receipt(trial.scorer.explain_training(trial.train), trial.scorer.calibration, "explain_training")


def is_the_same_after_saving(trial: Trial) -> None:
    with tempfile.TemporaryDirectory() as folder:
        loaded = load_scorer(save_scorer(trial.scorer, Path(folder) / "scorer", probe=trial.test))
    _demand_equal(loaded.score(trial.test), trial.scores, "the loaded scorer gives other scores")
    _demand_equal(loaded.calibration, trial.scorer.calibration, "the loaded scorer has another calibration")


def comes_back_from_its_settings(trial: Trial) -> None:
    back = recipe_from_dict(recipe_as_dict(trial.recipe))
    _demand(back == trial.recipe, f"written as a dictionary and read it is another recipe: {back!r}")


def streams_what_it_scores(trial: Trial) -> None:
    if trial.scorer.reach is None:
        return
    stream = Stream(trial.scorer)
    settled = [stream.push(block).scores for block in np.array_split(trial.test, 7)]
    streamed = np.concatenate((*settled, stream.provisional().scores))
    _demand(len(streamed) == len(trial.test), f"{len(trial.test)} steps streamed give {len(streamed)} scores")
    _demand_close(streamed, trial.scores, "the stream's scores are not the batch's")
    early = Stream(trial.scorer).push(trial.test[:-50]).scores
    _demand_close(early, trial.scores[: len(early)], "a settled score changed with the values that followed")


def answers_to_shift_and_scale_as_declared(trial: Trial) -> None:
    size = float(np.ptp(trial.train)) or 1.0
    # Powers of two, so that the changed values are not rounded otherwise than the first ones.
    changes: dict[Change, Values] = {
        "shift": trial.test + 2 ** np.ceil(np.log2(size)),
        "scale": trial.test * 4.0,
    }
    for change, changed in changes.items():
        difference = _difference(trial.scorer.score(changed), trial.scores)
        if change in trial.scorer.ignores:
            _demand(
                difference < DIFFERENT,
                f"declares to ignore a {change}, but its scores differ by {difference:.2g}",
            )
        else:
            _demand(difference > 0, f"does not declare to ignore a {change}, but its scores are the same")


def refuses_too_few_values_by_name(trial: Trial) -> None:
    for count in (1, 3):
        problem = _raised_by(trial.recipe, trial.train[:count])
        kind, text = type(problem).__name__, str(problem)
        _demand(
            problem is None or isinstance(problem, PaiadError),
            f"{count} training values end in {kind}: {text}",
        )
        _demand("\n" not in text, f"refuses {count} training values in more than one line")


def refuses_what_is_no_finite_number(trial: Trial) -> None:
    """A score of a hole is a guess, and the same hole must not end in silence elsewhere."""
    for odd in (np.nan, np.inf):
        holed = trial.test.copy()
        holed[len(holed) // 2] = odd
        for what, act in (("scoring", trial.scorer.score), ("fitting", trial.recipe.fit)):
            refused = False
            try:
                act(holed)
            except InputError:
                refused = True
            _demand(refused, f"{what} takes a value that is {odd}")


PROMISES: tuple[Promise, ...] = (
    gives_one_finite_score_a_step,
    tells_steps_apart,
    is_repeatable,
    leaves_its_inputs_alone,
    explains_its_scores_exactly,
    is_the_same_after_saving,
    comes_back_from_its_settings,
    streams_what_it_scores,
    answers_to_shift_and_scale_as_declared,
    refuses_too_few_values_by_name,
    refuses_what_is_no_finite_number,
)


def _raised_by(recipe: Detector, train: Values) -> Exception | None:
    try:
        recipe.fit(train)
    except Exception as problem:
        return problem
    return None


def _problem(promise: Promise, trial: Trial) -> str | None:
    try:
        promise(trial)
    except Exception as problem:
        return f"{promise.__name__}: {problem}"
    return None


def _demand(kept: bool, otherwise: str) -> None:
    if not kept:
        raise PromiseBroken(otherwise)


def _demand_equal(ours: Scores, theirs: Scores, otherwise: str) -> None:
    _demand(np.array_equal(ours, theirs), f"{otherwise} (by {_difference(ours, theirs):.2g} of the largest)")


def _demand_close(ours: Scores, theirs: Scores, otherwise: str) -> None:
    difference = _difference(ours, theirs)
    _demand(difference <= CLOSE, f"{otherwise} (by {difference:.2g} of the largest)")


def _demand_receipt(receipt: Receipt, scores: Scores, who: str) -> None:
    _demand_equal(receipt.score, scores, f"the terms of {who} do not sum to the score")


def _difference(ours: Scores, theirs: Scores) -> float:
    if ours.shape != theirs.shape:
        return float("inf")
    largest = float(np.max(np.abs(theirs), initial=0.0)) or 1.0
    return float(np.max(np.abs(ours - theirs), initial=0.0)) / largest
