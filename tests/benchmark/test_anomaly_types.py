"""The rule for kinds of anomalies: made anomalies are recognised, and scaling or shifting changes nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paiad.benchmark.anomaly_types import KINDS, Rule, judged_values

BEGIN, END = 2500, 2600


def made(kind: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    step = np.arange(4000)
    values = np.sin(step * 2 * np.pi / 50) + rng.normal(scale=0.05, size=4000)
    labels = np.zeros(4000, dtype=np.int64)
    labels[BEGIN:END] = 1
    inside = slice(BEGIN, END)
    if kind == "amplitude":  # the same shape, lifted
        values[inside] += 3.0
    if kind == "pattern":  # within the normal range, another rhythm
        values[inside] = np.sin(step[inside] * 2 * np.pi / 11) + rng.normal(scale=0.05, size=END - BEGIN)
    if kind == "hybrid":
        values[inside] = 3 * np.sin(step[inside] * 2 * np.pi / 11)
    return values, labels


@pytest.mark.parametrize("kind", ["pattern", "hybrid", "undetermined"])
@pytest.mark.parametrize("seed", range(2))
def test_made_anomalies_are_recognised(kind, seed):
    assert judged_values(*made(kind, seed), Rule()).kind == kind


def test_a_spike_in_noise_is_of_amplitude_alone():
    values, labels = np.random.default_rng(3).normal(size=4000), np.zeros(4000, dtype=np.int64)
    values[BEGIN : BEGIN + 2] += 15
    labels[BEGIN : BEGIN + 2] = 1
    assert judged_values(values, labels, Rule()).kind == "amplitude"


def test_a_lift_shows_amplitude_in_every_case():
    assert judged_values(*made("amplitude"), Rule()).amplitude == 1.0


@settings(max_examples=6)
@given(
    st.sampled_from(KINDS),
    st.floats(1e-3, 1e3),
    st.floats(-1e3, 1e3),
    st.sampled_from([1.0, -1.0]),
)
def test_units_do_not_matter(kind, scale, offset, sign):
    values, labels = made(kind)
    assert judged_values(sign * scale * values + offset * scale, labels, Rule()) == judged_values(
        values, labels, Rule()
    )


def test_without_anomalies_or_normal_data_nothing_is_said():
    values = np.random.default_rng(0).normal(size=300)
    assert judged_values(values, np.zeros(300, dtype=np.int64), Rule()).kind == "undetermined"
    assert judged_values(values, np.ones(300, dtype=np.int64), Rule()).kind == "undetermined"
    mostly = np.ones(300, dtype=np.int64)
    mostly[:10] = 0
    assert judged_values(values, mostly, Rule()).kind == "undetermined"
