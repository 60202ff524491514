"""`paiad example`."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from paiad.example import FAULTS, example_rows
from paiad.writing import replacing


def example(
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write it, as CSV.")] = Path(
        "example.csv"
    ),
) -> None:
    """Write the bundled example series to a file."""
    rows = example_rows()
    out.parent.mkdir(parents=True, exist_ok=True)
    with replacing(out) as path, path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(rows) + "\n")
        for time, value, label in zip(*rows.values(), strict=True):
            file.write(f"{np.datetime_as_string(time, unit='s')},{value},{label}\n")
    faults = ", ".join(f"a {fault.what}" for fault in FAULTS)
    print(f"{out}: {len(rows['time']):,} quarters of an hour, with {faults} in the last weeks")
