"""A detection to report on, and a browser to look at the page with."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from chromium import Browser, find_chromium
from hostile_detections import NASTY
from paiad import Detections, detect
from paiad.example import example
from paiad.report import page


@pytest.fixture(scope="session")
def found() -> Detections:
    """Two series with hostile names: the example, and the same with some values missing."""
    import pandas as pd

    series = example()
    holed = series.values.copy()
    holed[1000:1020] = np.nan
    table = pd.DataFrame(
        {"time": series.time, NASTY: series.values, "b & 'c' \"d\"": holed, "label": series.labels}
    )
    return detect(table, train_until=0.5)


@pytest.fixture(scope="session")
def report(found: Detections, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page(found, title=f"My {NASTY} report"), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    program = find_chromium()
    if program is None:
        pytest.skip("needs Chromium or Chrome (Debian: apt-get install chromium)")
    with Browser(program) as browser:
        yield browser


@pytest.fixture
def browser(chromium: Browser, report: Path) -> Browser:
    """The report, freshly opened in a window of 1280 x 1100."""
    chromium.complaints.clear()
    chromium.size(1280, 1100)
    chromium.open(report)
    return chromium
