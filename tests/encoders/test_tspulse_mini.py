"""The small TSPulse that comes with the package: its files, that it runs with no network, that it learnt something."""

import json
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

torch = pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors.numpy")

from paiad import make  # noqa: E402
from paiad.corpus import generated  # noqa: E402
from paiad.encoders import tspulse_model  # noqa: E402
from paiad.encoders.tspulse import PatchTokenEncoder, TSPulse, fitted, mode_errors, seen_without  # noqa: E402
from paiad.encoders.tspulse_model import MINI, MINI_FOLDER, Pulse, load  # noqa: E402
from paiad.encoders.tspulse_modes import ALL  # noqa: E402
from paiad.encoders.tspulse_tuning import FineTuning  # noqa: E402
from paiad.errors import MissingExtraError  # noqa: E402
from paiad.layers.weights import to_arrays  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # granite and transformers warn of their own affairs

MOST_BYTES = 4_000_000
CONTEXT, PATCH = 512, 8


def wave(length=600, seed=0, noise=0.05):
    rng = np.random.default_rng(seed)
    time = np.arange(length) * 2 * np.pi / 40
    return np.sin(time) + 0.4 * np.sin(2 * time + 1) + rng.normal(scale=noise, size=length)


@cache
def mini() -> Pulse:
    pytest.importorskip("tsfm_public.models.tspulse")
    return load(MINI)


@cache
def random_one() -> Pulse:
    """The same configuration, untrained."""
    mini()
    from tsfm_public.models.tspulse import TSPulseConfig, TSPulseForReconstruction

    torch.manual_seed(0)
    model = TSPulseForReconstruction(TSPulseConfig(**json.loads(mini().config)))
    return Pulse(mini().config, to_arrays(tspulse_model.PulseNet(model)))


# The files --------------------------------------------------------------------------------------------------


def test_the_weights_are_small_and_whole():
    files = {path.name for path in MINI_FOLDER.iterdir()}
    assert files == {"config.json", "model.safetensors"}
    assert sum(path.stat().st_size for path in MINI_FOLDER.iterdir()) <= MOST_BYTES
    weights = safetensors.load_file(MINI_FOLDER / "model.safetensors")
    assert all(array.dtype == np.float32 and np.isfinite(array).all() for array in weights.values())
    settings = json.loads((MINI_FOLDER / "config.json").read_text())
    assert (settings["context_length"], settings["patch_length"]) == (CONTEXT, PATCH)
    assert {name: settings[name] for name in tspulse_model.READING} == tspulse_model.READING


def test_without_granite_the_error_names_the_extra(monkeypatch):
    for module in [name for name in sys.modules if name.startswith("tsfm_public")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "tsfm_public", None)
    monkeypatch.setattr(tspulse_model, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'tsfm_public': pip install 'paiad\[tspulse\]'"):
        make("tspulse-mini").fit(wave())


def test_a_granite_that_does_not_fit_is_told_from_one_that_is_missing(monkeypatch):
    for module in [name for name in sys.modules if name.startswith("tsfm_public")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "tsfm_public", None)
    monkeypatch.setattr(tspulse_model, "find_spec", lambda name: object())
    with pytest.raises(
        MissingExtraError, match=r"installed but cannot be imported .* environment of its own"
    ):
        make("tspulse-mini").fit(wave())


# The model --------------------------------------------------------------------------------------------------


def test_it_runs_in_a_fresh_process_with_no_network_and_leaves_logging_alone():
    mini()
    code = """
import logging, socket
def none(*given, **named): raise AssertionError("asked for the network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = none
import numpy as np
from paiad import make
values = np.sin(np.arange(560) / 5)
print(make("tspulse-mini", {"modes": ("forecast",)}).fit(values[:540]).score(values).shape)
assert not logging.getLogger().handlers and logging.getLogger().level == logging.WARNING
"""
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert (found.stdout, found.returncode) == ("(560,)\n", 0), found.stderr


def test_its_scores_are_deterministic_and_as_they_were():
    values = wave(560)
    values[540] += 3
    errors = mode_errors(mini(), ALL, values, "cpu")
    np.testing.assert_array_equal(errors, mode_errors(mini(), ALL, values, "cpu"))
    np.testing.assert_allclose([error[STEPS] for error in errors], GOLDEN, rtol=2e-3, atol=1e-5)


STEPS = [470, 500, 515, 530, 540, 550]
GOLDEN = [  # forecast, time, fft
    [0.00037919, 0.00037919, 0.0061055, 0.012735, 9.0772, 0.0031485],
    [0.016062, 0.17437, 0.11957, 0.11957, 0.11957, 0.11957],
    [0.0072726, 0.21148, 0.10203, 0.10203, 0.10203, 0.10203],
]


def test_its_scores_equal_granites_pipeline():
    pandas = pytest.importorskip("pandas")
    mini()
    from tsfm_public.models.tspulse import TSPulseForReconstruction
    from tsfm_public.toolkit.time_series_anomaly_detection_pipeline import TimeSeriesAnomalyDetectionPipeline

    values = wave(530, seed=1)
    values[520:525] += 2
    pipeline = TimeSeriesAnomalyDetectionPipeline(
        TSPulseForReconstruction.from_pretrained(MINI_FOLDER).eval(), timestamp_column="time",
        target_columns=["x"], prediction_mode=list(ALL), aggregation_length=96, aggr_function="max",
        smoothing_length=8, least_significant_scale=0.0, least_significant_score=1.0,
    )  # fmt: skip
    time = pandas.date_range("2024-01-01", periods=len(values), freq="5s")
    found = pipeline(pandas.DataFrame({"time": time, "x": values}), batch_size=32)["anomaly_score"].to_numpy()
    ours = fitted(TSPulse(ALL, standard="scored"), mini(), values).score(values)
    np.testing.assert_allclose(ours, found / (found.max() + 1e-5), atol=2e-5)


SEEDS_OF_OTHERS = 987_654  # series that were neither trained on nor watched while training


@cache
def missed(pulse: Pulse) -> tuple[float, float, float]:
    """Share of the variance of what is hidden, or comes next, that each head misses: 1 is no better than the mean."""
    windows, after = [], []
    for number in range(40):
        values = generated(number, SEEDS_OF_OTHERS, length=CONTEXT + 1)
        scaled = (values - values[:-1].mean()) / np.sqrt(values[:-1].var() + 1e-5)
        windows.append(scaled[:-1])
        after.append(np.clip(scaled[-1], -10, 10))
    given = torch.tensor(np.array(windows), dtype=torch.float32)
    seen = seen_without(torch.arange(len(given)) % 12, 12, PATCH, CONTEXT)
    with torch.no_grad():
        heads = pulse.net.reconstructions(given, seen)
        ahead = pulse.net.next_values(given).numpy() - np.array(after)
    of_heads = (float((head - given)[~seen].square().sum() / given[~seen].square().sum()) for head in heads)
    return (*of_heads, float(np.square(ahead).sum() / np.square(after).sum()))


HEADS = ("time", "spectrum", "forecast")


@pytest.mark.parametrize("head", HEADS)
def test_it_fills_in_series_it_has_never_seen_better_than_their_mean_and_than_random_weights(head):
    assert missed(mini())[HEADS.index(head)] < 0.4
    assert missed(random_one())[HEADS.index(head)] > 1


def test_it_foresees_a_wave_and_so_sees_a_spike_on_it_which_random_weights_do_not():
    values = wave(800, seed=5)
    values[700] += 1.5
    scaled = (values - values.mean()) / values.std()
    calm = np.r_[CONTEXT:690, 710:800]
    ours, theirs = (mode_errors(one, ("forecast",), scaled, "cpu")[0] for one in (mini(), random_one()))
    assert ours[700] > ours[calm].max()
    assert theirs[700] < np.quantile(theirs[calm], 0.9)


def test_its_encoder_serves_a_bank_pai_and_the_diagnostic():
    from paiad.diagnostic import fit_readings

    mini()
    train, values = wave(400), wave(200, seed=2)
    values[150:] += 2
    for name, scorer in fit_readings(make("tspulse-mini-bank"), train).items():
        score = scorer.score(values)
        assert np.isfinite(score).all(), name
        assert score[155:].mean() > score[:140].mean(), name
    assert make("tspulse-mini-bank-pai").fit(train).score(values).shape == (200,)
    assert PatchTokenEncoder.of(mini(), train).encode(values).shape == (193, 24)


def test_tuning_it_lowers_its_loss_on_the_training_part():
    from paiad.encoders.tspulse_tuning import Judged
    from paiad.training import strided

    values = generated(3, seed=11, length=530)
    tuned = FineTuning(epochs=1, batch=64, learning_rate=1e-3).tune(mini(), values, "cpu")

    def loss(pulse):
        with torch.no_grad():
            return Judged(pulse.net, strided(values, CONTEXT), PATCH).mean_loss(torch.arange(228), 64)

    assert loss(tuned) < loss(mini())


def test_the_command_line_runs_it(tmp_path):
    mini()
    from typer.testing import CliRunner

    from paiad.cli.app import app

    file = tmp_path / "series.csv"
    values = wave(640, seed=8)
    values[600] += 4
    file.write_text("value\n" + "\n".join(map(str, values)))
    out = tmp_path / "out"
    found = CliRunner().invoke(
        app,
        ["detect", str(file), "--detector", "tspulse-mini", "--train-until", "540", "--out", str(out)],
    )
    assert found.exit_code == 0, found.output
    assert (out / "report.html").exists()
