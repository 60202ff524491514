"""The page on reading: its example runs, and its figures are those of the code."""

import doctest
from pathlib import Path

from paiad import missing, quality
from paiad.reading import placing, textfile, timeline

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reading.md"


def test_example_runs() -> None:
    outcome = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.attempted > 5
    assert outcome.failed == 0


def test_figures_are_those_of_the_code() -> None:
    text = PAGE.read_text()
    assert f"in a run of up to {missing.LONGEST_SCORED} such steps" in text
    assert f"More than {textfile.MOST_COLUMNS:,} columns" in text
    assert f"more than {timeline._HOLE} usual steps ({timeline._HOLE_IRREGULAR:.0f} when fewer than" in text
    assert f"{timeline._REGULAR:.0%} of the steps".replace("%", " %") in text
    assert f"beyond ±{placing.LARGEST:.0e}".replace("e+", "e") in text
    assert all(f"`{name}`" in text for name in quality.NAMES)
