"""What `tests.bench.judging.order` runs once its services are up."""

from __future__ import annotations

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import django
import numpy as np
from django.contrib.auth.models import User
from django.db import connection

from campaigns.computing.tasks import recompute
from campaigns.computing.worker import caught_up_copy
from campaigns.core.recompute_queue import reconfigure
from campaigns.models import Campaign, LogHead, Ranking, TopicOrder
from campaigns.models.packed import unpack_ids
from campaigns.models.topics import Release
from campaigns.topic_order import releases
from campaigns.topic_order.computed_order import write_order
from selection.topics.lists import POOL_DEPTH
from tests.bench.judging import loop_data
from tests.bench.judging.loop_inside import tell
from tests.bench.report import at_most

METHODS = ("adaptive", "adaptive+", "adaptive*")
# Each judged as deep as the order reads the lists.
JUDGED_TOPICS = 25
_ACTS = """
INSERT INTO campaigns_judgment (id, campaign_id, sequence, topic_id, document_id, assessor_id, grade, reason,
  undo, adjudication, milliseconds, method, served_exactly, stale_claim, topic_revision, created)
SELECT gen_random_uuid(), %(campaign)s, row_number() OVER (), %(topic)s, document, %(assessor)s,
  CASE WHEN document %% 20 = 0 THEN 1 ELSE 0 END, '', false, false, 5000, 'C', true, false, 1, now()
FROM unnest(%(documents)s::int[]) AS act (document)
"""


def main(folder: Path, seed: int) -> None:
    campaign = loop_data.load(seed)
    recompute(campaign.id)
    _begin_by_hand(campaign)
    judged = _judge(campaign)
    recompute(campaign.id)
    size = f"{campaign.topics.count()} topics x {campaign.runs.count()} runs"
    for method in METHODS:
        releases.set_order(campaign=campaign, method=method)
        # What the method before has released.
        campaign.topics.update(release=Release.WAITING)
        TopicOrder.objects.all().delete()
        # A process of its own, whose highest memory is that of this work and of its copy of the campaign.
        with ProcessPoolExecutor(1, get_context("spawn"), django.setup) as pool:
            seconds, copy, peak = pool.submit(_measured, campaign.id).result()
        name = f"Order in a campaign, {method}, {size}, {judged:,} judgments"
        tell(at_most(f"{name}: processor time", seconds, "s", 300))
        part = f"{name}: memory at the peak, of which the copy {copy / 1e6:.0f}"
        tell(at_most(part, peak / 1e6, "MB", 1000))


def _begin_by_hand(campaign: Campaign) -> None:
    """No topic is released before it is judged."""
    releases.set_order(campaign=campaign, method=releases.HAND)


def _judge(campaign: Campaign) -> int:
    """All that the order reads of half the topics."""
    assessor = User.objects.get(username="grace").id
    judged = 0
    for topic in campaign.topics.order_by("position")[:JUDGED_TOPICS]:
        lists = Ranking.objects.filter(topic=topic).values_list("documents", flat=True)
        documents = np.unique(np.concatenate([unpack_ids(row)[:POOL_DEPTH] for row in lists]))
        given = {"campaign": campaign.id, "topic": topic.id, "assessor": assessor}
        with connection.cursor() as cursor:
            acts = _ACTS.replace("row_number() OVER ()", f"{judged} + row_number() OVER ()")
            cursor.execute(acts, given | {"documents": documents.tolist()})
        judged += len(documents)
    LogHead.objects.filter(campaign=campaign).update(length=judged)
    reconfigure(campaign)
    return judged


def _measured(campaign: int) -> tuple[float, float, float]:
    """Seconds of processor time; bytes with the copy alone, and at the peak."""
    live = caught_up_copy(campaign)
    assert live is not None
    copy = _peak()
    began = time.process_time()
    write_order(Campaign.objects.get(id=campaign), live)
    seconds = time.process_time() - began
    row = TopicOrder.objects.get(campaign=campaign)
    assert row.done == row.total == row.campaign.topics.count()
    return seconds, copy, _peak()


def _peak() -> float:
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
