"""What the organiser's pages read: counts over many rows, one query each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Avg, Count, F, Func, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from campaigns.models import Campaign, Claim, Membership, Ranking, Run, Topic
from campaigns.policies import OF_TOPICS, latest_and_current

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


_TOPICS = """,
tally AS (
  SELECT topic_id, count(*) AS judged, count(*) FILTER (WHERE grade = ANY(%s)) AS relevant
  FROM current GROUP BY topic_id)
SELECT t.id, t.number, t.title, coalesce(judged, 0), coalesce(relevant, 0), p.pool_size, p.remaining
FROM campaigns_topic t
LEFT JOIN tally ON tally.topic_id = t.id LEFT JOIN campaigns_priority p ON p.topic_id = t.id
WHERE {which} ORDER BY t.position
"""


def topics_of(*, campaign: Campaign, only: Sequence[int] | None = None) -> list[TopicRow]:
    """How far each topic is; `only`: of these topics."""
    relevant = [row["grade"] for row in campaign.grades if campaign.is_relevant(row["grade"])]
    given: Any
    if only is None:
        current, given, which = latest_and_current(campaign), campaign.id, "t.campaign_id = %s"
    else:
        current, given, which = latest_and_current(campaign, which=OF_TOPICS), list(only), "t.id = ANY(%s)"
    with connection.cursor() as cursor:
        cursor.execute(current.rstrip() + _TOPICS.format(which=which), [given, relevant, given])
        return [TopicRow(*row) for row in cursor.fetchall()]


def judging_now(*, campaign: Campaign) -> dict[int, list[str]]:
    """Who has a document open, by topic."""
    held = Claim.objects.filter(topic__campaign=campaign, reserved=False, expires_at__gt=timezone.now())
    people: dict[int, list[str]] = {}
    for topic, name in held.order_by("assessor__username").values_list("topic", "assessor__username"):
        if name not in people.setdefault(topic, []):
            people[topic].append(name)
    return people


@dataclass(frozen=True)
class PersonRow:
    username: str
    role: str
    judged: int
    topics: int
    last: Any


_PEOPLE = """
WITH latest AS (
  SELECT DISTINCT ON (assessor_id, topic_id, document_id) assessor_id, topic_id, undo, created
  FROM campaigns_judgment WHERE campaign_id = %(campaign)s
  ORDER BY assessor_id, topic_id, document_id, sequence DESC)
SELECT u.username, m.role, count(l.topic_id) FILTER (WHERE NOT l.undo),
  count(DISTINCT l.topic_id) FILTER (WHERE NOT l.undo), max(l.created)
FROM campaigns_membership m JOIN auth_user u ON u.id = m.user_id
LEFT JOIN latest l ON l.assessor_id = m.user_id
WHERE m.campaign_id = %(campaign)s
GROUP BY u.username, m.role ORDER BY m.role DESC, u.username
"""


def people_of(*, campaign: Campaign) -> list[PersonRow]:
    """Everybody with a role, organisers first, and what each has judged that still counts."""
    with connection.cursor() as cursor:
        cursor.execute(_PEOPLE, {"campaign": campaign.id})
        return [PersonRow(*row) for row in cursor.fetchall()]


def membership_counts(*, campaign: Campaign) -> dict[str, int]:
    rows = Membership.objects.filter(campaign=campaign).values_list("role").annotate(n=Count("pk"))
    return dict(rows)
