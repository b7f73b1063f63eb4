"""Work that waits for a person in all their campaigns: decisions of organisers, and judging."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.urls import reverse

from campaigns.log.overlap import undecided_in_each
from campaigns.models import Campaign, Question
from campaigns.models.campaign import Status
from campaigns.models.participants import Submission
from campaigns.topic_offers.offers import TopicStanding, offers, standings

WorkKind = Literal["adjudicate", "questions", "runs", "topic", "begin"]
PAGES: Mapping[str, str] = {
    "adjudicate": "campaigns:adjudicate",
    "questions": "campaigns:questions",
    "runs": "campaigns:teams",
    "begin": "assess:campaign",
}
# Topics of one campaign.
MOST_TOPICS = 3


@dataclass(frozen=True)
class WaitingWork:
    """`count`: documents to adjudicate, questions, runs handed in, or judgments left in the topic of number
    `topic`. `begin`: the user may choose a topic, and has none."""

    kind: WorkKind
    campaign: Campaign
    count: int
    topic: str = ""

    @property
    def address(self) -> str:
        if self.kind == "topic":
            return reverse("assess:topic", args=[self.campaign.slug, self.topic])
        return reverse(PAGES[self.kind], args=[self.campaign.slug])


def waiting_work(
    *, user: User, organised: Sequence[Campaign], judged: Sequence[Campaign]
) -> list[WaitingWork]:
    """`judged`: campaigns in which the user is an assessor. Nothing of drafts and closed campaigns."""
    live = [one for one in organised if one.status in (Status.OPEN, Status.PAUSED)]
    asked = _counts(Question.objects.filter(campaign__in=live, answered_at=None), "campaign")
    handed = Submission.objects.standing().filter(team__campaign__in=live, run=None)
    counts: dict[WorkKind, Mapping[int, int]] = {
        "adjudicate": undecided_in_each(campaigns=live),
        "questions": asked,
        "runs": _counts(handed, "team__campaign"),
    }
    work = [
        WaitingWork(kind, one, of[one.id]) for one in live for kind, of in counts.items() if of.get(one.id)
    ]
    return [*work, *_topics(user, [one for one in judged if one.status == Status.OPEN])]


def _counts(rows: QuerySet[Question] | QuerySet[Submission], campaign: str) -> dict[int, int]:
    return dict(rows.order_by().values(campaign).annotate(n=Count("pk")).values_list(campaign, "n"))


def _topics(user: User, campaigns: Sequence[Campaign]) -> list[WaitingWork]:
    """Topics that the user has and has not finished."""
    if not campaigns:
        return []
    own: dict[int, list[TopicStanding]] = {one.id: [] for one in campaigns}
    for standing in standings(user=user.id, campaigns=campaigns):
        own[standing.campaign_id].append(standing)
    work = []
    for one in campaigns:
        offered = offers(own[one.id], seed="", choice=one.topic_choice)
        topics = [*offered.in_progress, *offered.assigned][:MOST_TOPICS]
        work += [
            WaitingWork("topic", one, max(topic.minimum - topic.judged, 0), topic.number) for topic in topics
        ]
        if not topics and offered.free:
            work.append(WaitingWork("begin", one, 0))
    return work
