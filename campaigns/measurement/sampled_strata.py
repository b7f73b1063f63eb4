"""The strata of topics that are served from sampled strata, and what of them is judged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection

from campaigns.computing.arrays import load_campaign
from campaigns.computing.topic_methods import Plan, make_state, method_spec_for
from campaigns.log.current import OF_TOPICS, current_grades
from campaigns.measurement.search_stratum import come_to, said_of, served_by
from campaigns.models import Campaign, Document, Topic
from campaigns.models.campaign import Method
from evaluation.arrays import BoolArray
from evaluation.estimation.strata import NOT_POOLED
from selection.framework.interface import StatapSample
from selection.framework.options import make_options
from selection.methods.strata import DrawnStrata, StrataOptions, draw_strata, judged_sample
from selection.pool import TopicPool


def strata_topics(*, campaign: Campaign, topics: Sequence[int] | None = None) -> list[Topic]:
    """Topics served from sampled strata, by default of all, in their order."""
    rows = campaign.topics.order_by("position")
    chosen = rows if topics is None else rows.filter(id__in=topics)
    return [topic for topic in chosen if method_spec_for(campaign, topic).method == Method.STRATA]


@dataclass(frozen=True, eq=False)
class TopicStrata:
    """A topic's pool and what is drawn of it, by the runs that contribute now."""

    topic: Topic
    pool: TopicPool
    drawn: DrawnStrata

    @property
    def planned(self) -> StatapSample:
        """The whole sample, as if none of it were judged."""
        return self.judged((), ())

    def judged(self, judged: Collection[int], otherwise: Collection[int]) -> StatapSample:
        """The sample with the probabilities that these judged documents have by now, given by id."""
        return judged_sample(self.pool, self.drawn, self._among(judged), self._among(otherwise))

    def counted(self, campaign: Campaign, graded: Collection[int]) -> set[int]:
        """Select the graded documents that the sample served or has come to."""
        order = self.planned.documents.tolist()
        served = served_by(campaign, self.topic.id, Method.STRATA)
        others = set(graded) - served
        passed = come_to(order, searched=others, served=served, answered=said_of(campaign, self.topic.id))
        return passed | (served.intersection(order) & set(graded))

    def _among(self, ids: Collection[int]) -> BoolArray:
        return np.isin(self.pool.documents, np.array(sorted(ids), dtype=np.int32))


def topic_strata(*, campaign: Campaign, topics: Sequence[int] | None = None) -> dict[int, TopicStrata]:
    """Strata by topic id, in the order of topics."""
    some = strata_topics(campaign=campaign, topics=topics)
    if not some:
        return {}
    ids, numbers = tuple(topic.id for topic in some), tuple(topic.number for topic in some)
    chosen = tuple(method_spec_for(campaign, topic) for topic in some)
    # The order inside a pool does not matter here, so any that costs nothing will do.
    arrays = load_campaign(campaign, topics=ids, sort_key=lambda documents: documents.astype(np.int64))
    setting = make_state(campaign, Plan(ids, numbers, chosen, {}, None), arrays).setting
    options = [make_options(StrataOptions, one.options, Method.STRATA) for one in chosen]
    return {
        topic.id: TopicStrata(topic, arrays.pools[place], draw_strata(setting, place, options[place]))
        for place, topic in enumerate(some)
    }


_GRADES = "SELECT document_id, grade FROM current"


def strata_grades(*, campaign: Campaign, policy: str = "") -> Iterator[tuple[str, str, int, int | None]]:
    """(topic number, docno, stratum from 1, grade) of every document in the strata, topics in order, docnos
    ascending. A document that the sample has not come to has no grade."""
    query = f"WITH {current_grades(campaign, policy, where=OF_TOPICS)} {_GRADES}"
    for id, one in topic_strata(campaign=campaign).items():
        with connection.cursor() as cursor:
            cursor.execute(query, {"topics": [id]})
            grades = dict(cursor.fetchall())
        counted = one.counted(campaign, grades)
        pooled = zip(one.pool.documents.tolist(), one.drawn.strata.tolist(), strict=True)
        strata = {document: stratum for document, stratum in pooled if stratum != NOT_POOLED}
        rows = Document.objects.filter(id__in=list(strata)).order_by("docno").values_list("id", "docno")
        for document, docno in rows.iterator():
            grade = grades[document] if document in counted else None
            yield one.topic.number, docno, strata[document] + 1, grade
