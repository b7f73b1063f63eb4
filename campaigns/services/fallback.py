"""The order of last resort: when a silent worker's queue is used up, documents are served by their
Method A weight (Moffat, Webber and Zobel 2007), which needs nothing but the rankings."""

from __future__ import annotations

import numpy as np

from campaigns.arrays import docno_order, unpack_ids
from campaigns.models import Ranking, Topic
from selection.pool import build_topic_pool


def static_order(topic_id: int) -> list[int]:
    """Every document of the topic's pool, judged or not, by Method A weight descending."""
    campaign = Topic.objects.select_related("campaign").get(id=topic_id).campaign
    packed = Ranking.objects.filter(topic_id=topic_id, run__contributes_to_pool=True)
    rankings = [unpack_ids(row) for row in packed.order_by("run_id").values_list("documents", flat=True)]
    if not rankings:
        return []
    everybody = np.ones(len(rankings), dtype=np.bool_)
    pool = build_topic_pool(rankings, campaign.p, everybody, sort_key=docno_order)
    return [int(document) for document in pool.documents]
