"""TSPulse on a tiny random model: equal to granite's own pipeline, honest about where weights come from."""

import csv
import logging
import os
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
tspulse_package = pytest.importorskip("tsfm_public.models.tspulse")

from paiad.detectors.prototype import NearestPrototype  # noqa: E402
from paiad.encoders import tspulse_model, tspulse_tuning  # noqa: E402
from paiad.encoders.tspulse import (  # noqa: E402
    PatchTokenEncoder,
    PatchTokens,
    TSPulse,
    fitted,
    mirrored_before,
    seen_without,
)
from paiad.encoders.tspulse_model import as_pulse, load  # noqa: E402
from paiad.encoders.tspulse_modes import ALL, modes_for  # noqa: E402
from paiad.encoders.tspulse_tuning import FILLED_IN, FineTuning, Judged, sample_rows  # noqa: E402
from paiad.errors import MissingWeightsError, SettingError  # noqa: E402
from paiad.pai import PAI  # noqa: E402
from paiad.training import strided  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # granite and transformers warn of their own affairs

CONTEXT, PATCH = 128, 8
SHARED = Path(__file__).parents[3] / "shared/data"


def wave(length=300, seed=0):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(length) / 5) + rng.normal(scale=0.1, size=length)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    config = tspulse_package.TSPulseConfig(
        context_length=CONTEXT, patch_length=PATCH, patch_stride=PATCH, d_model=8, num_layers=1,
        decoder_d_model=8, decoder_num_layers=1, patch_register_tokens=2, fuse_fft=True,
        fft_time_add_forecasting_pt_loss=True, prediction_length=4, loss_apply_mode="mask",
        **tspulse_model.READING,
    )  # fmt: skip
    made = tspulse_package.TSPulseForReconstruction(config).eval()
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return made


@pytest.fixture(scope="module")
def pulse(model):
    return as_pulse(model)


def pipelines_score(model, values, modes):
    """What granite's own pipeline makes of the series, in the settings of the authors' benchmark run."""
    pandas = pytest.importorskip("pandas")
    from tsfm_public.toolkit.time_series_anomaly_detection_pipeline import TimeSeriesAnomalyDetectionPipeline

    pipeline = TimeSeriesAnomalyDetectionPipeline(
        model, timestamp_column="time", target_columns=["x"], prediction_mode=list(modes),
        aggregation_length=96, aggr_function="max", smoothing_length=8, least_significant_scale=0.0,
        least_significant_score=1.0,
    )  # fmt: skip
    time = pandas.date_range("2024-01-01", periods=len(values), freq="5s")
    found = pipeline(pandas.DataFrame({"time": time, "x": values}), batch_size=32)
    scores = found["anomaly_score"].to_numpy()
    return scores / (scores.max() + 1e-5)


@pytest.mark.parametrize("modes", [("time",), ("fft",), ("forecast",), ALL])
def test_scores_equal_granites_pipeline(model, pulse, modes):
    values = wave(190, seed=1)
    values[160:165] += 2
    ours = fitted(TSPulse(modes, standard="scored"), pulse, wave(200)).score(values)
    np.testing.assert_allclose(ours, pipelines_score(model, values, modes), atol=1e-6)


def test_by_default_scale_and_ranges_come_from_the_training_part(pulse):
    scorer = fitted(TSPulse(("forecast",)), pulse, wave(200))
    assert scorer.calibration.min() == 0
    assert scorer.calibration.max() == 1
    assert len(scorer.calibration) == 200
    assert scorer.ignores == frozenset()
    louder = wave(180)
    louder[150:] += 20
    assert scorer.score(louder).max() > 2
    np.testing.assert_array_equal(scorer.score(wave(150, 2)), scorer.score(wave(150, 2)))


def test_scored_by_itself_level_and_scale_are_ignored_as_declared(pulse):
    scorer = fitted(TSPulse(("time",), standard="scored"), pulse, wave(200))
    assert scorer.ignores == {"shift", "scale"}
    values = wave(150, seed=3)
    np.testing.assert_allclose(scorer.score(10 * values + 3), scorer.score(values), atol=1e-4)


@pytest.mark.parametrize("length", [1, 2, 50, CONTEXT, CONTEXT + 1])
@pytest.mark.parametrize("modes", [("time",), ALL])
def test_short_series_are_scored_behind_their_mirror_image(pulse, length, modes):
    scorer = fitted(TSPulse(modes), pulse, wave(200))
    score = scorer.score(wave(length))
    assert score.shape == (length,)
    assert np.isfinite(score).all()
    assert np.isfinite(fitted(TSPulse(modes), pulse, wave(max(length, 2))).score(wave(200))).all()


def test_the_mirror_is_as_long_as_asked_for():
    assert mirrored_before(np.array([5.0]), 2).tolist() == [5.0, 5.0, 5.0]
    assert len(mirrored_before(wave(10), 37)) == 47


def test_masks_hide_one_patch_each():
    masks = seen_without(torch.tensor([0, 2]), patches=3, width=2, context=8)
    assert masks.tolist() == [[True, True, False, False] + [True] * 4, [True] * 6 + [False] * 2]


def test_patch_tokens_do_not_look_ahead_and_serve_a_bank(pulse):
    encoder = PatchTokenEncoder.of(pulse, wave(200))
    vectors = encoder.encode(wave(60))
    assert vectors.shape == (53, 8)
    changed = wave(60)
    changed[40:] += 5
    np.testing.assert_array_equal(encoder.encode(changed)[:33], vectors[:33])
    assert encoder.context == CONTEXT - PATCH
    assert encoder.reach.lookahead == PATCH - 1


def test_tuning_lowers_the_loss_and_changes_only_a_copy(pulse, monkeypatch):
    monkeypatch.setattr(tspulse_tuning, "FILLED_IN", 12)
    before = {name: array.copy() for name, array in pulse.weights.items()}
    values = (wave(170) - wave(170).mean()) / wave(170).std()
    tuned = FineTuning(epochs=2, learning_rate=1e-2, batch=64).tune(pulse, values, "cpu")

    def loss(one):
        rows = torch.arange((170 - CONTEXT + 1) * FILLED_IN)
        with torch.no_grad():
            return Judged(one.net, strided(values, CONTEXT), PATCH).mean_loss(rows, 128)

    assert loss(tuned) < loss(pulse)
    assert all(np.array_equal(before[name], pulse.weights[name]) for name in before)


def test_tuning_is_skipped_where_there_is_too_little_to_learn_from(pulse, caplog):
    with caplog.at_level(logging.WARNING):
        assert FineTuning().tune(pulse, wave(CONTEXT - 1), "cpu") is pulse
    assert "not tuned: 0 samples" in caplog.text


def test_samples_are_all_windows_with_each_patch_hidden_or_a_random_part_of_them():
    assert sample_rows(CONTEXT + 1, CONTEXT, 0).tolist() == list(range(2 * FILLED_IN))
    many = sample_rows(20_000, 512, 0)
    assert len(many) == len(set(many)) == 100_000
    assert many.max() < (20_000 - 511) * FILLED_IN


def test_weights_from_a_folder_or_the_variable(model, tmp_path, monkeypatch):
    model.save_pretrained(tmp_path)
    found = load(str(tmp_path))
    assert (found.context, found.patch) == (CONTEXT, PATCH)
    scorer = TSPulse(("forecast",), weights=str(tmp_path)).fit(wave(200))
    monkeypatch.setenv("PAIAD_TSPULSE_WEIGHTS", str(tmp_path))
    again = TSPulse(("forecast",)).fit(wave(200))
    np.testing.assert_array_equal(scorer.score(wave(180)), again.score(wave(180)))
    with_amplitude = PAI(TSPulse(("forecast",))).fit(wave(200))
    assert with_amplitude.score(wave(150)).shape == (150,)
    assert NearestPrototype(PatchTokens()).fit(wave(60)).score(wave(50)).shape == (50,)


def test_without_weights_the_error_says_where_to_get_them(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(
        MissingWeightsError, match=r"holds no model.*hf download ibm-granite/.*PAIAD_TSPULSE_WEIGHTS"
    ):
        load(str(tmp_path))
    with pytest.raises(MissingWeightsError, match="no folder here"):
        load(str(tmp_path / "nowhere"))


def test_wrong_settings_are_refused():
    with pytest.raises(SettingError, match="modes must be one of time, fft, forecast"):
        TSPulse(("frequency",))
    with pytest.raises(SettingError, match="some of time, fft and forecast, got none"):
        TSPulse(())
    with pytest.raises(SettingError, match="standard must be one of training, scored"):
        TSPulse(standard="test")
    with pytest.raises(SettingError, match="epochs must be a whole number of at least 1, got 0"):
        FineTuning(epochs=0)


@pytest.mark.weights
@pytest.mark.skipif("PAIAD_TSPULSE_WEIGHTS" not in os.environ, reason="PAIAD_TSPULSE_WEIGHTS is not set")
@pytest.mark.skipif(not SHARED.is_dir(), reason="the benchmark's data are not beside the repository")
@pytest.mark.parametrize(
    ("mode", "column"),
    [(("time",), "ZS time"), (("fft",), "ZS fft"), (("forecast",), "ZS future"), (ALL, "ZS ensemble")],
)
def test_real_weights_give_the_authors_figures_on_short_series(mode, column):
    from paiad.metrics import evaluate
    from paiad.period import dominant_period

    with (SHARED / "published_tspulse_vus_pr.csv").open() as file:
        published = {row["file"]: float(row[column]) for row in csv.DictReader(file)}
    pulse = load()
    for path in sorted((SHARED / "TSB-AD-U").glob("*.csv"), key=lambda p: p.stat().st_size)[:3]:
        values, labels = np.genfromtxt(path, delimiter=",", skip_header=1).T
        scores = fitted(TSPulse(mode, standard="scored"), pulse, values).score(values)
        found = evaluate(scores, labels.astype(int), window=dominant_period(values), which=["VUS-PR"])[
            "VUS-PR"
        ]
        assert found == pytest.approx(published[path.name], abs=0.01), path.name


def test_modes_by_dataset():
    assert modes_for("040_WSD_id_12_WebService_tr_4559_1st_9714.csv") == ALL
    assert modes_for("123_Power_id_1.csv") == ("time",)
