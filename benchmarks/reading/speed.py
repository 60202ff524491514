"""How long reading and writing back take: python benchmarks/reading/speed.py [rows]

Prints the CPU seconds of the best of five runs, and the highest memory of the process at the end.
"""

import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import duckdb
import numpy as np

from paiad.datasets import read_tsb_ad
from paiad.reading import read
from paiad.writing import write


def best(work: Callable[[], object], runs: int = 5) -> float:
    """CPU seconds, of all threads together, of the fastest of several runs."""
    seconds = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def main(rows: int) -> None:
    """Make the files, time the work, print a line each."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        moments = "TIMESTAMP '2024-01-01' + INTERVAL (range) SECOND AS time, sin(range / 50) AS value"
        moments += f" FROM range({rows})"
        duckdb.sql(f"COPY (SELECT {moments}) TO '{folder}/data.csv'")
        duckdb.sql(f"COPY (SELECT {moments}) TO '{folder}/data.parquet'")
        benchmark = folder / "001_Made_id_1_Up_tr_2000_1st_9000.csv"
        values = np.random.default_rng(0).normal(size=10_000)
        benchmark.write_text(
            "Data,Label\n" + "".join(f"{v!r},{int(k == 9000)}\n" for k, v in enumerate(values.tolist()))
        )

        table = read(folder / "data.csv")
        scored = table.with_columns({"value": {"score": table.series[0].values}})
        print(
            f"{date.today()}, {platform.machine()}, Python {platform.python_version()}, duckdb {duckdb.__version__}"
        )
        print(f"read CSV, {rows:,} rows x 2       {best(lambda: read(folder / 'data.csv')):.2f} s")
        print(f"read Parquet, the same         {best(lambda: read(folder / 'data.parquet')):.2f} s")
        print(f"write CSV with score and flag  {best(lambda: write(folder / 'out.csv', scored)):.2f} s")
        print(f"read a TSB-AD file, 10,000 rows  {1000 * best(lambda: read_tsb_ad(benchmark)):.1f} ms")
        print(
            f"highest memory of the process  {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
