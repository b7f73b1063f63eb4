"""Memory of the readers at its peak, measured in a process of its own."""

from __future__ import annotations

import base64
import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from warcio.warcwriter import WARCWriter

from config.embedded.machine import PROJECT
from tests.campaigns.formats.sample_files import write_page

MEGABYTES = 4
SIZE = MEGABYTES << 20
# Beside the file: a block as columns, all words as long as they may be.
BLOCK_MEGABYTES = 60

CHILD = """
import re, sys
from pathlib import Path
from random import Random
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.errors import FormatError
from campaigns.formats.grading import Grading
from campaigns.formats.prels import read_prels, read_strata
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs.files import read_runs
from campaigns.formats.topics import read_topics

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

def upload_run(file, name):
    (run,) = read_runs(file, name, in_memory=False)
    print(sum(len(ranking.scores) for ranking in run.rankings.values()), file=sys.stderr)

def prels(read):
    return lambda file, name: print(sum(map(len, read(file, Grading()).values())), file=sys.stderr)

def documents(file, name):
    print(sum(1 for _ in iter_documents(file, name)), file=sys.stderr)

readers = {"documents": documents, "run": read_runs, "upload": upload_run, "qrels": read_qrels,
           "topics": read_topics, "prels": prels(read_prels), "strata": prels(read_strata)}
before = peak()
try:
    readers[sys.argv[1]](Path(sys.argv[2]), "f")
except FormatError as error:
    print(error.errors[0].detail, file=sys.stderr)
print(peak() - before)
"""


def runs_with(every: int, place: int, word: bytes) -> bytes:
    """Short lines; each `every`th has a long word in one place."""
    lines = []
    for number in range(SIZE // 18):
        words = b"1 Q0 %d 1 %d t" % (number, number % 7)
        if number % every == every // 2:
            long = words.split()
            long[place] = word[len(long[place]) :] + long[place]
            words = b" ".join(long)
        lines.append(words + b"\n")
    return b"".join(lines)


def repeated(line: bytes) -> bytes:
    """Lines up to the size of a test file; `%d` becomes the line's number."""
    count = SIZE // len(line)
    if b"%d" not in line:
        return line * count
    return b"".join(line.replace(b"%d", b"%d" % number) for number in range(count))


LONG = b"d" * 500
# Made when needed, not when tests are collected.
CASES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "one long docno": ("run", lambda: runs_with(1 << 30, 2, b"d" * 512)),
    "a long docno in each block": ("run", lambda: runs_with(10_000, 2, b"d" * 512)),
    "a long topic in each block": ("run", lambda: runs_with(10_000, 0, b"d" * 100)),
    "a long tag in each block": ("run", lambda: runs_with(10_000, 5, b"d" * 200)),
    "long docnos only": ("run", lambda: repeated(b"1 Q0 " + LONG + b"%d 1 1 t\n")),
    "one docno": ("run", lambda: repeated(b"1 Q0 d 1 1 t\n")),
    "alternating topics": (
        "run",
        lambda: b"".join(b"%d Q0 %d 1 1 t\n" % (n % 99, n) for n in range(200_000)),
    ),
    "qrels of one topic": ("qrels", lambda: repeated(b"1 0 %d 1\n")),
    "qrels of long docnos": ("qrels", lambda: repeated(b"1 0 " + LONG + b"%d 1\n")),
    "prels of long docnos": ("prels", lambda: repeated(b"1 " + LONG + b"%d 1 1 1\n")),
    "short lines": ("topics", lambda: b"<top>\n<num> 1\n<title> t\n" + repeated(b"ab\n") + b"</top>\n"),
}
REFUSED: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a long word": ("run", lambda: runs_with(10_000, 2, b"d" * 60_000), "docno longer than 512 bytes"),
    "a long score": ("run", lambda: runs_with(10_000, 4, b"1" * 60_000), "score longer than 64 bytes"),
    "a line without end": ("run", lambda: b"x" * SIZE, "a line longer than 65,536 bytes"),
    "columns without end": ("run", lambda: repeated(b"1 "), "a line longer than 65,536 bytes"),
    "many columns": ("run", lambda: repeated(b"1 " * 30_000 + b"\n"), "30000 columns where a run has 6"),
    "qrels of many lines": ("qrels", lambda: b"1 0 d 1\n" * 1_500_001, "more than 1,500,000 lines"),
    "qrels of blank lines": ("qrels", lambda: b"\n" * 1_500_001, "more than 1,500,000 lines"),
    "prels of many lines": ("prels", lambda: b"#\n" * 1_000_001, "more than 1,000,000 lines"),
    "strata of many lines": ("strata", lambda: b"#\n" * 1_000_001, "more than 1,000,000 lines"),
    "topics of many lines": (
        "topics",
        lambda: b"".join(b"<top><num>%d<title>t" % i + b"\n" * 100_000 for i in range(26)),
        "more than 2,500,000 lines",
    ),
    "a run of blank lines": ("run", lambda: b"\n" * SIZE, "more than 100,000 comments and blank lines"),
    "a topic a line": ("run", lambda: repeated(b"%d Q0 d 1 1 t\n"), "more than 100,000 topics"),
    "qrels without end": ("qrels", lambda: repeated(b"1 "), "a line longer than 65,536 bytes"),
    "a long method": ("prels", lambda: b"1 d 1 " + b"1" * 60_000 + b" 1\n", "a word longer than 512 bytes"),
    "a topic each line": ("topics", lambda: numbered(100_001, "{0}\ta\n"), "more than 100,000 topics in one"),
    "nested tags": ("topics", lambda: b"<topic>\n" + repeated(b"<a>\n"), "more than 32 elements inside"),
    "a tag without end": ("topics", lambda: b"<topics>\n<topic " + repeated(b"a%d='1'\n"), "a tag larger"),
    "names of tags": ("topics", lambda: b"<topic>\n" + repeated(b"<a%d/>\n"), "more than 1,000 names of"),
    "topics without end": ("topics", lambda: repeated(b"<top> "), "a line longer than 524,288 bytes"),
}


def measured(kind: str, file: Path) -> tuple[float, str]:
    """Megabytes at the peak of reading, and the first error."""
    command = [sys.executable, "-c", CHILD, kind, str(file)]
    # Arrays then have mappings of their own. On the heap they leave holes of up to 12 MB, which depend on the
    # length of file names and on the environment.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "131072"}
    done = subprocess.run(command, cwd=PROJECT, env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout), done.stderr


def numbered(count: int, line: str) -> bytes:
    return "".join(line.format(number, number % 1000, number // 1000) for number in range(count)).encode()


# A million short lines each.
LONG_RUNS: dict[str, tuple[Callable[[], bytes], int]] = {
    "a list after the other": (lambda: numbered(1_000_000, "{2} Q0 doc{0:07d} {1} {1}.5 tag\n"), 1_000_000),
    "alternating lists": (lambda: numbered(1_000_000, "{1} Q0 doc{0:07d} 1 {1}.5 tag\n"), 1_000_000),
    "long lines": (lambda: numbered(80_000, "{1} Q0 " + "d" * 480 + "{0} 1 {1}.5 t\n"), 80_000),
}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")
@pytest.mark.parametrize("name", LONG_RUNS)
def test_a_run_takes_three_bytes_for_each_of_its_file_and_less_in_an_upload(
    name: str, tmp_path: Path
) -> None:
    make, lines = LONG_RUNS[name]
    content = make()
    (tmp_path / "file").write_bytes(content)
    assert measured("run", tmp_path / "file")[0] < 3 * len(content) / (1 << 20)
    peak, read = measured("upload", tmp_path / "file")
    assert int(read) == lines
    assert peak < 90


REPEATING = {"one docno": "1 Q0 doc0000001 1 {1}.5 tag\n", "many docnos": "1 Q0 doc{2:07d} 1 {1}.5 tag\n"}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")
@pytest.mark.parametrize("name", REPEATING)
def test_a_list_that_repeats_docnos_takes_three_bytes_for_each_of_its_file(name: str, tmp_path: Path) -> None:
    content = numbered(1_000_000, REPEATING[name])
    (tmp_path / "file").write_bytes(content)
    peak, error = measured("upload", tmp_path / "file")
    assert "second time in topic '1'" in error
    assert peak < 3 * len(content) / (1 << 20)


SAMPLES = {"prels": "1 d{0} 1 1 0.{0}1\n", "strata": "1 0 d{0} 1 1\n"}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")
@pytest.mark.parametrize("kind", SAMPLES)
def test_a_sampled_judgment_takes_less_than_300_bytes(kind: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(numbered(200_000, SAMPLES[kind]))
    peak, read = measured(kind, tmp_path / "file")
    assert int(read) == 200_000
    assert peak < 20 + 300 * 0.2


# The line of the file, the error, and megabytes: a list is held until it has a line too many, the rest not.
BOMBS: dict[str, tuple[bytes, str, int]] = {
    "run": (b"1 Q0 d 1 1 t\n", "more than 1,000,000 lines in the list of topic '1'", 50),
    "run of zeros": (bytes(13), "a line longer than 65,536 bytes", 20),
    "run of errors": (b"no run at all\n", "4 columns where a run has 6", 20),
    "run of comments": (b"#" * 999 + b"\n", "unpacks to more than 100 times its size", 20),
}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")
@pytest.mark.parametrize("name", BOMBS)
def test_a_gzip_bomb_takes_little_memory(name: str, tmp_path: Path) -> None:
    line, detail, megabytes = BOMBS[name]
    member = gzip.compress(line * ((1 << 20) // len(line)))
    (tmp_path / "file").write_bytes(member * 2000)
    peak, error = measured("upload", tmp_path / "file")
    assert detail in error
    assert peak < megabytes


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")
@pytest.mark.parametrize("name", CASES)
def test_memory_is_a_few_times_the_file(name: str, tmp_path: Path) -> None:
    kind, make = CASES[name]
    content = make()
    (tmp_path / "file").write_bytes(content)
    peak, error = measured(kind, tmp_path / "file")
    assert ("second time" in error) == (name == "one docno")
    assert peak < BLOCK_MEGABYTES + 30 * len(content) / (1 << 20)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")
@pytest.mark.parametrize("name", REFUSED)
def test_words_and_lines_without_end_are_refused_in_little_memory(name: str, tmp_path: Path) -> None:
    kind, make, detail = REFUSED[name]
    content = make()
    (tmp_path / "file").write_bytes(content)
    peak, error = measured(kind, tmp_path / "file")
    assert detail in error
    assert peak < BLOCK_MEGABYTES + 10 * len(content) / (1 << 20)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")
def test_a_crawl_of_any_length_takes_the_memory_of_a_page(tmp_path: Path) -> None:
    """400 MB of pages, and a film of 64 MB between them."""
    words = base64.b64encode(Random(7).randbytes(4500))
    with (tmp_path / "file").open("wb") as file:
        writer = WARCWriter(file)
        for number in range(1600):
            write_page(writer, f"clueweb-{number}", (b"<p>" + words + b"</p>") * 44)
        write_page(writer, "film", b"\0" * (64 << 20), content_type="video/mp4")
    peak, read = measured("documents", tmp_path / "file")
    assert int(read) == 1600
    assert peak < 40
