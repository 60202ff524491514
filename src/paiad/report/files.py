"""The files a detection leaves behind: scores for every row, the events, the page and the picture."""

import csv
import json
import math
import platform
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from paiad import __version__
from paiad.detection import Detection, Detections
from paiad.errors import MissingExtraError, OutputError, require
from paiad.events import Event
from paiad.report.page import page
from paiad.report.picture import write_picture
from paiad.writing import replacing, write

Format = Literal["csv", "parquet", "jsonl"]

_FIELDS = (
    *("series", "number", "start", "end", "length", "start_time", "end_time", "peak", "peak_time"),
    *("score", "severity", "return_period", "leading", "value", "expected", "direction", "beside"),
)


@dataclass(frozen=True)
class Written:
    """Where the files are, by kind, and what could not be made."""

    files: dict[str, Path]
    missing: tuple[str, ...] = ()


def write_results(
    found: Detections, folder: Path, form: Format = "csv", with_page: bool = True, with_picture: bool = True
) -> Written:
    """Write scores, events.csv, events.json, report.html and report.png: all of them whole, or none of them."""
    files = {
        "scores": folder / f"scores.{form}",
        "events": folder / "events.csv",
        "json": folder / "events.json",
        **({"report": folder / "report.html"} if with_page else {}),
    }
    with _made(folder), ExitStack() as together:
        _write_events(together.enter_context(replacing(files["events"])), found)
        _write_text(together.enter_context(replacing(files["json"])), json.dumps(as_json(found), indent=2))
        if with_page:
            _write_text(together.enter_context(replacing(files["report"])), page(found))
        missing = _picture(found, folder / "report.png", files, together) if with_picture else ()
        write(files["scores"], found.rows())
    return Written(files, missing)


def as_json(found: Detections) -> dict[str, Any]:
    """Everything but the scores, in plain values; what is not finite is null."""
    return {
        "source": found.source,
        "rows": found.table.source.rows,
        "paiad": __version__,
        "python": platform.python_version(),
        "settings": dict(found.settings),
        "notes": list(found.notes),
        "series": [_series_json(one) for one in found],
    }


def _series_json(one: Detection) -> dict[str, Any]:
    threshold = one.threshold
    return {
        "name": one.series.name,
        "steps": len(one.series),
        "training": None if one.training is None else list(one.training),
        "threshold": {
            "value": _finite(threshold.value),
            "rule": threshold.rule,
            "caveat": threshold.caveat or None,
        },
        "notes": list(one.notes),
        "events": [{key: _plain(value) for key, value in event.as_dict().items()} for event in one.events],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return _finite(value) if isinstance(value, float) else value


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _write_events(path: Path, found: Detections) -> None:
    terms = list(dict.fromkeys(term for one in found for term in one.receipt.terms))
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [*_FIELDS, *(f"score_{term}" for term in terms)], extrasaction="ignore")
        table.writeheader()
        for name, number, event in _numbered(found):
            parts = {f"score_{term}": part for term, part in event.terms}
            table.writerow({"series": name, "number": number, **event.as_dict(), **parts})


def _numbered(found: Detections) -> Iterator[tuple[str, int, Event]]:
    """Events with their series and the number they have in the scores' column `event`."""
    for one in found:
        for number, event in enumerate(one.events, start=1):
            yield one.series.name, number, event


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _picture(found: Detections, path: Path, files: dict[str, Path], together: ExitStack) -> tuple[str, ...]:
    """Draw the picture as one of the files written together, or say what that needs."""
    try:
        require("matplotlib", "plot", f"drawing {path.name}")
    except MissingExtraError as missing:
        path.unlink(missing_ok=True)  # an older picture would not belong to this report
        return (str(missing),)
    files["picture"] = path
    write_picture(found, together.enter_context(replacing(path)))
    return ()


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """The folder, made where it is not there yet, and taken away again if nothing could be written into it."""
    before = folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: this folder cannot be made ({error.strerror or error})") from error
    try:
        yield
    except BaseException:
        if not before:
            with suppress(OSError):
                folder.rmdir()
        raise
