"""Dominant period: known periods, the two variants, and series that have none."""

import numpy as np
import pytest

from paiad.period import FALLBACK, dominant_period


@pytest.mark.parametrize("period", [6, 25, 60, 199, 300])
def test_finds_the_period_of_a_wave(period):
    wave = np.sin(2 * np.pi * np.arange(5000) / period)
    assert dominant_period(wave) == period


@pytest.mark.parametrize(("period", "tsb_ad", "paper"), [(4, 125, 4), (5, 125, 5), (303, 303, 125)])
def test_variants_differ_at_the_ends(period, tsb_ad, paper):
    spikes = (np.arange(6000) % period == 0).astype(float)
    assert (dominant_period(spikes, "tsb-ad"), dominant_period(spikes, "paper")) == (tsb_ad, paper)


@pytest.mark.parametrize(
    "values",
    [[], [1.0], np.ones(500), np.arange(500.0), np.full(500, np.nan), [np.inf, 1.0, 2.0], np.arange(6.0)],
)
def test_falls_back_without_a_peak(values):
    assert dominant_period(values) == FALLBACK


def test_only_the_beginning_counts():
    wave = np.sin(2 * np.pi * np.arange(26_000) / 50)
    wave[20_000:] = np.sin(2 * np.pi * np.arange(6_000) / 7)
    assert dominant_period(wave) == 50


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e300, 1e-300, 1e308])
def test_values_of_any_size_have_their_period(unit):
    assert dominant_period(unit * np.sin(2 * np.pi * np.arange(900) / 30)) == 30


def test_takes_a_column_but_not_several():
    wave = np.sin(2 * np.pi * np.arange(900) / 30)
    assert dominant_period(wave[:, None]) == 30
    with pytest.raises(ValueError, match="one series at a time"):
        dominant_period(np.stack([wave, wave]))
    with pytest.raises(ValueError, match="variant"):
        dominant_period(wave, "head")


@pytest.mark.parametrize("length", [3, 17, 100, 399, 401, 402, 1999, 20_000])
def test_same_choice_as_through_statsmodels(length):
    tools = pytest.importorskip("statsmodels.tsa.stattools")
    for seed in range(5):
        noise = np.random.default_rng(seed).normal(size=length)
        curve = tools.acf(noise, nlags=min(400, length - 1), fft=True)[3:]
        peaks = [i for i in range(1, len(curve) - 1) if curve[i] > curve[i - 1] and curve[i] > curve[i + 1]]
        best = max(peaks, key=lambda i: curve[i]) + 3 if peaks else 0
        assert dominant_period(noise, "paper") == (best if 4 <= best <= 300 else FALLBACK)
