"""The training loop: seeds, batches, early stopping that gives the best epoch back, interruption."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from paiad.devices import choose_device, computing  # noqa: E402
from paiad.errors import SettingError, TooShortError  # noqa: E402
from paiad.layers.weights import to_arrays, with_arrays  # noqa: E402
from paiad.progress import listen  # noqa: E402
from paiad.training import Patience, Repeated, Shuffled, strided, train  # noqa: E402


class Level(nn.Module):
    """One number, to be drawn to a target."""

    def __init__(self):
        super().__init__()
        self.value = nn.Parameter(torch.zeros(1))


def fitted(epochs=3, **more):
    net = Level()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.25)
    history = train(
        net, lambda rows: (net.value - 1).square().sum(), Shuffled(4, 4, 0), epochs, optimizer, **more
    )
    return net, history


def test_the_loss_falls_and_the_net_ends_in_eval_mode():
    net, history = fitted()
    assert history.losses == pytest.approx((1.0, 0.25, 0.0625))
    assert history.best_epoch == 2
    assert not net.training


def test_early_stopping_gives_back_the_weights_of_the_best_epoch():
    judged = iter([3.0, 1.0, 2.0, 2.0, 0.0])
    net, history = fitted(epochs=10, validation=lambda: next(judged), patience=Patience(2))
    assert history.validation == (3.0, 1.0, 2.0, 2.0)
    assert history.best_epoch == 1
    assert net.value.item() == pytest.approx(0.75)  # after two steps; four were made


def test_validation_without_patience_runs_all_epochs_and_still_keeps_the_best():
    judged = iter([1.0, 2.0, 3.0])
    net, history = fitted(epochs=3, validation=lambda: next(judged))
    assert len(history.losses) == 3
    assert net.value.item() == pytest.approx(0.5)


def test_a_gain_smaller_than_asked_for_does_not_reset_the_patience():
    judged = iter([1.0, 0.999, 0.998, 0.997])
    _, history = fitted(epochs=9, validation=lambda: next(judged), patience=Patience(2, least=0.1))
    assert len(history.losses) == 3


def test_validation_runs_in_eval_mode_without_gradients():
    net = Level()
    seen = []

    def validation():
        seen.append((net.training, torch.is_grad_enabled()))
        return 0.0

    train(
        net,
        lambda rows: net.value.square().sum(),
        Shuffled(2, 1, 0),
        2,
        torch.optim.SGD(net.parameters()),
        validation=validation,
    )
    assert seen == [(False, False)] * 2


def test_every_row_comes_once_an_epoch_in_an_order_the_seed_fixes():
    first, again, other = ([torch.cat(list(b)) for _ in range(2)] for b in map(_ten_rows, (0, 0, 1)))
    assert torch.equal(first[0].sort().values, torch.arange(10))
    assert not torch.equal(first[0], first[1])
    assert all(map(torch.equal, first, again))
    assert not torch.equal(first[0], other[0])


def _ten_rows(seed):
    return Shuffled(10, 3, seed)


@pytest.mark.parametrize(
    ("rows", "drop", "sizes"), [(10, False, [4, 4, 2]), (10, True, [4, 4]), (3, True, [3])]
)
def test_the_last_batch_may_be_dropped_unless_it_is_the_only_one(rows, drop, sizes):
    batches = Shuffled(rows, 4, 0, drop_last=drop)
    assert [len(b) for b in batches] == sizes
    assert len(batches) == len(sizes)


def test_repeated_batches_run_over_the_end():
    assert [len(b) for b in Repeated(Shuffled(5, 3, 0), 5)] == [3, 2, 3, 2, 3]


def test_interrupting_passes_through():
    calls = []

    def loss(rows):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return net.value.square().sum()

    net = Level()
    with pytest.raises(KeyboardInterrupt):
        train(net, loss, Shuffled(9, 1, 0), 1, torch.optim.SGD(net.parameters()))
    assert len(calls) == 3


def test_progress_counts_every_step():
    seen = []
    with listen(lambda what, done, total: seen.append((what, done, total))):
        fitted(epochs=2, what="learning")
    assert seen == [("learning", 0, 2), ("learning", 1, 2), ("learning", 2, 2)]


def test_stopping_early_ends_the_progress():
    seen = []
    with listen(lambda what, done, total: seen.append((done, total))):
        fitted(epochs=9, validation=lambda: 1.0, patience=Patience(2))
        assert seen[-2:] == [(2, 9), (9, 9)]


def test_strided_windows_share_memory_and_leave_the_values_alone():
    values = np.arange(5.0)
    view = strided(values, 3, 2)
    assert view.tolist() == [[0, 1, 2], [2, 3, 4]]
    assert view.untyped_storage().nbytes() == 5 * 4
    view[0, 0] = 9
    assert values[0] == 0
    with pytest.raises(TooShortError, match="needs 6 values"):
        strided(values, 6)


def test_computing_leaves_random_state_and_threads_as_they_were(monkeypatch):
    monkeypatch.setenv("PAIAD_TORCH_THREADS", "1")
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    with computing("cpu", seed=3) as place:
        torch.rand(5)
        assert torch.get_num_threads() == 1
        assert place.type == "cpu"
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), state)


def test_wrong_devices_and_thread_counts_are_refused(monkeypatch):
    with pytest.raises(SettingError, match="auto, cpu or cuda"):
        choose_device("gpu")
    monkeypatch.setenv("PAIAD_TORCH_THREADS", "many")
    with pytest.raises(SettingError, match="PAIAD_TORCH_THREADS"), computing("cpu"):
        pass


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
def test_asking_for_a_gpu_that_is_not_there_is_refused():
    with pytest.raises(SettingError, match="no GPU"):
        choose_device("cuda")


def test_weights_go_to_arrays_and_back_bit_for_bit():
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    arrays = to_arrays(net)
    again = with_arrays(nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)), arrays)
    assert not again.training
    assert all(
        torch.equal(a, b) for a, b in zip(net.state_dict().values(), again.state_dict().values(), strict=True)
    )
    again[0].weight.data.zero_()
    assert np.abs(arrays["0.weight"]).sum() > 0
