"""Is a run that was interrupted, and killed, and resumed, the same as one that never was?

python benchmarks/engine/interrupted.py SUITE --data DATA [--engine processes] [--work FOLDER]

Runs the suite once in peace. Then runs it again from nothing: Ctrl-C (SIGINT) after a third of its jobs, kill -9
after two thirds, and once more to the end. Both stores must hold the same jobs, the same scores to the bit and the
same measures, and no job may have been run twice. Exits with 1 if anything differs.
"""

import argparse
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from paiad.benchmark.store import Store

LOOK_EVERY = 0.02  # seconds
BENCH = "from paiad.cli import main; main()"


def main() -> None:
    asked = _arguments()
    # A shell's background jobs ignore Ctrl-C, and what they start does too: here it must be heard.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as scratch:
        work = asked.work or Path(scratch)
        whole, broken = work / "whole", work / "broken"
        seconds = in_peace(asked, whole)
        jobs = _rows(whole)
        begun = time.perf_counter()
        ended = [
            interrupted(asked, broken, jobs // 3, signal.SIGINT),
            interrupted(asked, broken, 2 * jobs // 3, signal.SIGKILL),
        ]
        in_peace(asked, broken)
        resumed = time.perf_counter() - begun
        complaints = differences(Store(whole), Store(broken))
    print(f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{asked.suite.name}, --engine {asked.engine}: {jobs} jobs, {seconds:.0f} s in peace")
    print(f"Ctrl-C after {ended[0]} jobs, kill -9 after {ended[1]}, then to the end: {resumed:.0f} s in all")
    print("\n".join(complaints) or "same jobs, same scores to the bit, same measures; no job was run twice")
    sys.exit(1 if complaints else 0)


def in_peace(asked: argparse.Namespace, store: Path) -> float:
    """Run to the end; the seconds it took."""
    begun = time.perf_counter()
    subprocess.run(_command(asked, store), check=True)
    return time.perf_counter() - begun


def interrupted(asked: argparse.Namespace, store: Path, jobs: int, how: signal.Signals) -> int:
    """Run until so many jobs are done, then send the signal; how many there were when all was still."""
    with subprocess.Popen(_command(asked, store)) as run:
        while _rows(store) < jobs and run.poll() is None:
            time.sleep(LOOK_EVERY)
        run.send_signal(how)
        code = run.wait()
    if code not in (130, -how):
        raise SystemExit(f"the run ended with {code}, before {how.name} could reach it: take a longer suite")
    time.sleep(1)  # workers of a killed driver end by themselves
    return _rows(store)


def differences(whole: Store, broken: Store) -> list[str]:
    """What is not the same in two stores; nothing if all is."""
    found = []
    ends = "SELECT key, status, reason FROM rows ORDER BY ALL"
    if whole.query(ends) != broken.query(ends):
        found.append("the jobs, or how they ended, differ")
    measures = "SELECT * FROM measures WHERE view = '' ORDER BY ALL"
    if repr(whole.query(measures)) != repr(broken.query(measures)):
        found.append("the measures differ")
    for (key,) in whole.query("SELECT key FROM rows WHERE status = 'done'"):
        ours, theirs = ({"": store.scores(key), **store.terms(key)} for store in (whole, broken))
        same = ours.keys() == theirs.keys() and all(
            ours[name].tobytes() == theirs[name].tobytes() for name in ours
        )
        if not same:
            found.append(f"the scores of job {key[:12]} differ")
    repeated = broken.query("SELECT count(*) FROM rows WHERE attempts > 1")[0][0]
    return [*found, f"{repeated} jobs were run again"] if repeated else found


def _command(asked: argparse.Namespace, store: Path) -> list[str]:
    command = [sys.executable, "-c", BENCH, "bench", "run", str(asked.suite)]
    return [*command, "--data", str(asked.data), "--store", str(store), "--engine", asked.engine]


def _rows(store: Path) -> int:
    return sum(1 for path in store.glob("rows/*.parquet") if not path.name.startswith("."))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--engine", default="processes")
    parser.add_argument(
        "--work", type=Path, help="folder for the two stores, kept; a temporary one if not given"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
