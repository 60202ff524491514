"""PaAno: what it computes, what it must not see, how it trains, and that sharing convolutions changes nothing."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dataclasses import dataclass, replace  # noqa: E402

import torch.nn.functional as F  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from torch import nn  # noqa: E402

from paiad import make  # noqa: E402
from paiad.contracts import Encoder, Learner  # noqa: E402
from paiad.detectors.prototype import NearestPrototype  # noqa: E402
from paiad.encoders import paano  # noqa: E402
from paiad.encoders.paano import (  # noqa: E402
    Heads,
    Lesson,
    PaAno,
    Plan,
    gradient_scaled,
    near_to,
    random_others,
    triplet_loss,
)
from paiad.encoders.paano_together import fitted_together  # noqa: E402
from paiad.errors import SettingError, TooShortError  # noqa: E402
from paiad.layers.patch_convolutions import folded, mean_over_patches, mean_over_series  # noqa: E402
from paiad.pai import PAI  # noqa: E402
from paiad.training import strided  # noqa: E402

SMALL = PaAno(width=24, iterations=3, batch=32)


def wave(length=300, seed=0):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(length) / 5) + rng.normal(scale=0.1, size=length)


def plainly(encoder, values):
    """The encoder as PyTorch's own one-dimensional modules, patch by patch."""
    blocks = []
    shapes = zip(paano.CHANNELS, paano.CHANNELS[1:], paano.KERNELS, strict=False)
    for index, (before, after, kernel) in enumerate(shapes):
        convolution = nn.Conv1d(before, after, kernel, padding="same", bias=False)
        convolution.weight.data = torch.from_numpy(encoder.weights[f"{2 * index}.weight"][:, :, 0])
        norm = nn.BatchNorm1d(after)
        norm.load_state_dict(
            {
                name: torch.from_numpy(np.array(encoder.weights[f"{2 * index + 1}.{name}"]))
                for name in norm.state_dict()
            }
        )
        blocks += [convolution, norm, nn.ReLU()]
    net = nn.Sequential(*blocks).eval()
    if encoder.input == "z-scored":
        patches = np.stack([encoder.scaling(values)[i : i + 24] for i in range(len(values) - 23)])
    else:
        patches = np.stack([values[i : i + 24] for i in range(len(values) - 23)])
        patches = (patches - patches.mean(1, keepdims=True)) / np.sqrt(patches.var(1, keepdims=True) + 1e-5)
    with torch.no_grad():
        return net(torch.tensor(patches, dtype=torch.float32)[:, None]).mean(2).numpy()


@pytest.mark.parametrize("how", ["patch-normalised", "z-scored"])
@pytest.mark.parametrize("iterations", [0, 3])
def test_encoding_is_what_plain_torch_modules_compute_patch_by_patch(how, iterations):
    encoder = replace(SMALL, input=how, iterations=iterations).fit(wave())
    values = wave(180, seed=1)
    np.testing.assert_allclose(encoder.encode(values), plainly(encoder, values), rtol=1e-5, atol=1e-5)


@settings(max_examples=15, deadline=None)
@given(width=st.integers(10, 40), extra=st.integers(0, 30), seed=st.integers(0, 9))
def test_shared_convolutions_equal_patch_by_patch(width, extra, seed):
    encoder = PaAno(width=10, iterations=0, input="z-scored", batch=32).fit(wave(100, seed))
    layers = folded(encoder.weights)
    values = torch.tensor(wave(width + extra, seed + 10), dtype=torch.float32)
    with torch.no_grad():
        apart = mean_over_patches(layers, values.unfold(0, width, 1))
        shared = mean_over_series(layers, values, width)
    torch.testing.assert_close(shared, apart, rtol=1e-5, atol=1e-5)


def test_encoding_in_pieces_joins_without_a_seam(monkeypatch):
    for how in ("patch-normalised", "z-scored"):
        encoder = replace(SMALL, input=how, iterations=0).fit(wave())
        whole = encoder.encode(wave(200))
        monkeypatch.setattr(paano, "AT_ONCE", 7)
        monkeypatch.setattr(paano, "SHARED_AT_ONCE", 7)
        np.testing.assert_allclose(encoder.encode(wave(200)), whole, rtol=1e-5, atol=1e-5)
        monkeypatch.undo()


def test_same_seed_same_weights_and_the_callers_random_state_untouched():
    state = torch.get_rng_state()
    one, two, other = SMALL.fit(wave()), SMALL.fit(wave()), replace(SMALL, seed=1).fit(wave())
    assert torch.equal(torch.get_rng_state(), state)
    assert all(np.array_equal(one.weights[name], two.weights[name]) for name in one.weights)
    assert not np.array_equal(one.weights["0.weight"], other.weights["0.weight"])


def test_training_moves_the_weights_and_lowers_the_pretext_loss():
    recipe = PaAno(width=24, iterations=80, batch=64, learning_rate=1e-3)
    torch.manual_seed(0)
    patches = strided(wave(400), 24, dtype=torch.float64)
    lesson = Lesson(recipe, Heads(), patches)
    rows = torch.arange(64, 128)
    plan = Plan.drawn(recipe, patches)
    before = _pretext(lesson)
    optimizer = torch.optim.AdamW(lesson.heads.parameters(), 1e-3)
    for others in plan.others:
        optimizer.zero_grad()
        lesson.early_loss(rows, near_to(rows, len(patches)), others, torch.tensor(1.0)).backward()
        optimizer.step()
    assert len(plan.others) == 8
    assert _pretext(lesson) < before


def _pretext(lesson):
    rows = torch.arange(64, 128)
    torch.manual_seed(5)
    with torch.no_grad():
        others = random_others((1, 64), 5, rows.device)[0]
        return lesson.pretext_loss(rows, lesson.encoded(rows), others).item()


def test_patches_with_none_before_them_do_not_count_in_the_pretext():
    lesson = Lesson(SMALL, Heads().eval(), strided(wave(200), 24, dtype=torch.float64))
    others = random_others((1, 8), 5, torch.device("cpu"))[0].clamp(min=4)
    rows = torch.tensor([0, 3, 10, 23, 24, 60, 90, 100])
    with torch.no_grad():
        vectors = lesson.encoded(rows)
        whole = lesson.pretext_loss(rows, vectors, others)
        before = lesson.encoded(rows[4:] - 24)
        true = lesson.heads.follows(torch.cat((vectors[4:], before), 1))
        false = lesson.heads.follows(torch.cat((vectors[4:, None].expand(-1, 5, -1), vectors[others[4:]]), 2))
        by_hand = F.softplus(-true).mean() + F.softplus(false).mean()
        none = lesson.pretext_loss(rows[:4], vectors[:4], others[:4] - 4)
    assert whole.item() == pytest.approx(by_hand.item(), rel=1e-5)
    assert none.item() == 0


def test_trained_together_is_trained_alone():
    """The lanes of a GPU, here on a CPU: same draws, same weights, whatever went through a lane before."""
    trains = [wave(300), wave(50), wave(120, seed=1), wave(90, seed=2), wave(51, seed=3), wave(400, seed=4)]
    reduced = replace(SMALL, input="z-scored", precision="bfloat16", iterations=12)
    for recipe, apart in ((SMALL, 1e-5), (reduced, 1e-3)):
        together = fitted_together(recipe, trains)
        for train, encoder in zip(trains, together, strict=True):
            alone = recipe.fit(train)
            assert encoder.scaling == alone.scaling
            for name, weight in alone.weights.items():
                np.testing.assert_allclose(encoder.weights[name], weight, rtol=1e-4, atol=apart)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_recorded_steps_train_as_launched_ones_do():
    trains = [wave(300), wave(700, seed=1)]
    recipe = PaAno(iterations=30, device="cuda")
    for train, encoder in zip(trains, recipe.fit_many(trains), strict=True):
        alone, test = recipe.fit(train), wave(200, seed=9)
        scores = [
            NearestPrototype(_Fitted(one), metric="cosine").fit(train).score(test) for one in (alone, encoder)
        ]
        assert np.corrcoef(scores)[0, 1] > 0.99


@dataclass(frozen=True)
class _Fitted(Learner):
    encoder: Encoder

    def fit(self, train):
        return self.encoder


def test_native_score_does_not_see_level_and_scale_but_pai_does():
    train, test = wave(300), wave(150, seed=3)
    native = NearestPrototype(replace(SMALL, iterations=0), metric="cosine").fit(train)
    np.testing.assert_allclose(native.score(10 * test + 7), native.score(test), atol=2e-3)
    with_amplitude = PAI(NearestPrototype(replace(SMALL, iterations=0))).fit(train)
    assert np.abs(with_amplitude.score(10 * test) - with_amplitude.score(test)).max() > 1


@pytest.mark.parametrize("how", ["patch-normalised", "z-scored"])
def test_pai_does_not_change_when_training_and_test_are_scaled_together(how):
    train, test = wave(300), wave(150, seed=3)
    recipe = PAI(NearestPrototype(replace(SMALL, iterations=0, input=how)))
    np.testing.assert_allclose(
        recipe.fit(16 * train).score(16 * test), recipe.fit(train).score(test), rtol=1e-2, atol=1e-2
    )


def test_declared_invariance_is_true():
    test = wave(100, seed=4)
    for how in ("patch-normalised", "z-scored"):
        encoder = replace(SMALL, iterations=0, input=how).fit(wave())
        same = np.allclose(encoder.encode(10 * test), encoder.encode(test), atol=1e-2)
        assert same == ("scale" in encoder.ignores)
        same = np.allclose(encoder.encode(test + 3), encoder.encode(test), atol=1e-2)
        assert same == ("shift" in encoder.ignores)


def test_large_offsets_do_not_drown_the_shape():
    train = wave(300)
    encoder = replace(SMALL, iterations=0).fit(train)
    np.testing.assert_allclose(encoder.encode(train + 1e9), encoder.encode(train), atol=1e-3)


def test_a_constant_training_part_gives_finite_vectors():
    encoder = SMALL.fit(np.full(100, 3.0))
    assert np.isfinite(encoder.encode(wave(60))).all()


def test_short_training_parts():
    with pytest.raises(TooShortError, match="PaAno needs at least 25 training values, got 24"):
        SMALL.fit(wave(24))
    assert SMALL.fit(wave(25)).encode(wave(24)).shape == (1, 64)
    with pytest.raises(TooShortError):
        SMALL.fit(wave(30)).encode(wave(23))


def test_wrong_settings_are_refused():
    with pytest.raises(SettingError, match="input must be one of patch-normalised, z-scored, got 'raw'"):
        PaAno(input="raw")
    with pytest.raises(SettingError, match="precision must be one of auto, float32, bfloat16"):
        PaAno(precision="float16")
    with pytest.raises(SettingError, match="width must be a whole number of at least 1, got 0"):
        PaAno(width=0)
    with pytest.raises(SettingError, match="iterations must be a whole number of at least 0, got -1"):
        PaAno(iterations=-1)


def test_bfloat16_training_ranks_patches_as_float32_does():
    train, test = wave(300), wave(200, seed=2)
    test[100:110] += 2
    scores = [
        NearestPrototype(replace(SMALL, precision=p), metric="cosine").fit(train).score(test)
        for p in ("float32", "bfloat16")
    ]
    assert np.corrcoef(np.argsort(np.argsort(scores)))[0, 1] > 0.95


def test_triplet_loss_by_hand():
    anchors = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    positives = torch.tensor([[3.0, 0.0], [0.0, -1.0]])
    # distances: own 0 and 2; to the other's positive 1 and 1
    assert triplet_loss(anchors, positives).item() == pytest.approx((0 + (2 - 1 + 0.5)) / 2)


def test_the_farthest_other_positive_counts():
    anchors = torch.eye(3)[:1].repeat(3, 1)
    positives = torch.tensor([[1.0, 0, 0], [0.0, 1, 0], [-1.0, 0, 0]])
    own, farthest = torch.tensor([0.0, 1.0, 2.0]), torch.tensor([2.0, 2.0, 1.0])
    assert triplet_loss(anchors, positives).item() == pytest.approx(
        F.relu(own - farthest + 0.5).mean().item()
    )


def test_gradient_scaling_keeps_the_value():
    x = torch.tensor(3.0, requires_grad=True)
    value = gradient_scaled(x * x, 0.01)
    value.backward()
    assert value.item() == pytest.approx(9.0)
    assert x.grad.item() == pytest.approx(0.06)


@given(count=st.integers(2, 40))
def test_random_others_are_others(count):
    others = random_others((3, count), 5, torch.device("cpu"))
    assert others.shape == (3, count, 5)
    assert ((others >= 0) & (others < count) & (others != torch.arange(count)[:, None])).all()


def test_positives_start_one_or_two_steps_away_and_inside():
    rows = torch.arange(50).repeat(20)
    near = near_to(rows, 50)
    assert set((near - rows).abs().tolist()) == {1, 2}
    assert near.min() == 0
    assert near.max() == 49


def test_the_pretext_fades_out_in_the_first_tenth():
    plan = Plan.drawn(replace(SMALL, iterations=30), torch.zeros(100, 24))
    assert plan.pretext_steps == 3
    assert plan.pretext[:4].tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0])


def test_catalog_names_are_the_papers_variants():
    assert make("paano").metric == "cosine"
    assert make("paano-pai").base.metric == "euclidean"
    assert make("paano-untrained").learner.iterations == 0
    assert make("paano-release").learner.input == "z-scored"
    assert make("paano-pai", {"base.learner.iterations": 0}) == make("paano-untrained-pai")
