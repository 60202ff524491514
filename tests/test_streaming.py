"""Streaming: the same scores as the batch, whatever the blocks, and settled once and for all."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paiad.amplitude import Level, deviation, mean_shift
from paiad.best import Best
from paiad.contracts import Detector, Encoder, Learner, Reach, Scorer
from paiad.cover import Cover
from paiad.detectors.prototype import NearestPrototype
from paiad.encoders.raw import RawPatches
from paiad.errors import InputError, SettingError, StoredModelError, TooShortError
from paiad.increments import increment_of
from paiad.increments.fused import AmplitudeTerms
from paiad.increments.patches import NearestPatches
from paiad.increments.rescored import Rescored
from paiad.pai import PAI, Amplitude
from paiad.persistence import load_scorer, pack, save_scorer, unpack
from paiad.running import RunningMean
from paiad.streaming import BLOCK, Stream

block_sizes = st.lists(st.integers(1, 60), min_size=1, max_size=12)


def series(seed: int, length: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = np.sin(np.arange(length) / 5.0) + rng.normal(scale=0.1, size=length)
    values[rng.integers(length)] += 8.0
    return 1e3 + 10.0 * values


@dataclass(frozen=True)
class WithContext(Learner):
    """Stands for a recurrent or causal encoder: a patch's vector also knows the mean of the 9 values before it."""

    def fit(self, train):
        return ContextEncoder(Cover(6))


@dataclass(frozen=True)
class ContextEncoder(Encoder):
    cover: Cover
    context: int = 9

    def encode(self, values):
        values = np.asarray(values, dtype=np.float64)
        patches = self.cover.extract(values)
        before = [values[max(0, i - 9) : i].mean() if i else 0.0 for i in range(len(patches))]
        return np.column_stack((patches, before))


@dataclass(frozen=True)
class Jumps(Detector):
    """Stands for a plug-in that knows nothing of streams: the largest jump of the last 20 steps and the next."""

    least: int = 1

    def fit(self, train):
        return JumpScorer(np.zeros(len(train)), self.least)


@dataclass(frozen=True, eq=False)
class JumpScorer(Scorer):
    calibration: np.ndarray
    least: int

    def score(self, values):
        if len(values) < self.least:
            raise TooShortError(f"needs {self.least} values")
        jumps = np.abs(np.diff(values, prepend=values[0]))
        jumps[0] = 0.0
        windows = [jumps[max(1, step - 20) : step + 2] for step in range(len(values))]
        return np.array([window.max(initial=0.0) for window in windows])

    @property
    def reach(self):
        return Reach(21, 1)


RECIPES = {
    "raw patches": NearestPrototype(RawPatches(12), bank_size=20),
    "cosine": NearestPrototype(RawPatches(12), metric="cosine", bank_size=20),
    "patches of one value": NearestPrototype(RawPatches(1)),
    "encoder with context": NearestPrototype(WithContext()),
    "pai, base slower": PAI(NearestPrototype(RawPatches(12)), half_width=4),
    "pai, base faster": PAI(NearestPrototype(RawPatches(5)), half_width=9),
    "pai, trailing": PAI(NearestPrototype(RawPatches(5)), half_width=9, window="trailing"),
    "pai around a plug-in": PAI(Jumps(), half_width=3),
    "pai around pai": PAI(PAI(NearestPrototype(RawPatches(5)), half_width=7), half_width=2),
    "best": Best(outline_widths=(4, 12), texture_widths=(8,), filters=8),
    "best, trailing": Best(outline_widths=(4, 12), texture_widths=(8,), filters=8, window="trailing"),
    "plug-in": Jumps(),
    "plug-in that needs many values": Jumps(least=40),
}
SCORERS = {name: recipe.fit(series(0, 300)) for name, recipe in RECIPES.items()}


def pushed(stream: Stream, values: np.ndarray, sizes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Settled and provisional scores after pushing the values in blocks of these sizes, again and again."""
    settled, start, turn = [], 0, 0
    while start < len(values):
        stretch = stream.push(values[start : start + sizes[turn % len(sizes)]])
        assert stretch.start == sum(map(len, settled))
        settled.append(stretch.scores)
        start, turn = start + sizes[turn % len(sizes)], turn + 1
    return np.concatenate(settled), stream.provisional().scores


@pytest.mark.parametrize("name", RECIPES)
@settings(max_examples=25)
@given(seed=st.integers(0, 99), length=st.integers(1, 150), sizes=block_sizes)
def test_stream_equals_batch(name, seed, length, sizes):
    scorer, values = SCORERS[name], series(seed, length)
    stream = Stream(scorer)
    settled, provisional = pushed(stream, values, sizes)
    assert len(settled) == stream.settled
    assert len(settled) + len(provisional) == length == stream.seen
    assert stream.lookahead == scorer.reach.lookahead
    try:
        batch = scorer.score(values)
    except TooShortError:
        assert not len(settled)
        assert np.isnan(provisional).all()
        return
    assert len(settled) == max(0, length - stream.lookahead)
    np.testing.assert_allclose(np.concatenate((settled, provisional)), batch, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", RECIPES)
@given(seed=st.integers(0, 99), cut=st.integers(41, 149))
@settings(max_examples=10)
def test_a_settled_score_never_changes(name, seed, cut):
    """What had settled after `cut` values is what the batch over all values gives."""
    scorer, values = SCORERS[name], series(seed, 150)
    settled = Stream(scorer).push(values[:cut]).scores
    np.testing.assert_allclose(settled, scorer.score(values)[: len(settled)], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", RECIPES)
def test_a_stream_goes_on_where_it_was_saved(name, tmp_path, monkeypatch):
    monkeypatch.setattr("paiad.streaming.fingerprint", lambda scorer: name)
    scorer, values = SCORERS[name], series(3, 200)
    for cut in (3, 30, 90):
        whole, first = Stream(scorer), Stream(scorer)
        before = first.push(values[:cut])
        first.save(tmp_path / "stream")
        second = Stream.resume(scorer, tmp_path / "stream")
        # What happens to the first one afterwards is nothing to the second.
        first.push(values[cut:])
        after = second.push(values[cut:])
        expected = whole.push(values[:cut]), whole.push(values[cut:])
        np.testing.assert_array_equal(before.scores, expected[0].scores)
        np.testing.assert_array_equal(after.scores, expected[1].scores)
        np.testing.assert_array_equal(second.provisional().scores, whole.provisional().scores)
        assert (second.seen, second.settled) == (whole.seen, whole.settled)


def test_a_stream_resumes_with_the_loaded_scorer_and_no_other(tmp_path):
    scorer = SCORERS["pai, base slower"]
    stream = Stream(scorer)
    stream.push(series(1, 50))
    stream.save(tmp_path / "stream")
    loaded = load_scorer(save_scorer(scorer, tmp_path / "model"))
    assert Stream.resume(loaded, tmp_path / "stream").seen == 50
    with pytest.raises(StoredModelError, match="belongs to another scorer"):
        Stream.resume(SCORERS["raw patches"], tmp_path / "stream")


def test_a_damaged_or_foreign_state_is_refused(tmp_path):
    scorer, path = SCORERS["raw patches"], tmp_path / "stream"
    with pytest.raises(StoredModelError, match="cannot be read"):
        Stream.resume(scorer, path)
    Stream(scorer).save(path)
    path.write_bytes(path.read_bytes()[:-80])
    with pytest.raises(StoredModelError, match="no saved stream, or damaged"):
        Stream.resume(scorer, path)
    path.write_bytes(b"hello")
    with pytest.raises(StoredModelError, match="no saved stream, or damaged"):
        Stream.resume(scorer, path)
    with path.open("wb") as file:
        np.savez(file, something=np.arange(3))
    with pytest.raises(StoredModelError, match="no saved stream of this version"):
        Stream.resume(scorer, path)


@pytest.mark.parametrize(
    ("name", "array"),
    [("best", "distances 0"), ("best", "kept"), ("raw patches", "ring"), ("pai, base slower", "ring")],
)
def test_a_forged_state_whose_parts_do_not_fit_is_refused(name, array, tmp_path):
    stream = Stream(SCORERS[name])
    stream.push(series(1, 100))
    stream.save(tmp_path / "stream")
    held = unpack((tmp_path / "stream").read_bytes())
    part = next(key for key in held if key.endswith(array))
    (tmp_path / "stream").write_bytes(pack(held | {part: held[part][:-3]}))
    with pytest.raises(StoredModelError, match="do not fit together"):
        Stream.resume(SCORERS[name], tmp_path / "stream")


@given(
    st.integers(0, 99),
    st.integers(1, 200),
    st.integers(0, 9),
    st.sampled_from(["symmetric", "trailing"]),
    block_sizes,
)
def test_streamed_amplitude_terms_are_the_same_to_the_last_bit(seed, length, half_width, window, sizes):
    values = series(seed, length) * 1e6
    amplitude = Amplitude(Level.of(values[: max(1, length // 2)]), half_width, window)
    increment = AmplitudeTerms(amplitude)
    edges = np.unique(np.minimum(np.cumsum([0, *sizes, length]), length))
    settled = [increment.push(values[a:b]) for a, b in itertools.pairwise(edges)]
    streamed = np.concatenate((*settled, increment.tail()), axis=1)
    np.testing.assert_array_equal(streamed[0], deviation(values, amplitude.level))
    np.testing.assert_array_equal(streamed[1], mean_shift(values, amplitude.level, half_width, window))


def test_running_sums_do_not_drift():
    """After a million values around 1e9 the mean of the last window is still exact to 1e-12."""
    values = 1e9 + np.random.default_rng(0).normal(size=1_000_000)
    mean = RunningMean(64, 0)
    means = np.concatenate([mean.push(part) for part in np.split(values, 100)])
    assert means[-1] == pytest.approx(values[-65:].mean(), rel=1e-15)
    assert means[500_000] == pytest.approx(values[500_000 - 64 : 500_001].mean(), rel=1e-15)


def test_contributions_are_those_of_the_receipt():
    scorer, values = SCORERS["pai, base slower"], series(5, 200)
    stretch = Stream(scorer).push(values)
    receipt = scorer.explain(values)
    assert stretch.terms == receipt.terms
    np.testing.assert_allclose(
        stretch.contributions, receipt.contributions[:, : len(stretch)], rtol=1e-9, atol=1e-9
    )


def test_more_values_than_a_block_are_taken_in_pieces():
    scorer = SCORERS["pai, base slower"]
    values = series(6, 2 * BLOCK + 100)
    settled = Stream(scorer).push(values).scores
    np.testing.assert_allclose(settled, scorer.score(values)[: len(settled)], rtol=1e-9, atol=1e-9)


def test_one_value_at_a_time_is_a_plain_number():
    stream = Stream(SCORERS["plug-in"])
    assert len(stream.push(1.0)) == 0
    stretch = stream.push(4.0)
    assert (stretch.start, stretch.scores.tolist(), stretch.steps.tolist()) == (0, [3.0], [0])


def test_no_values_settle_nothing():
    stream = Stream(SCORERS["raw patches"])
    stretch = stream.push([])
    assert (len(stretch), stretch.start, stream.seen) == (0, 0, 0)


def test_the_memory_of_a_stream_does_not_grow():
    for scorer in SCORERS.values():
        increment = increment_of(scorer)
        sizes = []
        for seed in range(4):
            increment.push(series(seed, 500))
            sizes.append(sum(array.nbytes for array in increment.state().values()))
        assert len(set(sizes)) == 1
        assert sizes[0] < 5000


def test_the_cheapest_way_is_found():
    assert isinstance(increment_of(SCORERS["raw patches"]), NearestPatches)
    assert isinstance(increment_of(SCORERS["plug-in"]), Rescored)


def test_what_cannot_be_streamed_says_why():
    class Whole(JumpScorer):
        reach = None

    with pytest.raises(SettingError, match="Whole cannot be streamed: its scores depend on the whole series"):
        Stream(Whole(np.zeros(3), 1))
    with pytest.raises(InputError, match="values of the stream: value nan at row 1 is not finite"):
        Stream(SCORERS["plug-in"]).push([1.0, np.nan])


def test_a_stream_stays_where_it_was_when_values_are_refused():
    values, stream = series(2, 60), Stream(SCORERS["raw patches"])
    stream.push(values[:40])
    with pytest.raises(InputError):
        stream.push(np.append(values[40:50], np.inf))
    assert stream.seen == 40
    rest = stream.push(values[40:])
    expected = SCORERS["raw patches"].score(values)[rest.start : rest.start + len(rest)]
    np.testing.assert_allclose(rest.scores, expected, rtol=1e-9)
