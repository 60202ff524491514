"""One series made ready: steps, missing values filled or refused, flags, training part."""

from dataclasses import dataclass

import numpy as np

from paiad import quality
from paiad.errors import InputError
from paiad.missing import LONGEST_SCORED, Missing, fill, unscored
from paiad.reading.notes import Note
from paiad.reading.source import Source
from paiad.reading.table import Placed
from paiad.reading.timeline import Timeline
from paiad.reading.train_part import Until, train_end
from paiad.runs import Mask
from paiad.series import Series
from paiad.shapes import Labels, Values

LARGEST = 1e100
"""A value beyond this is refused: its square is still finite, but sums of squares of larger ones overflow."""


@dataclass(frozen=True)
class Candidate:
    """A column, or the part of it that belongs to one series, that may be scored."""

    name: str
    column: str
    prefix: str
    timeline: Timeline
    cells: Values
    """The whole column, one value a row of the source."""


def place(
    candidate: Candidate, source: Source, labels: Labels | None, missing: Missing, until: Until | None
) -> tuple[Series | None, Placed, list[Note]]:
    """The series, or None where there is nothing to score; where its steps lie; and what was done."""
    timeline = candidate.timeline
    found = timeline.of_steps(candidate.cells)
    unknown = ~np.isfinite(found)
    _check_magnitude(candidate, source)
    if missing == "refuse" and unknown.any():
        _refuse_missing(candidate, source)
    flags = np.where(unknown, np.uint8(quality.FILLED), timeline.quality)
    why_not = _why_not(found, unknown)
    if why_not is not None:
        flags = flags if unknown.all() else quality.combine(flags, np.full_like(flags, quality.CONSTANT))
        nowhere = Placed(candidate.name, candidate.prefix, timeline, flags, np.ones(len(found), dtype=bool))
        return None, nowhere, [Note("dropped", why_not, len(found), candidate.name)]
    filled = fill(found, timeline.at, missing)
    blank = unscored(unknown)
    placed = Placed(candidate.name, candidate.prefix, timeline, flags, blank)
    series = Series(
        candidate.name,
        filled,
        timeline.labels_of_steps(labels) if labels is not None else None,
        train_end(until, timeline, f"{source.name}, {candidate.name}") if until is not None else None,
        timeline.time,
        flags,
    )
    return series, placed, _about_missing(candidate, unknown, blank, missing)


def _check_magnitude(candidate: Candidate, source: Source) -> None:
    cells = candidate.cells[candidate.timeline.rows]
    with np.errstate(invalid="ignore"):
        extreme = np.isfinite(cells) & (np.abs(cells) > LARGEST)
    if extreme.any():
        row = int(candidate.timeline.rows[int(extreme.argmax())])
        raise InputError(
            f"{source.place(row)}, column {candidate.column!r}: {candidate.cells[row]:g} is too large to be measured"
            f" (beyond {LARGEST:g}); if it stands for a missing value, empty the cell"
        )


def _refuse_missing(candidate: Candidate, source: Source) -> None:
    absent = ~np.isfinite(candidate.cells[candidate.timeline.rows])
    row = int(candidate.timeline.rows[int(absent.argmax())])
    raise InputError(
        f"{source.place(row)}, column {candidate.column!r}: the value is missing or infinite"
        f" ({absent.sum()} such rows); fill it, or choose missing='interpolate' or 'previous' (--missing)"
    )


def _why_not(found: Values, unknown: Mask) -> str | None:
    """Why the values cannot be scored, if they cannot."""
    if unknown.all():
        return f"all {len(found)} values are missing; give at least two that differ"
    if len(found) < 2:
        return "there is one value only; give at least two that differ"
    known = found[~unknown]
    if (known == known[0]).all():
        which = f"all {len(known)} values are" if len(known) > 1 else "the only value is"
        return f"{which} {known[0]:g}; a constant series has nothing to compare"
    return None


def _about_missing(candidate: Candidate, unknown: Mask, blank: Mask, missing: Missing) -> list[Note]:
    count = int(unknown.sum())
    if not count:
        return []
    infinite = int(np.isinf(candidate.cells[candidate.timeline.rows]).sum())
    text = f"{count} missing value{'' if count == 1 else 's'} filled ({missing})"
    text += f", {infinite} of them infinite" if infinite else ""
    text += (
        f"; {int(blank.sum())} of them, in runs of more than {LONGEST_SCORED}, get no score"
        if blank.any()
        else ""
    )
    return [Note("filled", text, count, candidate.name)]
