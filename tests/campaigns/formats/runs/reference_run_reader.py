"""Run files read by plain Python, one line and one pair of lines at a time: what the reader must agree with.

It shares no code with the reader. Errors are lines and fields; other tests pin their wording.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise

import numpy as np

_LIMITS = {"topic": 100, "second column": 512, "docno": 512, "rank": 64, "score": 64, "tag": 200}
_SCORE = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
# By the bits of a float: the middle between its largest and the next power of two.
_HALFWAY_TO_INFINITY = {32: (2**25 - 1) * 2**103, 64: (2**54 - 1) * 2**970}

Error = tuple[int | None, str]


@dataclass(frozen=True)
class SlowLine:
    number: int
    topic: bytes
    second: bytes
    docno: bytes
    rank: bytes
    score: float
    tag: bytes

    @property
    def rounded(self) -> float:
        with np.errstate(over="ignore"):
            return float(np.float32(self.score))


@dataclass
class SlowRun:
    """`lists` are (docno, score, line) by topic, `counts` those of a report that are not 0; scores are
    compared as floats of so many `bits`."""

    bits: int = 64
    lists: dict[str, list[tuple[str, float, int]]] = field(default_factory=dict)
    tags: set[bytes] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    errors: list[Error] = field(default_factory=list)


def slow_run(content: bytes, *, lenient: bool = False, bits: int = 64) -> SlowRun:
    run = SlowRun(bits)
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        run.errors.append((1, ""))
        return run
    lines = _good_lines(content, run, lenient)
    for topic in dict.fromkeys(line.topic for line in lines):
        _rank([line for line in lines if line.topic == topic], run, lenient)
    if not lines and not run.errors:
        run.errors.append((None, ""))
    run.tags = {line.tag for line in lines}
    lengths = [len(ranked) for ranked in run.lists.values()]
    run.counts += Counter(
        lines=len(lines),
        topics=len(lengths),
        tags=len(run.tags),
        longest_list=max(lengths, default=0),
        short_lists=sum(length < max(lengths) for length in lengths),
        odd_iterations=sum(line.second != b"Q0" for line in lines),
    )
    run.errors.sort(key=lambda error: error[0] or 0)
    return run


def _good_lines(content: bytes, run: SlowRun, lenient: bool) -> list[SlowLine]:
    if content.startswith(b"\xef\xbb\xbf"):
        content = content[3:]
        run.counts["byte_order_mark"] = 1
    if content and not content.endswith(b"\n"):
        content += b"\n"
        run.counts["no_final_newline"] = 1
    run.counts["carriage_returns"] = content.count(b"\r\n")
    lines = []
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        words = [word for word in re.split(rb"[ \t\r\v\f]+", line) if word]
        if not words:
            run.counts["blank_lines"] += 1
        elif words[0][:1] == b"#":
            run.counts["comments"] += 1
        elif lenient and len(words) > 6 and _is_text(line) and len(line) <= 65_536:
            run.counts["columns_dropped"] += 1
            lines += _checked(number, line, words[:6], run)
        else:
            lines += _checked(number, line, words, run)
    return lines


def _checked(number: int, line: bytes, words: list[bytes], run: SlowRun) -> list[SlowLine]:
    wrong = _wrong_field(line, words, run.bits)
    if wrong is not None:
        run.errors.append((number, wrong))
        return []
    topic, second, docno, rank, score, tag = words
    return [SlowLine(number, topic, second, docno, rank, float(score), tag)]


def _wrong_field(line: bytes, words: list[bytes], bits: int) -> str | None:
    if len(line) > 65_536 or not _is_text(line) or len(words) != 6:
        return ""
    for (name, longest), word in zip(_LIMITS.items(), words, strict=True):
        if len(word) > longest:
            return name
    # Compared as written: the exact number, not the nearest float.
    too_large = _SCORE.match(words[4]) and abs(Decimal(words[4].decode())) >= _HALFWAY_TO_INFINITY[bits]
    return "score" if too_large or not _SCORE.match(words[4]) else None


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return not any((byte < 32 and byte not in range(9, 14)) or byte == 127 for byte in line)


def _rank(lines: list[SlowLine], run: SlowRun, lenient: bool) -> None:
    """Rank one topic's lines, given in file order."""
    score = {line.number: line.rounded if run.bits == 32 else line.score for line in lines}
    ranked = sorted(lines, key=lambda line: (score[line.number], line.docno), reverse=True)
    _count_order([score[line.number] for line in lines], run.counts)
    _count_rounded(ranked, run)
    _count_ranks(lines, score, run.counts)
    first: dict[bytes, SlowLine] = {}
    for line in ranked if lenient else lines:
        first.setdefault(line.docno, line)
    if lenient:
        run.counts["duplicates_dropped"] += len(lines) - len(first)
        ranked = list(first.values())
    else:
        run.errors += [(line.number, "docno") for line in lines if first[line.docno] is not line]
    topic = lines[0].topic.decode()
    run.lists[topic] = [(line.docno.decode(), score[line.number], line.number) for line in ranked]


def _count_order(scores: list[float], counts: Counter[str]) -> None:
    counts["order_disagrees"] += sum(score > min(scores[:i], default=score) for i, score in enumerate(scores))
    counts["topics_tied"] += len(scores) > 1 and len({*scores}) == 1
    counts["ties"] += sum(scores.count(score) > 1 for score in scores)


def _count_rounded(ranked: list[SlowLine], run: SlowRun) -> None:
    close = [
        (one.docno, other.docno)
        for one, other in pairwise(ranked)
        if one.rounded == other.rounded and one.score != other.score
    ]
    if run.bits == 32:
        run.counts["ties_by_rounding"] += len(close)
    else:
        run.counts["order_by_rounding"] += sum(one < other for one, other in close)


def _count_ranks(lines: list[SlowLine], score: dict[int, float], counts: Counter[str]) -> None:
    ranks = [int(line.rank) if re.fullmatch(rb"[0-9]{1,9}", line.rank) else None for line in lines]
    if None in ranks:
        counts["ranks_not_numbers"] += ranks.count(None)
        return
    pairs = [(score[line.number], rank or 0) for line, rank in zip(lines, ranks, strict=True)]
    counts["ranks_all_zero"] += not any(ranks)
    counts["ranks_from_zero"] += 0 in ranks and any(ranks)
    counts["rank_disagrees"] += sum(
        any(score > own and rank > own_rank for score, rank in pairs) for own, own_rank in pairs
    )
    apart = [(own_rank, rank) for own, own_rank in pairs for score, rank in pairs if score > own]
    counts["topics_reversed"] += bool(apart) and all(own_rank < rank for own_rank, rank in apart)
