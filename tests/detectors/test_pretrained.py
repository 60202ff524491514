"""Detectors on pretrained nets, with random weights of the same shapes; and where weights are looked for."""

import json
import pickle
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from paiad.catalog import make  # noqa: E402
from paiad.checks import check_detector, trial_of  # noqa: E402
from paiad.detectors.dada import DADANet  # noqa: E402
from paiad.detectors.lag_llama import LagLlamaNet  # noqa: E402
from paiad.devices import computing  # noqa: E402
from paiad.errors import MissingWeightsError, StoredModelError  # noqa: E402
from paiad.layers.lag_features import LAGS, hourly_calendar  # noqa: E402
from paiad.layers.pretrained import read_tensors, weights_folder  # noqa: E402
from paiad.pai import PAI  # noqa: E402

NAMES = ("dada", "lag-llama", "ofa", "moment", "moment-tuned", "timesfm")
NEEDS_TRANSFORMERS = ("ofa", "moment", "moment-tuned", "timesfm")
UPSTREAM_TOTAL = {"dada": 1_844_714, "lag-llama": 2_449_299}


def write_weights(name: str, folder: Path) -> str:
    """Random weights as the real ones are stored, small where the architecture allows."""
    torch.manual_seed(0)
    folder.mkdir(exist_ok=True)
    if name == "dada":
        tensors = DADANet(100, 0).state_dict()
        tensors["adaptive_bottleneck.w_gate"] = torch.randn_like(tensors["adaptive_bottleneck.w_gate"])
        tensors |= {"adv_decoder.net.1.bias": torch.zeros(512), "adaptive_bottleneck.mean": torch.zeros(1)}
        torch.save({f"model.{key}": tensor for key, tensor in tensors.items()}, folder / "pytorch_model.bin")
    elif name == "lag-llama":
        tensors = {f"model.{key}": tensor for key, tensor in LagLlamaNet().state_dict().items()}
        torch.save(
            {"state_dict": tensors, "hyper_parameters": {"scaling": "robust"}}, folder / "lag-llama.ckpt"
        )
    else:
        _write_transformers_weights(name, folder)
    return str(folder)


def _write_transformers_weights(name: str, folder: Path) -> None:
    transformers = pytest.importorskip("transformers")
    if name == "ofa":
        config = transformers.GPT2Config(n_embd=16, n_layer=3, n_head=2, n_positions=50, vocab_size=7)
        transformers.GPT2Model(config).save_pretrained(folder)
    elif name == "timesfm":
        config = transformers.TimesFm2_5Config(
            num_hidden_layers=1, hidden_size=16, intermediate_size=16, head_dim=8, num_attention_heads=2,
            num_key_value_heads=2, horizon_length=8, output_quantile_len=8, context_length=96,
        )  # fmt: skip
        transformers.TimesFm2_5ModelForPrediction(config).save_pretrained(folder)
    else:
        from safetensors.torch import save_file

        from paiad.detectors.moment import MomentNet

        t5 = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2, "vocab_size": 9}
        encoder = transformers.T5EncoderModel(transformers.T5Config(**t5)).encoder
        (folder / "config.json").write_text(json.dumps({"t5_config": t5, "patch_len": 8, "seq_len": 512}))
        save_file(MomentNet(encoder, 16, 8).state_dict(), folder / "model.safetensors")  # its words, too


@pytest.fixture(params=NAMES)
def recipe(request, tmp_path, monkeypatch):  # type: ignore[no-untyped-def]
    monkeypatch.setattr("paiad.detectors.lag_llama.LAYERS", 1)
    trained = {"epochs": 1} if request.param in ("ofa", "moment-tuned") else {}
    if request.param == "ofa":
        trained["layers"] = 2
    folder = write_weights(request.param, tmp_path / "weights")
    return make(request.param, {"weights": folder, "device": "cpu", **trained})


def test_one_finite_score_a_step_the_same_for_the_same_seed(recipe, train_and_test) -> None:  # type: ignore[no-untyped-def]
    train, test = train_and_test[0][:170], train_and_test[1][:140]
    scorer = recipe.fit(train)
    scores = scorer.score(test)
    assert scores.shape == test.shape
    assert scorer.calibration.shape == train.shape
    assert np.isfinite(scores).all()
    assert scores.std() > 0
    np.testing.assert_array_equal(scores, recipe.fit(train).score(test))


def test_promises_hold_for_it_and_for_pai_around_it(recipe) -> None:  # type: ignore[no-untyped-def]
    trial = trial_of(recipe)
    for each in (recipe, replace(recipe, parity="published"), PAI(recipe)):
        check_detector(each, trial.train[:220], trial.test[130:300])


def test_what_is_kept_holds_only_what_was_learnt(recipe, train_and_test) -> None:  # type: ignore[no-untyped-def]
    learnt = recipe.fit(train_and_test[0][:140]).weights
    if type(recipe).__name__ == "MomentTuned":
        assert set(learnt) == {"head.linear.weight", "head.linear.bias"}
    elif type(recipe).__name__ == "OFA":
        assert all("ln_" in name or "wpe" in name or "project" in name for name in learnt)
        assert any("project" in name for name in learnt)
    else:
        assert not learnt


@pytest.mark.parametrize("name", UPSTREAM_TOTAL)
def test_number_of_parameters(name: str) -> None:
    nets = {"dada": lambda: DADANet(100, 0), "lag-llama": LagLlamaNet}
    unread = 0
    if name == "dada":  # an adversarial decoder and the noise of the gate, which only training needs
        net = nets[name]()
        unread = sum(w.numel() for w in net.decoder.parameters()) + net.adaptive_bottleneck.w_gate.numel()
    assert sum(weight.numel() for weight in nets[name]().parameters()) + unread == UPSTREAM_TOTAL[name]


def test_moment_equals_its_authors_package(tmp_path) -> None:  # type: ignore[no-untyped-def]
    momentfm = pytest.importorskip("momentfm")
    from paiad.detectors.moment import load_moment

    ours = load_moment(write_weights("moment", tmp_path))
    settings = json.loads((tmp_path / "config.json").read_text())
    settings |= {"patch_stride_len": 8, "d_model": 16, "transformer_type": "encoder_only"}
    settings |= {"task_name": "reconstruction", "transformer_backbone": "google/flan-t5-base"}
    settings["enable_gradient_checkpointing"] = False
    theirs = momentfm.MOMENTPipeline(settings, model_kwargs={"task_name": "reconstruction"})
    tensors = {name: tensor for name, tensor in ours.state_dict().items() if "embed_tokens" not in name}
    theirs.load_state_dict(tensors, strict=False)
    theirs.eval()
    windows = torch.randn(3, 64, generator=torch.Generator().manual_seed(2)).cumsum(dim=1) + 5
    hidden = torch.zeros(3, 8, dtype=torch.bool)
    hidden[0, 2] = hidden[1, 7] = hidden[2, 0] = True
    with torch.no_grad():
        for given in (None, hidden):
            seen = torch.ones(3, 64) if given is None else (~given).repeat_interleave(8, dim=1).float()
            expected = theirs(x_enc=windows[:, None], input_mask=torch.ones(3, 64), mask=seen).reconstruction
            torch.testing.assert_close(ours(windows, given), expected[:, 0], rtol=1e-4, atol=1e-4)


def test_lag_llama_sees_lags_and_nothing_of_the_future() -> None:
    net = LagLlamaNet().eval()
    assert len(LAGS) == 84
    assert LAGS[0] == 0
    assert max(LAGS) == 1092
    windows = torch.randn(2, 96, generator=torch.Generator().manual_seed(1))
    seen: list[torch.Tensor] = []
    net.transformer["wte"].register_forward_hook(lambda _, given, __: seen.append(given[0]))
    with torch.no_grad():
        net(windows)
    tokens, spread = seen[0], windows.quantile(0.75, dim=1) - windows.quantile(0.25, dim=1)
    expected = (windows - windows.median(dim=1, keepdim=True).values) / spread[:, None]
    torch.testing.assert_close(tokens[:, :, 0], expected)
    torch.testing.assert_close(tokens[:, 7:, LAGS.index(7)], expected[:, :-7])
    torch.testing.assert_close(tokens[0, :, -6:], hourly_calendar(96).float())


def test_lag_llama_forecast_does_not_depend_on_the_batch(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("paiad.detectors.lag_llama.LAYERS", 1)
    net = LagLlamaNet().eval()
    windows = torch.randn(3, 96, generator=torch.Generator().manual_seed(1))
    with computing("cpu"), torch.no_grad():
        torch.testing.assert_close(net(windows)[:1], net(windows[:1]))


@pytest.mark.parametrize("name", ["dada", "lag-llama"])
def test_missing_weights_are_named_with_what_to_fetch_and_where_to_put_it(
    name, tmp_path, monkeypatch
) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.delenv("PAIAD_WEIGHTS", raising=False)
    values = np.sin(np.arange(300.0))
    with pytest.raises(MissingWeightsError, match="there is no folder"):
        make(name, {"weights": "./nowhere"}).fit(values)
    with pytest.raises(MissingWeightsError, match="lacks"):
        make(name, {"weights": str(tmp_path)}).fit(values)


def test_without_the_hub_package_the_way_by_hand_is_said(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.delenv("PAIAD_WEIGHTS", raising=False)
    with pytest.raises(
        MissingWeightsError, match=r"put lag-llama.ckpt of https://huggingface.co/.* into a folder"
    ):
        make("lag-llama").fit(np.sin(np.arange(300.0)))


def test_weights_are_found_by_name_below_the_folder_of_the_environment(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    write_weights("lag-llama", tmp_path / "Lag-Llama")
    monkeypatch.setenv("PAIAD_WEIGHTS", str(tmp_path))
    found = weights_folder("time-series-foundation-models/Lag-Llama", ("lag-llama.ckpt",), "Lag-Llama")
    assert found == tmp_path / "Lag-Llama"


def _file_of_weights(folder: Path) -> Path:
    (path,) = (path for path in folder.iterdir() if path.suffix != ".json")
    return path


def _kept(path: Path, tensors: dict[str, torch.Tensor]) -> None:
    if path.suffix == ".safetensors":
        from safetensors.torch import save_file

        save_file(tensors, path, metadata={"format": "pt"})
    else:
        torch.save({"state_dict": tensors}, path)


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_something_else_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    folder = write_weights(name, tmp_path / "weights")
    path = _file_of_weights(Path(folder))
    right = read_tensors(path)
    largest = max(
        right, key=lambda key: right[key].numel() * ("embed_tokens" not in key and "wte" not in key)
    )
    spoilt = {
        "another net's": {"something": torch.zeros(3)},
        "one is missing": {key: right[key] for key in right if key != largest},
        "one is of another shape": right | {largest: torch.zeros(3, 2)},
    }
    for tensors in spoilt.values():
        _kept(path, tensors)
        _refused(name, folder)
    path.write_bytes(b"no weights at all")
    _refused(name, folder)
    _kept(path, right)
    path.write_bytes(path.read_bytes()[:-100])
    _refused(name, folder)


def _refused(name: str, folder: str) -> None:
    with pytest.raises(StoredModelError) as refused:
        make(name, {"weights": folder, "device": "cpu"}).fit(np.sin(np.arange(300.0)))
    assert folder in str(refused.value)
    assert "\n" not in str(refused.value)


class _Boom:
    def __reduce__(self):  # type: ignore[no-untyped-def]
        return (open, ("/dev/null/cannot-be-opened",))


def test_reading_a_checkpoint_runs_nothing_that_is_pickled_in_it(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "weights.ckpt"
    torch.save({"state_dict": {"a": torch.ones(2)}, "hyper_parameters": _Boom()}, path)
    with pytest.raises((OSError, pickle.UnpicklingError)):
        torch.load(path, weights_only=False)
    assert read_tensors(path)["a"].tolist() == [1.0, 1.0]
