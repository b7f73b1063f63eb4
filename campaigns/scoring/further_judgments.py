"""Judgments that some measures read besides the qrels: samples, strata and subtopics, from files."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.formats.prels import read_prels, read_strata
from campaigns.formats.subtopics import read_subtopics
from campaigns.scoring.judged_collection import JudgedCollection


def with_further_judgments(
    collection: JudgedCollection,
    grading: Grading,
    *,
    prels: Path | None,
    strata: Path | None,
    subtopics: Path | None,
) -> JudgedCollection:
    """The collection with what these files say.

    Raises FormatError for each wrong line, and for a file that names no topic that is scored.
    """
    if prels is not None:
        drawn = read_prels(prels, grading)
        _check_topics(collection, drawn, prels, "sample")
        collection = collection.with_samples(drawn)
    if strata is not None:
        pooled = read_strata(strata, grading)
        _check_topics(collection, pooled, strata, "strata")
        collection = collection.with_strata(pooled)
    if subtopics is not None:
        relevant = read_subtopics(subtopics)
        _check_topics(collection, relevant, subtopics, "judgments")
        collection = collection.with_subtopics(relevant)
    return collection


def _check_topics(collection: JudgedCollection, named: Container[str], file: Path, kind: str) -> None:
    if not any(topic.is_ranked and topic.number in named for topic in collection.topics):
        raise FormatError(str(file), [LineError(None, f"holds no {kind} of any topic that is scored")])
