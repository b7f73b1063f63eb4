"""The documents that random samples are drawn from and no assessor was served, which infAP needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from django.db import connection

from campaigns.computing.arrays import CampaignArrays, load_campaign
from campaigns.computing.topic_methods import Plan, make_state, method_spec_for
from campaigns.log.current import OF_TOPICS, current_grades
from campaigns.measurement.search_stratum import come_to, said_of, searched_grades, served_by
from campaigns.models import Campaign, Document, Topic
from campaigns.models.campaign import Method
from selection.framework.options import make_options
from selection.methods.random import PoolDepth, pooled_indices
from selection.pool import Ids, Pools


def random_topics(*, campaign: Campaign) -> list[Topic]:
    """Topics served in random order, in their order."""
    topics = campaign.topics.order_by("position")
    return [topic for topic in topics if method_spec_for(campaign, topic).method == Method.RANDOM]


def pooled_only(*, campaign: Campaign, besides: Mapping[int, set[int]]) -> Iterator[tuple[str, str]]:
    """(topic number, docno) of every document that the sample of a random topic is drawn from and that has
    no grade now, or is `besides`, by topic, in topic order, docnos ascending."""
    topics = random_topics(campaign=campaign)
    arrays = _arrays_of(campaign, topics)
    for index, topic in enumerate(topics):
        depth = make_options(PoolDepth, method_spec_for(campaign, topic).options, Method.RANDOM).depth
        pool = arrays.pools[index]
        drawn_from = pool.documents[pooled_indices(pool, arrays.contributing, depth)]
        graded = np.setdiff1d(_graded(campaign, topic), sorted(besides.get(topic.id, ())))
        left = np.setdiff1d(drawn_from, graded)
        docnos = Document.objects.filter(id__in=left.tolist()).order_by("docno")
        for docno in docnos.values_list("docno", flat=True).iterator():
            yield topic.number, docno


def _arrays_of(campaign: Campaign, topics: list[Topic]) -> CampaignArrays:
    ids = tuple(topic.id for topic in topics)
    # The order inside a pool does not matter here, so any that costs nothing will do.
    return load_campaign(campaign, topics=ids, sort_key=lambda documents: documents.astype(np.int64))


_IDS = "SELECT array_agg(document_id) FROM current"


def _graded(campaign: Campaign, topic: Topic) -> Ids:
    query = f"WITH {current_grades(campaign, where=OF_TOPICS)} {_IDS}"
    with connection.cursor() as cursor:
        cursor.execute(query, {"topics": [topic.id]})
        return np.array(cursor.fetchone()[0] or [], dtype=np.int32)


def found_ahead(*, campaign: Campaign) -> dict[int, set[int]]:
    """Documents found by search, by random topic, that the random order has not come to. As long as they
    count as not judged, the judged documents are a random sample."""
    topics = random_topics(campaign=campaign)
    searched = searched_grades(campaign, [topic.id for topic in topics]) if topics else {}
    some = [topic for topic in topics if topic.id in searched]
    arrays = _arrays_of(campaign, some) if some else None
    ahead: dict[int, set[int]] = {}
    for index, topic in enumerate(some):
        assert arrays is not None
        alone = replace(arrays, topics=(topic.id,), pools=Pools.of([arrays.pools[index]]))
        passed = come_to(
            _serving_order(campaign, topic, alone),
            searched=searched[topic.id],
            served=served_by(campaign, topic.id, Method.RANDOM),
            answered=said_of(campaign, topic.id),
        )
        ahead[topic.id] = searched[topic.id].keys() - passed
    return ahead


def _serving_order(campaign: Campaign, topic: Topic, arrays: CampaignArrays) -> list[int]:
    """All documents of the topic's random sample, in the order in which they are served."""
    plan = Plan((topic.id,), (topic.number,), (method_spec_for(campaign, topic),), {}, None)
    state = make_state(campaign, plan, arrays)
    queue = state.queue(0, max(len(arrays.pools[0]), 1))
    return [int(document) for document in arrays.pools[0].documents[queue.documents]]
