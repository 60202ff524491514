"""Saving and loading: bit-equal, proven, atomic, and closed to anything that is not ours."""

import io
import json
import os
import subprocess
import sys
import warnings
import zipfile
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from paiad import catalog, persistence, storable
from paiad.contracts import Scorer
from paiad.cover import Cover
from paiad.detectors.prototype import NearestPrototype
from paiad.errors import OutputError, StoredModelError
from paiad.fusion import Standardizer, Weights
from paiad.pai import PAI
from paiad.persistence import HEADER, StoredModelWarning, load_scorer, save_scorer, unpack
from paiad.storable import from_tree, recipe_as_dict, recipe_from_dict, recipe_hash, to_tree
from paiad.thresholds import AlertBudget, ExtremeValue


@pytest.fixture
def scorer(wave):
    return PAI(NearestPrototype(bank_size=50, leave_out=True)).fit(wave[:600])


@pytest.fixture
def saved(scorer, wave, tmp_path):
    return save_scorer(scorer, tmp_path / "model", probe=wave[:200])


def made(name):
    """The recipe of that name; the test is skipped where its extra is not installed."""
    try:
        return catalog.make(name)
    except ImportError as missing:
        pytest.skip(str(missing))


def altered(folder, change):
    """The header rewritten with a change in its body, and honest hashes."""
    header = json.loads((folder / HEADER).read_text())
    change(header)
    header["sha256"] = persistence.hashlib.sha256(storable.canonical(header["body"])).hexdigest()
    (folder / HEADER).write_text(json.dumps(header))


def test_the_loaded_scorer_gives_the_same_bits(scorer, saved, wave):
    loaded = load_scorer(saved)
    np.testing.assert_array_equal(loaded.score(wave), scorer.score(wave))
    np.testing.assert_array_equal(loaded.calibration, scorer.calibration)
    np.testing.assert_array_equal(loaded.explain(wave).contributions, scorer.explain(wave).contributions)
    assert loaded.weights == scorer.weights


def test_a_scorer_without_a_probe_proves_itself_on_noise(scorer, tmp_path):
    load_scorer(save_scorer(scorer, tmp_path / "model"))


def test_saving_again_replaces_and_leaves_no_litter(scorer, saved, wave):
    other = PAI(NearestPrototype(bank_size=20)).fit(wave[:300])
    save_scorer(other, saved)
    np.testing.assert_array_equal(load_scorer(saved).calibration, other.calibration)
    assert sorted(path.suffix for path in saved.iterdir()) == [".json", ".npz"]
    assert [path.name for path in saved.parent.iterdir()] == ["model"]


leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    arrays(st.sampled_from([np.float64, np.float32, np.int64, np.uint8, bool]), st.integers(0, 4)),
    st.floats(width=32).map(np.float32),
    st.builds(Standardizer, st.floats(), st.floats()),
)
things = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(things)
def test_any_tree_of_storable_things_comes_back(thing):
    held: dict[str, np.ndarray] = {}
    text = json.dumps(to_tree(thing, held), allow_nan=False)
    back = from_tree(json.loads(text), held)
    assert repr(back) == repr(thing)
    assert type(back) is type(thing)


@pytest.mark.parametrize("name", catalog.names())
def test_every_recipe_comes_back_from_its_dictionary(name):
    recipe = made(name)
    text = json.dumps(recipe_as_dict(recipe))
    assert recipe_from_dict(json.loads(text)) == recipe
    assert recipe_hash(recipe_from_dict(json.loads(text))) == recipe_hash(recipe)


def test_threshold_rules_and_thresholds_can_be_stored(scorer):
    assert recipe_from_dict(recipe_as_dict(AlertBudget(2, 60.0))) == AlertBudget(2, 60.0)
    held: dict[str, np.ndarray] = {}
    threshold = ExtremeValue().fit(scorer.calibration)
    back = from_tree(to_tree(threshold, held), held)
    assert back.value == threshold.value
    assert back.normal.tail == threshold.normal.tail


def test_the_hash_of_a_recipe_is_the_same_in_every_process():
    code = "from paiad import catalog, storable; print(storable.recipe_hash(catalog.make('pai-raw')))"
    seeds = [{**os.environ, "PYTHONHASHSEED": seed} for seed in ("1", "2")]
    found = {subprocess.check_output([sys.executable, "-c", code], env=env, text=True) for env in seeds}
    assert found == {recipe_hash(catalog.make("pai-raw")) + "\n"}
    assert recipe_hash(catalog.make("pai-raw", {"half_width": 8})) + "\n" not in found


def cut_arrays(folder):
    (path,) = folder.glob("*.npz")
    path.write_bytes(path.read_bytes()[:-100])


def flip_a_bit(folder):
    (path,) = folder.glob("*.npz")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def cut_header(folder):
    (folder / HEADER).write_text((folder / HEADER).read_text()[:200])


def alter_a_number(folder):
    text = (folder / HEADER).read_text()
    assert '"half_width": 32' in text
    (folder / HEADER).write_text(text.replace('"half_width": 32', '"half_width": 31'))


DAMAGES = [
    (cut_arrays, "npz is damaged or cut short"),
    (flip_a_bit, "npz is damaged or cut short"),
    (lambda folder: next(folder.glob("*.npz")).unlink(), "npz cannot be read"),
    (cut_header, "scorer.json is damaged or cut short"),
    (alter_a_number, "scorer.json was altered"),
    (lambda folder: (folder / HEADER).unlink(), "holds no saved scorer"),
    (lambda folder: (folder / HEADER).write_text('{"some": "thing"}'), "not of this library"),
    (lambda folder: (folder / HEADER).write_text("[1]"), "not of this library"),
    (lambda folder: altered(folder, lambda h: h.update(version=2)), "upgrade paiad"),
    (lambda folder: altered(folder, lambda h: h["body"]["scorer"].pop("weights")), "differs .* in: weights"),
    (lambda folder: altered(folder, lambda h: h["body"]["scorer"].update(more=1)), "differs .* in: more"),
    (lambda folder: altered(folder, lambda h: h["body"]["scorer"].update(base=3)), "damaged"),
    (lambda folder: altered(folder, lambda h: h["arrays"].update(file="../x.npz")), "cannot be its own"),
    (lambda folder: altered(folder, lambda h: h["body"].pop("probe")), "damaged"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_a_damaged_or_newer_folder_is_refused_by_name(saved, damage, message):
    damage(saved)
    with pytest.raises(StoredModelError, match=message) as refusal:
        load_scorer(saved)
    assert str(saved) in str(refusal.value)
    assert "\n" not in str(refusal.value)


UNKNOWN = ["os.system", "subprocess.Popen", "builtins.eval", "paiad.catalog.make", "paiad.pai.replace", "", 7]
UNKNOWN += ["paiad.detectors.nowhere.Thing", "paiad.detectors/../x.Thing", "paiad.detectors.usad.np.save"]


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_folder_cannot_name_code_to_run(saved, name):
    altered(saved, lambda header: header["body"]["scorer"].update(type=name))
    with pytest.raises(StoredModelError, match="does not know"):
        load_scorer(saved)


def test_pickled_arrays_are_not_read(saved):
    class Bomb:
        def __reduce__(self):
            return (os.abort, ())

    np.savez(saved / "bomb.npz", array_0=np.array([Bomb()], dtype=object))
    content = (saved / "bomb.npz").read_bytes()
    digest = persistence.hashlib.sha256(content).hexdigest()
    name = f"arrays-{digest[:16]}.npz"
    (saved / "bomb.npz").rename(saved / name)
    altered(saved, lambda header: header.update(arrays={"file": name, "sha256": digest}))
    with pytest.raises(StoredModelError, match=r"pickle|damaged"):
        load_scorer(saved)


def test_a_scorer_that_scores_otherwise_is_refused(saved):
    altered(saved, lambda header: header["body"]["scorer"]["weights"].update(deviation=0.61))
    with pytest.raises(StoredModelError, match=r"probe scores differ .* by 0\.0"):
        load_scorer(saved)


def test_a_difference_by_rounding_warns(saved):
    altered(saved, lambda header: header["body"]["scorer"]["weights"].update(deviation=0.6 + 1e-12))
    with pytest.warns(StoredModelWarning, match="probe scores differ .* by .*e-1"):
        load_scorer(saved)


ODD = (
    0,
    -1,
    -500,
    10**30,
    1e308,
    True,
    None,
    "",
    "../../etc/passwd",
    {"type": "float", "is": "nan"},
    {"type": "tuple", "items": []},
)


@pytest.mark.parametrize("seed", range(40))
def test_a_forged_folder_is_refused_in_one_line_or_scores_as_before(saved, scorer, wave, seed):
    """The hashes are made anew, so that nothing but the reading itself stands in the way."""
    random = np.random.default_rng(seed)

    def forge(header):
        places = list(leaves(header["body"]))
        holder, key = places[random.integers(len(places))]
        holder[key] = ODD[random.integers(len(ODD))]

    altered(saved, forge)
    refused, again = "", scorer.score(wave)
    try:
        again = load_scorer(saved).score(wave)
    except StoredModelError as problem:
        refused = str(problem)
    assert np.array_equal(again, scorer.score(wave))
    assert not refused or (refused.startswith(f"{saved}: ") and "\n" not in refused)


def leaves(tree):
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield tree, key
        if isinstance(value, (dict, list)):
            yield from leaves(value)


def test_arrays_that_claim_more_than_there_is_are_refused(saved):
    def claim(packed: bytes) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as file:
            for name in unpack(packed):
                header = io.BytesIO()
                about = {"descr": "<f8", "fortran_order": False, "shape": (10**13,)}
                np.lib.format.write_array_header_1_0(header, about)
                file.writestr(f"{name}.npy", header.getvalue() + bytes(80))
        return buffer.getvalue()

    with_arrays(saved, claim)
    with pytest.raises(StoredModelError, match="damaged"):
        load_scorer(saved)


def test_compressed_arrays_are_not_unfolded(saved):
    def compressed(packed: bytes) -> bytes:
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **unpack(packed), bomb=np.zeros(10**7))
        return buffer.getvalue()

    with_arrays(saved, compressed)
    with pytest.raises(StoredModelError, match="compressed"):
        load_scorer(saved)


def with_arrays(folder, change):
    """Other arrays, under a name and a hash that are right for them."""
    header = json.loads((folder / HEADER).read_text())
    old = folder / header["arrays"]["file"]
    packed = change(old.read_bytes())
    old.unlink()
    digest = persistence.hashlib.sha256(packed).hexdigest()
    header["arrays"] = {"file": f"arrays-{digest[:16]}.npz", "sha256": digest}
    (folder / header["arrays"]["file"]).write_bytes(packed)
    (folder / HEADER).write_text(json.dumps(header))


def test_a_link_laid_in_the_way_is_not_written_through(scorer, saved, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (saved / f".{HEADER}.{os.getpid()}").symlink_to(victim)
    save_scorer(scorer, saved)
    assert victim.read_text() == "mine"
    load_scorer(saved)


def test_a_scorer_replaced_while_it_is_read_is_read_anew(scorer, saved, wave, monkeypatch):
    other = scorer.weighing(Weights(1.0, 0.0, 0.0))
    real, calls = persistence._read_arrays, []

    def slowly(folder, header):
        calls.append(header)
        if len(calls) == 1:
            save_scorer(replace(other, training_evidence=scorer.training_evidence), saved, probe=wave[::-1])
        return real(folder, header)

    monkeypatch.setattr(persistence, "_read_arrays", slowly)
    assert np.array_equal(load_scorer(saved).score(wave), other.score(wave))
    assert len(calls) == 2


def test_a_probe_too_short_for_the_widest_patch_is_repeated(wave, tmp_path):
    scorer = catalog.make("best").fit(wave)
    header = json.loads((save_scorer(scorer, tmp_path / "best", probe=wave[:20]) / HEADER).read_text())
    stored = persistence._read_arrays(tmp_path / "best", header)
    values, _ = from_tree(header["body"]["probe"], stored)
    assert len(values) == scorer.reach.lookback + scorer.reach.lookahead + 1


def test_other_peoples_folders_and_files_are_not_overwritten(scorer, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StoredModelError, match="holds other files"):
        save_scorer(scorer, tmp_path)
    with pytest.raises(StoredModelError, match="is a file"):
        save_scorer(scorer, tmp_path / "notes.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_empty_folder_may_be_filled(scorer, tmp_path):
    load_scorer(save_scorer(scorer, tmp_path))


@pytest.mark.parametrize("existing", [True, False])
def test_a_full_disk_leaves_what_was_there(scorer, saved, wave, monkeypatch, existing):
    target = saved if existing else saved.parent / "new"
    before = sorted(saved.parent.rglob("*"))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=f"{target}: cannot be written: No space left"):
        save_scorer(replace(scorer, weights=Weights(9, 9, 9)), target)
    monkeypatch.undo()
    assert sorted(saved.parent.rglob("*")) == before
    np.testing.assert_array_equal(load_scorer(saved).score(wave), scorer.score(wave))


# One process forks savers and kills them, so that the library is imported once only.
SAVE_AND_KILL = """
import itertools, os, signal, sys, time
from pathlib import Path
import numpy as np
from paiad.detectors.prototype import NearestPrototype
from paiad.persistence import load_scorer, save_scorer
folder = Path(sys.argv[1])
wave = np.sin(np.arange(3000) / 8.0)
scorers = [NearestPrototype(bank_size=size).fit(wave) for size in (200, 300)]

started = time.perf_counter()
save_scorer(scorers[0], folder / "measured", probe=wave[:100])
one_save = time.perf_counter() - started

outcomes = set()
for turn in range(24):
    target = folder / ("new" + str(turn) if turn % 2 else "again")
    existed = target.exists()
    child = os.fork()
    if not child:
        for round in itertools.count():
            save_scorer(scorers[round % 2], target, probe=wave[:100])
    time.sleep(one_save * (turn + 1) / 12)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if target.exists():
        assert len(load_scorer(target).bank.prototypes) > 150
        outcomes.add("whole")
    else:
        assert not existed
        outcomes.add("none")
    # What was left behind does not hinder the next one.
    load_scorer(save_scorer(scorers[1], target, probe=wave[:100]))
print(sorted(outcomes))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killing_the_process_leaves_a_whole_scorer_or_none(tmp_path):
    found = subprocess.check_output([sys.executable, "-c", SAVE_AND_KILL, str(tmp_path)], text=True)
    assert "whole" in found


@dataclass(frozen=True, eq=False)
class Foreign(Scorer):
    calibration: np.ndarray
    cover: Cover

    def score(self, values):
        return np.abs(np.asarray(values, dtype=np.float64)) * self.cover.width


def test_a_plugins_class_is_stored_once_it_is_allowed(tmp_path):
    foreign = Foreign(np.arange(3.0), Cover(4))
    with pytest.raises(StoredModelError, match=r"paiad\.storable\.allow"):
        save_scorer(foreign, tmp_path / "model")
    storable.allow(Foreign)
    try:
        loaded = load_scorer(save_scorer(foreign, tmp_path / "model"))
        assert loaded.cover == Cover(4)
    finally:
        storable._plugins.clear()
    with pytest.raises(StoredModelError, match="does not know"):
        load_scorer(tmp_path / "model")


def test_things_that_are_no_data_are_refused():
    for thing in (object(), lambda: None, {1, 2}, b"bytes"):
        with pytest.raises(StoredModelError, match="cannot be stored"):
            to_tree(thing, {})
    with pytest.raises(StoredModelError, match="array of object"):
        to_tree(np.array([None]), {})


def test_loading_gives_no_warning(saved):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_scorer(saved)
