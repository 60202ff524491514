"""A fleet on two Ray nodes, one of which is killed half-way, beside the same fleet run serially.

python benchmarks/engine/nodes.py [--series 1000]

Makes short series with an anomaly each, runs a suite over them serially, then on a cluster of two nodes of this machine
(`ray.cluster_utils`; needs the extra `ray`), and kills the second node when half of the jobs are done. Both stores
must hold the same jobs with the same scores to the bit. Exits with 1 if anything differs.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import numpy as np
from interrupted import differences

from paiad.benchmark.executors import Engine
from paiad.benchmark.executors.ray import Ray
from paiad.benchmark.executors.serial import Serial
from paiad.benchmark.runner import Plan, run
from paiad.benchmark.store import Store
from paiad.benchmark.suite import parsed_suite

STEPS = 600
SUITE = {
    "name": "fleet",
    "data": {"layout": "folder", "folder": "series", "train_fraction": 0.5},
    "detector": [{"name": "Raw patches + PAI", "recipe": "pai-raw", "settings": {"base.learner.width": 32}}],
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--series", type=int, default=1000)
    count = parser.parse_args().series
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        make_series(root / "series", count)
        fleet(
            root, Store(root / "warm", create=True), Serial(), at_most=1
        )  # compiles, so that neither run must
        serial, alone = Store(root / "serial", create=True), Store(root / "ray", create=True)
        in_series = fleet(root, serial, Serial())
        on_nodes = on_two_nodes(root, alone, count // 2)
        complaints = differences(serial, alone)
        done = alone.query("SELECT count(*), count(DISTINCT series) FROM rows WHERE status = 'done'")[0]
    load = os.getloadavg()[0]
    print(f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, load {load:.1f}")
    print(f"{count} series of {STEPS} steps: serial {in_series:.1f} s; ", end="")
    print(f"Ray on two nodes, one killed after {count // 2}: {on_nodes:.1f} s")
    if done != (count, count):
        complaints.append(f"{done[0]} jobs done on {done[1]} series")
    print("\n".join(complaints) or "every series scored, none twice, scores equal to the bit")
    sys.exit(1 if complaints else 0)


def make_series(folder: Path, count: int) -> None:
    """Sine waves with noise, each with a lifted stretch in its second half."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    for number in range(count):
        values = np.sin(np.arange(STEPS) / rng.uniform(3, 9)) + rng.normal(scale=0.1, size=STEPS)
        labels = np.zeros(STEPS, dtype=int)
        begin = int(rng.integers(STEPS // 2, STEPS - 20))
        labels[begin : begin + 10] = 1
        values[begin : begin + 10] += 2
        rows = "".join(f"{value:.6f},{label}\n" for value, label in zip(values, labels, strict=True))
        (folder / f"{number:04d}.csv").write_text(f"value,label\n{rows}")


def fleet(
    root: Path, store: Store, engine: Engine, at_most: int | None = None, strike=lambda ended: None
) -> float:
    """Run the suite, calling `strike` with the number of jobs that have ended; the seconds it took."""
    suite = parsed_suite(SUITE, "fleet")
    plan = Plan.of(suite, root)
    begun = time.perf_counter()
    for ended, _ in enumerate(run(plan, suite, store, engine), start=1):
        strike(ended)
        if ended == at_most:
            break
    return time.perf_counter() - begun


def on_two_nodes(root: Path, store: Store, kill_after: int) -> float:
    """The same on two nodes with a core each, of which the second is killed; starting the cluster is not counted."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()

    def strike(ended: int) -> None:
        if ended == kill_after:
            cluster.remove_node(second, allow_graceful=False)

    try:
        return fleet(root, store, Ray(cluster.address), strike=strike)
    finally:
        ray.shutdown()
        cluster.shutdown()


if __name__ == "__main__":
    main()
