"""Closing a topic for all its assessors, and opening it again."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.judging.completions import check_enough
from campaigns.judging.progress import progress_of
from campaigns.judging.situation import check_is_theirs, not_open
from campaigns.log import audit, events
from campaigns.models import Campaign, Claim, LogHead, Topic
from campaigns.models.campaign import Status
from campaigns.models.notifications import WebhookEvent
from campaigns.notifications import deliveries


def close_topic(*, campaign: Campaign, topic: Topic, assessor: User) -> Topic:
    """Close a topic for all as one of its assessors, where the campaign lets them, once they have judged
    enough. Nothing is served in it from now on, and no assessor holds a document of it. Closing twice is
    closing once."""
    if not campaign.assessors_close:
        words = gettext(
            "only organisers close a topic for all assessors of this campaign; be done with it for yourself "
            "instead"
        )
        raise Refusal("organisers_close", words, field="topic", status=403)
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    if not check_is_theirs(topic=topic.id, assessor=assessor.id).closed:
        check_enough(campaign=campaign, topic=topic, assessor=assessor)
    judged = progress_of(campaign=campaign, topic=topic.id, assessor=assessor.id).judged
    return _close_once(campaign, topic, assessor, judged=judged)


def close_for_all(*, campaign: Campaign, topic: Topic, organiser: User) -> Topic:
    """Close a topic as its organiser: no minimum is asked for. Assessors at work in it may still send what
    they made of the document that is open."""
    return _close_once(campaign, topic, organiser)


def _close_once(campaign: Campaign, topic: Topic, by: User, **said: int) -> Topic:
    with transaction.atomic():
        # The log's lock: a judgment under way claims its next document before this, or finds it closed.
        LogHead.objects.select_for_update().get(campaign=campaign)
        held = Topic.objects.select_for_update(no_key=True).get(id=topic.id)
        if held.closed_at is None:
            _close(campaign, held, by, **said)
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


def _tell(campaign: Campaign, topic: Topic) -> None:
    data = {"topic": topic.number, "closed": topic.closed_at is not None}
    events.publish(campaign=campaign.id, events=[("topic", data)])
