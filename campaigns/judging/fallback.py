"""The order of last resort, when a silent worker's queue is used up. A topic that is sampled is served
from its sample and from nothing else; the others by Method A weight (Moffat, Webber and Zobel 2007), which
needs nothing but the rankings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from campaigns.collection.rankings import docno_order
from campaigns.models import Ranking, Sample, Topic
from campaigns.models.campaign import SAMPLED, Method
from campaigns.models.packed import unpack_ids, unpack_weights
from selection.pool import build_topic_pool


@dataclass(frozen=True)
class LastResort:
    """Documents in serving order, the method that says so, and the probabilities of what was drawn."""

    documents: list[int]
    method: str
    inclusion: list[float]


def last_resort(topic_id: int) -> LastResort:
    topic = Topic.objects.select_related("campaign").get(id=topic_id)
    method = topic.method or topic.campaign.method
    if method == Method.RANDOM:
        # Anything else among the documents drawn, and they would no longer be a uniform sample.
        return LastResort([], Method.RANDOM, [])
    if method in SAMPLED:
        sample = Sample.objects.filter(topic=topic).first()
        if sample is None:
            # Nothing may be served before the worker has drawn it; where MTC serves the topic alone, too,
            # because only the worker knows.
            return LastResort([], Method.STATAP, [])
        documents = unpack_ids(sample.documents).tolist()
        return LastResort(documents, Method.STATAP, unpack_weights(sample.inclusion).tolist())
    return LastResort(_method_a(topic), Method.A, [])


def _method_a(topic: Topic) -> list[int]:
    """Every document of the topic's pool, judged or not, by Method A weight descending."""
    packed = Ranking.objects.filter(topic=topic, run__contributes_to_pool=True)
    rankings = [unpack_ids(row) for row in packed.order_by("run_id").values_list("documents", flat=True)]
    if not rankings:
        return []
    everybody = np.ones(len(rankings), dtype=np.bool_)
    pool = build_topic_pool(rankings, topic.campaign.p, everybody, sort_key=docno_order)
    return [int(document) for document in pool.documents]
