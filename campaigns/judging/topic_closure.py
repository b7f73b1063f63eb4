"""Closing a topic that has been judged enough, and opening it again."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.judging.overlap_and_repeats import overlap_and_repeat_queue
from campaigns.judging.progress import AssessorProgress, has_documents_left, progress_of
from campaigns.judging.situation import may_be_served, not_open
from campaigns.log import audit, events
from campaigns.models import Campaign, Claim, LogHead, Topic
from campaigns.models.campaign import Status
from campaigns.models.notifications import WebhookEvent
from campaigns.notifications import deliveries


def close_topic(*, campaign: Campaign, topic: Topic, assessor: User) -> Topic:
    """Nothing is served in the topic from now on, and no assessor holds a document of it. Closing twice is
    closing once."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    may_be_served(topic=topic.id, assessor=assessor.id)
    progress = progress_of(campaign=campaign, topic=topic.id, assessor=assessor.id)
    with transaction.atomic():
        # The log's lock: a judgment under way claims its next document before this, or finds it closed.
        LogHead.objects.select_for_update().get(campaign=campaign)
        held = Topic.objects.select_for_update(no_key=True).get(id=topic.id)
        if held.closed_at is None:
            _check_enough(
                topic, progress, has_documents_left(topic.id) or _is_owed(campaign, topic, assessor)
            )
            _close(campaign, held, assessor, judged=progress.judged)
    return held


def close_for_all(*, campaign: Campaign, topic: Topic, organiser: User) -> Topic:
    """Close a topic as its organiser: no minimum is asked for. Assessors at work in it may still send what
    they made of the document that is open."""
    with transaction.atomic():
        LogHead.objects.select_for_update().get(campaign=campaign)
        held = Topic.objects.select_for_update(no_key=True).get(id=topic.id)
        if held.closed_at is None:
            _close(campaign, held, organiser)
    return held


def reopen_topic(*, campaign: Campaign, topic: Topic) -> Topic:
    """Undo a closing: the topic is served again, from its queue as it stands."""
    with transaction.atomic():
        held = Topic.objects.select_for_update(no_key=True).get(id=topic.id)
        if held.closed_at is None:
            raise Refusal(
                "not_closed",
                gettext("topic %(number)s is not closed") % {"number": topic.number},
                field="topic",
                status=409,
            )
        held.closed_at = held.closed_by = None
        held.save(update_fields=["closed_at", "closed_by"])
        audit.note(campaign=campaign, kind="topic reopened", topic=topic.number)
        _tell(campaign, held)
    return held


def _close(campaign: Campaign, held: Topic, by: User, **said: int) -> None:
    held.closed_at, held.closed_by = timezone.now(), by
    held.save(update_fields=["closed_at", "closed_by"])
    Claim.objects.filter(topic=held).delete()
    data = {"topic": held.number, "closed_at": held.closed_at, "judged": said.get("judged")}
    deliveries.create_deliveries(campaign=campaign, kind=WebhookEvent.TOPIC_CLOSED, data=data)
    audit.note(campaign=campaign, kind="topic closed", topic=held.number, **said)
    _tell(campaign, held)


def _is_owed(campaign: Campaign, topic: Topic, assessor: User) -> bool:
    queue = overlap_and_repeat_queue(
        campaign=campaign, topic=topic.id, method=topic.method, assessor=assessor.id
    )
    return bool(queue.documents)


def _check_enough(topic: Topic, progress: AssessorProgress, more: bool) -> None:
    least = max(progress.minimum, 1)
    if progress.judged >= least or not more:
        return
    values = {"judged": progress.judged, "least": least, "postponed": progress.postponed}
    if progress.postponed:
        detail = gettext(
            "you have judged %(judged)s of %(least)s, and there is more to judge; "
            "%(postponed)s of it you set aside"
        )
    else:
        detail = gettext("you have judged %(judged)s of %(least)s, and there is more to judge")
    raise Refusal("too_early", detail % values, field="topic", status=409)


def _tell(campaign: Campaign, topic: Topic) -> None:
    data = {"topic": topic.number, "closed": topic.closed_at is not None}
    events.publish(campaign=campaign.id, events=[("topic", data)])
