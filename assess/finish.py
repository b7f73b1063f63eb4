"""Summary for an assessor who is done with a topic: their work there, and the topic to go on with."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from campaigns.judging.topic_closure import TopicSummary, summary_of
from campaigns.log.current import made_by_assessors
from campaigns.models import Campaign, Judgment, Membership, Topic
from campaigns.models.judgment import ANCHOR
from campaigns.templatetags.contexts import CampaignContext
from campaigns.topic_offers.offers import TopicStanding, offers, standings, turns

A_MINUTE = 60_000


class FinishCard(CampaignContext, template="assess/judge/_finish.html"):
    topic: Topic
    summary: TopicSummary | None = None
    following: TopicStanding | None = None
    may_close: bool = False

    @property
    def minutes(self) -> int | None:
        spent = self.summary.milliseconds if self.summary else None
        return None if spent is None else round(spent / A_MINUTE)


def finish_card(*, campaign: Campaign, topic: Topic, user: User) -> FinishCard:
    summary = summary_of(campaign=campaign, topic=topic, assessor=user)
    found = offers(
        standings(user=user.id, campaigns=[campaign]),
        seed="",
        choice=campaign.topic_choice,
        turns=turns(campaign),
    )
    return FinishCard(campaign, topic, summary, found.after(topic.number), may_close_for_all(campaign))


def topic_after_anchors(*, campaign: Campaign, topic: Topic, user: User) -> TopicStanding | None:
    """The topic in which an anchor waits for an assessor who has judged those of this topic, and nothing else
    in it; None if there is none."""
    acts = made_by_assessors(Judgment.objects.filter(topic=topic, assessor=user))
    if not campaign.anchors or not acts.exists() or acts.exclude(method=ANCHOR).exists():
        return None
    found = standings(user=user.id, campaigns=[campaign])
    if any(one.anchored for one in found if one.topic_id == topic.id):
        return None
    offered = offers(found, seed="", choice=campaign.topic_choice, turns=turns(campaign))
    following = offered.after(topic.number)
    return following if following is not None and following.anchored else None


def may_close_for_all(campaign: Any) -> bool:
    """True if the person may close the topic for all. The campaign comes from `assess.access`."""
    return bool(campaign.assessors_close or campaign.role_here == Membership.Role.ORGANISER)
