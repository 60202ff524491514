"""Second round: fusions of the terms that sweep.py kept, on the choice half and the guard set.

    python research/sweep.py /tmp/sweep --processes 14
    python research/fusions_tried.py /tmp/sweep units neighbours widths views weights

Prints the tables of docs/research/tried.md that name this script. PAI's terms are left out; shares by plain units.
"""

import lzma
import pickle
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
from fusion import case, evaluator
from sweep import LOW, STEP

OUTLINES, TEXTURES = (8, 32, 128, 256), (16, 32, 64, 128)
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
MIDDLE, LARGEST = 2, 8  # among the quantiles kept of the honest training scores
UNITS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "deviation": lambda z, marks: z,
    "99.9 % quantile": lambda z, marks: 3 * (z - marks[MIDDLE]) / (marks[7] - marks[MIDDLE] + 1e-6),
    "largest": lambda z, marks: 3 * (z - marks[MIDDLE]) / (marks[LARGEST] - marks[MIDDLE] + 1e-6),
    "both": lambda z, marks: (z - marks[MIDDLE]) / np.sqrt((marks[LARGEST] - marks[MIDDLE]) / 3 + 1e-6),
}


@lru_cache(None)
def kept() -> dict[str, dict]:
    found: dict[str, dict] = {}
    for path in sorted(FOLDER.glob("sweep-*.pickle")):
        for packed in pickle.loads(path.read_bytes()):
            one = pickle.loads(lzma.decompress(packed))
            found[one["name"]] = one["terms"]
    return found


def terms(name: str, labels: list[str], unit: str) -> np.ndarray | None:
    """Tempered terms [terms, steps] of those that were kept of this series."""
    out = []
    for label in labels:
        if label in kept()[name]:
            code, marks, *_ = kept()[name][label]
            tempered = code.astype(np.float32) * STEP + LOW
            z = UNITS[unit](np.sign(tempered) * np.expm1(np.abs(tempered)), marks)
            out.append(np.sign(z) * np.log1p(np.abs(z)))
    return np.stack(out) if out else None


def wide_narrow(narrow: str, wide: str, up_to: int = 32) -> Callable[[int], str]:
    return lambda width: narrow if width <= up_to else wide


def fused(
    name: str,
    ways: Callable[[int], str] = lambda width: "p3",
    unit: str = "both",
    outlines: tuple[int, ...] = OUTLINES,
    textures: tuple[int, ...] = TEXTURES,
    of_outline: str = "",
    of_texture: str = "",
    more_outlines: tuple[str, ...] = (),
    more_textures: tuple[str, ...] = (),
    put: Callable[[np.ndarray, np.ndarray], np.ndarray] = np.add,
) -> np.ndarray:
    """The strongest outline and the strongest texture, put together."""
    one = terms(name, [f"outline {w}{of_outline} {ways(w)}" for w in outlines] + list(more_outlines), unit)
    other = terms(name, [f"texture {w}{of_texture} {ways(w)}" for w in textures] + list(more_textures), unit)
    assert one is not None
    return put(one.max(0), other.max(0) if other is not None else np.zeros(one.shape[1], np.float32))


def show(label: str, longest: int = 31_000, **how) -> None:
    names = [name for name in sorted(kept()) if len(case(name).values) <= longest]
    families = np.array([case(name).family for name in names])
    vus = np.array([evaluator(name)(fused(name, **how).astype(float)) for name in names])
    of = " ".join(f"{f} {vus[families == f].mean():.2f}" for f in sorted(set(families) - {"SPIKY"}))
    choice, guard = vus[families != "SPIKY"].mean(), vus[families == "SPIKY"].mean()
    print(f"| {label} | {choice:.3f} | {guard:.3f} | {of} |", flush=True)


def units() -> None:
    for unit in UNITS:
        show(unit, unit=unit)


def neighbours() -> None:
    for way in ("p1", "p3", "p8", "p20", "a2", "a3", "a5"):
        show(f"{way} everywhere", ways=lambda width, w=way: w, unit="deviation")
    for narrow, wide in (("p8", "p3"), ("p20", "p3"), ("p8", "p1"), ("p8", "a2")):
        show(f"{narrow} up to 32, {wide} beyond", ways=wide_narrow(narrow, wide))
    for narrow, wide in (("p3", "p3"), ("p8", "p3"), ("p8", "p1")):
        show(f"with MGAB: {narrow} up to 32, {wide} beyond", 10**6, ways=wide_narrow(narrow, wide))


def widths() -> None:
    show("as it is")
    for textures in ((8, *TEXTURES), (*TEXTURES, 256), (32, 64, 128), (16, 64, 128), (16, 32, 128)):
        show(f"textures {textures}", textures=textures)
    for outlines in (
        (8, 16, 32, 64, 128, 256),
        (*OUTLINES, 512),
        (8, 32, 128),
        (16, 32, 128, 256),
        (8, 64, 256),
    ):
        show(f"outlines {outlines}", outlines=outlines)


def views() -> None:
    for floor in (" floor=0.3", " floor=3.0"):
        show(f"outlines,{floor}", of_outline=floor)
    for change in (" floor=0.3", " heights=2.0", " seed=1"):
        show(f"textures,{change}", of_texture=change)
    show("outlines of the slopes beside", more_outlines=tuple(f"slopes {w} p3" for w in OUTLINES))
    show("textures of both halves beside", more_textures=tuple(f"halves {w} p3" for w in (32, 64, 128)))


def weights() -> None:
    ways = wide_narrow("p8", "p3")
    for weight in (0.5, 0.7, 1.0, 1.5, 2.0):
        show(f"outline + {weight} texture", ways=ways, put=lambda one, other, w=weight: one + w * other)
    for p in (2, 4):
        show(
            f"L{p} norm of the two",
            ways=ways,
            put=lambda one, other, p=p: (np.maximum(one, 0) ** p + np.maximum(other, 0) ** p) ** (1 / p),
        )


if __name__ == "__main__":
    for table in sys.argv[2:]:
        print(f"\n{table}")
        {"units": units, "neighbours": neighbours, "widths": widths, "views": views, "weights": weights}[
            table
        ]()
