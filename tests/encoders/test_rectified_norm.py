import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from paiad.layers.rectified_norm import RectifiedNorm, _AtOnce  # noqa: E402


def pair(channels):
    ours, theirs = RectifiedNorm(channels), torch.nn.BatchNorm2d(channels)
    with torch.no_grad():
        ours.weight.copy_(torch.randn(channels))
        ours.bias.copy_(torch.randn(channels))
    theirs.load_state_dict(ours.state_dict())
    return ours, theirs


def activations(batch, channels, time, level=0.0):
    values = 3 * torch.randn(batch, channels, 1, time) + level
    return values.bfloat16().contiguous(memory_format=torch.channels_last)


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@settings(max_examples=40, deadline=None)
@given(
    batch=st.integers(2, 9),
    channels=st.integers(1, 9),
    time=st.integers(1, 70),
    level=st.sampled_from([0.0, 40.0]),
    seed=st.integers(0, 99),
)
def test_in_bfloat16_it_is_batch_norm_and_relu_in_float64_but_for_rounding(
    batch, channels, time, level, seed
):
    torch.manual_seed(seed)
    ours, theirs = pair(channels)
    values, coming = activations(batch, channels, time, level), activations(batch, channels, time)
    mine, exact = values.clone().requires_grad_(), values.double().requires_grad_()
    theirs.double()
    made, wanted = ours(mine), theirs(exact).relu()
    assert made.dtype == torch.bfloat16
    torch.testing.assert_close(made.double(), wanted, rtol=2**-8, atol=1e-3)
    torch.testing.assert_close(ours.running_mean.double(), theirs.running_mean, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(ours.running_var.double(), theirs.running_var, rtol=1e-3, atol=1e-4)
    assert ours.num_batches_tracked == theirs.num_batches_tracked == 1

    # Where a value lies on the edge of ReLU the two may differ: let no gradient come there.
    coming = torch.where((wanted.abs() < 1e-3) & (theirs(exact).abs() < 1e-3), 0, coming.double()).bfloat16()
    made.backward(coming)
    wanted.backward(coming.double())
    size = float(exact.grad.abs().max()) + 1e-3
    torch.testing.assert_close(mine.grad.double(), exact.grad, rtol=0.02, atol=0.01 * size)
    for one, other in ((ours.weight, theirs.weight), (ours.bias, theirs.bias)):
        torch.testing.assert_close(one.grad.double(), other.grad, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("change", ["float32", "eval", "average", "channels first", "two threads"])
def test_elsewhere_it_is_torchs_own(change, monkeypatch):
    monkeypatch.setattr(_AtOnce, "apply", lambda *given: pytest.fail("not torch's own"))
    ours, theirs = pair(4)
    values = activations(8, 4, 16)
    if change == "float32":
        values = values.float()
    if change == "eval":
        ours.eval(), theirs.eval()
    if change == "average":
        ours.momentum = theirs.momentum = None
    if change == "channels first":
        values = values.contiguous()
    if change == "two threads":
        torch.set_num_threads(2)
    assert torch.equal(ours(values), theirs(values).relu())
    assert torch.equal(ours.running_var, theirs.running_var)


def test_what_it_rounds_is_rounded_as_torch_rounds():
    from paiad.layers.rectified_norm import _rectify, _rows

    values = torch.from_numpy(np.random.default_rng(0).normal(size=(4096, 8)).astype(np.float32))
    bits = values.bfloat16()[:, :, None, None].contiguous(memory_format=torch.channels_last)
    made = torch.empty_like(bits)
    scale, shift = np.full(8, 1.2345, np.float32), np.full(8, 0.01, np.float32)
    _rectify(_rows(bits), scale, shift, _rows(made))
    wanted = (bits.float() * torch.from_numpy(scale)[:, None, None] + 0.01).relu()
    apart = (made.float() - wanted).abs() / wanted.clamp(min=1e-3)
    assert apart.max() <= 2**-8
    assert (made == wanted.bfloat16()).float().mean() > 0.999


def test_a_training_that_diverges_is_seen_to():
    ours, theirs = pair(3)
    values = activations(4, 3, 8)
    values[0, 1, 0, 2] = torch.nan
    mine, plain = ours(values.clone().requires_grad_()), theirs(values).relu()
    assert torch.equal(mine.isnan(), plain.isnan())
    assert torch.equal(ours.running_var.isnan(), theirs.running_var.isnan())
