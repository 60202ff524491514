"""A tiny benchmark in TSB-AD's layout, made here."""

from pathlib import Path

import numpy as np
import pytest

SUITE = """
name = "tiny"
seeds = [0, 1]

[data]
layout = "tsb-ad"
folder = "series"
file_list = "list.csv"

[limits]
seconds = 300

[[detector]]
name = "magG"
recipe = "magg"

[[detector]]
name = "T2"
recipe = "t2"

[[detector]]
name = "magG+T2"
recipe = "magg-t2"

[[detector]]
name = "Raw patches"
recipe = "raw"
settings = { "learner.width" = 16 }
method = "Raw patches"
variant = "native"

[[detector]]
name = "Raw patches + PAI"
recipe = "pai-raw"
settings = { "base.learner.width" = 16 }
method = "Raw patches"
variant = "+ PAI"
fit_on = "whole"
"""


@pytest.fixture(scope="session")
def tiny(tmp_path_factory) -> Path:
    """A data root with four series and a fifth that is only listed, and the suite `suite.toml` beside it."""
    root = tmp_path_factory.mktemp("tiny")
    (root / "series").mkdir()
    names = []
    for number in range(1, 5):
        rng = np.random.default_rng(number)
        values = np.sin(np.arange(900) / 6) + rng.normal(scale=0.1, size=900)
        labels = np.zeros(900, dtype=int)
        begin = 500 + 20 * number
        labels[begin : begin + 15] = 1
        values[begin : begin + 15] += 0.4 * number
        name = f"00{number}_MADE_id_{number}_Synthetic_tr_300_1st_{begin}.csv"
        rows = "\n".join(f"{value!r},{label}" for value, label in zip(values.tolist(), labels, strict=True))
        (root / "series" / name).write_text(f"Data,Label\n{rows}\n")
        names.append(name)
    (root / "list.csv").write_text(
        "file_name\n" + "\n".join([*names, "005_MADE_id_5_Synthetic_tr_300_1st_600.csv"]) + "\n"
    )
    (root / "suite.toml").write_text(SUITE)
    return root
