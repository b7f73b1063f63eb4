"""Read runs kept beside their files: used only while every file is the one that was read."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from campaigns.formats.runs import cache as module
from campaigns.formats.runs.cache import FOLDER, MOST_SETS, RunCache
from campaigns.formats.runs.files import read_and_keep, whole_run
from campaigns.formats.runs.joined import JoinedRuns, distinct_words, join_runs
from evaluation.measures.ordering import ScorePrecision

LINES = {
    "x.txt": ["2 Q0 b 1 9 x", "2 Q0 a 2 8 x", "1 Q0 naïve 1 1e-3 x"],
    "y.txt": ["1 Q0 c 1 5 y", "1 Q0 naïve 2 5 y", "3 Q0 d 1 1 y"],
}


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a moment ago are kept, too."""
    monkeypatch.setattr(module, "SETTLED_SECONDS", -1.0)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    for name, lines in LINES.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return [tmp_path / name for name in LINES]


def read(files: list[Path], score_precision: ScorePrecision = 64) -> JoinedRuns:
    kept = read_and_keep(files, whole_run, order="score", score_precision=score_precision, jobs=1, taken=None)
    return join_runs(kept[1])


def cache_of(files: list[Path], score_precision: ScorePrecision = 64) -> RunCache:
    cache = RunCache.of(files, "score", score_precision)
    assert cache is not None
    return cache


def kept(files: list[Path]) -> Path:
    """Read the files, keep that, and give the cache file."""
    cache = cache_of(files)
    cache.save(read(files))
    return cache.file


def as_lists(runs: JoinedRuns) -> object:
    def listed(arrays: list[np.ndarray | None]) -> list[object]:
        return [None if one is None else (one.dtype.name, one.tolist()) for one in arrays]

    topics = [(one.number, one.docnos, listed([*one.rankings]), listed([*one.scores])) for one in runs.topics]
    return runs.tags, topics, runs.reports


def test_what_is_kept_is_what_was_read(files: list[Path]) -> None:
    assert cache_of(files).load() is None
    file = kept(files)
    assert file.parent == files[0].parent / FOLDER
    loaded = cache_of(files).load()
    assert loaded is not None
    assert as_lists(loaded) == as_lists(read(files))
    assert loaded.topics[1].docnos == ["c", "naïve"]
    assert loaded.topics[0].rankings[1] is None


def test_each_set_and_order_of_files_has_its_own(files: list[Path]) -> None:
    kept(files)
    assert cache_of(files[:1]).load() is None
    assert cache_of(files[::-1]).load() is None
    by_rank = RunCache.of(files, "rank", 64)
    assert by_rank is not None
    assert by_rank.load() is None
    assert cache_of(files).load() is not None


def test_each_precision_of_scores_has_its_own(files: list[Path]) -> None:
    kept(files)
    older = cache_of(files, 32)
    assert older.load() is None
    older.save(read(files, 32))
    for bits in (32, 64):
        loaded = cache_of(files, bits).load()
        assert loaded is not None
        assert as_lists(loaded) == as_lists(read(files, bits))
        assert loaded.topics[1].scores[0] is not None
        assert loaded.topics[1].scores[0].itemsize == bits // 8


def rewritten(file: Path) -> None:
    file.write_text(file.read_text().replace("9", "7"))


def rewritten_with_its_time(file: Path) -> None:
    found = file.stat()
    rewritten(file)
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))


def replaced(file: Path) -> None:
    other = file.with_name("other")
    other.write_text(file.read_text().replace("9", "7"))
    found = file.stat()
    os.utime(other, ns=(found.st_atime_ns, found.st_mtime_ns))
    other.replace(file)


def lengthened(file: Path) -> None:
    with file.open("a") as out:
        out.write("2 Q0 z 3 1 x\n")


@pytest.mark.parametrize("change", [rewritten, rewritten_with_its_time, replaced, lengthened])
def test_a_changed_file_is_read_again(files: list[Path], change: object) -> None:
    file = kept(files)
    before = cache_of(files).identity
    deadline = time.monotonic() + 20
    # File systems count time in steps: a change in the step of the one before has no time of its own.
    while cache_of(files).identity == before and time.monotonic() < deadline:
        change(files[0])  # type: ignore[operator]
    assert cache_of(files).load() is None
    assert kept(files) == file
    loaded = cache_of(files).load()
    assert loaded is not None
    assert as_lists(loaded) == as_lists(read(files))


def test_another_version_of_the_reader_reads_again(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(files)
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    assert cache_of(files).load() is None


def test_a_file_that_changes_while_it_is_read_is_not_kept(files: list[Path]) -> None:
    cache = cache_of(files)
    runs = read(files)
    lengthened(files[1])
    cache.save(runs)
    assert not cache.file.exists()


def test_files_of_a_moment_ago_are_not_kept(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_of(files).is_writable
    monkeypatch.setattr(module, "SETTLED_SECONDS", 3600.0)
    assert not cache_of(files).is_writable


def test_a_damaged_cache_is_as_none(files: list[Path]) -> None:
    file = kept(files)
    whole, true = file.read_bytes(), as_lists(read(files))
    rng = np.random.default_rng(8)
    for at in rng.integers(0, len(whole), 400).tolist():
        damaged = bytearray(whole)
        damaged[at] ^= 1 << int(rng.integers(8))
        file.write_bytes(damaged)
        loaded = cache_of(files).load()
        assert loaded is None or as_lists(loaded) == true
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        assert cache_of(files).load() is None
    kept(files)
    assert cache_of(files).load() is not None


def test_parts_that_do_not_fit_together_are_damage(files: list[Path]) -> None:
    file = kept(files)
    with np.load(file) as parts:
        arrays = dict(parts)
    for name in arrays.keys() - {"identity"}:
        shorter = arrays[name][:-1] if name != "docnos" else arrays[name][:-2]
        np.savez(file, **arrays | {name: shorter})
        assert cache_of(files).load() is None, name
        np.savez(file, **{other: array for other, array in arrays.items() if other != name})
        assert cache_of(files).load() is None


def test_nothing_is_kept_in_a_folder_without_write_permission(files: list[Path]) -> None:
    folder = files[0].parent
    folder.chmod(0o555)
    try:
        assert not cache_of(files).is_writable
    finally:
        folder.chmod(0o755)


def test_a_cache_that_cannot_be_written_is_none(files: list[Path]) -> None:
    (files[0].parent / FOLDER).write_text("in the way")
    cache = cache_of(files)
    cache.save(read(files))
    assert cache.load() is None
    assert (files[0].parent / FOLDER).read_text() == "in the way"


def test_a_failed_write_leaves_nothing_behind(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(out: object, **arrays: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    cache = cache_of(files)
    cache.save(read(files))
    assert list(cache.file.parent.iterdir()) == []


def test_what_a_killed_command_left_is_removed_later(files: list[Path]) -> None:
    folder = kept(files).parent
    old, new = folder / "old.part", folder / "new.part"
    for part in (old, new):
        part.write_text("half")
    os.utime(old, (1, 1))
    kept(files)
    assert [part.exists() for part in (old, new)] == [False, True]


def test_what_is_no_regular_file_is_not_kept(files: list[Path], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert RunCache.of([files[0], tmp_path / "pipe"], "score", 64) is None
    assert RunCache.of([tmp_path / "absent"], "score", 64) is None


def test_large_sets_are_not_kept(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 50)
    assert RunCache.of(files, "score", 64) is None


def test_a_moved_collection_keeps_its_cache(files: list[Path], tmp_path: Path) -> None:
    kept(files)
    (tmp_path / "inner").mkdir()
    for name in (*LINES, FOLDER):
        (tmp_path / name).rename(tmp_path / "inner" / name)
    moved = [tmp_path / "inner" / name for name in LINES]
    found = cache_of(moved).load()
    # A rename changes a file's times on some systems; then it is read again.
    assert found is None or as_lists(found) == as_lists(read(moved))


def test_the_latest_sets_stay(files: list[Path], tmp_path: Path) -> None:
    for place in range(MOST_SETS + 2):
        (tmp_path / f"{place}.txt").write_text("1 Q0 a 1 1 t\n")
        file = kept([tmp_path / f"{place}.txt"])
        os.utime(file, (place, place))
    assert len(list((tmp_path / FOLDER).glob("*.npz"))) == MOST_SETS
    assert cache_of([tmp_path / f"{MOST_SETS + 1}.txt"]).load() is not None
    assert (tmp_path / FOLDER / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("kind", ["S3", "S8", "S24", object])
def test_distinct_words_are_those_of_a_slow_count(kind: object) -> None:
    rng = np.random.default_rng(1)
    listed = [b"%d" % n for n in rng.integers(0, 300, 2000)]
    words = np.array(listed, dtype=kind)  # type: ignore[call-overload]
    names, places = distinct_words(words)
    assert names.tolist() == sorted(set(listed))
    assert places.dtype == np.int32
    assert [names[place] for place in places] == listed
    none, nowhere = distinct_words(words[:0])
    assert len(none) == len(nowhere) == 0
