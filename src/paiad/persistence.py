"""A fitted scorer in a folder, and back: JSON for the structure, one npz file for the arrays, no pickle.

The folder holds `scorer.json` and `arrays-<hash>.npz`. The JSON names the arrays file and its hash, so that
replacing that one small file, which is atomic, switches from the old scorer to the new. numpy's own npz is
the format of the arrays because the base install reads it without another package, keeps every bit, has a
checksum for each array, and, read with pickle forbidden, cannot run code.
"""

import contextlib
import hashlib
import io
import json
import os
import shutil
import tempfile
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from paiad.contracts import Scorer
from paiad.errors import (
    InputError,
    MissingExtraError,
    MissingWeightsError,
    StoredModelError,
    TooShortError,
    writing_to,
)
from paiad.series import as_values
from paiad.shapes import Scores, Values
from paiad.storable import canonical, from_tree, to_tree

FORMAT = "paiad scorer"
VERSION = 1
HEADER = "scorer.json"
PROBE_LENGTHS = (256, 1024, 4096, 16384)
SAME_ENOUGH = 1e-6  # relative; another processor may round sums in another order


class StoredModelWarning(UserWarning):
    """A loaded scorer gives scores that differ in the last digits from those it gave when it was saved."""


def save_scorer(scorer: Scorer, folder: str | os.PathLike[str], probe: Values | None = None) -> Path:
    """Write the scorer into `folder`; a crash at any moment leaves what was there before, or the new one.

    `probe` are values whose scores are stored too, and are computed again when the folder is loaded; a few
    hundred values like those to be scored are best, and seeded noise is taken when there are none.
    """
    target = Path(folder)
    arrays: dict[str, np.ndarray] = {}
    body = {"scorer": to_tree(scorer, arrays), "probe": to_tree(_probe(scorer, probe), arrays)}
    packed = pack(arrays)
    digest = hashlib.sha256(packed).hexdigest()
    header = _header(body, f"arrays-{digest[:16]}.npz", digest)
    with writing_to(target):
        if target.exists():
            _replace_contents(target, header, packed)
        else:
            _create(target, header, packed)
    return target


def load_scorer(folder: str | os.PathLike[str]) -> Scorer:
    """The scorer saved in `folder`, after its probe has been scored again.

    Differences beyond rounding are refused; differences by rounding (another processor) warn.
    """
    path = Path(folder)
    try:
        body, arrays = _read_whole(path)
        scorer = from_tree(body["scorer"], arrays)
        if not isinstance(scorer, Scorer):
            raise StoredModelError(f"holds a {type(scorer).__name__}, not a scorer")
        values, stored = from_tree(body["probe"], arrays)
        rounding = _proven(scorer.score(values), stored)
    except StoredModelError as problem:
        raise StoredModelError(f"{path}: {problem}") from None
    except (MissingExtraError, MissingWeightsError):
        raise
    # Whatever else goes wrong on the way, up to memory that numbers in the file ask for, is the file's fault.
    except Exception as problem:
        why = str(problem).partition("\n")[0] or type(problem).__name__
        raise StoredModelError(f"{path}: damaged ({why}); save the scorer again") from problem
    if rounding:
        warnings.warn(f"{path}: {rounding} (rounding on another machine)", StoredModelWarning, stacklevel=2)
    return scorer


def pack(arrays: dict[str, np.ndarray]) -> bytes:
    """Named arrays in numpy's npz format."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpack(packed: bytes) -> dict[str, np.ndarray]:
    """The arrays that `pack` wrote; ValueError where they are damaged, or objects that only pickle could read."""
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as file:
            # `pack` does not compress; a small file that unfolds to fill the memory is not from here.
            if any(one.compress_type != zipfile.ZIP_STORED for one in file.zip.infolist()):
                raise ValueError("its arrays are compressed")
            return {key: file[key] for key in file.files}
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        KeyError,
        AttributeError,
        NotImplementedError,
    ) as problem:
        raise ValueError(str(problem) or type(problem).__name__) from problem


def write_whole(path: Path, content: bytes) -> None:
    """Write the file in one piece: after a crash it holds what it held before, or all of this."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.unlink(missing_ok=True)  # of a process of the same number that died
        with temporary.open("xb") as file:  # never through a link that somebody has laid there
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _probe(scorer: Scorer, given: Values | None) -> tuple[Values, Scores]:
    if given is not None:
        values = as_values(given, "probe")
        # Repeated until they are long enough for every part of the scorer to have a say.
        needed = 1 if scorer.reach is None else scorer.reach.lookback + scorer.reach.lookahead + 1
        values = np.resize(values, max(len(values), needed))
        return values, scorer.score(values)
    for length in PROBE_LENGTHS:
        values = _noise_with_a_step(length)
        with contextlib.suppress(TooShortError):
            return values, scorer.score(values)
    raise InputError(
        f"the scorer refuses {PROBE_LENGTHS[-1]} values of noise; give save_scorer a `probe` of your own"
    )


def _noise_with_a_step(length: int) -> Values:
    values = np.random.default_rng(0).normal(size=length)
    values[length // 2 :] += 3.0
    return values


def _header(body: dict[str, Any], arrays_file: str, digest: str) -> bytes:
    from paiad import __version__

    header = {
        "format": FORMAT,
        "version": VERSION,
        "paiad": __version__,
        "arrays": {"file": arrays_file, "sha256": digest},
        "sha256": hashlib.sha256(canonical(body)).hexdigest(),
        "body": body,
    }
    return json.dumps(header, indent=1, allow_nan=False).encode()


def _create(target: Path, header: bytes, packed: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        building.chmod(0o755)
        write_whole(building / _arrays_file(header), packed)
        write_whole(building / HEADER, header)
        _sync_folder(building)
        building.rename(target)
        _sync_folder(target.parent)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise


def _replace_contents(target: Path, header: bytes, packed: bytes) -> None:
    if not target.is_dir():
        raise StoredModelError(f"{target}: is a file; a scorer is saved as a folder")
    if any(target.iterdir()) and not (target / HEADER).is_file():
        raise StoredModelError(f"{target}: holds other files; choose an empty or a new folder")
    write_whole(target / _arrays_file(header), packed)
    _sync_folder(target)
    write_whole(target / HEADER, header)
    _sync_folder(target)
    for old in target.glob("arrays-*.npz"):
        if old.name != _arrays_file(header):
            old.unlink()


def _arrays_file(header: bytes) -> str:
    return str(json.loads(header)["arrays"]["file"])


def _sync_folder(path: Path) -> None:
    if os.name == "nt":  # Windows cannot sync a folder
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read_header(path: Path) -> dict[str, Any]:
    try:
        header = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise StoredModelError(f"holds no saved scorer ({HEADER} is missing)") from None
    except OSError as problem:
        raise StoredModelError(f"{HEADER} cannot be read ({problem.strerror})") from None
    except ValueError:
        raise StoredModelError(f"{HEADER} is damaged or cut short; save the scorer again") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise StoredModelError(f"{HEADER} is not of this library")
    if header.get("version") != VERSION:
        raise StoredModelError(
            f"written in format {header.get('version')!r} by paiad {header.get('paiad')}; this version reads "
            f"format {VERSION}: upgrade paiad, or save the scorer again"
        )
    if hashlib.sha256(canonical(header["body"])).hexdigest() != header["sha256"]:
        raise StoredModelError(f"{HEADER} was altered after it was written; save the scorer again")
    return header


def _read_whole(folder: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What the folder describes, and its arrays."""
    header = _read_header(folder / HEADER)
    try:
        arrays = _read_arrays(folder, header)
    except StoredModelError:
        # Another process may have put a newer scorer here since; its header names other arrays.
        if _read_header(folder / HEADER)["arrays"] == header["arrays"]:
            raise
        return _read_whole(folder)
    return header["body"], arrays


def _read_arrays(folder: Path, header: dict[str, Any]) -> dict[str, np.ndarray]:
    name, digest = header["arrays"]["file"], header["arrays"]["sha256"]
    if name != f"arrays-{digest[:16]}.npz" or Path(name).name != name:
        raise StoredModelError(f"{HEADER} names an arrays file that cannot be its own: {name!r}")
    try:
        packed = (folder / name).read_bytes()
    except OSError as problem:
        raise StoredModelError(f"{name} cannot be read ({problem.strerror})") from None
    if hashlib.sha256(packed).hexdigest() != digest:
        raise StoredModelError(f"{name} is damaged or cut short; save the scorer again")
    try:
        return unpack(packed)
    except ValueError as problem:
        raise StoredModelError(f"{name} is damaged ({problem})") from None


def _proven(scores: Scores, stored: Scores) -> str:
    """By how much the scores differ from the stored ones, in words; "" when by nothing, refused when by much."""
    if np.array_equal(scores, stored, equal_nan=True):
        return ""
    if scores.shape != stored.shape:
        raise StoredModelError(f"gives {len(scores)} scores for its {len(stored)} probe values")
    size = max(float(np.max(np.abs(stored))), float(np.finfo(np.float64).tiny))
    difference = float(np.max(np.abs(scores - stored))) / size
    what = f"its probe scores differ from the stored ones by {difference:.1g} of the largest"
    if not difference <= SAME_ENOUGH:
        raise StoredModelError(f"{what}; fit and save the scorer again with this version")
    return what
