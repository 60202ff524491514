"""What is known of each series beside any detector: its length, the kind of its anomalies, its recording."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

from paiad.benchmark.anomaly_types import judged
from paiad.benchmark.executors import Engine, Work, run_jobs
from paiad.benchmark.key import source_digest
from paiad.benchmark.notes import notes
from paiad.benchmark.sources import Source
from paiad.benchmark.store import Store
from paiad.progress import track


@dataclass(frozen=True)
class Fact:
    """`recording` is equal for series of a family with the same labels: channels, or distorted copies, of one."""

    length: int
    recording: str
    kind: str
    amplitude: float
    pattern: float
    events: int


def facts_of(store: Store, sources: Sequence[Source], engine: Engine) -> dict[str, Fact]:
    """The facts of every series by name, found once and kept in the store; of one that cannot be read, none."""
    rule = source_digest(("paiad.benchmark.anomaly_types",))
    known = store.facts(rule)
    missing = [source for source in sources if source.digest not in known]
    for outcome in track(run_jobs(Work.of(_fact), missing, engine), "kinds of anomalies", len(missing)):
        source = missing[outcome.index]
        if outcome.status == "done":
            known[source.digest] = outcome.value
            store.save_fact(source.digest, rule, outcome.value)
    return {source.name: known.get(source.digest, _unknown(source)) for source in sources}


def _unknown(source: Source) -> Fact:
    """Every job on such a series says why it cannot be read."""
    return Fact(0, source.digest, "undetermined", nan, nan, 0)


def _fact(source: Source) -> Fact:
    series = source.load()
    assert series.labels is not None
    recording = hashlib.sha256(source.family.encode() + series.labels.tobytes()).hexdigest()[:12]
    with notes():
        found = judged(series)
    return Fact(len(series), recording, found.kind, found.amplitude, found.pattern, found.events)
