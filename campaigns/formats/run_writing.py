"""Writing runs as the reader here, and everyone else's, reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TextIO

from campaigns.formats.errors import check_name
from campaigns.formats.runs import ParsedRanking


def write_run(rankings: Mapping[str, ParsedRanking] | Iterable[ParsedRanking], tag: str, out: TextIO) -> int:
    """Writes rankings in evaluation order with ranks from 1; returns how many lines.

    Scores are written with the digits that give the same 32-bit float back.
    """
    check_name("tag", tag)
    count = 0
    for ranking in rankings.values() if isinstance(rankings, Mapping) else rankings:
        check_name("topic", ranking.topic)
        for rank, (docno, score) in enumerate(zip(ranking.docnos, ranking.scores, strict=True), 1):
            check_name("docno", docno)
            out.write(f"{ranking.topic} Q0 {docno} {rank} {score!s} {tag}\n")
            count += 1
    return count
