"""The heat map of weights: how much PAI gains at every pair of amplitude weights."""

from collections.abc import Sequence

from paiad.benchmark.figures.svg import box, drawing, text
from paiad.benchmark.results import Results
from paiad.benchmark.tables.weights import STEPS, heat_map

SIDE, LEFT, TOP = 58.0, 70.0, 26.0


def weight_heat_map(results: Results, footer: Sequence[str], method: str = "") -> str:
    """Gain in VUS-PR over the base score, w_b = 1."""
    name, gain, n = heat_map(results, method)
    largest = max(float(abs(gain).max()), 1e-9)
    parts = []
    for row, far in enumerate(reversed(STEPS)):
        parts.append(text(LEFT - 8, TOP + (row + 0.55) * SIDE, f"{far:g}", "end"))
        for column, shifted in enumerate(STEPS):
            value = float(gain[len(STEPS) - 1 - row, column])
            x, y = LEFT + column * SIDE, TOP + row * SIDE
            told = f"λ_g = {far:g}, λ_q = {shifted:g}: {value:+.4f}"
            parts.append(box(x, y, SIDE - 1, SIDE - 1, _shade(value / largest), told))
            parts.append(text(x + SIDE / 2, y + SIDE * 0.55, f"{value:+.3f}", "middle", size=11))
    bottom = TOP + len(STEPS) * SIDE
    parts += [text(LEFT + (n_ + 0.5) * SIDE, bottom + 16, f"{q:g}", "middle") for n_, q in enumerate(STEPS)]
    parts += [
        text(LEFT + len(STEPS) * SIDE / 2, bottom + 34, "λ_q (T2)", "middle"),
        text(6, TOP - 6, "λ_g (magG)"),
    ]
    title = f"{name} + PAI: Δ VUS-PR over the base score, n = {n}"
    return drawing(LEFT + len(STEPS) * SIDE + 20, bottom + 44, title, parts, footer)


def _shade(share: float) -> str:
    """Blue for gains, red for losses, white for none."""
    strength = round(255 - 150 * min(abs(share), 1.0))
    return f"rgb({strength},{strength},255)" if share >= 0 else f"rgb(255,{strength},{strength})"
