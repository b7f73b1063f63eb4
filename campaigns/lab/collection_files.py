"""A collection as files again: runs and qrels in a zip, on which commands find what the Lab found."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from typing import IO

import numpy as np

from campaigns.formats.errors import what_is_wrong_with_name
from campaigns.lab.known_topics import NamedTopic, unpacked_names
from campaigns.models import LabCollection
from selection.studies.known_collection import KnownTopic

IN_MEMORY_BYTES = 8 << 20
# What commands take a grade of 0 and one of 1 for.
PLAIN_GAINS = (0.0, 1.0)


def gains_text(topics: Iterable[KnownTopic]) -> str:
    """Every gain of these topics, ascending, as `--gains` takes them; empty if there are no others than
    those that commands take grades 0 and 1 for."""
    distinct = set(PLAIN_GAINS)
    for topic in topics:
        values = np.concatenate([topic.gains, topic.unranked])
        distinct |= set(values[~np.isnan(values)].tolist())
    gains = sorted(distinct)
    return "" if tuple(gains) == PLAIN_GAINS else ",".join(map(repr, gains))


def write_zip(collection: LabCollection) -> IO[bytes]:
    """qrels.txt, and a file for each run in the folder runs, in the collection's order."""
    made = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115 — given to the caller
    topics = [unpacked_names(row) for row in collection.packed_topics.order_by("position")]
    gains = tuple(map(float, collection.gains.split(","))) if collection.gains else PLAIN_GAINS
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("qrels.txt", _qrels(topics, gains))
        for place, run in enumerate(collection.runs):
            tag = f"run-{place + 1:04}" if what_is_wrong_with_name("tag", run) else run
            archive.writestr(f"runs/{place + 1:04}.txt", _run(topics, place, tag))
    made.seek(0)
    return made


def _qrels(topics: Sequence[NamedTopic], gains: Sequence[float]) -> str:
    grade = {gain: place for place, gain in enumerate(gains)}
    out = io.StringIO()
    for topic in topics:
        known, docnos = topic.known, [*topic.docnos, *topic.unranked]
        if known.grades is not None and known.unranked_grades is not None:
            given = [*known.grades.tolist(), *known.unranked_grades.tolist()]
            # Grades above 1 without gains are whole numbers.
            judged = [(docno, int(one)) for docno, one in zip(docnos, given, strict=True) if one == one]
        else:
            values = [*known.gains.tolist(), *known.unranked.tolist()]
            judged = [
                (docno, grade[gain]) for docno, gain in zip(docnos, values, strict=True) if gain == gain
            ]
        out.writelines(f"{known.number} 0 {docno} {one}\n" for docno, one in judged)
    return out.getvalue()


def _run(topics: Sequence[NamedTopic], run: int, tag: str) -> str:
    out = io.StringIO()
    for topic in topics:
        ranking, scores = topic.known.rankings[run], topic.known.scores[run]
        if ranking is None or scores is None:
            continue
        for rank, (document, score) in enumerate(zip(ranking.tolist(), scores.tolist(), strict=True), 1):
            # With the digits that give the same 64-bit float back.
            out.write(f"{topic.known.number} Q0 {topic.docnos[document]} {rank} {score!r} {tag}\n")
    return out.getvalue()
