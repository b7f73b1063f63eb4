"""Draws of topics for assessors: stored as they were shown, with the topic that was taken, so that effects of
the order can be examined."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection.assignments import assign_drawn
from campaigns.core.errors import Refusal
from campaigns.judging.situation import check_topic_development, not_open
from campaigns.models import Campaign, Topic, TopicDraw
from campaigns.models.campaign import Status, TopicChoice
from campaigns.topic_offers.offers import TopicStanding, draw, offers, standings


def offered_draw(*, campaign: Campaign, assessor: int, free: Sequence[TopicStanding]) -> list[TopicStanding]:
    """Topics to choose from, in the order of the latest draw; drawn again once that is used up.

    A draw stays until one of its topics is taken or can no longer be begun, or until there are more, or more
    urgent ones, to offer. So reloading the page is no way to pick and choose.
    """
    latest, known = _latest(campaign, assessor), {topic.number: topic for topic in free}
    shown = [known[number] for number in latest.topics if number in known] if latest else []
    fresh = draw(free, _seed(campaign, assessor, latest))
    is_whole = latest is not None and not latest.taken and len(shown) == len(latest.topics)
    if is_whole and _worth(shown) >= _worth(fresh):
        return shown
    if not fresh:
        return []
    # Two pages of the same assessor may draw at the same moment: the first one counts.
    stored, _ = TopicDraw.objects.get_or_create(
        campaign=campaign,
        assessor_id=assessor,
        number=_following(latest),
        defaults={"topics": [topic.number for topic in fresh]},
    )
    return [known[number] for number in stored.topics if number in known]


def take_topic(*, campaign: Campaign, assessor: int, topic: str, recommended: bool) -> None:
    """Note the topic that the assessor begins as the choice among those of the latest draw."""
    latest = _latest(campaign, assessor)
    if latest is None or not (recommended or topic in latest.topics):
        return
    way = TopicDraw.Way.RECOMMENDED if recommended else TopicDraw.Way.DRAWN
    TopicDraw.objects.filter(pk=latest.pk, taken="").update(taken=topic, way=way, taken_at=timezone.now())


def draw_topic(*, campaign: Campaign, assessor: User) -> Topic:
    """Assign a random open topic to the assessor, who has finished theirs."""
    if campaign.topic_choice != TopicChoice.RANDOM:
        detail = gettext("topics of this campaign are not assigned at random")
        raise Refusal("not_random", detail, status=409)
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    with transaction.atomic():
        # Two who draw at once would both get the same topic.
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        possible = offers(
            standings(user=assessor.id, campaigns=[campaign]), seed="", choice=campaign.topic_choice
        )
        for unfinished in chain(possible.in_progress, possible.assigned):
            detail = gettext("finish topic %(number)s first") % {"number": unfinished.number}
            raise Refusal("topic_unfinished", detail, status=409)
        latest = _latest(campaign, assessor.id)
        drawn = draw(possible.free, _seed(campaign, assessor.id, latest), most=1)
        if not drawn:
            raise Refusal("no_topic_left", gettext("no open topic is left for you"), status=409)
        topic = campaign.topics.get(id=drawn[0].topic_id)
        assign_drawn(campaign=campaign, topic=topic, assessor=assessor)
        check_topic_development(topic=topic.id, assessor=assessor.id)
        TopicDraw.objects.create(
            campaign=campaign,
            assessor=assessor,
            number=_following(latest),
            topics=[topic.number],
            taken=topic.number,
            way=TopicDraw.Way.RANDOM,
            taken_at=timezone.now(),
        )
    return topic


# `place` counts from 1; 0 is a recommended topic that was not among those drawn.
DRAW_COLUMNS: dict[str, type] = {
    "assessor": str,
    "draw": int,
    "offered_at": datetime,
    "place": int,
    "topic": str,
    "taken": bool,
    "way": str,
    "taken_at": datetime,
}


def draw_rows(campaign: Campaign) -> Generator[dict[str, Any]]:
    """A row for each topic that was offered, by assessor, draw and place."""
    draws = TopicDraw.objects.filter(campaign=campaign).select_related("assessor")
    for one in draws.order_by("assessor__username", "number").iterator():
        places = list(enumerate(one.topics, 1))
        if one.taken and one.taken not in one.topics:
            places = [(0, one.taken), *places]
        for place, topic in places:
            taken = topic == one.taken
            yield {
                "assessor": one.assessor.get_username(),
                "draw": one.number,
                "offered_at": one.created,
                "place": place,
                "topic": topic,
                "taken": taken,
                "way": one.way if taken else "",
                "taken_at": one.taken_at if taken else None,
            }


def _latest(campaign: Campaign, assessor: int) -> TopicDraw | None:
    return TopicDraw.objects.filter(campaign=campaign, assessor=assessor).order_by("-number").first()


def _following(latest: TopicDraw | None) -> int:
    return latest.number + 1 if latest else 1


def _seed(campaign: Campaign, assessor: int, latest: TopicDraw | None) -> str:
    return f"{campaign.seed}:{assessor}:{_following(latest)}"


def _worth(topics: Sequence[TopicStanding]) -> tuple[int, int]:
    """Number of urgent topics, where opinions are wanted or anchors wait, and of all."""
    return sum(bool(topic.owed or topic.anchored) for topic in topics), len(topics)
