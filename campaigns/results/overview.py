"""What the organiser's pages read: counts over many rows, one query each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Avg, Count, F, Func, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from campaigns.computing.health import assessors_now
from campaigns.log.tallies import judged_in
from campaigns.models import Campaign, Interval, Membership, Ranking, Run, Topic

# Rankings are packed int32.
BYTES_A_DOCUMENT = 4


def with_counts(campaigns: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """How many runs, topics and acts each campaign has; subqueries, because joins would multiply."""

    def counted(rows: QuerySet[Any]) -> Coalesce:
        per_campaign = rows.filter(campaign=OuterRef("pk")).order_by().values("campaign")
        return Coalesce(Subquery(per_campaign.annotate(n=Count("pk")).values("n")), 0)

    return campaigns.annotate(
        run_count=counted(Run.objects.all()),
        topic_count=counted(Topic.objects.all()),
        act_count=Coalesce(F("log_head__length"), 0),
    )


def with_depth(runs: QuerySet[Run]) -> QuerySet[Run]:
    """How many topics each run ranks, and how many documents each on average, by the packed lists' sizes."""
    size = Func(F("rankings__documents"), function="octet_length", output_field=IntegerField())
    return runs.annotate(topic_count=Count("rankings"), per_topic=Avg(size) / BYTES_A_DOCUMENT)


def sizes_of(*, runs: Sequence[int]) -> dict[int, tuple[int, int]]:
    """By run: how many topics it ranks, and how many documents in all."""
    size = Func(F("documents"), function="octet_length", output_field=IntegerField())
    rows = Ranking.objects.filter(run__in=runs).order_by().values("run")
    sums = rows.annotate(topics=Count("pk"), bytes=Sum(size)).values_list("run", "topics", "bytes")
    return {run: (topics, bytes // BYTES_A_DOCUMENT) for run, topics, bytes in sums}


@dataclass(frozen=True)
class TopicRow:
    id: int
    number: str
    title: str
    judged: int
    relevant: int
    pool: int | None
    remaining: int | None
    # The campaign's minimum, or the pool where that is smaller.
    minimum: int


_TOPICS = """
SELECT t.id, t.number, t.title, p.pool_size, p.remaining, least(%(minimum)s, p.pool_size)
FROM campaigns_topic t LEFT JOIN campaigns_priority p ON p.topic_id = t.id
WHERE t.campaign_id = %(campaign)s AND (%(only)s::bigint[] IS NULL OR t.id = ANY(%(only)s))
ORDER BY t.position
"""


def topics_of(*, campaign: Campaign, only: Sequence[int] | None = None) -> list[TopicRow]:
    """How far each topic is; `only`: of these topics."""
    counts = judged_in(campaign=campaign)
    wish: dict[str, Any] = {"campaign": campaign.id, "only": only, "minimum": campaign.min_judgments}
    with connection.cursor() as cursor:
        cursor.execute(_TOPICS, wish)
        return [
            TopicRow(topic, number, title, *counts.get(topic, (0, 0)), *rest)
            for topic, number, title, *rest in cursor
        ]


def judging_now(*, campaign: Campaign) -> dict[int, list[str]]:
    """Who has a document open or has just judged one, by topic."""
    people: dict[int, list[str]] = defaultdict(list)
    for topic, name in sorted(assessors_now(campaign=campaign)):
        people[topic].append(name)
    return dict(people)


def mean_residuals(*, campaign: Campaign, topics: Sequence[int] | None = None) -> dict[int, float]:
    """By topic, over the runs that take part; topics not computed yet are missing. `topics`: of these."""
    cells = Interval.objects.filter(topic__campaign=campaign, run__withdrawn_at=None)
    if topics is not None:
        cells = cells.filter(topic__in=topics)
    return dict(cells.order_by().values("topic").annotate(mean=Avg("residual")).values_list("topic", "mean"))


def membership_counts(*, campaign: Campaign) -> dict[str, int]:
    rows = Membership.objects.filter(campaign=campaign).values_list("role").annotate(n=Count("pk"))
    return dict(rows)
