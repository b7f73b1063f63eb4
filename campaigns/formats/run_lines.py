"""Lines of a run file looked at one by one: the careful reading, which knows what is wrong with a line."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from campaigns.formats.errors import DOCNO_BYTES, LINE_BYTES, TAG_BYTES, TOPIC_BYTES, ErrorList, quote
from campaigns.formats.lines import is_text, what_is_not_text
from campaigns.formats.run_columns import COLUMNS, NOT_A_RANK, TOO_LARGE, RunColumns, parse_columns
from campaigns.formats.run_report import RunReport

_SCORE = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z")
_RANK = re.compile(rb"\d{1,9}\Z")
_LIMITS = (("topic", 0, TOPIC_BYTES), ("docno", 2, DOCNO_BYTES), ("tag", 5, TAG_BYTES))


class RunLines:
    """Reads blocks of lines into columns; what a line lacks goes to `errors`, what is left out is counted."""

    def __init__(self, errors: ErrorList, report: RunReport, *, lenient: bool) -> None:
        self._errors, self._report, self._lenient = errors, report, lenient

    def parse(self, block: bytes, first_line: int) -> RunColumns:
        lines = block[:-1].split(b"\n")
        kept = [(number, line) for number, line in enumerate(lines, first_line) if self._says_something(line)]
        if kept and len(kept) < len(lines):
            # Perhaps blank lines and comments were all that stood in the way.
            columns = parse_columns(b"\n".join([*(line for _, line in kept), b""]), 0)
            if columns is not None:
                return replace(columns, lines=np.array([number for number, _ in kept], dtype=np.int64))
        trusted = is_text(block)
        taken: list[tuple[int, list[bytes], float]] = []
        for number, line in kept:
            words = self._words(number, line, trusted)
            if words is not None and (score := self._score(number, words[4])) is not None:
                taken.append((number, words, score))
        return _columns(taken)

    def _says_something(self, line: bytes) -> bool:
        words = line.lstrip()
        self._report.blank_lines += not words
        self._report.comments += words.startswith(b"#")
        return bool(words) and not words.startswith(b"#")

    def _words(self, number: int, line: bytes, trusted: bool) -> list[bytes] | None:
        if len(line) > LINE_BYTES:
            self._errors.add(number, f"a line longer than {LINE_BYTES:,} bytes")
            return None
        if not trusted and (reason := what_is_not_text(line)):
            self._errors.add(number, reason)
            return None
        words = line.split()
        if len(words) > COLUMNS and self._lenient:
            self._report.columns_dropped += 1
            del words[COLUMNS:]
        if len(words) != COLUMNS:
            layout = "a run has 6 (topic, Q0, docno, rank, score, tag)"
            self._errors.add(number, f"{len(words)} columns where {layout}: {quote(line.strip())}")
            return None
        for field, place, limit in _LIMITS:
            if len(words[place]) > limit:
                self._errors.add(number, f"{field} longer than {limit} bytes: {quote(words[place])}", field)
                return None
        return words

    def _score(self, number: int, word: bytes) -> float | None:
        if not _SCORE.match(word):
            self._errors.add(number, f"score {quote(word)} is not a decimal number", "score")
            return None
        score = float(word)
        if abs(score) >= TOO_LARGE:
            self._errors.add(number, f"score {quote(word)} is larger than a 32-bit float can hold", "score")
            return None
        return score


def _columns(taken: list[tuple[int, list[bytes], float]]) -> RunColumns:
    words = [row[1] for row in taken]
    return RunColumns(
        lines=np.array([row[0] for row in taken], dtype=np.int64),
        topics=_names([row[0] for row in words]),
        docnos=_names([row[2] for row in words]),
        ranks=np.array([int(row[3]) if _RANK.match(row[3]) else NOT_A_RANK for row in words], dtype=np.int64),
        scores=np.array([row[2] for row in taken], dtype=np.float64),
        tags=_names([row[5] for row in words]),
        odd_iterations=sum(row[1] != b"Q0" for row in words),
    )


def _names(names: list[bytes]) -> np.ndarray[tuple[int], np.dtype[np.bytes_]]:
    width = -(-max(map(len, names), default=1) // 8) * 8
    return np.array(names, dtype=f"S{width}")
