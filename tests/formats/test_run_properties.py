"""Random runs: the quick reading and the careful one agree, and what is written is read back."""

from __future__ import annotations

import contextlib
import io
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns.formats.errors import ErrorList, FormatError
from campaigns.formats.run_columns import parse_columns
from campaigns.formats.run_lines import RunLines
from campaigns.formats.run_report import RunReport
from campaigns.formats.run_writing import write_run
from campaigns.formats.runs import ParsedRanking, ParsedRun, read_runs
from tests.formats.reading import file_of, read_run

names = st.text(
    st.characters(min_codepoint=33, exclude_categories=["Z", "C"]), min_size=1, max_size=20
).filter(lambda name: not name.startswith("#") and name.split() == [name])
finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
numbers = st.one_of(
    finite.map(repr),
    st.decimals(-1000, 1000, places=6).map(str),
    st.from_regex(r"[+-]?[0-9]{0,20}\.?[0-9]{0,20}(e[+-]?[0-9]{1,2})?", fullmatch=True),
    st.sampled_from(["nan", "inf", "-", "1_0", "0x1", "1e99", "", "1.2.3", "é"]),
)
ranks = st.one_of(st.integers(0, 10**10).map(str), st.sampled_from(["-1", "first", "1.0"]))
blanks = st.sampled_from([" ", "\t", "  ", " \t "])


@st.composite
def lines(draw: st.DrawFn) -> str:
    words = [draw(names), draw(names), draw(names), draw(ranks), draw(numbers), draw(names)]
    if draw(st.integers(0, 9)) == 0:
        words = words[: draw(st.integers(0, 6))] + ["extra"] * draw(st.integers(0, 2))
    end = draw(st.sampled_from(["", "", "", "\r", " ", "  \r"]))
    return draw(blanks).join(words) + end


@settings(deadline=None, max_examples=150)
@given(st.lists(lines(), min_size=1, max_size=12), st.integers(1, 10**6))
def test_the_quick_and_the_careful_reading_agree(written: list[str], first: int) -> None:
    block = "".join(line + "\n" for line in written).encode()
    quick = parse_columns(block, first)
    errors, report = ErrorList("f"), RunReport()
    careful = RunLines(errors, report, lenient=False)
    one_by_one = [careful.parse(line.encode() + b"\n", first + i) for i, line in enumerate(written)]
    if quick is None:
        return
    assert errors.total == 0
    assert report == RunReport()
    for column in ("lines", "topics", "docnos", "ranks", "scores", "tags"):
        expected = np.concatenate([getattr(columns, column) for columns in one_by_one]).tolist()
        assert getattr(quick, column).tolist() == expected
    assert quick.odd_iterations == sum(columns.odd_iterations for columns in one_by_one)


@given(finite, st.sampled_from(["{!r}", "{:.6f}", "{:.3e}", "{:+.2f}", "{:g}", "{:.17g}", "{:030.12f}"]))
def test_every_way_of_writing_a_score_is_read_like_python_reads_it(score: float, form: str) -> None:
    text = form.format(score)
    columns = parse_columns(f"1 Q0 d 1 {text} t\n".encode(), 1)
    with np.errstate(over="ignore"):
        fits = np.isfinite(np.float32(float(text)))
    if fits:
        assert columns is not None
        assert columns.scores.tolist() == [float(text)]
        assert math.copysign(1, columns.scores[0]) == math.copysign(1, float(text))
    else:
        assert columns is None


@st.composite
def runs(draw: st.DrawFn) -> dict[str, dict[str, float]]:
    # Few different scores, so that many tie.
    scores = st.one_of(finite, st.sampled_from([0.0, 1.0, -1.0]))
    lists = st.dictionaries(names, scores, min_size=1, max_size=15)
    return draw(st.dictionaries(names, lists, min_size=1, max_size=4))


@settings(deadline=None)
@given(runs(), names)
def test_what_is_written_is_read_back(run: dict[str, dict[str, float]], tag: str) -> None:
    rankings = [ParsedRanking.of(topic, list(row), row.values()) for topic, row in run.items()]
    out = io.StringIO()
    assert write_run(rankings, tag, out) == sum(map(len, run.values()))
    read = read_run(out.getvalue())
    assert read.tag == tag
    assert list(read.rankings) == list(run)
    for ranking in rankings:
        again = read.rankings[ranking.topic]
        assert again.docnos == ranking.docnos
        assert again.scores.tolist() == ranking.scores.tolist()
        assert again.docnos == [
            docno for docno, _ in sorted(run[ranking.topic].items(), key=_key, reverse=True)
        ]
    assert read.report.rank_disagrees == read.report.order_disagrees == 0


def _key(item: tuple[str, float]) -> tuple[np.float32, bytes]:
    return np.float32(item[1]), item[0].encode()


@settings(deadline=None)
@given(runs(), st.randoms(use_true_random=False))
def test_the_order_of_the_lines_changes_nothing(run: dict[str, dict[str, float]], random: object) -> None:
    written = [
        f"{topic} Q0 {docno} 0 {score!r} t\n" for topic, row in run.items() for docno, score in row.items()
    ]
    in_order = read_run("".join(written))
    random.shuffle(written)  # type: ignore[attr-defined]
    shuffled = read_run("".join(written))
    assert _lists(shuffled) == _lists(in_order)


def _lists(run: ParsedRun) -> dict[str, list[str]]:
    return {number: ranking.docnos for number, ranking in run.rankings.items()}


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_run_or_a_format_error(content: bytes) -> None:
    with contextlib.suppress(FormatError):
        (run,) = read_runs(file_of(content), "f")
        assert run.report.lines > 0
