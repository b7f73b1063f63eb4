"""Judgments with the probability of each being judged, for estimates such as statAP.

Also the documents that a random sample is drawn from and nobody judged, which measures such as infAP need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db import connection, transaction

from campaigns.collection.rankings import DocnoOrder
from campaigns.computing.arrays import load_campaign
from campaigns.computing.live import PoolPlaces
from campaigns.computing.topic_methods import Plan, load_plan, make_state, method_spec_for, unpack_sample
from campaigns.formats.prels import PrelMethod
from campaigns.log.current import OF_CAMPAIGN, OF_TOPICS, current_grades
from campaigns.models import Campaign, Document, Sample, Topic
from campaigns.models.campaign import Method
from campaigns.models.packed import unpack_ids
from selection.framework.options import make_options
from selection.methods.alternation import AlternatingMethod
from selection.methods.random import RandomOptions, pooled_indices
from selection.methods.statap import prels_of
from selection.pool import Ids, Pools


def random_topics(*, campaign: Campaign) -> list[Topic]:
    """Those served in random order, in their order."""
    topics = campaign.topics.order_by("position")
    return [topic for topic in topics if method_spec_for(campaign, topic).method == Method.RANDOM]


def pooled_only(*, campaign: Campaign) -> Iterator[tuple[str, str]]:
    """(topic number, docno) of every document that the sample of a random topic is drawn from and that has
    no grade now, in topic order, docnos ascending."""
    topics = random_topics(campaign=campaign)
    ids = tuple(topic.id for topic in topics)
    # The order inside a pool does not matter here, so any that costs nothing will do.
    arrays = load_campaign(campaign, topics=ids, sort_key=lambda documents: documents.astype(np.int64))
    for index, topic in enumerate(topics):
        depth = make_options(RandomOptions, method_spec_for(campaign, topic).options, Method.RANDOM).depth
        pool = arrays.pools[index]
        drawn_from = pool.documents[pooled_indices(pool, arrays.contributing, depth)]
        left = np.setdiff1d(drawn_from, _graded(campaign, topic))
        docnos = Document.objects.filter(id__in=left.tolist()).order_by("docno")
        for docno in docnos.values_list("docno", flat=True).iterator():
            yield topic.number, docno


_IDS = "SELECT array_agg(document_id) FROM current"


def _graded(campaign: Campaign, topic: Topic) -> Ids:
    query = f"WITH {current_grades(campaign, where=OF_TOPICS)} {_IDS}"
    with connection.cursor() as cursor:
        cursor.execute(query, {"topics": [topic.id]})
        return np.array(cursor.fetchone()[0] or [], dtype=np.int32)


# Of these a judgment says that it came by the sample. One without a method was not served: it was loaded
# from a file, or sent for a document that its sender no longer held (stale), as late replies are.
SERVES_SAMPLES = (Method.STATAP, Method.MTC_STATAP)

_JUDGED = """,
first AS (
  SELECT DISTINCT ON (j.topic_id, j.document_id) j.topic_id, j.document_id, j.method, j.stale_claim
  FROM campaigns_judgment j JOIN latest USING (topic_id, document_id)
  WHERE j.grade IS NOT NULL AND latest.grade IS NOT NULL AND j.assessor_id = latest.assessor_id
  ORDER BY j.topic_id, j.document_id, j.sequence)
SELECT t.id, t.number, d.id, d.docno, current.grade,
  NOT (first.method = ANY(%(serving)s) OR (first.method = '' AND first.stale_claim))
FROM current JOIN first USING (topic_id, document_id)
JOIN campaigns_topic t ON t.id = topic_id JOIN campaigns_document d ON d.id = document_id
ORDER BY t.position, t.id, d.docno
"""

_Row = tuple[int, str, int, str, int, bool]


@dataclass(frozen=True)
class Prel:
    topic: str
    docno: str
    grade: int
    method: PrelMethod
    inclusion: float


def current_prels(
    *, campaign: Campaign, policy: str = "", topics: Sequence[int] | None = None
) -> Iterator[Prel]:
    """Every judged document, by default of all topics, in the order of the qrels. A document of its topic's
    sample has the sample's probability; one that was judged for another reason as well is BOTH, since its
    judgment did not hang on the draw. Outside the sample a document is OTHERWISE, and certain."""
    samples = {row.topic_id: unpack_sample(row) for row in Sample.objects.filter(topic__campaign=campaign)}
    alternation = _Alternation(campaign)
    for topic, judged in groupby(_judged(campaign, policy, topics), key=itemgetter(0)):
        rows = list(judged)
        otherwise = {row[2] for row in rows if row[5]}
        if topic in samples and topic in alternation.topics:
            otherwise |= alternation.asked_by_mtc(topic, rows)
        ids = np.array([row[2] for row in rows], dtype=np.int32)
        found = prels_of(ids, samples.get(topic), np.array(sorted(otherwise), dtype=np.int32))
        came = zip(rows, found.methods.tolist(), found.inclusion.tolist(), strict=True)
        for (_, number, _, docno, grade, _), method, inclusion in came:
            yield Prel(number, docno, grade, PrelMethod(method), inclusion)


def _judged(campaign: Campaign, policy: str, topics: Sequence[int] | None) -> Iterator[_Row]:
    where = OF_CAMPAIGN if topics is None else OF_TOPICS
    query = f"WITH {current_grades(campaign, policy, where=where)}{_JUDGED}"
    given: dict[str, Any] = {
        "campaign": campaign.id,
        "topics": list(topics or ()),
        "serving": list(SERVES_SAMPLES),
    }
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(query, given)
        while rows := cursor.fetchmany(5000):
            yield from rows


class _Alternation:
    """The topics in which MTC and statAP take turns, and what MTC came to in them by itself."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        methods = Topic.objects.filter(campaign=campaign).values_list("id", "method")
        self.topics = {topic for topic, own in methods if (own or campaign.method) == Method.MTC_STATAP}
        if self.topics:
            self._plan, order = load_plan(campaign), DocnoOrder(campaign.collection_id)
            self._arrays = load_campaign(campaign, topics=self._plan.topics, sort_key=order)

    def asked_by_mtc(self, topic: int, rows: Sequence[_Row]) -> set[int]:
        """Of the topic's judged documents; it is told nothing of what only the sample served."""
        index = self._plan.topics.index(topic)
        pool, chosen = self._arrays.pools[index], self._plan.chosen[index]
        samples = {topic: self._plan.samples[topic]}
        one = Plan((topic,), (self._plan.numbers[index],), (chosen,), samples, None)
        arrays = replace(self._arrays, topics=(topic,), pools=Pools.of([pool]))
        state, places = make_state(self._campaign, one, arrays), PoolPlaces(pool.documents)
        gains = {places.of(row[2]): self._campaign.gain_of(row[4]) for row in rows}
        known = {place: gain for place, gain in gains.items() if place is not None and gain is not None}
        state.restore(state.base, state.residual, {0: known})
        method = state.alternative(0, chosen)
        asked = method.asked_by_mtc(0) if isinstance(method, AlternatingMethod) else ()
        return set(pool.documents[list(asked)].tolist())


@dataclass(frozen=True)
class SamplingProgress:
    """How many topics have a sample, how many documents were drawn in them, and are judged by now."""

    topics: int
    drawn: int
    judged: int

    @property
    def left(self) -> int:
        return self.drawn - self.judged


# Documents that have a grade now, by topic.
_GRADED = """
SELECT topic_id, array_agg(document_id) FROM current
WHERE topic_id IN (SELECT topic_id FROM campaigns_sample) GROUP BY topic_id
"""


def sampling_of(*, campaign: Campaign) -> SamplingProgress:
    packed = Sample.objects.filter(topic__campaign=campaign).values_list("topic_id", "documents")
    samples = {topic: unpack_ids(documents) for topic, documents in packed}
    judged = 0
    if samples:
        query = f"WITH {current_grades(campaign)} {_GRADED}"
        with connection.cursor() as cursor:
            cursor.execute(query, {"campaign": campaign.id})
            judged = sum(int(np.isin(samples[topic], ids).sum()) for topic, ids in cursor.fetchall())
    return SamplingProgress(len(samples), sum(map(len, samples.values())), judged)
