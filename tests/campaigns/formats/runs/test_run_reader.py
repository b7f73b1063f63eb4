"""The run reader: random files against a slow one, and memory that no line can use up."""

from __future__ import annotations

import tracemalloc
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from campaigns.formats.errors import FormatError
from campaigns.formats.lines import LineBlocks
from campaigns.formats.runs import files as run_files
from campaigns.formats.runs import lines as run_lines
from campaigns.formats.runs.files import read_runs
from evaluation.measures.ordering import ScorePrecision
from tests.campaigns.formats.runs.reference_run_reader import SlowRun, slow_run
from tests.campaigns.formats.sample_files import details, file_of, refusal

NAMES = ["1", "2", "a", "b", "d1", "#", "##", "é", "～", "𐀀", "eight888", "nine99999", "n" * 100]
RANKS = ["0", "1", "2", "3", "007", "999999999", "1234567890", "-1", "1.0", "x", "²"]
SCORES = ["0", "-0", "1", "1.0", "1.00000001", "+.5", "5.", "-2.5e+2", "1E-3", "1e-400"]
LARGE = ["3.40282356e38", "1e39", "-1e39", "1e308", "1.00000002", "1.000000021"]
NOT_SCORES = [
    "nan",
    "inf",
    "-Infinity",
    "1e309",
    "-1e999",
    "1_0",
    "0x1",
    ".",
    "1e",
    "--1",
    "1..2",
    "١",
    "1,5",
]
LONG = ["w" * length for length in (101, 200, 201, 512, 513, 3000)] + [
    "0." + "0" * 61 + "1",
    "0" * 62 + "1.",
    "1" * 65,
]
NOT_TEXT = [b"caf\xe9", b"\xff", b"\xed\xa0\x80", b"\0", b"\x1c", b"\x7f", b"\x08", b"\xc2\x85"]


def words(*known: list[str]) -> st.SearchStrategy[bytes]:
    return st.sampled_from([word.encode() for several in known for word in several])


scores = st.one_of(
    words(SCORES, LARGE),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda score: repr(score).encode()),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(lambda score: repr(score).encode()),
    st.from_regex(rb"[+-]?[0-9]{0,20}\.?[0-9]{0,20}([eE][+-]?[0-9]{1,3})?", fullmatch=True).filter(bool),
)
plain = st.tuples(
    words(NAMES[:3]), words(["Q0", "Q0", "0"]), words(NAMES), words(RANKS), scores, words(["t", "t", "u"])
)
odd_word = st.one_of(words(NAMES, NOT_SCORES, LONG), st.sampled_from(NOT_TEXT), st.binary(max_size=4))
blanks = st.sampled_from([b" ", b" ", b"\t", b"  ", b" \t ", b"\r", b"\v", b"\f", b"\xc2\xa0"])
ends = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"  \r\n", b"   \t  \n", b"\n\n", b"\n \n", b"\r"])


@st.composite
def tidy_lines(draw: st.DrawFn) -> bytes:
    return draw(blanks).join(draw(plain)) + draw(ends)


@st.composite
def odd_lines(draw: st.DrawFn) -> bytes:
    line = list(draw(plain))
    place = draw(st.integers(0, 5))
    line[place : place + draw(st.integers(0, 2))] = draw(st.lists(odd_word, max_size=2))
    return draw(st.sampled_from([b"", b"", b" ", b"# "])) + draw(blanks).join(line) + draw(ends)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(tidy_lines(), max_size=25)) + draw(st.lists(odd_lines(), max_size=2))
    head = draw(st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\n"]))
    content = head + b"".join(draw(st.permutations(lines)))
    return content.rstrip(b"\n") if draw(st.booleans()) else content


def in_full(content: bytes, *, lenient: bool, in_memory: bool, bits: ScorePrecision) -> SlowRun:
    """What `read_runs` gives, in the form of the slow reader."""
    read = SlowRun(bits)
    try:
        options: dict[str, Any] = {"lenient": lenient, "in_memory": in_memory, "score_precision": bits}
        (run,) = read_runs(file_of(content), "f", **options)
    except FormatError as error:
        read.errors = [(one.line, one.field) for one in error.errors]
        return read
    read.counts.update({name: count for name, count in run.report.as_dict().items() if count})
    for topic, ranking in run.rankings.items():
        columns = (ranking.docnos, ranking.scores.tolist(), ranking.lines.tolist())
        read.lists[topic] = list(zip(*columns, strict=True))
    return read


@settings(deadline=None, max_examples=400)
@given(
    files(),
    st.booleans(),
    st.sampled_from([1, 60, 1 << 18]),
    st.sampled_from([1, 200, 1 << 24]),
    st.sampled_from([32, 64]),
)
@example(b"", False, 60, 1, 64)
@example(b"\xef\xbb\xbf", False, 60, 1 << 24, 64)
@example(b"1 Q0 d 1 1 t" + b" " * 70_000 + b"\n1 Q0 e 1 1 t\n", False, 1 << 18, 1 << 24, 64)
@example(
    b"".join(b"%d Q0 d%d%s 1 1 t\n" % (n % 3, n, b"x" * (n * 7 % 90)) for n in range(40)), False, 60, 200, 64
)
@example(b"1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1 t\n" + b"1 Q0 c 3 1.000000001 t\n", True, 60, 1, 64)
def test_random_files_are_read_as_by_the_slow_reader(
    content: bytes, lenient: bool, block: int, chunk: int, bits: ScorePrecision
) -> None:
    """Also those whose lines wait in a file, a few bytes at a time."""
    expected = slow_run(content, lenient=lenient, bits=bits)
    with (
        patch.object(run_files, "LineBlocks", partial(LineBlocks, block=block)),
        patch.object(run_lines, "CHUNK_BYTES", chunk),
        patch.object(run_lines, "GROUP_LINES", 3 if chunk < 1 << 24 else run_lines.GROUP_LINES),
    ):
        read = in_full(content, lenient=lenient, in_memory=block == 60, bits=bits)
    assert read.errors == expected.errors
    if not expected.errors:
        assert read.lists == expected.lists
        assert list(read.lists) == list(expected.lists)
        assert read.counts == +expected.counts


@pytest.mark.parametrize("place", range(6))
def test_a_long_word_is_named_and_takes_little_memory(place: int) -> None:
    name = ["topic", "second column", "docno", "rank", "score", "tag"][place]
    line = b"1 Q0 d 1 1 t".split()
    line[place] = b"7" * 60_000
    content = b"1 Q0 d 1 1 t\n" * 2_000
    tracemalloc.start()
    try:
        error = refusal(read_runs, b" ".join(line) + b"\n" + content, lenient=True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    longest = {"topic": 100, "tag": 200, "rank": 64, "score": 64}.get(name, 512)
    assert details(error) == [(1, f"{name} longer than {longest} bytes: '{'7' * 60}…'")]
    assert error.errors[0].field == name
    assert str(error).startswith(f"some.file:1: {name}")
    assert peak < 12 << 20


@pytest.mark.parametrize("content", [b"x", b"1 ", b"1 Q0 d 1 1 t "])
def test_a_file_of_one_line_takes_little_memory(content: bytes) -> None:
    file = file_of(content * ((32 << 20) // len(content)))
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="f:1: a line longer than 65,536 bytes"):
            read_runs(file, "f")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 12 << 20


def test_words_as_long_as_they_may_be_take_bounded_memory() -> None:
    longest = [b"t" * 100, b"s" * 512, b"d" * 512, b"9" * 64, b"0" * 63 + b"2", b"n" * 200]
    short = b"".join(b"1 Q0 %d 1 1 t\n" % number for number in range(17_000))
    tracemalloc.start()
    try:
        (run,) = read_runs(file_of(b" ".join(longest) + b"\n" + short), "f")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert run.report.lines == 17_001
    # A block has all its words as wide as the longest, six columns of it.
    assert peak < 100 << 20
