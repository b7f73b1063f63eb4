"""Judgments with the probability of each being judged, for estimates such as statAP."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db import connection, transaction

from campaigns.collection.rankings import DocnoOrder
from campaigns.computing.arrays import load_campaign
from campaigns.computing.live import PoolPlaces
from campaigns.computing.topic_methods import Plan, load_plan, make_state, unpack_sample
from campaigns.formats.prels import PrelMethod
from campaigns.log.current import OF_CAMPAIGN, OF_TOPICS, current_grades
from campaigns.log.searched import IS_SERVED
from campaigns.measurement.sampled_prefixes import SampledPrefixes
from campaigns.measurement.sampled_strata import topic_strata
from campaigns.measurement.search_stratum import asked_by_now, come_to, said_of, searched_grades
from campaigns.models import Campaign, Sample, Topic
from campaigns.models.campaign import Method
from campaigns.models.judgment import COPIED, SEARCHED
from campaigns.models.packed import unpack_ids
from selection.methods.alternation import AlternatingMethod
from selection.methods.statap import prels_of
from selection.pool import Pools

# Of these a judgment says that it came by the sample. One without a method was not served: it was loaded
# from a file, or sent for a document that its sender no longer held (stale), as late replies are.
SERVES_SAMPLES = (Method.STATAP, Method.MTC_STATAP, Method.STRATA)

_JUDGED = f""",
first AS (
  SELECT DISTINCT ON (j.topic_id, j.document_id) j.topic_id, j.document_id, j.method, j.stale_claim
  FROM campaigns_judgment j JOIN latest USING (topic_id, document_id)
  WHERE j.grade IS NOT NULL AND latest.grade IS NOT NULL AND j.assessor_id = latest.assessor_id
    AND j.method NOT IN ('{SEARCHED}', '{COPIED}')
  ORDER BY j.topic_id, j.document_id, j.sequence)
SELECT t.id, t.number, d.id, d.docno, current.grade,
  NOT (first.method = ANY(%(serving)s) OR (first.method = '' AND first.stale_claim))
FROM current JOIN first USING (topic_id, document_id)
JOIN campaigns_topic t ON t.id = topic_id JOIN campaigns_document d ON d.id = document_id
ORDER BY t.position, t.id, d.docno
"""  # noqa: S608

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
    judgment did not hang on the draw. Outside the sample a document is OTHERWISE, and certain. What was found
    by search is left out until the sample, or MTC beside it, has come to it. Topics of method `sample` give
    the judged beginning of their sample, and what was judged before it began."""
    samples = {row.topic_id: unpack_sample(row) for row in Sample.objects.filter(topic__campaign=campaign)}
    strata = topic_strata(campaign=campaign, topics=topics)
    samples |= {topic: one.planned for topic, one in strata.items()}
    alternation, prefixes = _Alternation(campaign), SampledPrefixes(campaign)
    searched = searched_grades(campaign, samples.keys() | prefixes.topics, policy)
    for topic, rows in _by_topic(campaign, _judged(campaign, policy, topics), topics):
        otherwise = {row[2] for row in rows if row[5]}
        by_search = searched.get(topic.id, {})
        rows_found = [(topic.id, topic.number, id, *one, False) for id, one in by_search.items()]
        if topic.id in prefixes.topics:
            counted = prefixes.counted(topic.id, {row[2] for row in rows}, by_search.keys())
            for _, number, id, docno, grade, _ in sorted([*rows, *rows_found], key=itemgetter(3)):
                if id in counted:
                    yield Prel(number, docno, grade, *counted[id])
            continue
        if topic.id in samples and topic.id in alternation.topics:
            otherwise |= alternation.asked_by_mtc(topic.id, rows, rows_found)
        if by_search:
            reached = otherwise | _drawn_by_now(
                campaign, topic.id, samples[topic.id].documents.tolist(), rows, by_search
            )
            rows = sorted([*rows, *(row for row in rows_found if row[2] in reached)], key=itemgetter(3))
        drawn = samples.get(topic.id)
        if topic.id in strata:
            drawn = strata[topic.id].judged({row[2] for row in rows}, otherwise)
            # What only an earlier draw had, before runs came late, is no part of this one.
            known = otherwise.union(drawn.documents.tolist())
            rows = [row for row in rows if row[2] in known]
        ids = np.array([row[2] for row in rows], dtype=np.int32)
        prels = prels_of(ids, drawn, np.array(sorted(otherwise), dtype=np.int32))
        came = zip(rows, prels.methods.tolist(), prels.inclusion.tolist(), strict=True)
        for (_, number, _, docno, grade, _), method, inclusion in came:
            yield Prel(number, docno, grade, PrelMethod(method), inclusion)


def drawn_topics(campaign: Campaign) -> set[int]:
    """Ids of the topics of which documents are drawn with known probabilities."""
    stored = Sample.objects.filter(topic__campaign=campaign).values_list("topic_id", flat=True)
    methods = campaign.topics.values_list("id", "method")
    drawing = (Method.SAMPLE, Method.STRATA)
    return {*stored, *(topic for topic, own in methods if (own or campaign.method) in drawing)}


def _by_topic(
    campaign: Campaign, rows: Iterator[_Row], topics: Sequence[int] | None
) -> Iterator[tuple[Topic, list[_Row]]]:
    """Group rows by topic, in the order of topics, which rows share; no rows where nothing was served."""
    groups = groupby(rows, key=itemgetter(0))
    group = next(groups, None)
    wanted = (
        campaign.topics.only("campaign", "number")
        if topics is None
        else campaign.topics.filter(id__in=topics)
    )
    for topic in wanted.order_by("position", "id"):
        if group is not None and group[0] == topic.id:
            yield topic, list(group[1])
            group = next(groups, None)
        else:
            yield topic, []


def _drawn_by_now(
    campaign: Campaign, topic: int, drawn: Sequence[int], rows: Sequence[_Row], searched: Collection[int]
) -> set[int]:
    """Documents of the sample that were found by search, and that the sample has come to."""
    served = {row[2] for row in rows if not row[5]}
    return come_to(drawn, searched=searched, served=served, answered=said_of(campaign, topic))


def _judged(campaign: Campaign, policy: str, topics: Sequence[int] | None) -> Iterator[_Row]:
    where = f"{OF_CAMPAIGN if topics is None else OF_TOPICS} AND {IS_SERVED}"
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

    def asked_by_mtc(self, topic: int, rows: Sequence[_Row], searched: Sequence[_Row]) -> set[int]:
        """Judged documents of the topic that MTC asked for; MTC learns nothing of documents that only the
        sample served."""
        index = self._plan.topics.index(topic)
        pool, chosen = self._arrays.pools[index], self._plan.chosen[index]
        samples = {topic: self._plan.samples[topic]}
        one = Plan((topic,), (self._plan.numbers[index],), (chosen,), samples, None)
        arrays = replace(self._arrays, topics=(topic,), pools=Pools.of([pool]))
        state, places = make_state(self._campaign, one, arrays), PoolPlaces(pool.documents)
        gains = {places.of(row[2]): self._campaign.gain_of(row[4]) for row in (*rows, *searched)}
        known = {place: gain for place, gain in gains.items() if place is not None and gain is not None}
        state.restore(state.base, state.residual, {0: known})
        method = state.alternative(0, chosen)
        asked = method.asked_by_mtc(0) if isinstance(method, AlternatingMethod) else ()
        by_search, served = {row[2] for row in searched}, {row[2] for row in rows if row[5]}
        return set(asked_by_now(pool.documents[list(asked)].tolist(), searched=by_search, served=served))


@dataclass(frozen=True)
class SamplingProgress:
    """Progress of sampling: topics with a sample, documents drawn in them, and those judged by now."""

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
