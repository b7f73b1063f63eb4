"""Topics whose relevance is known, with the names of their documents: from files, and packed into rows."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.grading import Grading
from campaigns.formats.qrels import Grade, ParsedQrels
from campaigns.formats.runs.files import ParsedRun
from campaigns.formats.topics import in_topic_order
from campaigns.models import LabTopic
from campaigns.models.packed import (
    DOCUMENT_IDS,
    WEIGHTS,
    pack,
    pack_scores,
    unpack_ids,
    unpack_scores,
    unpack_weights,
)
from evaluation.measures.ordering import Scores
from selection.pool import Ids
from selection.studies.known_collection import KnownTopic

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class NamedTopic:
    """known : the topic as studies read it
    docnos : by document, ascending by their UTF-8 bytes
    unranked : of the judged documents that no run ranks, in the order of `known.unranked`"""

    known: KnownTopic
    docnos: Sequence[str]
    unranked: Sequence[str]

    @property
    def judged(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.known.gains))) + len(self.unranked)


def topics_of_files(runs: Sequence[ParsedRun], qrels: ParsedQrels, grading: Grading) -> list[NamedTopic]:
    """The topics that a run answers and the qrels judge."""
    answered = {topic for run in runs for topic in run.rankings}
    numbers = in_topic_order(topic for topic, grades in qrels.grades.items() if grades and topic in answered)
    reads_grades = grading.gains is None and qrels.highest > 1
    return [_topic_of_files(number, runs, qrels.grades[number], grading, reads_grades) for number in numbers]


def _topic_of_files(
    number: str,
    runs: Sequence[ParsedRun],
    grades: Mapping[str, Grade],
    grading: Grading,
    reads_grades: bool,
) -> NamedTopic:
    lists = [run.rankings.get(number) for run in runs]
    names = [None if one is None else one.docno_bytes.tolist() for one in lists]
    known = sorted(set().union(*(ranked for ranked in names if ranked is not None)))
    ids = {docno: place for place, docno in enumerate(known)}
    rankings = [
        None if ranked is None else np.fromiter(map(ids.__getitem__, ranked), np.int32, len(ranked))
        for ranked in names
    ]
    scores = [None if one is None else one.scores for one in lists]
    gains = {docno: grading.gain(grade) for docno, grade in grades.items()}
    docnos = [docno.decode() for docno in known]
    return named_topic(number, docnos, rankings, scores, gains, grades if reads_grades else None)


def named_topic(
    number: str,
    docnos: Sequence[str],
    rankings: Sequence[Ids | None],
    scores: Sequence[Scores | None],
    gains: Mapping[str, float],
    grades: Mapping[str, Grade] | None = None,
) -> NamedTopic:
    """`docnos` ascend by their bytes; `gains` and `grades`, by docno, may name others."""
    there = set(docnos)
    # One precision for all, as they are packed: each 32-bit float is a 64-bit float, too.
    wide = {one.dtype for one in scores if one is not None}
    if len(wide) > 1:
        scores = [None if one is None else one.astype(np.float64) for one in scores]
    unranked = [docno for docno in gains if docno not in there]
    known = KnownTopic(
        number,
        rankings,
        scores,
        np.array([gains.get(docno, np.nan) for docno in docnos], np.float64),
        np.array([gains[docno] for docno in unranked], np.float64),
        None if grades is None else np.array([grades.get(docno, np.nan) for docno in docnos], np.float64),
        None if grades is None else np.array([grades[docno] for docno in unranked], np.float64),
    )
    return NamedTopic(known, docnos, unranked)


def packed_topic(topic: NamedTopic, position: int) -> LabTopic:
    """A row that belongs to no collection yet."""
    known = topic.known
    lengths = [-1 if ranking is None else len(ranking) for ranking in known.rankings]
    names = "\n".join([*topic.docnos, *topic.unranked])
    return LabTopic(
        position=position,
        number=known.number,
        lengths=pack(lengths, DOCUMENT_IDS),
        documents=pack(_joined(known.rankings, np.int32), DOCUMENT_IDS),
        scores=pack_scores(_joined(known.scores, np.float32)),
        gains=pack(known.gains, WEIGHTS),
        unranked=pack(known.unranked, WEIGHTS),
        grades=_packed_grades(known),
        docnos=zlib.compress(names.encode(), 1),
    )


def _packed_grades(known: KnownTopic) -> bytes | None:
    if known.grades is None or known.unranked_grades is None:
        return None
    return pack(np.concatenate([known.grades, known.unranked_grades]), WEIGHTS)


def _joined(lists: Iterable[NDArray[Number] | None], dtype: type[Number]) -> NDArray[Number]:
    there = [one for one in lists if one is not None]
    return np.concatenate([np.zeros(0, dtype), *there])


def unpacked_topic(row: LabTopic) -> KnownTopic:
    lengths, documents = unpack_ids(row.lengths), unpack_ids(row.documents)
    gains = unpack_weights(row.gains)
    grades = None if row.grades is None else unpack_weights(row.grades)
    return KnownTopic(
        row.number,
        _split(documents, lengths),
        _split(unpack_scores(row.scores, len(documents)), lengths),
        gains,
        unpack_weights(row.unranked),
        None if grades is None else grades[: len(gains)],
        None if grades is None else grades[len(gains) :],
    )


def _split(joined: NDArray[Number], lengths: Ids) -> list[NDArray[Number] | None]:
    ends = np.cumsum(np.maximum(lengths, 0))
    return [
        None if length < 0 else joined[end - length : end]
        for length, end in zip(lengths.tolist(), ends.tolist(), strict=True)
    ]


def unpacked_names(row: LabTopic) -> NamedTopic:
    """The topic with its documents' names, which studies do not read."""
    known = unpacked_topic(row)
    names = zlib.decompress(row.docnos).decode().split("\n") if row.docnos else []
    ranked = len(known.gains)
    return NamedTopic(known, names[:ranked], names[ranked : ranked + len(known.unranked)])
