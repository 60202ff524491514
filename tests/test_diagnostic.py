from pathlib import Path

import numpy as np
import pytest

from paiad.bank import MemoryBank
from paiad.detectors.prototype import NearestPrototype
from paiad.diagnostic import READINGS, STRENGTHS, diagnose, radial_share
from paiad.encoders.raw import RawPatches, ShapePatches
from paiad.errors import TooShortError
from paiad.ranks import auc_roc, average_ranks, spearman
from paiad.series import Series
from paiad.synthetic import KINDS, inject, seasonal


@pytest.fixture(scope="module")
def noisy() -> Series:
    return Series("wave", seasonal(3000, noise=0.1, seed=3))


def test_a_shape_encoder_is_blind_where_a_raw_one_sees_and_pai_gives_it_back(noisy: Series) -> None:
    blind = diagnose(noisy, NearestPrototype(ShapePatches(32), leave_out=True))
    seeing = diagnose(noisy, NearestPrototype(RawPatches(32), leave_out=True))
    at = {(i.kind, i.strength): i.auc for i in blind.injections}
    raw = {(i.kind, i.strength): i.auc for i in seeing.injections}
    assert len(at) == len(KINDS) * len(STRENGTHS)
    assert raw["level shift", 1.0]["euclidean"] > 0.99
    assert at["level shift", 1.0]["euclidean"] < 0.97
    assert at["level shift", 8.0]["pai"] > 0.99
    gained = np.mean([a["pai"] - a["euclidean"] for (kind, _), a in at.items() if kind == "intensity change"])
    assert gained > 0.02
    assert blind.radial_share < 1e-6 < seeing.radial_share


def test_the_verdict_names_every_kind_and_what_pai_does(noisy: Series) -> None:
    verdict = " ".join(diagnose(noisy, NearestPrototype(ShapePatches(32), leave_out=True)).verdict)
    for kind in KINDS:
        assert kind in verdict
    assert "PAI" in verdict


def test_places_that_are_odd_by_nature_do_not_pass_for_what_was_put_there() -> None:
    """A short normal part whose parts differ: few places would score anything from 0 to 1 with nothing altered."""
    step = np.arange(1000)
    values = np.sin(step / 5) * (1 + (step // 150) % 2) + np.random.default_rng(0).normal(
        scale=0.2, size=1000
    )
    found = diagnose(Series("short", values), NearestPrototype(ShapePatches(64)))
    assert all(abs(auc - 0.5) < 0.2 for auc in found.untouched.values())
    faint = [one.auc for one in found.injections if one.strength == STRENGTHS[0] and one.kind == "spike"]
    for reading in READINGS:
        assert faint[0][reading] == pytest.approx(found.untouched[reading], abs=0.2)


def test_only_the_strength_differs_between_strengths(noisy: Series) -> None:
    found = diagnose(noisy, NearestPrototype(RawPatches(32), leave_out=True))
    for kind in ("level shift", "variance change", "spike"):
        aucs = [one.auc["euclidean"] for one in found.injections if one.kind == kind]
        assert np.all(np.diff(aucs) > -0.02)  # the stronger the easier


def test_short_patches_are_tried_with_anomalies_longer_than_one_step() -> None:
    noise = Series("noise", np.random.default_rng(0).normal(size=3000))
    found = diagnose(noise, NearestPrototype(RawPatches(1), leave_out=True))
    shift = {one.strength: one.auc for one in found.injections if one.kind == "level shift"}
    assert shift[1.0]["pai"] > shift[1.0]["euclidean"] + 0.05  # a local mean over one step would add nothing


def test_the_same_seed_gives_the_same_diagnosis(noisy: Series) -> None:
    detector = NearestPrototype(RawPatches(32))
    assert diagnose(noisy, detector, seed=5).injections == diagnose(noisy, detector, seed=5).injections


def test_with_labels_the_metrics_of_all_three_readings_are_given() -> None:
    values = seasonal(3000, seed=4)
    labels = np.zeros(3000, dtype=np.int64)
    values[2500:2530] += 4
    labels[2500:2530] = 1
    found = diagnose(
        Series("labelled", values, labels=labels, train_end=2000), NearestPrototype(RawPatches(32))
    )
    assert set(found.labelled) == set(READINGS)
    assert found.labelled["pai"]["VUS-PR"] > 0.5


def test_too_little_normal_data_is_refused_with_what_is_needed() -> None:
    with pytest.raises(
        TooShortError, match="short: the diagnostic holds back 40% of the normal values, and needs 128"
    ):
        diagnose(Series("short", seasonal(200)), NearestPrototype(RawPatches(32)))


def test_radial_share_of_vectors_that_differ_in_length_alone_is_one() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert radial_share(3 * rows, MemoryBank.whole(rows)) == pytest.approx(1.0)
    assert radial_share(np.array([[0.6, 0.8]]), MemoryBank.whole(rows)) == pytest.approx(0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_injections_change_only_what_they_label_or_stand_in(kind: str) -> None:
    values = seasonal(1000)
    found = inject(values, kind, 2.0, 20, 5, np.random.default_rng(0))
    changed = found.values != values
    assert found.labels.sum() == (5 if kind == "spike" else 100)
    assert changed.sum() > 0
    if kind != "spike":
        assert not changed[found.labels == 0].any()
    else:
        assert np.array_equal(changed, found.labels == 1)


def test_a_shape_change_keeps_mean_and_spread() -> None:
    values = np.random.default_rng(0).normal(size=400)
    found = inject(values, "shape change", 3.0, 50, 2, np.random.default_rng(1))
    starts = np.flatnonzero(np.diff(found.labels, prepend=0) == 1)
    for start in starts:
        part = slice(start, start + 50)
        assert found.values[part].mean() == pytest.approx(values[part].mean())
        assert found.values[part].std() == pytest.approx(values[part].std())


def test_ranks_agree_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, 80).astype(float), rng.normal(size=80)
    assert np.array_equal(average_ranks(a), stats.rankdata(a))
    assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)
    u = stats.mannwhitneyu(a[:30], a[30:]).statistic
    assert auc_roc(a[:30], a[30:]) == pytest.approx(u / (30 * 50))
    assert np.isnan(spearman(np.ones(5), np.arange(5.0)))


def test_the_picture_is_drawn(noisy: Series, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from paiad.report.diagnosis import draw_diagnosis

    draw_diagnosis(diagnose(noisy, NearestPrototype(ShapePatches(32), leave_out=True)), tmp_path / "d.png")
    assert (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")
