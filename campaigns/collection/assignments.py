"""Assignment of topics to assessors by the organiser."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.log import audit, events
from campaigns.log.current import made_by_assessors
from campaigns.models import Campaign, Judgment, Membership, Topic, TopicAssignment
from campaigns.models.campaign import TopicChoice
from campaigns.models.topics import Release


def assign(*, campaign: Campaign, topics: Sequence[Topic], username: str, organiser: User) -> int:
    """Give topics to a member of the campaign. Returns how many they did not have before."""
    assessor = _member(campaign, username)
    if not topics:
        raise Refusal("no_topic", gettext("choose at least one topic"), field="topic")
    with transaction.atomic():
        given = _give(campaign, [(topic, assessor) for topic in topics], organiser)
        if given:
            audit.note(campaign=campaign, kind="assigned", topics=_numbers(topics), person=username)
    return len(given)


def assign_drawn(*, campaign: Campaign, topic: Topic, assessor: User) -> None:
    """Give a topic to the assessor who drew it."""
    _give(campaign, [(topic, assessor)], assessor)
    audit.note(campaign=campaign, kind="assigned", topics=[topic.number], person=assessor.get_username())


def divide(
    *, campaign: Campaign, topics: Sequence[Topic], usernames: Sequence[str], organiser: User
) -> list[tuple[str, str]]:
    """Give topics to members in turn, those with the fewest first; with one of them, all to that one. Returns
    what they did not have before, as topic number and name."""
    names = list(dict.fromkeys(usernames))
    if not names:
        raise Refusal("no_assessor", gettext("choose at least one assessor"), field="username")
    people = [_member(campaign, name) for name in names]
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        pairs = list(zip(topics, _in_turn(_by_fewest(campaign, people), len(topics)), strict=True))
        new = _give(campaign, pairs, organiser)
        if new and len(people) == 1:
            audit.note(campaign=campaign, kind="assigned", topics=_numbers(topics), person=names[0])
        elif new:
            audit.note(campaign=campaign, kind="dealt", dealt=_shares(pairs), topics=_numbers(topics))
    return [(topic.number, user.get_username()) for topic, user in new]


def offered_topics(*, campaign: Campaign, assessor: int) -> QuerySet[Topic]:
    """The topics that an assessor may know of: released ones and those that they began; only their own if
    topics are assigned."""
    rows = campaign.topics.all()
    if campaign.topic_choice != TopicChoice.FREE:
        rows = rows.filter(Exists(TopicAssignment.objects.filter(topic=OuterRef("pk"), assessor=assessor)))
    begun = made_by_assessors(Judgment.objects.filter(topic=OuterRef("pk"), assessor=assessor))
    return rows.filter(Q(release=Release.RELEASED) | Exists(begun))


def _by_fewest(campaign: Campaign, people: Sequence[User]) -> list[User]:
    """With how many topics each has here, as `_in_turn` reads it."""
    users = User.objects.filter(id__in=[user.id for user in people])
    own = Count("topic_assignments", filter=Q(topic_assignments__topic__campaign=campaign))
    return list(users.annotate(given=own).order_by("given", "username"))


def unassign(*, campaign: Campaign, topics: Sequence[Topic], username: str) -> int:
    """Unassign topics from an assessor. Their judgments stay; their open documents there are free again."""
    with transaction.atomic():
        rows = TopicAssignment.objects.select_for_update().filter(
            topic__campaign=campaign, topic__in=topics, assessor__username=username
        )
        given = list(rows.select_related("topic"))
        if not given:
            raise Refusal(
                "not_given",
                gettext("“%(username)s” has none of these topics") % {"username": username},
                field="username",
                status=404,
            )
        numbers = [row.topic.number for row in given]
        for row in given:
            row.topic.claims.filter(assessor_id=row.assessor_id).delete()
        rows.delete()
        audit.note(campaign=campaign, kind="taken back", topics=numbers, person=username)
        _tell(campaign, "taken back", [(number, username) for number in numbers])
    return len(numbers)


def unassigned_topics(*, campaign: Campaign) -> QuerySet[Topic]:
    """Open ones that no assessor was given."""
    return campaign.topics.filter(assignments=None, closed_at=None)


def assign_evenly(*, campaign: Campaign, organiser: User) -> int:
    """Assign each open topic without an assessor, taking assessors in turn, those with the fewest first."""
    with transaction.atomic():
        # Two who deal at once would both give every topic away.
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        topics = list(unassigned_topics(campaign=campaign))
        members = campaign.memberships.filter(role=Membership.Role.ASSESSOR, paused_at=None)
        active = User.objects.filter(memberships__in=members, is_active=True)
        assessors = _by_fewest(campaign, list(active))
        if not assessors:
            raise Refusal(
                "no_assessor", gettext("the campaign has no assessor to deal topics to"), status=409
            )
        pairs = list(zip(topics, _in_turn(assessors, len(topics)), strict=True))
        given = _give(campaign, pairs, organiser)
        if given:
            audit.note(campaign=campaign, kind="dealt", dealt=_shares(pairs), topics=_numbers(topics))
        return len(given)


def _in_turn(assessors: Sequence[User], wanted: int) -> list[User]:
    """The assessor with the fewest topics is next; once all have as many, each in turn."""
    most = max(assessor.given for assessor in assessors)  # type: ignore[attr-defined]  # annotated
    levelling = [
        assessor
        for level in range(most)
        for assessor in assessors
        if assessor.given <= level  # type: ignore[attr-defined]  # annotated
    ]
    rest = islice(cycle(assessors), max(0, wanted - len(levelling)))
    return [*levelling[:wanted], *rest]


def assignees_by_topic(*, campaign: Campaign) -> dict[int, list[str]]:
    """The names of those who have each topic, by the topic's id."""
    rows = TopicAssignment.objects.filter(topic__campaign=campaign).order_by("assessor__username")
    people: dict[int, list[str]] = {}
    for topic, name in rows.values_list("topic", "assessor__username"):
        people.setdefault(topic, []).append(name)
    return people


def _give(
    campaign: Campaign, pairs: Sequence[tuple[Topic, User]], organiser: User
) -> list[tuple[Topic, User]]:
    """Store the pairs that are new, and return them."""
    with transaction.atomic():
        known = set(TopicAssignment.objects.filter(topic__campaign=campaign).values_list("topic", "assessor"))
        new = [(topic, user) for topic, user in pairs if (topic.id, user.id) not in known]
        TopicAssignment.objects.bulk_create(
            (TopicAssignment(topic=topic, assessor=user, assigned_by=organiser) for topic, user in new),
            # Another organiser may give the same at the same moment.
            ignore_conflicts=True,
        )
        _tell(campaign, "assigned", [(topic.number, user.get_username()) for topic, user in new])
    return new


def _numbers(topics: Sequence[Topic]) -> list[str]:
    return [topic.number for topic in topics]


def _shares(pairs: Sequence[tuple[Topic, User]]) -> dict[str, list[str]]:
    shares: dict[str, list[str]] = {}
    for topic, user in pairs:
        shares.setdefault(user.get_username(), []).append(topic.number)
    return shares


def _tell(campaign: Campaign, act: str, pairs: Sequence[tuple[str, str]]) -> None:
    rows = [("assignment", {"topic": number, "assessor": name, "act": act}) for number, name in pairs]
    if rows:
        events.publish(campaign=campaign.id, events=rows)


def _member(campaign: Campaign, username: str) -> User:
    # Postgres refuses to be asked for a text with a NUL in it.
    members = User.objects.filter(memberships__campaign=campaign, is_active=True)
    user = members.filter(username=username).first() if username.isprintable() else None
    if user is None:
        raise Refusal(
            "not_a_member",
            gettext("“%(username)s” has no role here") % {"username": username},
            field="username",
            status=404,
        )
    return user
