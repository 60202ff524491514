"""Every encoder by name: saved and loaded bit for bit, and a clear word where torch is missing."""

import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from paiad import make  # noqa: E402
from paiad.errors import MissingExtraError  # noqa: E402
from paiad.persistence import load_scorer, save_scorer  # noqa: E402


def wave(length, seed=0):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(length) / 5) + rng.normal(scale=0.1, size=length)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("paano", {"learner.iterations": 1, "learner.batch": 16}),
        ("paano-release", {"learner.iterations": 0}),
        ("paano-untrained-pai", {}),
        ("ts2vec", {"learner.iterations": 1}),
        ("ts2vec-pai", {"base.learner.iterations": 1}),
        ("dcdetector", {}),
        ("dcdetector-euclidean", {}),
    ],
)
def test_saved_and_loaded_scores_are_the_same_bits(name, settings, tmp_path):
    scorer = make(name, settings).fit(wave(130))
    values = wave(110, seed=1)
    save_scorer(scorer, tmp_path / "scorer", probe=values)
    np.testing.assert_array_equal(load_scorer(tmp_path / "scorer").score(values), scorer.score(values))


def test_without_torch_the_error_names_the_extra(monkeypatch):
    for module in [
        name for name in sys.modules if name.startswith(("paiad.recipes_torch", "paiad.encoders."))
    ]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        MissingExtraError, match=r"paano needs the package 'torch': pip install 'paiad\[torch\]'"
    ):
        make("paano")
