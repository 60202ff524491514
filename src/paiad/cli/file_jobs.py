"""One file from reading to report, and many of them at once over the cores."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paiad.benchmark.executors import Engine, Outcome, Work, run_jobs
from paiad.cli.told import told
from paiad.detecting import detect
from paiad.errors import PaiadError
from paiad.progress import track
from paiad.report import write_results
from paiad.report.files import Format, as_json


@dataclass(frozen=True)
class FileJob:
    """A file, the folder for its results, and the arguments of `paiad.detect`."""

    file: str
    folder: Path
    arguments: Mapping[str, Any]
    form: Format
    with_page: bool
    with_picture: bool


@dataclass(frozen=True)
class Judged:
    """What is told of a file that went well."""

    file: str
    events: int
    text: str
    document: dict[str, Any]
    lacking: tuple[str, ...]


@dataclass(frozen=True)
class Refused:
    """A file that could not be judged, and why; the reason names it."""

    file: str
    reason: str


def detect_file(job: FileJob) -> Judged:
    """Read, judge, and write the results."""
    found = detect(job.file, **job.arguments)
    written = write_results(found, job.folder, job.form, job.with_page, job.with_picture)
    outputs = {kind: str(path) for kind, path in written.files.items()}
    document = {**as_json(found), "file": job.file, "outputs": outputs}
    return Judged(job.file, len(found.events), told(found, written.files), document, written.missing)


def detect_files(work: list[FileJob], engine: Engine, quiet: bool) -> list[Judged | Refused]:
    """Several files at once; each is told of as it ends, and one that fails does not stop the others."""
    ended: list[Judged | Refused] = []
    with _nothing_half_written(work):
        for outcome in track(run_jobs(_work(), work, engine), "files", len(work)):
            one = _ended(work[outcome.index], outcome)
            ended.append(one)
            if isinstance(one, Judged) and not quiet:
                print(
                    f"{one.file}: {one.events or 'no'} event{'' if one.events == 1 else 's'}, "
                    f"{one.document['outputs'].get('report') or one.document['outputs']['events']}",
                    flush=True,
                )
    order = {job.file: place for place, job in enumerate(work)}
    return sorted(ended, key=lambda one: order[one.file])


def _work() -> Work:
    from paiad.cli.fitted_together import TOGETHER

    return replace(Work.of(attempt), together=TOGETHER)


def attempt(job: FileJob) -> Judged | Refused:
    """Judge a file, or say why it cannot be."""
    try:
        return detect_file(job)
    except (PaiadError, OSError) as error:
        return Refused(job.file, " ".join(str(error).split()))


def _ended(job: FileJob, outcome: Outcome) -> Judged | Refused:
    if outcome.status == "done":
        ended: Judged | Refused = outcome.value
        return ended
    return Refused(job.file, f"{job.file}: {outcome.reason or outcome.status}")


@contextmanager
def _nothing_half_written(work: list[FileJob]) -> Iterator[None]:
    """Workers that are ended in the middle of writing cannot tidy up behind themselves."""
    try:
        yield
    except BaseException:
        for job in work:
            for unfinished in job.folder.glob(".*.part"):
                unfinished.unlink(missing_ok=True)
        raise
