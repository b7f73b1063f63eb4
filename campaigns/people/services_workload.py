"""Who has a role, and how much each has done."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from campaigns.log.activity import Acts, acts_by_each, seconds_at
from campaigns.log.judgments import made_at
from campaigns.log.tallies import judged_by_each
from campaigns.models import Campaign, TopicAssignment


@dataclass(frozen=True)
class Workload:
    """`judged`: documents, what was taken back left out; `days`: on which they judged; `seconds`: median of a
    judgment's active time; `given`: topics assigned to them that are open; `decided`: in adjudication."""

    username: str
    role: str
    paused: bool
    judged: int
    topics: int
    days: int
    seconds: float | None
    last: Any
    decided: int
    given: int

    @property
    def per_day(self) -> float | None:
        return self.judged / self.days if self.days else None


def workload_of(*, campaign: Campaign) -> list[Workload]:
    """Everybody with a role, organisers first."""
    acts = acts_by_each(campaign=campaign)
    made = made_at(campaign=campaign, places=[one.last for one in acts.values()])
    held: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for (_, person), counts in judged_by_each(campaign=campaign).items():
        held[person].append(counts)
    return [
        _workload(row, held[row[0]], acts.get(row[0], Acts()), made)
        for row in campaign.memberships.annotate(given=_assigned_open())
        .order_by("-role", "user__username")
        .values_list("user_id", "user__username", "role", "paused_at", "given")
    ]


def _workload(
    member: tuple[int, str, str, Any, int], held: list[tuple[int, int]], acts: Acts, made: dict[int, Any]
) -> Workload:
    _, username, role, paused_at, given = member
    return Workload(
        username=username,
        role=role,
        paused=paused_at is not None,
        judged=sum(judged for judged, _ in held),
        topics=sum(judged > 0 for judged, _ in held),
        days=len(acts.judging),
        seconds=seconds_at(acts.paces, 0.5),
        last=made.get(acts.last),
        decided=sum(decided for _, decided in held),
        given=given,
    )


def _assigned_open() -> Coalesce:
    own = TopicAssignment.objects.filter(
        assessor=OuterRef("user"), topic__campaign=OuterRef("campaign"), topic__closed_at=None
    )
    return Coalesce(Subquery(own.values("assessor").annotate(n=Count("pk")).values("n")), 0)
