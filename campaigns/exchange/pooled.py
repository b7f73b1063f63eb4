"""What a random sample is drawn from and nobody has judged: measures such as infAP need to know it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from django.db import connection

from campaigns.computing.arrays import load_campaign
from campaigns.computing.topic_methods import chosen_for
from campaigns.log.current import latest_and_current
from campaigns.models import Campaign, Document, Topic
from campaigns.models.campaign import Method
from campaigns.models.packed import Ids
from selection.framework.options import make_options
from selection.methods.random import RandomOptions, pooled


def random_topics(*, campaign: Campaign) -> list[Topic]:
    """Those served in random order, in their order."""
    topics = campaign.topics.order_by("position")
    return [topic for topic in topics if chosen_for(campaign, topic).method == Method.RANDOM]


def pooled_only(*, campaign: Campaign) -> Iterator[tuple[str, str]]:
    """(topic number, docno) of every document that the sample of a random topic is drawn from and that has
    no grade now, in topic order, docnos ascending."""
    topics = random_topics(campaign=campaign)
    ids = tuple(topic.id for topic in topics)
    # The order inside a pool does not matter here, so any that costs nothing will do.
    arrays = load_campaign(campaign, topics=ids, sort_key=lambda documents: documents.astype(np.int64))
    for index, topic in enumerate(topics):
        depth = make_options(RandomOptions, chosen_for(campaign, topic).options, Method.RANDOM).depth
        pool = arrays.pools[index]
        drawn_from = pool.documents[pooled(pool, arrays.contributing, depth)]
        left = np.setdiff1d(drawn_from, _graded(campaign, topic))
        docnos = Document.objects.filter(id__in=left.tolist()).order_by("docno")
        for docno in docnos.values_list("docno", flat=True).iterator():
            yield topic.number, docno


_OF_TOPIC = "SELECT array_agg(document_id) FROM current WHERE topic_id = %s"


_OF_TOPIC = "SELECT array_agg(document_id) FROM current WHERE topic_id = %s"


def _graded(campaign: Campaign, topic: Topic) -> Ids:
    with connection.cursor() as cursor:
        cursor.execute(
            latest_and_current(campaign) + _OF_TOPIC,
            [campaign.id, topic.id],
        )
        return np.array(cursor.fetchone()[0] or [], dtype=np.int32)
