"""Assessors whose judgments do not count: excluded and included again, and their topics given to others.

The log keeps every judgment. Whatever reads the judgments that hold leaves out those of excluded assessors
(`excluded` in campaigns/log/current.py), so including them again brings every figure back as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext

from campaigns.collection.assignments import assign, unassign
from campaigns.core import actors
from campaigns.core.errors import Refusal
from campaigns.core.recompute_queue import reconfigure
from campaigns.duplicates.judgment_copies import propagate
from campaigns.log import audit, events
from campaigns.log.current import made_by_assessors
from campaigns.log.tallies import judged_by_each
from campaigns.models import Campaign, Claim, Exclusion, Judgment, Topic, TopicAssignment


@dataclass(frozen=True)
class ExcludedWork:
    """`topic`: its number; empty: all topics. `judgments`: the assessor's own there."""

    username: str
    topic: str
    judgments: int
    by: str
    since: datetime


def exclusions_of(*, campaign: Campaign) -> list[ExcludedWork]:
    if not campaign.exclusion_changes:
        return []
    rows = campaign.exclusions.select_related("assessor", "topic", "excluded_by")
    # By assessor and topic, or by assessor alone.
    judged: Counter[tuple[int, int | None]] = Counter()
    for (topic, person), (judgments, _) in judged_by_each(campaign=campaign).items():
        judged[person, topic] += judgments
        judged[person, None] += judgments
    return [
        ExcludedWork(
            row.assessor.get_username(),
            row.topic.number if row.topic else "",
            judged[row.assessor_id, row.topic_id],
            row.excluded_by.get_username() if row.excluded_by else "",
            row.created,
        )
        for row in rows.order_by("assessor__username", "topic__position")
    ]


def excluded_topics(*, campaign: Campaign) -> dict[str, list[str]]:
    """Excluded assessors, by user name, with the numbers of the topics; none: all topics."""
    topics: dict[str, list[str]] = {}
    if campaign.exclusion_changes:
        rows = campaign.exclusions.order_by("assessor__username", "topic__position")
        for name, topic in rows.values_list("assessor__username", "topic__number"):
            topics.setdefault(name, []).extend([topic] if topic else [])
    return topics


def count_excluded(*, campaign: Campaign) -> int:
    """Number of assessors with judgments that do not count."""
    return campaign.exclusions.values("assessor").distinct().count() if campaign.exclusion_changes else 0


def exclude(*, campaign: Campaign, username: str, topics: Sequence[Topic] = ()) -> bool:
    """Leave out an assessor's judgments of these topics, or without any, of all; those still to come, too.
    False if they were left out already."""
    assessor = _assessor(campaign, username)
    with transaction.atomic():
        _lock(campaign)
        own = campaign.exclusions.filter(assessor=assessor)
        if own.filter(topic=None).exists():
            return False
        known = set(own.values_list("topic_id", flat=True))
        new: list[Topic | None] = [topic for topic in topics if topic.id not in known] if topics else [None]
        if not topics:
            own.delete()
        Exclusion.objects.bulk_create(
            Exclusion(campaign=campaign, assessor=assessor, topic=topic, excluded_by_id=actors.actor().id)
            for topic in new
        )
        if new:
            _changed(campaign, "excluded", username, [topic for topic in new if topic])
    return bool(new)


def include(*, campaign: Campaign, username: str, topics: Sequence[Topic] = ()) -> bool:
    """Count an assessor's judgments again, of these topics or, without any, of all. False if they counted."""
    with transaction.atomic():
        _lock(campaign)
        own = campaign.exclusions.filter(assessor__username=username.replace("\0", ""))
        if topics and own.filter(topic=None).exists():
            detail = gettext("“%(username)s” is excluded from all topics: include them in all first")
            raise Refusal("excluded_everywhere", detail % {"username": username}, field="topic", status=409)
        gone = own.filter(topic__in=topics) if topics else own
        numbers = set(gone.values_list("topic", flat=True))
        gone.delete()
        if numbers:
            _changed(campaign, "included", username, [topic for topic in topics if topic.id in numbers])
    return bool(numbers)


def redeal(
    *, campaign: Campaign, username: str, to: str, topics: Sequence[Topic], organiser: User
) -> list[Topic]:
    """Exclude an assessor's judgments of these topics, and assign the topics to another assessor instead. Of
    no topics: all that they judged in or were assigned. Returns the topics."""
    assessor = _assessor(campaign, username)
    if to == username:
        detail = gettext("choose another assessor than “%(username)s”") % {"username": username}
        raise Refusal("same_assessor", detail, field="to")
    with transaction.atomic():
        dealt = list(topics) or _topics_of(campaign, assessor)
        if not dealt:
            detail = gettext("“%(username)s” has no topic here") % {"username": username}
            raise Refusal("no_topic", detail, field="topic", status=409)
        exclude(campaign=campaign, username=username, topics=dealt)
        own = TopicAssignment.objects.filter(assessor=assessor, topic__in=dealt)
        assigned = set(own.values_list("topic_id", flat=True))
        given = [topic for topic in dealt if topic.id in assigned]
        if given:
            unassign(campaign=campaign, topics=given, username=username)
        Claim.objects.filter(topic__in=dealt, assessor=assessor).delete()
        assign(campaign=campaign, topics=dealt, username=to, organiser=organiser)
    return dealt


def _topics_of(campaign: Campaign, assessor: User) -> list[Topic]:
    ids = {topic for topic, person in judged_by_each(campaign=campaign) if person == assessor.id}
    ids |= set(
        TopicAssignment.objects.filter(topic__campaign=campaign, assessor=assessor).values_list(
            "topic", flat=True
        )
    )
    return list(campaign.topics.filter(id__in=ids))


def _assessor(campaign: Campaign, username: str) -> User:
    """A member, or a person who judged here once."""
    user = None if "\0" in username else User.objects.filter(username=username).first()
    if user is not None and (
        campaign.memberships.filter(user=user).exists()
        or made_by_assessors(Judgment.objects.filter(campaign=campaign, assessor=user)).exists()
    ):
        return user
    detail = gettext("“%(username)s” has no role here") % {"username": username[:150]}
    raise Refusal("not_a_member", detail, field="username", status=404)


def _lock(campaign: Campaign) -> None:
    campaign.refresh_from_db(from_queryset=Campaign.objects.select_for_update(no_key=True))


def _changed(campaign: Campaign, kind: str, username: str, topics: Sequence[Topic]) -> None:
    Campaign.objects.filter(id=campaign.id).update(exclusion_changes=F("exclusion_changes") + 1)
    campaign.refresh_from_db(fields=["exclusion_changes"])
    reconfigure(campaign)
    propagate(campaign=campaign.id)
    audit.note(campaign=campaign, kind=kind, person=username, topics=[topic.number for topic in topics])
    change = {"by": actors.actor().name, "names": ["exclusions"]}
    events.publish(campaign=campaign.id, events=[("settings", change)])
