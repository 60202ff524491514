"""Settings of which nothing can be built are refused by name, before anything is computed."""

import pytest

from paiad.catalog import make
from paiad.errors import SettingError

CLASSICAL = {"sub-pca": "width", "kshape": "period"}
NETS = (
    *("dlinear", "nlinear", "deepant", "usad", "fits", "tranad", "timesnet", "patchtst", "itransformer"),
    *("kan-ad", "anomaly-transformer", "ofa", "moment-tuned"),
)
ZERO_SHOT = ("moment", "timesfm", "lag-llama", "dada")
WRONG = {
    "width": (0, -1, 2.5, "ten", True, None),
    "batch": (0, 1.5),
    "seed": (-1,),
    "parity": ("as published",),
    "device": ("tpu",),
}
WRONG_IN_TRAINING = {
    "epochs": (-1, 2.0),
    "patience": (0,),
    "held_out": (1.0, 2.0, -0.1),
    "learning_rate": (-1.0, float("inf"), float("nan"), "fast"),
    "decay_every": (0,),
}


@pytest.mark.parametrize("name", NETS + ZERO_SHOT)
def test_settings_of_a_wrong_kind_are_refused(name: str) -> None:
    pytest.importorskip("torch")
    wrong = WRONG | (WRONG_IN_TRAINING if name in NETS else {})
    for setting, values in wrong.items():
        for value in values:
            with pytest.raises(SettingError, match=rf"^\w+: {setting} must be .*, got ") as refused:
                make(name, {setting: value})
            assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("name", "setting"), CLASSICAL.items())
def test_the_classical_two_too(name: str, setting: str) -> None:
    for value in (0, -3, 2.5, "ten"):
        with pytest.raises(SettingError, match=f"{setting} must be a whole number of at least 1, got "):
            make(name, {setting: value})
    assert make(name, {setting: 30}) != make(name)


@pytest.mark.parametrize(
    ("name", "settings", "why"),
    [
        ("deepant", {"width": 9}, "at least 10"),
        ("fits", {"width": 60}, "has only 7 frequencies"),
        ("timesnet", {"width": 3}, "only 2 frequencies"),
        ("patchtst", {"width": 7}, r"at least patch \(16\)"),
        ("patchtst", {"heads": 3}, "multiple of heads"),
        ("itransformer", {"heads": 7}, "multiple of heads"),
        ("anomaly-transformer", {"features": 12}, "multiple of heads"),
        ("ofa", {"width": 60}, r"multiple of segment \(25\)"),
        ("moment", {"width": 60}, "multiple of 8"),
        ("moment-tuned", {"width": 60}, "multiple of 8"),
        ("dada", {"width": 99}, "multiple of 5"),
        ("lag-llama", {"width": 1}, "at least 2"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(name: str, settings: dict, why: str) -> None:  # type: ignore[type-arg]
    pytest.importorskip("torch")
    with pytest.raises(SettingError, match=why):
        make(name, settings)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("deepant", {"width": 10}),
        ("fits", {"width": 60, "frequencies": 7}),
        ("fits", {"width": 97}),
        ("timesnet", {"width": 4}),
        ("patchtst", {"width": 8}),
        ("anomaly-transformer", {"features": 12, "heads": 3}),
    ],
)
def test_the_narrowest_that_are_taken_can_be_fitted(name: str, settings: dict, train_and_test) -> None:  # type: ignore[no-untyped-def, type-arg]
    pytest.importorskip("torch")
    train, test = train_and_test
    recipe = make(name, {"epochs": 1, "device": "cpu", **settings})
    assert recipe.fit(train).score(test).shape == test.shape


def test_settings_that_only_fit_together_are_taken_in_any_order() -> None:
    pytest.importorskip("torch")
    for settings in ({"width": 60, "segment": 30}, {"segment": 30, "width": 60}):
        assert (make("ofa", settings).width, make("ofa", settings).segment) == (60, 30)
