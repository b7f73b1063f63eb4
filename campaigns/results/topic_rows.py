"""Rows of the organiser's pages: counts over many rows, one query each.

docs/glossary.md defines the counts. Of each there is one function, here or in campaigns/log/: log entries
(`length_of`), judgments (`judged_by_each`), judged documents (`judged_in`), repeats (`repeats_by_each`), runs
(`with_counts`); distinct runs are those of `Standings`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Avg, Count, F, Func, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from campaigns.computing.health import assessors_now
from campaigns.log.tallies import TallyCounts, counts_at, judged_in, judged_in_each
from campaigns.models import Campaign, Interval, Membership, Ranking, Run, Topic

# Rankings are packed int32.
BYTES_A_DOCUMENT = 4
SIZES_TALLY = "sizes"


def with_counts(campaigns: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """Annotate campaigns with the numbers of runs that take part, of withdrawn runs, topics and log entries;
    subqueries, because joins would multiply."""

    def counted(rows: QuerySet[Any]) -> Coalesce:
        per_campaign = rows.filter(campaign=OuterRef("pk")).order_by().values("campaign")
        return Coalesce(Subquery(per_campaign.annotate(n=Count("pk")).values("n")), 0)

    return campaigns.annotate(
        run_count=counted(Run.objects.taking_part()),
        withdrawn_count=counted(Run.objects.exclude(withdrawn_at=None)),
        topic_count=counted(Topic.objects.all()),
        log_length=Coalesce(F("log_head__length"), 0),
    )


def sizes_of(*, campaign: Campaign) -> dict[int, tuple[int, int]]:
    """Numbers of topics ranked and of documents, by run, from the packed lists' sizes."""

    def count() -> TallyCounts:
        size = Func(F("documents"), function="octet_length", output_field=IntegerField())
        rows = Ranking.objects.filter(run__in=campaign.runs.order_by().values("id")).order_by().values("run")
        sums = rows.annotate(topics=Count("pk"), bytes=Sum(size)).values_list("run", "topics", "bytes")
        return {str(run): [topics, bytes // BYTES_A_DOCUMENT] for run, topics, bytes in sums}

    sizes = counts_at(campaign, SIZES_TALLY, as_of=campaign.configuration, count=count)
    return {int(run): (topics, documents) for run, (topics, documents) in sizes.items()}


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

    @property
    def left(self) -> int:
        return max(self.minimum - self.judged, 0)


_TOPICS = """
SELECT t.campaign_id, t.id, t.number, t.title, p.pool_size, p.remaining, least(c.min_judgments, p.pool_size)
FROM campaigns_topic t JOIN campaigns_campaign c ON c.id = t.campaign_id
LEFT JOIN campaigns_priority p ON p.topic_id = t.id
WHERE t.campaign_id = ANY(%(campaigns)s) AND (%(only)s::bigint[] IS NULL OR t.id = ANY(%(only)s))
ORDER BY t.position
"""


def topics_of(*, campaign: Campaign, only: Sequence[int] | None = None) -> list[TopicRow]:
    """Progress of each topic; `only`: of these topics."""
    return _topic_rows({campaign.id: judged_in(campaign=campaign)}, only)[campaign.id]


def topics_of_each(*, campaigns: Sequence[Campaign]) -> dict[int, list[TopicRow]]:
    """Progress of each topic, by campaign."""
    return _topic_rows(judged_in_each(campaigns=campaigns))


def _topic_rows(
    counts: Mapping[int, Mapping[int, tuple[int, int]]], only: Sequence[int] | None = None
) -> dict[int, list[TopicRow]]:
    """Rows by campaign, like `counts` of judged and relevant documents by topic."""
    rows: dict[int, list[TopicRow]] = {campaign: [] for campaign in counts}
    parameters: dict[str, Any] = {"campaigns": list(counts), "only": only}
    with connection.cursor() as cursor:
        cursor.execute(_TOPICS, parameters)
        for campaign, topic, number, title, *rest in cursor:
            row = TopicRow(topic, number, title, *counts[campaign].get(topic, (0, 0)), *rest)
            rows[campaign].append(row)
    return rows


@dataclass(frozen=True)
class JudgingProgress:
    """`judged`: documents; `done` of `goal`: of each topic no more than its minimum, or of all no more than
    the budget where that is smaller (`of_budget`). `goal`: 0 where there is neither."""

    judged: int
    relevant: int
    done: int
    goal: int
    of_budget: bool

    @property
    def share(self) -> float:
        """In hundredths."""
        return 100 * self.done / self.goal if self.goal else 0.0


def judging_progress(*, campaign: Campaign, topics: Sequence[TopicRow]) -> JudgingProgress:
    """`topics`: all rows of `topics_of`."""
    judged, minimums = sum(topic.judged for topic in topics), sum(topic.minimum for topic in topics)
    done, goal, budget = sum(min(topic.judged, topic.minimum) for topic in topics), minimums, campaign.budget
    if budget and not campaign.min_judgments and all(topic.pool is not None for topic in topics):
        budget = min(budget, sum(topic.pool or 0 for topic in topics))
    of_budget = budget is not None and (budget < minimums or not campaign.min_judgments)
    if of_budget:
        goal = budget or 0
        done = min(judged, goal)
    return JudgingProgress(
        judged=judged,
        relevant=sum(topic.relevant for topic in topics),
        done=done,
        goal=goal,
        of_budget=of_budget,
    )


def judging_now(*, campaign: Campaign) -> dict[int, list[str]]:
    """Assessors who have a document open or have just judged one, by topic."""
    people: dict[int, list[str]] = defaultdict(list)
    for topic, name in sorted(assessors_now(campaign=campaign)):
        people[topic].append(name)
    return dict(people)


def mean_residuals(*, campaign: Campaign, topics: Sequence[int] | None = None) -> dict[int, float]:
    """Mean residual by topic, over the runs that take part; topics not computed yet are missing. `topics`: of
    these."""
    # By runs: to join millions of cells with their topics takes as long again as to read them.
    cells = Interval.objects.filter(run__in=campaign.runs.taking_part().order_by().values("id"))
    if topics is not None:
        cells = cells.filter(topic__in=topics)
    return dict(cells.order_by().values("topic").annotate(mean=Avg("residual")).values_list("topic", "mean"))


def membership_counts(*, campaign: Campaign) -> dict[str, int]:
    rows = Membership.objects.filter(campaign=campaign).values_list("role").annotate(n=Count("pk"))
    return dict(rows)
