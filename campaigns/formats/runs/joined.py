"""Runs of several files side by side: each topic's documents, and every run's list as places among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.runs.columns import Words, hash_words, join_words
from campaigns.formats.runs.files import ParsedRun
from campaigns.formats.runs.report import RunReport
from evaluation.measures.ordering import Scores

Int32s = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class JoinedTopic:
    """One topic of several runs.

    docnos : what any run ranks, ascending by their UTF-8 bytes
    rankings : for each run its documents as places in `docnos`, int32 (n,), best first; None where the run
        misses the topic
    scores : for each run the score of each document, float32 or float64 (n,), or None
    """

    number: str
    docnos: list[str]
    rankings: list[Int32s | None]
    scores: list[Scores | None]


@dataclass(frozen=True, eq=False)
class JoinedRuns:
    """The runs' tags as their files give them, all topics, by first appearance, and what was noticed in each
    file."""

    tags: tuple[str, ...]
    topics: list[JoinedTopic]
    reports: tuple[RunReport, ...]


def join_runs(runs: Sequence[ParsedRun]) -> JoinedRuns:
    numbers = dict.fromkeys(number for run in runs for number in run.rankings)
    topics = [_joined(number, runs) for number in numbers]
    return JoinedRuns(tuple(run.tag for run in runs), topics, tuple(run.report for run in runs))


def _joined(number: str, runs: Sequence[ParsedRun]) -> JoinedTopic:
    lists = [run.rankings.get(number) for run in runs]
    words = [one.docno_bytes for one in lists if one is not None]
    names, places = distinct_words(join_words(words))
    ends = np.cumsum([len(one) for one in words])[:-1]
    rankings = iter(np.split(places, ends))
    return JoinedTopic(
        number,
        decoded(b"\n".join(names.tolist())),
        [None if one is None else next(rankings) for one in lists],
        [None if one is None else one.scores for one in lists],
    )


def decoded(lines: bytes) -> list[str]:
    """Docnos, a line each. None holds a newline, and decoding all at once is twice as fast as one by one."""
    return lines.decode().split("\n") if lines else []


def distinct_words(words: Words) -> tuple[Words, Int32s]:
    """The words without repeats, ascending, and each word's place among them, shape (n,).

    Sorting only the distinct ones takes a fraction of the time of `np.unique`, as most documents are in
    many runs.

    >>> names, places = distinct_words(np.array([b"b", b"a", b"b"]))
    >>> names.tolist(), places.tolist()
    ([b'a', b'b'], [1, 0, 1])
    """
    if words.dtype != object and words.dtype.itemsize % 8:
        # Hashes read eight bytes at a time.
        words = words.astype(f"S{-(-words.dtype.itemsize // 8) * 8}")
    of = _representatives(words)
    first = np.flatnonzero(of == np.arange(len(words)))
    order = first[np.argsort(words[first], kind="stable")]
    place = np.empty(len(words), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return words[order], place[of]


def _representatives(words: Words) -> NDArray[np.intp]:
    """For each word the index of one that is equal, the same for all that are equal, shape (n,).

    Each word is written into a slot of a table, by its hash. Words that find another one there try again with
    another hash; each round settles the word in every slot.
    """
    bits = np.uint64(64 - (2 * len(words) + 1).bit_length())
    table = np.empty(1 << int(64 - bits), dtype=np.intp)
    found = np.empty(len(words), dtype=np.intp)
    left, salt = np.arange(len(words)), 0
    while len(left):
        slots = (hash_words(words[left] if salt else words, salt) >> bits).astype(np.intp)
        table[slots] = left
        there = table[slots]
        same = words[there] == words[left]
        found[left[same]] = there[same]
        left, salt = left[~same], salt + 1
    return found
