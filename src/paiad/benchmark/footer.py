"""What stands under every table: how the numbers were made, over how many files, and what is wrong with them."""

import platform
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from paiad import __version__
from paiad.benchmark.elsewhere import ELSEWHERE
from paiad.benchmark.paper import METRIC_NAMES
from paiad.benchmark.results import Choice, PlannedJob, Results
from paiad.benchmark.stats import count

FULL_SETS = {"tsb-ad": ("TSB-AD-U-Eva", 350), "tab": ("TAB UV", 1635)}

_SCOPES = {
    "full": "the whole series, training part included",
    "test": "the test part only (scores computed on the whole series)",
    "as-released": "as in the authors' release: per detector the whole series, or the test part scored alone",
}
_WINDOWS = {
    "tsb-ad": "the period of the judged part (TSB-AD's rule)",
    "paper": "the period of the judged part (the rule of the paper's code)",
    "labels": "the median length of the judged anomalies",
}
_DEFINITIONS = {
    "tsb-ad": "TSB-AD's current VUS (precision by steps)",
    "tab": "TAB's VUS (2022 definition, precision by trapezoids, windows up to twice the median anomaly); "
    "not comparable with TSB-AD's, and a constant score can earn 0.5 and more",
    "vus-2022": "the VUS of 2022 (precision by trapezoids)",
}


def protocol_notes(results: Results) -> list[str]:
    """Scope, definition, window, split, seeds, versions, and how much of the data there is."""
    protocol, suite = results.protocol, results.suite
    name, size = FULL_SETS.get(suite.data.layout, (suite.data.folder, 0))
    whole = f" of the {size} of {name}" if size else ""
    here = len(results.sources)
    absent = f"; {len(results.missing)} listed series are not here" if results.missing else ""
    window = _WINDOWS.get(str(protocol.window), f"{protocol.window} steps")
    return [
        f"Data: {here} series{whole}{absent}. Ours are means over these, the paper's over its own set.",
        f"Protocol: judged on {_SCOPES[protocol.scope]}; {_DEFINITIONS[protocol.definition]}; VUS window: {window}; "
        f"split: the training length of each file; seeds {', '.join(map(str, suite.seeds))} "
        "where a detector takes one, averaged per file first.",
        f"Made by paiad {__version__}, numpy {np.__version__}, Python {platform.python_version()}.",
    ]


def problem_notes(results: Results, choices: Iterable[Choice]) -> list[str]:
    """Undefined measures, jobs that are not done, constant scores, training on the test part; the same only once."""
    names_by_note: dict[str, list[str]] = {}
    for choice in choices:
        for note in _problems(results, choice):
            names_by_note.setdefault(note, []).append(choice.entry.name)
    return [f"{'; '.join(names)}: {note}" for note, names in names_by_note.items()]


def marked_name(name: str, choice: Choice | None) -> str:
    """A dagger for a detector whose training saw the test part."""
    return f"{name} †" if choice is not None and choice.entry.fit_on == "whole" else name


def _problems(results: Results, choice: Choice) -> Iterable[str]:
    name = choice.entry.name
    planned = [job for job in results.jobs if job.detector == name]
    ended = [results.rows.get(job.key) for job in planned]
    if name in results.lacking and not any(ended):
        yield f"not run. {results.lacking[name]}."
    else:
        yield from _not_done(planned, ended)
    undefined = results.reasons(choice)
    if undefined:
        yield f"a measure is undefined on {len(undefined)} series ({_some(undefined)})."
    constant = [job.source.name for job, row in zip(planned, ended, strict=True) if row and row["constant"]]
    if constant:
        yield f"the score is constant on {len(constant)} series ({', '.join(constant[:5])})."
    elsewhere = {row["notes"] for row in ended if row and row["code"] == ELSEWHERE}
    if elsewhere:
        many = sum(bool(row and row["code"] == ELSEWHERE) for row in ended)
        yield f"{many} of {len(planned)} jobs were {'; '.join(sorted(elsewhere))}, and their scores are not here."
    unmeasured = results.unmeasured(choice)
    if unmeasured:
        yield f"{unmeasured} jobs have no measures of this kind, and there are no scores here to take them from."
    uneven = uneven_counts(results, choice)
    if uneven:
        yield f"not all measures are of the same series: {uneven}."
    if choice.entry.fit_on == "whole":
        yield "† fitted on the whole series, the test part included."


def uneven_counts(results: Results, choice: Choice) -> str:
    """Over how many series each measure is a mean, where that is not the same for all that there are."""
    counts = {name: count(results.per_series(choice, name)) for name in results.protocol.measures}
    there = {name: n for name, n in counts.items() if n}
    if len(set(there.values())) < 2:
        return ""
    return ", ".join(f"{METRIC_NAMES.get(name, name)} {n}" for name, n in there.items())


def _not_done(planned: Sequence[PlannedJob], ended: Sequence[Mapping[str, Any] | None]) -> Iterable[str]:
    """Series without any score, and seeds that some series lack."""
    whys: dict[str, str] = {}
    done: set[str] = set()
    for job, row in zip(planned, ended, strict=True):
        if row is not None and row["status"] == "done":
            done.add(job.source.name)
        else:
            whys[job.source.name] = "not run yet" if row is None else f"{row['status']}: {row['reason']}"
    without = {series: why for series, why in whys.items() if series not in done}
    if not done and set(without.values()) == {"not run yet"}:
        yield "not run yet."
    elif without:
        yield f"no scores on {len(without)} series ({_some(without)})."
    lacking = len(done & whys.keys())
    if lacking:
        short = sum(1 for row in ended if row is None or row["status"] != "done")
        yield (
            f"fewer seeds than asked for on {lacking} series ({short} of {len(planned)} jobs are not done); their "
            "values are means over the seeds there are."
        )


def _some(reasons: dict[str, str], most: int = 5) -> str:
    shown = [f"{series}: {reason}" for series, reason in list(reasons.items())[:most]]
    more = len(reasons) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
