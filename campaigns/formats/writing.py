"""Writing qrels and runs as the readers here, and everyone else's, read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TextIO

from campaigns.formats.limits import DOCNO_BYTES, TAG_BYTES, TOPIC_BYTES
from campaigns.formats.runs import ParsedRanking


def qrels_line(topic: str, docno: str, grade: int, iteration: str = "0") -> str:
    """One judgment as a line, its newline included."""
    _check("topic", topic, TOPIC_BYTES)
    _check("docno", docno, DOCNO_BYTES)
    _check("iteration", iteration, TAG_BYTES)
    return f"{topic} {iteration} {docno} {grade}\n"


def write_qrels(rows: Iterable[tuple[str, str, int]], out: TextIO) -> int:
    """Writes (topic, docno, grade) rows in the order given; returns how many. `out` must encode as UTF-8."""
    count = 0
    for topic, docno, grade in rows:
        out.write(qrels_line(topic, docno, grade))
        count += 1
    return count


def write_run(rankings: Mapping[str, ParsedRanking] | Iterable[ParsedRanking], tag: str, out: TextIO) -> int:
    """Writes rankings in evaluation order with ranks from 1; returns how many lines.

    Scores are written with the digits that give the same 32-bit float back.
    """
    _check("tag", tag, TAG_BYTES)
    count = 0
    for ranking in rankings.values() if isinstance(rankings, Mapping) else rankings:
        _check("topic", ranking.topic, TOPIC_BYTES)
        for rank, (docno, score) in enumerate(zip(ranking.docnos, ranking.scores, strict=True), 1):
            _check("docno", docno, DOCNO_BYTES)
            out.write(f"{ranking.topic} Q0 {docno} {rank} {score!s} {tag}\n")
            count += 1
    return count


def _check(field: str, value: str, limit: int) -> None:
    """Refuses a name that a line cannot hold: it would be read back as something else."""
    if not value or value.split() != [value] or not value.isprintable():
        raise ValueError(f"a {field} is one word without blanks or control characters, not {value!r}")
    if len(value.encode()) > limit:
        raise ValueError(f"{field} longer than {limit} bytes: {value[:60]!r}…")
