"""Topics' queues as rows: which are missing or behind, and how they are written."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef
from django.utils import timezone

from campaigns.computing.live import LiveCampaign
from campaigns.computing.samples import fix_sample
from campaigns.models import Claim, Priority, Topic
from campaigns.models.campaign import Scope
from campaigns.models.packed import DOCUMENT_IDS, WEIGHTS, pack
from selection.registry import METHODS

QUEUE_DEPTH = 256
QUEUES_AT_ONCE = 12
QUEUES_AT_FIRST = 100
# Of more topics than that, only those on an assessor's screen are kept up to date in idle moments.
ALL_KEPT_FRESH = 300

# Of these, a judgment moves the weights of every topic in campaign scope.
ACROSS_TOPICS = [name for name, method in METHODS.items() if method.across_topics]


def missing_queues(live: LiveCampaign) -> list[int]:
    """Topics whose queue was never written for these runs and settings, those that an assessor has open
    first."""
    topics = Topic.objects.filter(campaign=live.campaign_id)
    missing = topics.exclude(priority__configuration=live.configuration)
    open_ = Claim.objects.filter(topic=OuterRef("pk"), reserved=False, expires_at__gt=timezone.now())
    rows = missing.annotate(open=Exists(open_)).order_by("-open", "position")
    known = set(live.arrays.topics)
    return [topic for topic in rows.values_list("id", flat=True)[:QUEUES_AT_ONCE] if topic in known]


def queues_behind(live: LiveCampaign) -> list[int]:
    """Topics whose queue lacks judgments of other topics, the oldest queue first."""
    if live.scope != Scope.CAMPAIGN:
        return []
    rows = Priority.objects.filter(topic__campaign=live.campaign_id, configuration=live.configuration)
    rows = rows.filter(as_of__lt=live.applied, method__in=ACROSS_TOPICS)
    if len(live.arrays.topics) > ALL_KEPT_FRESH:
        rows = rows.filter(topic__claims__expires_at__gt=timezone.now()).distinct()
    return list(rows.order_by("as_of", "topic").values_list("topic", flat=True)[:QUEUES_AT_ONCE])


def queues_of_new_rows(live: LiveCampaign) -> set[int]:
    """Return, for a new configuration, the first topics by index, and those with a queue that were judged in
    since. The rest of a large campaign is written while nothing is more urgent."""
    early = Priority.objects.filter(topic__campaign=live.campaign_id, configuration=live.configuration)
    behind = early.filter(as_of__lt=live.applied).values_list("topic", flat=True)
    return {*places_of(live, behind), *range(len(live.arrays.topics))[:QUEUES_AT_FIRST]}


def places_of(live: LiveCampaign, topics: Iterable[int]) -> list[int]:
    """Return the indices of those topics that the copy knows."""
    return [place for topic in topics if (place := live.topic_index(topic)) is not None]


def write_queues(live: LiveCampaign, topics: Iterable[int]) -> None:
    """Write the queues of topics, given by index."""
    rows = [_priority(live, topic) for topic in topics]
    Priority.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["topic"],
        update_fields=[
            "documents",
            "weights",
            "inclusion",
            "sources",
            "method",
            "remaining",
            "pool_size",
            "best_weight",
            "as_of",
            "configuration",
        ],
    )


def _priority(live: LiveCampaign, topic: int) -> Priority:
    fix_sample(live, topic)
    queue = live.state.queue(topic, QUEUE_DEPTH)
    return Priority(
        topic_id=live.arrays.topics[topic],
        documents=pack(live.arrays.pools[topic].documents[queue.documents], DOCUMENT_IDS),
        weights=pack(queue.weights, WEIGHTS),
        inclusion=None if queue.inclusion is None else pack(queue.inclusion, WEIGHTS),
        sources=None if queue.sources is None else list(queue.sources),
        method=live.plan.method(topic),
        remaining=live.state.remaining(topic),
        pool_size=live.state.pool_size(topic),
        best_weight=float(queue.weights[0]) if len(queue.weights) else 0.0,
        as_of=live.applied,
        configuration=live.configuration,
    )
