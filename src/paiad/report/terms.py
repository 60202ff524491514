"""How the terms of a score are shown: a colour each, and what they mean in words.

Terms whose names begin with the same word are of one kind, and have shades of one colour.
"""

import colorsys
from collections.abc import Sequence
from typing import Literal

HUES = (258, 28, 172, 335, 48, 205)  # degrees; violet, orange, teal, pink, yellow, blue
SATURATION = 0.6
LIGHTNESS = {"light": (0.42, 0.72), "dark": (0.8, 0.52)}  # of the first and the last of a kind

MEANINGS = {
    "base": "how far the stretch lies from the nearest normal one, as the base detector sees it",
    "outline": "how far the course of so many steps lies from the nearest normal course",
    "texture": "how unlike normal the fine structure within so many steps is",
    "stillness": "how little moves, against what moves in the training part",
    "magG": "how far the value itself lies from the normal median",
    "T2": "how far the mean of the neighbourhood lies from the normal median",
}


def meaning(term: str) -> str:
    """What a term measures, or nothing where that is not known.

    >>> meaning("outline 32")
    'how far the course of so many steps lies from the nearest normal course'
    """
    return MEANINGS.get(_kind(term), "")


def colours(terms: Sequence[str], theme: Literal["light", "dark"] = "light") -> list[str]:
    """A colour for each term.

    >>> colours(["base", "magG", "T2"])
    ['#6032ca', '#ca7932', '#32cab6']
    """
    kinds = list(dict.fromkeys(map(_kind, terms)))
    members = {kind: [term for term in terms if _kind(term) == kind] for kind in kinds}
    return [
        _colour(
            HUES[kinds.index(_kind(term)) % len(HUES)],
            members[_kind(term)].index(term),
            len(members[_kind(term)]),
            theme,
        )
        for term in terms
    ]


def _kind(term: str) -> str:
    return term.partition(" ")[0]


def _colour(hue: int, place: int, count: int, theme: Literal["light", "dark"]) -> str:
    first, last = LIGHTNESS[theme]
    middle = (first + last) / 2
    lightness = first + (last - first) * place / (count - 1) if count > 1 else (middle + first) / 2
    rgb = colorsys.hls_to_rgb(hue / 360, lightness, SATURATION)
    return "#" + "".join(f"{round(part * 255):02x}" for part in rgb)
