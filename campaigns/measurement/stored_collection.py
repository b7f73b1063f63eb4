"""A campaign's rows as a judged collection: measures score it as they score the exported files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from campaigns.collection.rankings import DocnoOrder, rankings_of
from campaigns.formats.grading import Grading
from campaigns.formats.prels import PrelMethod, SampledJudgment
from campaigns.formats.qrels import JUNK
from campaigns.formats.topics import in_topic_order
from campaigns.log.current import grades_of
from campaigns.measurement.prels import current_prels, drawn_topics
from campaigns.models import Campaign, Document, Ranking
from campaigns.models.campaign import Method
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from evaluation.arrays import BoolArray
from selection.pool import Ids

# Before every name that has letters or is longer: no document of the pool sorts behind it.
_UNRANKED = "~"


class PlaceNames(Sequence[str]):
    """Names of a topic's documents by their places among its docnos: to read millions of docnos would take
    longer than to score."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [f"{at:010d}" for at in range(self._count)[place]]
        return f"{range(self._count)[place]:010d}"


@dataclass(frozen=True, eq=False)
class StoredCollection:
    """The campaign's runs that take part, by id, and what is judged. `contributing` (runs,): those whose
    documents may be served; `topics`: ids, in the collection's order; `sampled`: numbers of the topics that
    method `sample` serves, whose `drawn` are its judgments."""

    collection: JudgedCollection
    grading: Grading
    runs: tuple[int, ...]
    contributing: BoolArray
    topics: tuple[int, ...]
    sampled: frozenset[str] = frozenset()

    def drawn_by(self, *, sample: bool) -> JudgedCollection:
        """The collection with what method `sample` drew, or else with what statAP drew."""
        topics = [
            topic if (topic.number in self.sampled) == sample else replace(topic, drawn=None)
            for topic in self.collection.topics
        ]
        return replace(self.collection, topics=tuple(topics))


def stored_collection(campaign: Campaign) -> StoredCollection:
    """Read all rankings and current grades, and where a sample is drawn, its inclusion probabilities. Read it
    inside `consistent_reads`. Topics that no run ranks and nobody judged are left out, as in files."""
    rows = list(campaign.runs.taking_part().order_by("id").values_list("id", "tag", "contributes_to_pool"))
    runs = {id: tag for id, tag, _ in rows}
    numbers = {number: id for id, number in campaign.topics.values_list("id", "number")}
    grades = grades_of(campaign=campaign)
    judged = {document for of_topic in grades.values() for document in of_topic}
    docnos = dict(Document.objects.filter(id__in=judged).values_list("id", "docno"))
    drawn = _drawn(campaign)
    ranked = set(Ranking.objects.filter(run__in=runs).values_list("topic", flat=True).distinct())
    order = DocnoOrder(campaign.collection_id)
    topics, ids = [], []
    for number in in_topic_order(numbers):
        id, sampled = numbers[number], drawn.get(number)
        if id in ranked or id in grades:
            ids.append(id)
            topics.append(_topic(id, number, tuple(runs), grades.get(id, {}), docnos, sampled, order))
    gains = {JUNK: 0.0, **{int(row["grade"]): float(row["gain"]) for row in campaign.grades}}
    return StoredCollection(
        JudgedCollection(tuple(runs.values()), tuple(topics)),
        Grading(gains),
        tuple(runs),
        np.array([contributes for _, _, contributes in rows], dtype=np.bool_),
        tuple(ids),
        frozenset(
            number
            for number, own in campaign.topics.values_list("number", "method")
            if (own or campaign.method) == Method.SAMPLE
        ),
    )


def _drawn(campaign: Campaign) -> dict[str, dict[str, SampledJudgment]]:
    """Sampled judgments by topic number and docno, as `read_prels` has them of the exported file."""
    if not drawn_topics(campaign):
        return {}
    by_topic: defaultdict[str, dict[str, SampledJudgment]] = defaultdict(dict)
    sampled: set[str] = set()
    for prel in current_prels(campaign=campaign):
        by_topic[prel.topic][prel.docno] = SampledJudgment(prel.grade, prel.inclusion, prel.method)
        if prel.method is not PrelMethod.OTHERWISE:
            sampled.add(prel.topic)
    return {topic: of_topic for topic, of_topic in by_topic.items() if topic in sampled}


def _topic(
    topic: int,
    number: str,
    runs: tuple[int, ...],
    grades: Mapping[int, int],
    docnos: Mapping[int, str],
    drawn: Mapping[str, SampledJudgment] | None,
    order: DocnoOrder,
) -> JudgedTopic:
    rankings = rankings_of(topic, runs)
    known = [ids for ids in rankings if ids is not None]
    pool = np.unique(np.concatenate(known)) if known else np.zeros(0, dtype=np.int32)
    place = np.empty(len(pool), dtype=np.int32)
    place[np.argsort(order(pool), kind="stable")] = np.arange(len(pool), dtype=np.int32)
    names = PlaceNames(len(pool))
    name_of = _names(sorted(grades, key=docnos.__getitem__), pool, place, docnos)
    by_docno = {docnos[document]: name for document, name in name_of.items()}
    return JudgedTopic(
        number,
        names,
        [None if ids is None else place[np.searchsorted(pool, ids)] for ids in rankings],
        {name: grades[document] for document, name in name_of.items()},
        drawn=None if drawn is None else {by_docno[docno]: one for docno, one in drawn.items()},
    )


def _names(judged: Sequence[int], pool: Ids, place: Ids, docnos: Mapping[int, str]) -> dict[int, str]:
    at = np.searchsorted(pool, np.array(judged, dtype=np.int32))
    return {
        document: f"{place[index]:010d}"
        if index < len(pool) and pool[index] == document
        else f"{_UNRANKED}{docnos[document]}"
        for document, index in zip(judged, at.tolist(), strict=True)
    }
