"""TS2Vec: the sparing encoding equals whole windows, the contrasts are what they say, and nothing looks ahead."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from numpy.lib.stride_tricks import sliding_window_view  # noqa: E402

from paiad import make  # noqa: E402
from paiad.contracts import Reach  # noqa: E402
from paiad.detectors.prototype import NearestPrototype  # noqa: E402
from paiad.devices import computing  # noqa: E402
from paiad.encoders import ts2vec, ts2vec_together  # noqa: E402
from paiad.encoders.paano import PaAno  # noqa: E402
from paiad.encoders.ts2vec import (  # noqa: E402
    MaskedTS2Vec,
    Net,
    TS2Vec,
    contrast,
    hierarchical_contrast,
    pieces,
    relative_to_lately,
)
from paiad.encoders.ts2vec_together import Buffered, fitted_together  # noqa: E402
from paiad.errors import SettingError, TooShortError  # noqa: E402
from paiad.layers.dilated import Sweep, dilated_stack  # noqa: E402
from paiad.layers.weights import to_arrays  # noqa: E402
from paiad.pai import PAI  # noqa: E402


def wave(length=300, seed=0):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(length) / 5) + rng.normal(scale=0.1, size=length)


@pytest.fixture(scope="module")
def encoder():
    return TS2Vec(iterations=2).fit(wave())


STEPS = [0, 1, 63, 64, 150, 199, 200, 201, 229]


def plainly(encoder, values, hide_last=False):
    """The windows of 201 that end at STEPS encoded whole, by PyTorch's own convolutions; the last step is kept."""
    filled = np.pad(encoder.scaling(values), (200, 0), constant_values=np.nan)
    windows = torch.tensor(sliding_window_view(filled, 201)[STEPS], dtype=torch.float32)
    mask = torch.ones_like(windows, dtype=torch.bool)
    mask[:, -1] = not hide_last
    with torch.no_grad():
        return encoder._net(windows, mask)[:, -1].numpy()


@pytest.mark.parametrize("normalise", [False, True])
def test_sparing_encoding_equals_whole_windows(encoder, normalise):
    encoder = replace(encoder, normalise_windows=normalise)
    values = wave(230, seed=1)
    expected = plainly(encoder, values)
    np.testing.assert_allclose(encoder.encode(values)[STEPS], expected, rtol=1e-5, atol=1e-5)
    moved = np.abs(expected - plainly(encoder, values, hide_last=True)).sum(1)
    np.testing.assert_allclose(encoder.surprise(values)[STEPS], moved, rtol=1e-4)


@settings(max_examples=12, deadline=None)
@given(width=st.integers(1, 40), extra=st.integers(0, 20), depth=st.integers(0, 5), blank=st.booleans())
def test_a_sweep_equals_the_stack_for_any_width_and_depth(width, extra, depth, blank):
    torch.manual_seed(width)
    stack, steps = dilated_stack(4, depth, 3), torch.randn(width + extra, 4)
    windows = steps.unfold(0, width, 1).clone()  # [windows, features, time]
    if blank:
        windows[:, :, -1] = 0
    with torch.no_grad():
        expected = stack(windows)[:, :, -1]
        torch.testing.assert_close(
            Sweep(stack, steps, width, blank).last_steps(), expected, rtol=1e-4, atol=1e-5
        )
        apart = Sweep(stack, steps.unfold(0, width, 1).transpose(1, 2), width, blank).last_steps()
        torch.testing.assert_close(apart, expected, rtol=1e-4, atol=1e-5)


def test_most_steps_are_shared_or_never_computed(encoder):
    net = encoder._net
    sweep = Sweep(net.stack, net.entering(torch.zeros(300)), 201)
    with torch.no_grad():
        sweep.last_steps()
    assert len(sweep.known) < 70  # of 22 x 201 steps a window


def test_encoding_in_stretches_joins_without_a_seam(encoder, monkeypatch):
    values = wave(120, seed=2)
    whole, moved = encoder.encode(values), encoder.surprise(values)
    monkeypatch.setattr(ts2vec, "AT_ONCE", {"cpu": 50})
    np.testing.assert_allclose(encoder.encode(values), whole, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(encoder.surprise(values), moved, rtol=1e-4)


def test_vectors_do_not_look_ahead(encoder):
    values = wave(150, seed=3)
    changed = values.copy()
    changed[100:] += 5
    before, after = encoder.encode(values), encoder.encode(changed)
    np.testing.assert_array_equal(before[:100], after[:100])
    assert np.abs(before[100] - after[100]).max() > 1e-3
    assert encoder.reach == Reach(200, 0)


def test_scores_are_as_long_as_the_series_however_short(encoder):
    scorer = MaskedTS2Vec(TS2Vec(iterations=1)).fit(wave(60))
    for length in (1, 2, 21, 22, 60):
        assert encoder.encode(wave(length)).shape == (length, 320)
        score = scorer.score(wave(length))
        assert score.shape == (length,)
        assert np.isfinite(score).all()
    assert len(scorer.calibration) == 60


def test_a_hidden_spike_is_a_surprise():
    values = wave(400, seed=5)
    values[300] += 8
    assert MaskedTS2Vec(TS2Vec(iterations=5)).fit(wave(300)).score(values).argmax() == 300


def test_same_seed_same_weights():
    one, two, other = (TS2Vec(iterations=2, seed=s).fit(wave(100)) for s in (0, 0, 1))
    assert all(np.array_equal(one.weights[name], two.weights[name]) for name in one.weights)
    assert not np.array_equal(one.weights["input.weight"], other.weights["input.weight"])


def test_weights_are_averaged_over_the_start_and_every_step(monkeypatch):
    seen = []
    real = ts2vec._Average.step

    def step(self):
        seen.append(self.live.input.weight.detach().clone())
        real(self)

    monkeypatch.setattr(ts2vec._Average, "step", step)
    encoder = TS2Vec(iterations=3).fit(wave(100))
    assert len(seen) == 4
    np.testing.assert_allclose(encoder.weights["input.weight"], torch.stack(seen).mean(0), atol=1e-6)


def test_training_lowers_the_loss():
    torch.manual_seed(0)
    net = Net(normalise_windows=False)
    rows = pieces(wave(200))
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3)
    losses = []
    for _ in range(15):
        torch.manual_seed(1)  # the same crops and masks each time
        optimizer.zero_grad()
        begins, borders = ts2vec._crop(rows.shape[1], len(rows))
        loss = ts2vec.crop_loss(net, rows, begins, borders)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert min(losses[10:]) < losses[0] - 0.1


def test_contrast_by_hand():
    one, two = torch.randn(2, 3, 4), torch.randn(2, 3, 4)
    terms = []
    for group in range(2):
        items = [*one[group], *two[group]]
        for k, item in enumerate(items):
            others = [item @ other for j, other in enumerate(items) if j != k]
            partner = item @ items[(k + 3) % 6]
            terms.append(torch.stack(others).logsumexp(0) - partner)
    torch.testing.assert_close(contrast(one, two), torch.stack(terms).mean())
    assert contrast(one[:, :1], two[:, :1]) == 0


def test_hierarchical_contrast_by_hand():
    one, two = torch.randn(2, 5, 4), torch.randn(2, 5, 4)

    def both(a, b):
        return 0.5 * contrast(a, b) + 0.5 * contrast(a.transpose(0, 1), b.transpose(0, 1))

    def halved(x):
        pairs = [x[:, 2 * i : 2 * i + 2].amax(1) for i in range(x.shape[1] // 2)]
        return torch.stack(pairs, 1)

    one2, two2 = halved(one), halved(two)
    last = 0.5 * contrast(halved(one2).transpose(0, 1), halved(two2).transpose(0, 1))
    expected = (both(one, two) + both(one2, two2) + last) / 3
    torch.testing.assert_close(hierarchical_contrast(one, two), expected)


@given(length=st.integers(1, 50), longest=st.integers(1, 20))
def test_pieces_hold_every_value_once_in_order(length, longest):
    cut = pieces(np.arange(float(length)), longest)
    flat = cut.flatten()
    assert flat[~flat.isnan()].tolist() == list(range(length))
    assert len(cut) == max(1, length // longest)


def test_relative_to_lately_by_hand():
    errors = np.array([2.0, 4.0, 3.0, 9.0, 0.0])
    lately = [2.0, (2 + 4) / 2, (4 + 3) / 2, (3 + 9) / 2]
    expected = [0.0, *((e - m) / m for e, m in zip(errors[1:], lately, strict=True))]
    np.testing.assert_allclose(relative_to_lately(errors, 2), expected)
    assert np.isfinite(relative_to_lately(np.array([0.0, 0.0, 1.0, 0.0]))).all()


def test_window_normalisation_takes_level_and_scale_away(encoder):
    values = wave(60, seed=4) + 20
    assert encoder.ignores == frozenset()
    assert np.abs(encoder.encode(2 * values) - encoder.encode(values)).max() > 0.01
    blind = replace(encoder, normalise_windows=True)
    assert blind.ignores == {"shift", "scale"}
    np.testing.assert_allclose(blind.encode(4 * values + 3)[5:], blind.encode(values)[5:], atol=1e-2)


def test_scaling_training_and_test_together_changes_nothing():
    recipe = PAI(NearestPrototype(TS2Vec(iterations=2)))
    train, test = wave(150), wave(80, seed=1)
    np.testing.assert_allclose(
        recipe.fit(16 * train).score(16 * test), recipe.fit(train).score(test), rtol=1e-4, atol=1e-4
    )


def test_too_short_a_training_part_is_refused_and_a_constant_one_is_not():
    with pytest.raises(TooShortError, match="TS2Vec needs at least 2 training values, got 1"):
        TS2Vec().fit(np.ones(1))
    assert np.isfinite(TS2Vec(iterations=2).fit(np.ones(30)).encode(wave(10))).all()


def test_wrong_settings_are_refused():
    with pytest.raises(SettingError, match="batch must be a whole number of at least 1, got 0"):
        TS2Vec(batch=0)
    with pytest.raises(SettingError, match="learner must be of the kind TS2Vec"):
        MaskedTS2Vec(PaAno())


def test_catalog_names_are_the_papers_variants():
    assert isinstance(make("ts2vec"), MaskedTS2Vec)
    assert make("ts2vec-cosine").metric == "cosine"
    assert make("ts2vec-pai").base == make("ts2vec-euclidean")
    assert make("ts2vec-instance-norm-pai").base.learner.normalise_windows


@settings(max_examples=25, deadline=None)
@given(
    batch=st.integers(1, 3),
    time=st.integers(2, 40),
    spare=st.integers(0, 7),
    normalised=st.booleans(),
    seed=st.integers(0, 99),
)
def test_a_step_in_buffers_has_the_loss_and_gradients_of_a_step_on_crops(
    batch, time, spare, normalised, seed
):
    torch.manual_seed(seed)
    net = Net(normalised).eval()  # no dropout
    rows = torch.randn(batch, time)
    if time > 6:
        rows[-1, -3:] = torch.nan
    begins, borders = ts2vec._crop(time, batch)
    buffered = Buffered(rows, begins, torch.tensor(borders), time + spare)
    shown = torch.rand(2 * batch, time + spare) < 0.5
    far_left, left, right, far_right = borders
    masks = iter((shown[:batch, far_left:right], shown[batch:, left:far_right]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ts2vec, "_encoded", lambda net, crops: net(crops, next(masks)))
        expected = ts2vec.crop_loss(net, rows, begins, borders)
    found = buffered.loss(net, shown, torch.ones(()))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    if expected.requires_grad:
        one, two = (
            torch.autograd.grad(x, list(net.parameters()), allow_unused=True) for x in (found, expected)
        )
        for ours, plain in zip(one, two, strict=True):
            plain = torch.zeros_like(ours) if plain is None else plain
            torch.testing.assert_close(ours, plain, rtol=1e-3, atol=1e-4)


def test_trained_together_learns_what_is_learnt_alone():
    """The lanes of a GPU, here on a CPU: as good in the loss, whatever went through a lane before."""
    trains = [wave(120), wave(90, seed=1), wave(60, seed=2)]
    recipe = TS2Vec(iterations=12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ts2vec_together, "SIZES", (128,))
        together = fitted_together(recipe, trains)
        again = fitted_together(recipe, trains[::-1])[::-1]
    start = to_arrays(_untrained(recipe))
    for train, one, same in zip(trains, together, again, strict=True):
        alone = recipe.fit(train)
        assert one.scaling == alone.scaling
        assert all(np.array_equal(one.weights[name], same.weights[name]) for name in one.weights)
        moved = np.concatenate([(one.weights[name] - start[name]).ravel() for name in start])
        meant = np.concatenate([(alone.weights[name] - start[name]).ravel() for name in start])
        assert 0.5 < np.linalg.norm(moved) / np.linalg.norm(meant) < 2
        assert np.corrcoef(moved, meant)[0, 1] > 0.3  # other masks, other dropout, the same crops


def _untrained(recipe):
    with computing("cpu", recipe.seed):
        return Net(recipe.normalise_windows)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_recorded_steps_find_the_spike_too():
    values = wave(400, seed=5)
    values[300] += 8
    for encoder in TS2Vec(iterations=5, device="cuda").fit_many([values[:250], values[:200]]):
        assert encoder.surprise(values).argmax() == 300


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("normalised", [False, True])
def test_recorded_steps_train_as_launched_ones_do(normalised):
    """The very draws of a recorded training, its steps launched kernel by kernel."""
    trains = [wave(400), wave(700, seed=1), wave(500, seed=2)]
    recipe = TS2Vec(iterations=20, normalise_windows=normalised, device="cuda")
    recorded = recipe.fit_many(trains)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ts2vec_together.TS2VecLane, "recorded", lambda lane, run: run)
        launched = recipe.fit_many(trains)
    start = to_arrays(_untrained(recipe))
    for one, other in zip(recorded, launched, strict=True):
        moved, meant = (
            np.concatenate([(encoder.weights[name] - start[name]).ravel() for name in start])
            for encoder in (one, other)
        )
        assert np.linalg.norm(meant) > 0.1
        assert np.linalg.norm(moved - meant) < 0.05 * np.linalg.norm(meant)
