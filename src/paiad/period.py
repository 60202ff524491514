"""Dominant period of a series by its autocorrelation, as TSB-AD finds it and as the paper's code does."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Variant = Literal["tsb-ad", "paper"]
POINTS = 20_000  # only the beginning of a series is looked at
LAGS = 400
FIRST_LAG = 3
FALLBACK = 125
LONGEST = {"tsb-ad": 303, "paper": 300}
SHORTEST = {"tsb-ad": 6, "paper": 4}


def dominant_period(values: ArrayLike, variant: Variant = "tsb-ad") -> int:
    """Lag of the highest local maximum of the autocorrelation; 125 when there is none in bounds.

    "tsb-ad" accepts lags 6..303 and "paper" 4..300; nothing else differs.

    >>> dominant_period(np.sin(2 * np.pi * np.arange(1000) / 25))
    25
    """
    if variant not in LONGEST:
        raise ValueError(f"variant must be 'tsb-ad' or 'paper', got {variant!r}")
    series = np.squeeze(np.asarray(values, dtype=np.float64))
    if series.ndim > 1:
        raise ValueError(f"a period is found for one series at a time, got shape {series.shape}")
    lag = _highest_peak(_autocorrelation(np.atleast_1d(series)[:POINTS])[FIRST_LAG:])
    if lag is None or not SHORTEST[variant] <= lag + FIRST_LAG <= LONGEST[variant]:
        return FALLBACK
    return lag + FIRST_LAG


def paper_period(values: ArrayLike) -> int:
    """`dominant_period` as the paper's code finds it, for callers that pass values alone."""
    return dominant_period(values, "paper")


def _highest_peak(curve: NDArray[np.float64]) -> int | None:
    """Index of the highest strict interior local maximum; NaN never qualifies."""
    inside = curve[1:-1]
    peaks = np.flatnonzero((inside > curve[:-2]) & (inside > curve[2:])) + 1
    if not peaks.size:
        return None
    return int(peaks[np.argsort(curve[peaks])[-1]])  # numpy's own order decides exact ties, as in TSB-AD


def _autocorrelation(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """Biased autocorrelation at lags 0..400 by a zero-padded FFT; NaN for a constant series, nothing without values."""
    length = series.size
    if length == 0 or not np.isfinite(series).all():
        return np.empty(0)
    # In units of the largest value no square overflows or vanishes; a power of two changes no digit.
    series = np.ldexp(series, -np.frexp(np.abs(series).max())[1])
    centred = series - series.mean()
    spectrum = np.fft.fft(centred, n=_regular_length(2 * length + 1))
    # complex over length, then the real part: the order of statsmodels, so that near ties round alike
    covariance = (np.fft.ifft(spectrum * np.conjugate(spectrum))[:length] / length).real
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(covariance[: LAGS + 1] / covariance[0])


def _regular_length(at_least: int) -> int:
    """Smallest 2^a 3^b 5^c not below `at_least`: lengths an FFT likes, and the padding of statsmodels."""
    best = 1 << (at_least - 1).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            quotient = -(-at_least // three)
            best = min(best, three << (quotient - 1).bit_length())
            three *= 3
        five *= 5
    return best
