"""DCdetector: what it computes, and that nothing in it is ever trained."""

import logging

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from paiad import make  # noqa: E402
from paiad.detectors.prototype import NearestPrototype  # noqa: E402
from paiad.encoders import dcdetector  # noqa: E402
from paiad.encoders.dcdetector import (  # noqa: E402
    DCdetector,
    DualAttention,
    WindowEmbedding,
    agreement,
    branch_losses,
    summed_losses,
)
from paiad.errors import SettingError  # noqa: E402
from paiad.layers.instance_norm import instance_normalised  # noqa: E402
from paiad.layers.positions import sinusoids  # noqa: E402
from paiad.layers.token_embedding import TokenEmbedding  # noqa: E402
from paiad.pai import PAI  # noqa: E402


def wave(length=300, seed=0):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(length) / 5) + rng.normal(scale=0.1, size=length)


@pytest.fixture
def windows():
    values = torch.from_numpy(np.stack([wave(100, seed) for seed in range(4)]))
    return instance_normalised(values)


@pytest.fixture
def net():
    torch.manual_seed(0)
    return DualAttention()


def test_each_branch_alone_would_send_gradients(net, windows):
    for loss in branch_losses(net(windows)):
        net.zero_grad()
        loss.backward(retain_graph=True)
        assert max(p.grad.abs().max().item() for p in net.queries.parameters()) > 0


def test_the_two_summed_losses_cancel_exactly(net, windows):
    loss = summed_losses(net(windows))
    loss.backward()
    assert loss.item() == 0
    assert all(p.grad is None or not p.grad.any() for p in net.parameters())


def test_the_window_embedding_receives_no_gradient_from_either_loss(net, windows):
    to_between, to_inside = branch_losses(net(windows))
    (to_between + 2 * to_inside).backward()
    assert net.window.project.weight.grad is None
    assert net.patches.project.weight.grad.abs().max() > 0


def test_the_authors_training_moves_no_bit():
    train = wave(260)
    trained, fresh = DCdetector(epochs=1).fit(train), DCdetector().fit(train)
    assert all(np.array_equal(trained.weights[name], fresh.weights[name]) for name in fresh.weights)
    assert np.array_equal(trained.calibration, fresh.calibration)


def test_training_is_run_when_asked_for(monkeypatch):
    seen = []
    real = dcdetector.summed_losses
    monkeypatch.setattr(dcdetector, "summed_losses", lambda maps: seen.append(1) or real(maps))
    WindowEmbedding(epochs=2).fit(wave(240))
    assert len(seen) == 2 * 3  # 141 windows in batches of 64


def test_attention_maps_by_hand(net, windows):
    between, inside = net(windows)[0]
    assert between.shape == inside.shape == (4, 100, 100)
    patches = net.patches(windows.reshape(4, 20, 5))
    q, k = net.queries[0](patches)[1], net.keys[0](patches)[1]
    row = torch.softmax(k @ q[7] / 16.0, 0)
    assert between[1, 7 * 5 + 3, 11 * 5 + 2].item() == pytest.approx(row[11].item(), rel=1e-4)
    places = net.places(windows.reshape(4, 5, 20))
    q, k = net.queries[0](places)[1], net.keys[0](places)[1]
    row = torch.softmax(k @ q[3] / 16.0, 0)
    assert inside[1, 33, 52].item() == pytest.approx(row[2].item(), rel=1e-4)


def test_a_windows_scores_sum_to_one(net, windows):
    score = agreement(net(windows))
    assert (score >= 0).all()
    torch.testing.assert_close(score.sum(1), torch.ones(4))


def test_embedding_by_hand():
    torch.manual_seed(1)
    embed = TokenEmbedding(1, 8, 5)
    tokens = torch.randn(1, 5, 1)
    weight, value = embed.project.weight[:, 0], tokens[0, :, 0]
    first = weight[:, 0] * value[4] + weight[:, 1] * value[0] + weight[:, 2] * value[1]
    torch.testing.assert_close(embed(tokens)[0, 0], first + sinusoids(5, 8)[0])


def test_scores_are_as_long_as_the_series_however_short():
    scorer = DCdetector().fit(wave())
    bank = NearestPrototype(WindowEmbedding()).fit(wave())
    for length in (1, 99, 100, 101, 250):
        assert scorer.score(wave(length)).shape == (length,)
        assert bank.score(wave(length)).shape == (length,)
    assert len(scorer.calibration) == 300


def test_the_last_window_is_filled_up_with_its_last_value():
    scorer = DCdetector().fit(wave())
    values = wave(130)
    filled = np.concatenate([values, np.full(70, values[-1])])
    np.testing.assert_array_equal(scorer.score(values), scorer.score(filled)[:130])


def test_fewer_than_110_training_values_give_a_base_score_of_zero(caplog):
    with caplog.at_level(logging.WARNING):
        native = DCdetector().fit(wave(109))
    assert "needs 110 training values, got 109" in caplog.text
    assert not native.score(wave(50)).any()
    for metric in ("cosine", "euclidean"):
        bank = NearestPrototype(WindowEmbedding(), metric=metric).fit(wave(109))
        assert not bank.score(wave(50)).any()
    assert PAI(NearestPrototype(WindowEmbedding())).fit(wave(109)).score(wave(50)).std() > 0
    assert DCdetector().fit(wave(110)).score(wave(50)).any()


def test_level_and_scale_are_ignored_as_declared():
    values = wave(200, seed=2)
    for recipe in (DCdetector(), NearestPrototype(WindowEmbedding())):
        scorer = recipe.fit(wave())
        assert scorer.ignores == {"shift", "scale"}
        np.testing.assert_allclose(scorer.score(10 * values - 4), scorer.score(values), atol=1e-3)
    with_amplitude = make("dcdetector-pai").fit(wave())
    assert np.abs(with_amplitude.score(10 * values) - with_amplitude.score(values)).max() > 1


@pytest.mark.parametrize("recipe", [DCdetector, WindowEmbedding])
def test_wrong_settings_are_refused(recipe):
    with pytest.raises(SettingError, match="epochs must be a whole number of at least 0, got -1"):
        recipe(epochs=-1)
    with pytest.raises(SettingError, match="device must be one of auto, cpu, cuda, got 'gpu'"):
        recipe(device="gpu")


def test_same_seed_same_scores():
    one, two, other = (DCdetector(seed=s).fit(wave()).score(wave(150)) for s in (0, 0, 1))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)
