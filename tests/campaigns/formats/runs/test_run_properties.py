"""Random runs: numbers are read as Python reads them, and what is written is read back."""

from __future__ import annotations

import contextlib
import io
import math
import re
import struct
from collections.abc import Iterable

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from campaigns.formats.errors import NUMBER_BYTES, FormatError, breaks_path
from campaigns.formats.runs.columns import plain_columns
from campaigns.formats.runs.files import ParsedRanking, ParsedRun, read_runs, write_run
from evaluation.measures.ordering import ScorePrecision
from tests.campaigns.formats.sample_files import file_of, read_run, refusal

names = st.text(
    st.characters(min_codepoint=33, exclude_categories=["Z", "C"]), min_size=1, max_size=20
).filter(lambda name: not name.startswith("#") and name.split() == [name] and not breaks_path(name))
precisions = st.sampled_from([32, 64])
single = st.floats(width=32, allow_nan=False, allow_infinity=False)
finite = st.one_of(single, st.floats(allow_nan=False, allow_infinity=False))
decimals = st.from_regex(r"[+-]?[0-9]{0,9}\.?[0-9]{0,9}", fullmatch=True).filter(bool)
huge = st.builds("{}e{}".format, st.integers(1, 10**18), st.integers(-340, 310))
odd = st.text(st.sampled_from("0123456789.+-e:/\x7f\xe9"), min_size=1, max_size=12)


@given(finite, st.sampled_from(["{!r}", "{:.6f}", "{:.3e}", "{:+.2f}", "{:g}", "{:.17g}", "{:030.12f}"]))
def test_every_way_of_writing_a_score_is_read_like_python_reads_it(score: float, form: str) -> None:
    text = form.format(score)
    if len(text) <= NUMBER_BYTES:
        _agree_on_scores([text], 64)
        _agree_on_scores([text], 32)


@given(st.lists(st.one_of(decimals, decimals, odd, huge), min_size=1, max_size=30))
@example(["1.25", "-1.25", "+.5", "5.", ".", "-", "-.", "0", "-0"])
@example(["1234567.8", "12345678.9", "123456789.1", "12345678", "1.2345678", "-1234567.8", "1.5"])
@example(["1..2", ".1.", "1.2345678.", "12345678..", "1234567.89.1", "1.5"])
@example(
    ["9007199254740991", "9007199254740992", "9999999999999999", "0.00000000000001", "12345678901234567"]
)
@example(["1", "2", "12345678"])
def test_scores_of_any_lengths_side_by_side_are_those_that_python_reads(written: list[str]) -> None:
    _agree_on_scores(written, 64)
    _agree_on_scores(written, 32)


def _agree_on_scores(written: list[str], bits: ScorePrecision) -> None:
    expected = {word: _number(word, bits) for word in dict.fromkeys(written)}
    wrong = [place for place, number in enumerate(expected.values(), 1) if number is None]
    if wrong:
        error = refusal(read_runs, _run_of_scores(expected), score_precision=bits)
        assert [one.line for one in error.errors] == wrong
    good = {word: number for word, number in expected.items() if number is not None}
    if good:
        run = read_run(_run_of_scores(good), score_precision=bits)
        read = [float(ranking.scores[0]) for ranking in run.rankings.values()]
        # As texts, in which -0.0 is not 0.0.
        assert list(map(str, read)) == list(map(str, good.values()))


def _run_of_scores(words: Iterable[str]) -> str:
    return "".join(f"{place} Q0 d 1 {word} t\n" for place, word in enumerate(words))


def _number(word: str, bits: ScorePrecision) -> float | None:
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", word, re.ASCII):
        return None
    with np.errstate(over="ignore"):
        score = float(np.float32(float(word))) if bits == 32 else float(word)
    return score if math.isfinite(score) else None


@given(st.lists(st.one_of(st.integers(0, 10**12).map(str), odd), min_size=1, max_size=30))
@example(["1", "12345678", "123456789", "1234567890", "007", "1.5", "-1"])
def test_ranks_have_nine_digits_at_most(written: list[str]) -> None:
    words = [word.encode().replace(b"\x7f", b"x") for word in written]
    columns = plain_columns(b"".join(b"1 Q0 d %b 1 t\n" % word for word in words), 64)
    assert columns is not None
    assert columns.ranks.tolist() == [int(w) if re.fullmatch(rb"[0-9]{1,9}", w) else -1 for w in words]


@st.composite
def runs(draw: st.DrawFn, of: st.SearchStrategy[float] = finite) -> dict[str, dict[str, float]]:
    # Few different scores, so that many tie, some only as 32-bit floats.
    scores = st.one_of(of, st.sampled_from([0.0, 1.0, -1.0, 1 + 1e-9, 1 - 1e-9, -1 - 1e-9]))
    lists = st.dictionaries(names, scores, min_size=1, max_size=15)
    return draw(st.dictionaries(names, lists, min_size=1, max_size=4))


@settings(deadline=None)
@given(runs(single), names, precisions, precisions)
def test_what_is_written_is_read_back(
    run: dict[str, dict[str, float]], tag: str, bits: ScorePrecision, read_as: ScorePrecision
) -> None:
    """A run of the older rule, read as doubles, keeps its order, too."""
    rankings = [ParsedRanking.of(topic, list(row), row.values(), bits) for topic, row in run.items()]
    out = io.StringIO()
    assert write_run(rankings, tag, out) == sum(map(len, run.values()))
    read = read_run(out.getvalue(), score_precision=max(bits, read_as))
    assert read.tag == tag
    assert list(read.rankings) == list(run)
    for ranking in rankings:
        again = read.rankings[ranking.topic]
        assert again.docnos == ranking.docnos
        assert again.scores.astype(ranking.scores.dtype).tolist() == ranking.scores.tolist()
        assert again.docnos == _sorted(run[ranking.topic], bits)
    assert read.report.rank_disagrees == read.report.order_disagrees == 0


def _sorted(scores: dict[str, float], bits: ScorePrecision) -> list[str]:
    """Docnos in order, by plain Python floats and bytes."""

    def key(docno: str) -> tuple[float, bytes]:
        score = scores[docno]
        return (struct.unpack("f", struct.pack("f", score))[0] if bits == 32 else score), docno.encode()

    return sorted(scores, key=key, reverse=True)


@settings(deadline=None)
@given(runs(st.floats(-1e38, 1e38)), precisions)
def test_lists_are_in_the_order_of_a_plain_sort(
    run: dict[str, dict[str, float]], bits: ScorePrecision
) -> None:
    """And old versions' other order is noticed exactly where there is one."""
    lines = [
        f"{topic} Q0 {docno} 0 {score!r} t\n" for topic, row in run.items() for docno, score in row.items()
    ]
    read = read_run("".join(lines), score_precision=bits)
    assert _lists(read) == {topic: _sorted(row, bits) for topic, row in run.items()}
    differs = any(_sorted(row, 32) != _sorted(row, 64) for row in run.values())
    assert (read.report.order_by_rounding > 0) == (differs and bits == 64)


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
