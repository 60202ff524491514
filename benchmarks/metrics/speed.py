"""How fast the measures are, beside TSB-AD where it is installed; writes results.md.

    python benchmarks/metrics/speed.py [--reference PYTHON] [--reference-up-to 100000] [--lengths 4000 20000]

PYTHON is an interpreter of an environment of its own with TSB-AD 1.5, numpy 1.26 and scikit-learn 1.4.
All times are CPU seconds of one thread: the best of several calls of ours, one call of the reference.
"""

import argparse
import functools
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("NUMBA_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from workload import WINDOW, workload

from paiad.metrics import LabelContext, evaluate

FOLDER = Path(__file__).parent
LENGTHS = (4_000, 20_000, 100_000, 500_000)
PIECES = {
    "VUS": ["VUS-PR", "VUS-ROC"],
    **{
        name: [name]
        for name in (
            "AUC-PR",
            "AUC-ROC",
            "Standard-F1",
            "PA-F1",
            "Event-based-F1",
            "R-based-F1",
            "Affiliation-F",
        )
    },
}
FRESH_PROCESS = """
import time, numpy as np
started = time.process_time()
from paiad.metrics import evaluate
imported = time.process_time()
evaluate(np.arange(2000.0) % 77, np.arange(2000) % 500 < 20)
print(imported - started, time.process_time() - imported)
"""
MEMORY = """
from pathlib import Path
from workload import workload
from paiad.metrics import evaluate

def kib(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))

evaluate(*workload(4000), 100)
scores, labels = workload(500_000)
Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
before = kib("VmRSS")
evaluate(scores, labels, 100)
print((kib("VmHWM") - before) / 1024)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--reference", help="interpreter that has TSB-AD installed")
    parser.add_argument(
        "--reference-up-to", type=int, default=100_000, help="longest series the reference gets"
    )
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, help="points of the series")
    parser.add_argument("--out", type=Path, default=FOLDER / "results.md")
    asked = parser.parse_args()
    lines = [
        *heading(),
        *table(asked.lengths, asked.reference, asked.reference_up_to),
        *other_shapes(asked.lengths[-2:]),
        *once(),
        "",
    ]
    asked.out.write_text("\n".join(lines))
    print("\n".join(lines))


def heading() -> list[str]:
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    return [
        "# Speed of the measures",
        "",
        f"{date.today()}, {processor()}, Python {platform.python_version()}, {packages}; one thread.",
        f"Written by `python benchmarks/metrics/speed.py`; window {WINDOW}; about 5 % anomalous points.",
        "CPU milliseconds: ours the best of several calls on raw arrays; TSB-AD 1.5 one call, in the same run.",
    ]


def table(lengths: Sequence[int], reference: str | None, up_to: int) -> list[str]:
    lines = []
    for kind in ("smooth", "noise"):
        for length in lengths:
            longest = (
                up_to if kind == "smooth" else up_to // 5
            )  # noise multiplies runs, and the reference's minutes
            theirs = run_reference(reference, length, kind) if reference and length <= longest else None
            lines += [
                "",
                f"## {length:,} points, {kind} scores",
                "",
                "| measure | ours, ms | TSB-AD, ms | ratio |",
            ]
            lines += ["|---|---|---|---|", *rows(length, kind, theirs)]
            print("\n".join(lines[-12:]), file=sys.stderr)
    return lines


def rows(length: int, kind: str, theirs: dict[str, Any] | None) -> list[str]:
    scores, labels = workload(length, kind)
    context = LabelContext(labels)
    lines = []
    for piece, names in PIECES.items():
        ours = best(lambda names=names: evaluate(scores, labels, WINDOW, names))
        lines.append(
            row("VUS-PR and VUS-ROC" if piece == "VUS" else piece, ours, theirs and theirs["seconds"][piece])
        )
    everything = best(lambda: evaluate(scores, labels, WINDOW))
    lines.append(row("**all nine, one call**", everything, theirs and sum(theirs["seconds"].values())))
    lines.append(
        row("VUS, labels prepared", best(lambda: evaluate(scores, context, WINDOW, PIECES["VUS"])), None)
    )
    if theirs:
        ours = evaluate(scores, labels, WINDOW)
        apart = max(abs(ours[name] - value) for name, value in theirs["values"].items())
        lines += ["", f"Largest difference of a value: {apart:.1e}."]
    return lines


def other_shapes(lengths: Sequence[int]) -> list[str]:
    """What could blow up and must not: windows, ties, and many events."""
    lines = ["", "## Other shapes, all nine in one call, ms", ""]
    lines += ["| | " + " | ".join(f"{length:,} points" for length in lengths) + " |"]
    lines += ["|---|" + "---|" * len(lengths)]
    measured = [shapes(length) for length in lengths]
    for name in measured[0]:
        lines.append(f"| {name} | " + " | ".join(f"{each[name] * 1e3:.1f}" for each in measured) + " |")
    return lines


def shapes(length: int) -> dict[str, float]:
    scores, labels = workload(length)
    noise = np.random.default_rng(1).random(length)
    events = np.zeros(length, np.int64)
    starts = np.arange(20, length - 4, max(10, length // 10_000))  # 10,000 events, if there is room
    events[starts] = events[starts + 1] = 1
    cases: dict[str, tuple[np.ndarray, np.ndarray, int]] = {
        **{f"smooth scores, window {window}": (scores, labels, window) for window in (0, 100, 500, 2500)},
        "ten different scores": (np.round(scores), labels, WINDOW),
        "two different scores": ((scores > 1).astype(float), labels, WINDOW),
        "constant score": (np.ones(length), labels, WINDOW),
        "one score of 10^12": (np.where(np.arange(length) == 5, 1e12, scores), labels, WINDOW),
        "10,000 events, or one every 10 points": (scores, events, WINDOW),
        "the same, noise scores, window 500": (noise, events, 500),
        "every other point anomalous, noise scores": (noise, np.arange(length) % 2, WINDOW),
    }
    return {name: best(functools.partial(evaluate, *case)) for name, case in cases.items()}


def row(name: str, ours: float, theirs: float | None) -> str:
    if theirs is None:
        return f"| {name} | {ours * 1e3:.2f} | | |"
    return f"| {name} | {ours * 1e3:.2f} | {theirs * 1e3:,.0f} | {theirs / ours:,.0f} |"


def best(call: Callable[[], Any], seconds: float = 1.5) -> float:
    """CPU seconds of the fastest of as many calls as fit, five at least."""
    call()
    fastest, calls, until = float("inf"), 0, time.perf_counter() + seconds
    while calls < 5 or time.perf_counter() < until:
        started = time.process_time()
        call()
        fastest = min(fastest, time.process_time() - started)
        calls += 1
    return fastest


def run_reference(interpreter: str, length: int, kind: str) -> dict[str, Any]:
    command = [interpreter, str(FOLDER / "reference.py"), str(length), kind]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def once() -> list[str]:
    """What the first call costs with an empty cache and with a filled one, and the memory of a long call."""
    with tempfile.TemporaryDirectory() as cache:
        _, cold = map(float, fresh(FRESH_PROCESS, cache).split())
        imported, warm = map(float, fresh(FRESH_PROCESS, cache).split())
    memory = f"{float(fresh(MEMORY, None)):.0f} MiB" if sys.platform == "linux" else "measured on Linux only"
    return [
        "",
        "## Once per process, and memory",
        "",
        f"First call of all nine with an empty compilation cache: {cold:.1f} s; with a filled one: {warm:.2f} s "
        f"(CPU; importing the module before that: {imported:.2f} s).",
        f"Peak memory added by all nine at 500,000 points: {memory} (scores and labels themselves are 8).",
    ]


def fresh(code: str, cache: str | None) -> str:
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment, cwd=FOLDER
    )
    return done.stdout


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return f"{line.split(':', 1)[1].strip()} ({os.cpu_count()} cores)"
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
