"""Encoders of the user's own: functions, transformers, torch modules, Hugging Face backbones."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from paiad.detectors.prototype import NearestPrototype
from paiad.encoders.wrap import FromFunction, FromTransformer
from paiad.errors import InputError, SettingError, TooShortError
from paiad.pai import PAI

EXAMPLE = Path(__file__).parents[2] / "examples/any_encoder.py"


def wave(length=200, seed=0):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(length) / 5) + rng.normal(scale=0.1, size=length)


def statistics(patches):
    return np.stack([patches.mean(1), patches.std(1)], axis=1)


def test_a_function_gets_patches_z_scored_by_training_values_alone():
    train = 5 + 3 * wave()
    vectors = FromFunction(statistics, width=10).fit(train).encode(train[:50] * 2)
    patch = (train[7:17] * 2 - train.mean()) / train.std()
    np.testing.assert_allclose(vectors[7], [patch.mean(), patch.std()])
    assert vectors.shape == (41, 2)


def test_raw_and_normalised_patches():
    train = 5 + wave()
    raw = FromFunction(lambda p: p, width=4, input="raw").fit(train)
    np.testing.assert_array_equal(raw.encode(train)[3], train[3:7])
    normalised = FromFunction(statistics, width=10, input="patch-normalised").fit(train)
    np.testing.assert_allclose(normalised.encode(train), [[0, 1]] * 191, atol=1e-3)
    np.testing.assert_allclose(normalised.encode(9 * train + 2), normalised.encode(train), atol=1e-3)
    assert normalised.ignores == {"shift", "scale"}
    assert raw.ignores == frozenset()


def test_batches_join_and_the_function_may_write_into_what_it_gets():
    def greedy(patches):
        vectors = patches.cumsum(1)
        patches[:] = 0
        return vectors

    train = wave()
    before = train.copy()
    whole = FromFunction(greedy, width=8).fit(train).encode(train)
    parts = FromFunction(greedy, width=8, batch=7).fit(train).encode(train)
    np.testing.assert_array_equal(whole, parts)
    np.testing.assert_array_equal(train, before)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda p: p.mean(1),
        lambda p: p[1:],
        lambda p: p[:, :, None],
        lambda p: p * np.nan,
        lambda p: p.astype(str),
        lambda p: None,
    ],
)
def test_wrong_vectors_are_refused(wrong):
    with pytest.raises(InputError, match="the wrapped encoder"):
        FromFunction(wrong, width=8).fit(wave()).encode(wave())


def test_wrong_settings_are_refused():
    with pytest.raises(SettingError, match="one of z-scored, patch-normalised, raw"):
        FromFunction(statistics, input="normalised")
    with pytest.raises(SettingError, match="fit and transform; int lacks one"):
        FromTransformer(3)
    with pytest.raises(TooShortError, match="at least 64"):
        FromFunction(statistics).fit(wave(63))


def test_an_sklearn_transformer_is_fitted_on_a_copy():
    decomposition = pytest.importorskip("sklearn.decomposition")
    given = decomposition.PCA(n_components=2)
    encoder = FromTransformer(given, width=16).fit(wave())
    assert not hasattr(given, "components_")
    scaled = (wave() - wave().mean()) / wave().std()
    patches = np.lib.stride_tricks.sliding_window_view(scaled, 16)
    expected = decomposition.PCA(n_components=2).fit(patches).transform(patches)
    np.testing.assert_allclose(np.abs(encoder.encode(wave())), np.abs(expected), atol=1e-8)


def test_pai_works_on_a_wrapped_encoder():
    values = wave(150, seed=1)
    values[70] += 9
    scorer = PAI(NearestPrototype(FromFunction(statistics, width=8), leave_out=True)).fit(wave())
    assert scorer.score(values).argmax() == 70


def test_a_torch_module_in_each_layout():
    torch = pytest.importorskip("torch")
    from paiad.encoders.wrap_torch import from_module

    class Seen(torch.nn.Module):
        def forward(self, given):
            self.shape = tuple(given.shape)
            return given.flatten(1)

    for layout, shape in (
        ("flat", (185, 16)),
        ("channels first", (185, 1, 16)),
        ("channels last", (185, 16, 1)),
    ):
        module = Seen()
        encoder = from_module(module, 16, layout, input="raw").fit(wave())
        vectors = encoder.encode(wave())
        np.testing.assert_allclose(vectors[3], wave()[3:19], rtol=1e-6)
        assert module.shape == shape
    with pytest.raises(SettingError, match="layout must be"):
        from_module(module, 16, "last")


def test_a_module_is_read_in_eval_mode_and_its_steps_are_averaged():
    torch = pytest.importorskip("torch")
    from paiad.encoders.wrap_torch import from_module

    net = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Conv1d(1, 3, 3))
    encoder = from_module(net, 12, "channels first").fit(wave())
    assert encoder.encode(wave()).shape == (189, 10)  # the last dimension is taken for the features
    assert np.array_equal(encoder.encode(wave()), encoder.encode(wave()))
    with pytest.raises(InputError, match="must return a tensor"):
        from_module(torch.nn.Flatten(0), 12).fit(wave()).encode(wave())


def test_a_backbone_by_its_argument_and_output():
    torch = pytest.importorskip("torch")
    from paiad.encoders.wrap_torch import from_backbone

    class Backbone(torch.nn.Module):
        config = SimpleNamespace(context_length=24)

        def forward(self, past_values):
            tokens = past_values.transpose(1, 2).unflatten(2, (4, 6))  # [n, channels, tokens, features]
            return SimpleNamespace(last_hidden_state=tokens)

    encoder = from_backbone(Backbone(), input="raw").fit(wave())
    expected = np.lib.stride_tricks.sliding_window_view(wave(), 24).reshape(-1, 4, 6).mean(1)
    np.testing.assert_allclose(encoder.encode(wave()), expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(InputError, match="Backbone returned no 'hidden'"):
        from_backbone(Backbone(), output="hidden").fit(wave()).encode(wave())
    with pytest.raises(SettingError, match="give the width"):
        from_backbone(torch.nn.Identity())


def test_a_hugging_face_patchtst():
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from paiad.encoders.wrap_torch import from_backbone

    config = transformers.PatchTSTConfig(
        context_length=32, patch_length=8, patch_stride=8, num_hidden_layers=1, d_model=16, ffn_dim=16
    )
    encoder = from_backbone(transformers.PatchTSTModel(config)).fit(wave())
    assert encoder.cover.width == 32
    assert encoder.encode(wave()).shape == (169, 16)


def test_the_example_runs(capsys):
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    shown = capsys.readouterr().out
    assert "numpy: highest score at step" in shown
    assert "label 1" in shown
