"""Anchors: drawn by the kernel over all topics of an open campaign, once, and served before all else."""

from __future__ import annotations

from campaigns.computing.live import LiveCampaign
from campaigns.computing.topic_methods import stored_anchors
from campaigns.models import Anchor, Campaign, Topic
from campaigns.models.campaign import Status
from selection.anchors import draw_anchors


def learn_anchors(live: LiveCampaign) -> None:
    """Serve the anchors that another process has drawn since this copy was made."""
    if live.plan.wants_anchors:
        live.plan.anchors.update(stored_anchors(live.campaign_id))
        live.state.set_anchors(live.plan.anchors_by(live.arrays.topics))


def fix_anchors(live: LiveCampaign) -> set[int]:
    """Draw and store the anchors of an open campaign that has none yet, from the judgments folded in so far.
    The topics, by index, whose queues this changes."""
    learn_anchors(live)
    open_topics = _open_topics(live) if live.plan.wants_anchors else []
    if not open_topics:
        return set()
    # Held until the commit: neither the count nor the state of the campaign changes half-way through.
    held = Campaign.objects.select_for_update(no_key=True).values_list("status", "anchors")
    status, count = held.get(id=live.campaign_id)
    if status != Status.OPEN or not count:
        return set()
    drawn = draw_anchors(live.state, count, live.seed, topics=open_topics)
    pools, topics = live.arrays.pools, live.arrays.topics
    Anchor.objects.bulk_create(
        Anchor(
            topic_id=topics[topic],
            document_id=int(pools[topic].documents[document]),
            place=place,
            seed=live.seed,
            as_of=live.applied,
        )
        for place, (topic, document) in enumerate(drawn)
    )
    learn_anchors(live)
    return {topic for topic, _ in drawn}


def _open_topics(live: LiveCampaign) -> list[int]:
    """Return topics that take judgments and are served from no sample, which anchors would disturb."""
    closed = Topic.objects.filter(campaign=live.campaign_id).exclude(closed_at=None)
    left_out = set(closed.values_list("id", flat=True)) | live.plan.sampled
    return [index for index, topic in enumerate(live.arrays.topics) if topic not in left_out]
