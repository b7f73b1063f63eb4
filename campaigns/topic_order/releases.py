"""Release of topics: by the order, a few ahead of the assessors, and by hand at any moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Case, Exists, OuterRef, Q, When
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal, with_nearest
from campaigns.log import audit, events
from campaigns.log.current import made_by_assessors
from campaigns.models import Campaign, Claim, Judgment, Membership, Topic
from campaigns.models.campaign import Status
from campaigns.models.notifications import WebhookEvent
from campaigns.models.topics import Release
from campaigns.notifications import deliveries
from campaigns.results.topic_rows import topics_of
from campaigns.topic_order.method_input import named_options
from campaigns.topic_order.order_content import BY_HAND, OrderedTopic, stored_order
from selection.framework.options import make_options
from selection.topics.methods import TOPIC_METHODS, topic_method_entry

# Topics in the order that an organiser gives them.
HAND = "hand"
# The oracle needs every topic's judgments.
ORDER_METHODS = (HAND, *(name for name, entry in TOPIC_METHODS.items() if not entry.complete))
MOST_AHEAD = 1000
MOST_FIRST = 10_000


@dataclass(frozen=True)
class TopicState:
    """A topic as its release depends on it."""

    id: int
    number: str
    title: str
    release: str
    judged: int
    minimum: int
    closed: bool
    # Closed, judged to its minimum, or without a document left.
    finished: bool
    # Released at its turn, not by hand or before there was an order.
    at_its_turn: bool

    @property
    def left(self) -> int:
        return max(self.minimum - self.judged, 0)

    @property
    def open(self) -> bool:
        return self.release == Release.RELEASED and not self.finished


def topic_states(campaign: Campaign) -> list[TopicState]:
    """Released topics first, in the order of their releases; the others in the campaign's."""
    rows = {row.id: row for row in topics_of(campaign=campaign)}
    by_method = Case(When(release_reason__has_key="method", then=True), default=False)
    columns = ("id", "release", "released_at", "closed_at", "position")
    sort_rows = []
    for id_, release, released_at, closed_at, position, in_turn in campaign.topics.values_list(
        *columns, by_method
    ):
        row = rows[id_]
        enough = 0 < row.minimum <= row.judged
        state = TopicState(
            id=id_,
            number=row.number,
            title=row.title,
            release=release,
            judged=row.judged,
            minimum=row.minimum,
            closed=closed_at is not None,
            finished=closed_at is not None or enough or row.remaining == 0,
            at_its_turn=release == Release.RELEASED and in_turn,
        )
        since = released_at.timestamp() if released_at else 0.0
        sort_rows.append((release != Release.RELEASED, since, position, state))
    return [state for *_, state in sorted(sort_rows, key=lambda one: one[:3])]


def assessors(campaign: Campaign) -> int:
    """Number of assessors who may judge now."""
    people = Membership.objects.filter(campaign=campaign, role=Membership.Role.ASSESSOR, paused_at=None)
    return people.filter(user__is_active=True).count()


def set_order(
    *,
    campaign: Campaign,
    method: str,
    options: Mapping[str, object] | None = None,
    ahead: int | None = None,
    first: Sequence[str] | None = None,
) -> None:
    """Have topics released in an order, or with "" all at once. What is begun stays released."""
    check_order(method=method, options=options or {}, ahead=ahead or 0)
    choice = {
        "topic_method": method,
        "topic_options": named_options(method, options or {}),
        "topics_ahead": campaign.topics_ahead if ahead is None else ahead,
        "topics_first": campaign.topics_first if first is None else _first(campaign, first),
    }
    with _locked(campaign):
        before = {name: getattr(campaign, name) for name in choice}
        if before == choice:
            return
        Campaign.objects.filter(id=campaign.id).update(**choice)
        campaign.refresh_from_db(fields=list(choice))
        if not method:
            campaign.topics.exclude(release=Release.RELEASED).update(release=Release.RELEASED)
        elif not before["topic_method"]:
            campaign.topics.exclude(_begun()).update(release=Release.WAITING, released_at=None)
        changes = {name: [before[name], value] for name, value in choice.items() if before[name] != value}
        audit.note(campaign=campaign, kind="topic order", changes=changes)
        _tell(campaign, "", "order")


def release(*, campaign: Campaign, number: str) -> None:
    """Offer the topic to assessors now, by hand."""
    with _locked(campaign):
        topic = _topic(campaign, number)
        if topic.release == Release.RELEASED:
            raise _refused("released", gettext("topic %(number)s is released already"), number)
        _release(campaign, topic, {"how": BY_HAND})


def hold(*, campaign: Campaign, number: str) -> None:
    """Release the topic only by hand. Assessors who have begun it go on."""
    with _locked(campaign):
        topic = _topic(campaign, number)
        if topic.release == Release.HELD:
            raise _refused("held", gettext("topic %(number)s is held back already"), number)
        Claim.objects.filter(topic=topic, reserved=True).delete()
        _set(campaign, topic, Release.HELD, "topic held")


def requeue(*, campaign: Campaign, number: str) -> None:
    """Let a topic that was held back wait for its turn again."""
    with _locked(campaign):
        topic = _topic(campaign, number)
        if topic.release != Release.HELD:
            raise _refused("not_held", gettext("topic %(number)s is not held back"), number)
        _set(campaign, topic, Release.WAITING, "topic requeued")


def move(*, campaign: Campaign, number: str, place: int) -> None:
    """Put a waiting topic at a place, from 1, among those that wait. It and all before it then stay where
    they are; the method orders the rest."""
    with _locked(campaign):
        topic = _topic(campaign, number)
        if topic.release != Release.WAITING:
            raise _refused("not_waiting", gettext("topic %(number)s is not waiting for its turn"), number)
        waiting = waiting_order(campaign)
        if not 1 <= place <= len(waiting):
            words = gettext("place %(place)s of %(waiting)s waiting topics")
            detail = words % {"place": place, "waiting": len(waiting)}
            raise Refusal("bad_place", detail, field="place")
        fixed = sum(one in campaign.topics_first for one in waiting)
        waiting.remove(number)
        waiting.insert(place - 1, number)
        campaign.topics_first = waiting[: max(place, fixed)]
        campaign.save(update_fields=["topics_first"])
        audit.note(campaign=campaign, kind="topic moved", topic=number, place=place)
        _tell(campaign, number, "order")


def waiting_order(campaign: Campaign) -> list[str]:
    """Numbers of the waiting topics: those placed by hand, then as computed last, then as in the file."""
    rows = campaign.topics.filter(release=Release.WAITING).order_by("position")
    waiting = list(rows.values_list("number", flat=True))
    stored = stored_order(campaign.id)
    computed = stored.numbers if stored and campaign.topic_method != HAND else []
    there = set(waiting)
    return [
        number for number in dict.fromkeys([*campaign.topics_first, *computed, *waiting]) if number in there
    ]


def release_due(*, campaign: Campaign, order: Sequence[OrderedTopic]) -> list[str]:
    """Release the next topics of the order, until one is open for each assessor and a few more. Returns their
    numbers."""
    if not _missing(campaign):
        return []
    with _locked(campaign):
        if not campaign.topic_method or campaign.status != Status.OPEN:
            return []
        waiting = {topic.number: topic for topic in campaign.topics.filter(release=Release.WAITING)}
        finished = {state.number for state in topic_states(campaign) if state.finished}
        missing, released = _missing(campaign), list[str]()
        for one in order:
            if len(released) < missing and one.topic in waiting:
                _release(campaign, waiting[one.topic], {"method": campaign.topic_method, **one.reason})
                # Judged before there was an order: no assessor is busy with it.
                missing += one.topic in finished
                released.append(one.topic)
    return released


def _missing(campaign: Campaign) -> int:
    """Number of further topics that should be open."""
    wanted = max(assessors(campaign), 1) + campaign.topics_ahead
    return max(0, wanted - sum(state.open for state in topic_states(campaign)))


@contextmanager
def _locked(campaign: Campaign) -> Iterator[None]:
    """One change of the order at a time; judging needs none of these locks."""
    with transaction.atomic():
        names = ["topic_method", "topic_options", "topics_ahead", "topics_first", "status"]
        row = Campaign.objects.select_for_update(no_key=True).only(*names).get(id=campaign.id)
        for name in names:
            setattr(campaign, name, getattr(row, name))
        yield


def _topic(campaign: Campaign, number: str) -> Topic:
    if not campaign.topic_method:
        words = gettext("all topics are released; choose a method that orders them first")
        raise Refusal("no_order", words, status=409)
    topic = campaign.topics.filter(number=number).first() if "\0" not in number else None
    if topic is None:
        words = gettext("there is no topic %(number)s") % {"number": number}
        raise Refusal("unknown_topic", words, field="topic", status=404)
    return topic


def _release(campaign: Campaign, topic: Topic, reason: dict[str, Any]) -> None:
    topic.released_at, topic.release_reason = timezone.now(), reason
    topic.save(update_fields=["released_at", "release_reason"])
    data = {"topic": topic.number, "released_at": topic.released_at, "reason": reason}
    deliveries.create_deliveries(campaign=campaign, kind=WebhookEvent.TOPIC_RELEASED, data=data)
    _set(campaign, topic, Release.RELEASED, "topic released", **reason)


def _set(campaign: Campaign, topic: Topic, state: str, kind: str, **detail: Any) -> None:
    topic.release = state
    topic.save(update_fields=["release"])
    audit.note(campaign=campaign, kind=kind, topic=topic.number, **detail)
    _tell(campaign, topic.number, state)


def _begun() -> Q:
    judged = made_by_assessors(Judgment.objects.filter(topic=OuterRef("pk")))
    held = Claim.objects.filter(topic=OuterRef("pk"), expires_at__gt=timezone.now(), reserved=False)
    return Q(Exists(judged)) | Q(Exists(held))


def check_order(*, method: str = "", options: Mapping[str, object] | None = None, ahead: int = 0) -> None:
    """Refuse an unknown method, options that it lacks, or too many topics ahead."""
    _check_options(method, options or {})
    if not 0 <= ahead <= MOST_AHEAD:
        words = gettext("from 0 to %(most)s topics can be open ahead, not %(ahead)s")
        raise Refusal("bad_ahead", words % {"most": MOST_AHEAD, "ahead": ahead}, field="ahead")


def _check_options(method: str, options: Mapping[str, object]) -> None:
    if method in ("", HAND):
        if options:
            raise Refusal("bad_options", gettext("an order by hand has no options"), field="options")
        return
    if method not in ORDER_METHODS:
        words = gettext("no method that chooses topics is called “%(method)s”; there are %(there)s")
        detail = words % {"method": method, "there": ", ".join(ORDER_METHODS)}
        raise Refusal("unknown_method", with_nearest(detail, method, ORDER_METHODS), field="method")
    try:
        make_options(topic_method_entry(method).options, options, method)
    except (ValueError, OverflowError) as error:
        raise Refusal("bad_options", str(error), field="options") from None


def _first(campaign: Campaign, first: Sequence[str]) -> list[str]:
    known = set(campaign.topics.values_list("number", flat=True))
    for number in first:
        if number not in known:
            words = gettext("there is no topic %(number)s") % {"number": number}
            raise Refusal("unknown_topic", with_nearest(words, number, known), field="first")
    return list(dict.fromkeys(first))


def _refused(code: str, words: str, number: str) -> Refusal:
    return Refusal(code, words % {"number": number}, field="topic", status=409)


def _tell(campaign: Campaign, number: str, state: str) -> None:
    """Publishing waits for others who publish, and so comes after the commit."""
    data = {"topic": number, "release": state}
    transaction.on_commit(lambda: events.publish(campaign=campaign.id, events=[("release", data)]))
