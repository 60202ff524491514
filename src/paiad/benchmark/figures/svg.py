"""Just enough SVG for the figures: text, lines, boxes, dots, and the page around them."""

import html
from collections.abc import Sequence

INK, PALE, GRID = "#222", "#9aa5b1", "#dde2e8"
COLOURS = ("#2f6db3", "#d9822b", "#3a9a5b", "#b3473f", "#7d5fb2", "#5b6b7a", "#b8960c", "#2f9a97")
FONT = "font-family='system-ui, sans-serif' font-size='12'"


def drawing(width: float, height: float, title: str, parts: Sequence[str], notes: Sequence[str] = ()) -> str:
    """A picture of its own, with its title above and its notes below; the title is also what a reader hears."""
    lines = [line for note in notes for line in wrapped(note, int(width / 6.2))]
    whole = height + 26 + 15 * len(lines) + 8
    told = [
        text(10, height + 40 + 15 * number, line, colour="#5b6b7a", size=10.5)
        for number, line in enumerate(lines)
    ]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {whole:g}' width='{width:g}' "
        f"height='{whole:g}' role='img' {FONT}><title>{html.escape(title)}</title>"
        f"<rect width='100%' height='100%' fill='white'/>{text(10, 18, title, weight='bold')}"
        f"<g transform='translate(0 26)'>{''.join(parts)}</g>{''.join(told)}</svg>"
    )


def text(
    x: float,
    y: float,
    words: str,
    anchor: str = "start",
    colour: str = INK,
    weight: str = "normal",
    size: float = 12,
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='{colour}' font-weight='{weight}' "
        f"font-size='{size:g}'>{html.escape(words)}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, colour: str = INK, width: float = 1) -> str:
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}' stroke-width='{width:g}'/>"


def box(
    x: float, y: float, width: float, height: float, fill: str, told: str = "", stroke: str = "none"
) -> str:
    hover = f"<title>{html.escape(told)}</title>" if told else ""
    return (
        f"<rect x='{x:.1f}' y='{y:.1f}' width='{max(width, 0):.1f}' height='{max(height, 0):.1f}' fill='{fill}' "
        f"stroke='{stroke}'>{hover}</rect>"
    )


def dot(x: float, y: float, fill: str, told: str = "", radius: float = 4.5) -> str:
    hover = f"<title>{html.escape(told)}</title>" if told else ""
    return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius:g}' fill='{fill}'>{hover}</circle>"


def path(points: Sequence[tuple[float, float]], colour: str, width: float = 1) -> str:
    steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f"<polyline points='{steps}' fill='none' stroke='{colour}' stroke-width='{width:g}'/>"


def paler(colour: str) -> str:
    """The same colour, half-way to white.

    >>> paler("#204060")
    '#8f9faf'
    """
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{(part + 255) // 2:02x}" for part in parts)


def wrapped(words: str, most: int) -> list[str]:
    """Lines of at most so many letters, but for words that are longer."""
    lines = [""]
    for word in words.split():
        if len(lines[-1]) + len(word) + 1 > most and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
