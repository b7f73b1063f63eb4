"""Over which topics scores are means: all of a campaign, or those with a judgment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from django.db.models import Count, QuerySet
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.log.tallies import judged_in
from campaigns.models import Campaign, Priority, Topic

TopicScope = Literal["all", "judged"]
SCOPES: tuple[TopicScope, ...] = get_args(TopicScope)


@dataclass(frozen=True)
class ScopeCounts:
    """Topics of the campaign; `judged`: with at least one judgment; of these, how many have the `minimum` of
    judgments, or their whole pool where that is smaller; `closed`: of all."""

    all: int
    judged: int
    minimum: int
    closed: int


def check_scope(topics: str) -> TopicScope:
    for scope in SCOPES:
        if topics == scope:
            return scope
    detail = gettext("topics is all or judged, not “%(topics)s”") % {"topics": topics[:40]}
    raise Refusal("unknown_scope", detail, field="topics")


def judged_topics(*, campaign: Campaign) -> list[int]:
    """Ids of the topics with at least one judgment, in the campaign's order."""
    judged = {topic for topic, (count, _) in judged_in(campaign=campaign).items() if count}
    order = campaign.topics.order_by("position").values_list("id", flat=True)
    return [topic for topic in order if topic in judged]


def topics_in(*, campaign: Campaign, scope: TopicScope) -> QuerySet[Topic]:
    topics = campaign.topics.all()
    return topics.filter(id__in=judged_topics(campaign=campaign)) if scope == "judged" else topics


def scope_counts(*, campaign: Campaign) -> ScopeCounts:
    counts = {topic: judged for topic, (judged, _) in judged_in(campaign=campaign).items() if judged}
    pools = dict(Priority.objects.filter(topic__in=counts).values_list("topic", "pool_size"))
    least = campaign.min_judgments
    return ScopeCounts(
        judged=len(counts),
        minimum=sum(judged >= min(least, pools.get(topic, least)) for topic, judged in counts.items()),
        **campaign.topics.aggregate(all=Count("id"), closed=Count("closed_at")),
    )
