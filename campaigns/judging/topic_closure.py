"""The end of a topic: for one assessor, who is done with it until they judge on, or closed for all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.core.measured import is_measured
from campaigns.judging.overlap_and_repeats import overlap_and_repeat_queue, waiting_for, waiting_for_each
from campaigns.judging.progress import has_documents_left, progress_of
from campaigns.judging.situation import check_is_theirs, not_open, topic_closed
from campaigns.log import audit, events
from campaigns.log.current import made_by_assessors
from campaigns.models import Campaign, Claim, Judgment, LogHead, Repeat, Topic, TopicCompletion
from campaigns.models.campaign import Status
from campaigns.models.notifications import WebhookEvent
from campaigns.notifications import deliveries


@dataclass(frozen=True)
class TopicSummary:
    """One assessor's work in a topic. `milliseconds`: active time of their judgments there, None unless most
    were timed; `overlap_left`: documents that others have judged and this assessor is to judge, too."""

    done_at: datetime | None
    judged: int
    relevant: int
    milliseconds: int | None
    overlap_left: int


def summary_of(*, campaign: Campaign, topic: Topic, assessor: User) -> TopicSummary:
    progress = progress_of(campaign=campaign, topic=topic.id, assessor=assessor.id)
    mine = {"topic": topic, "assessor": assessor}
    completion = TopicCompletion.objects.filter(**mine).first()
    return TopicSummary(
        done_at=completion.created if completion else None,
        judged=progress.judged,
        relevant=progress.relevant,
        milliseconds=_spent(
            made_by_assessors(Judgment.objects.filter(**mine)), Repeat.objects.filter(**mine)
        ),
        overlap_left=waiting_for(campaigns=[campaign], assessor=assessor.id).get(topic.id, 0),
    )


def _spent(*acts: QuerySet[Any]) -> int | None:
    counts = [
        (rows.aggregate(spent=Sum("milliseconds"), timed=Count("milliseconds"), acts=Count("pk")))
        for rows in (each.filter(undo=False) for each in acts)
    ]
    spent, timed, total = (sum(each[name] or 0 for each in counts) for name in ("spent", "timed", "acts"))
    return spent if is_measured(timed, total) else None


def complete_topic(*, campaign: Campaign, topic: Topic, assessor: User) -> TopicSummary:
    """End the topic for this assessor: nothing more of it is served to them, and what they have open is free
    again. For the other assessors it goes on. Doing it twice is doing it once."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    if check_is_theirs(topic=topic.id, assessor=assessor.id).closed:
        raise topic_closed()
    check_enough(campaign=campaign, topic=topic, assessor=assessor)
    with transaction.atomic():
        # The log's lock: a judgment under way claims its next document before this, or finds the topic over.
        LogHead.objects.select_for_update().get(campaign=campaign)
        _, new = TopicCompletion.objects.get_or_create(topic=topic, assessor=assessor)
        Claim.objects.filter(topic=topic, assessor=assessor).delete()
        summary = summary_of(campaign=campaign, topic=topic, assessor=assessor)
        if new:
            detail = {"judged": summary.judged, "overlap_left": summary.overlap_left}
            audit.note(campaign=campaign, kind="topic done", topic=topic.number, **detail)
    return summary


def judge_on(*, campaign: Campaign, topic: Topic, assessor: User) -> TopicSummary:
    """Undo a completion: the topic serves its assessor again."""
    with transaction.atomic():
        gone, _ = TopicCompletion.objects.filter(topic=topic, assessor=assessor).delete()
        if not gone:
            detail = gettext("you are not done with topic %(number)s") % {"number": topic.number}
            raise Refusal("not_done", detail, field="topic", status=409)
        audit.note(campaign=campaign, kind="topic resumed", topic=topic.number)
    return summary_of(campaign=campaign, topic=topic, assessor=assessor)


def check_enough(*, campaign: Campaign, topic: Topic, assessor: User) -> None:
    """Refusal before the minimum of judgments, while there is more to judge."""
    progress = progress_of(campaign=campaign, topic=topic.id, assessor=assessor.id)
    least = max(progress.minimum, 1)
    if progress.judged >= least or not _has_more(campaign, topic, assessor):
        return
    values = {"judged": progress.judged, "least": least, "postponed": progress.postponed}
    if progress.postponed:
        detail = gettext(
            "you have judged %(judged)s of %(least)s, and there is more to judge; "
            "you marked %(postponed)s of it to judge later"
        )
    else:
        detail = gettext("you have judged %(judged)s of %(least)s, and there is more to judge")
    raise Refusal("too_early", detail % values, field="topic", status=409)


def _has_more(campaign: Campaign, topic: Topic, assessor: User) -> bool:
    if has_documents_left(topic.id):
        return True
    queue = overlap_and_repeat_queue(
        campaign=campaign, topic=topic.id, method=topic.method, assessor=assessor.id
    )
    return bool(queue.documents)


@dataclass(frozen=True)
class CompletedTopics:
    """Topics that one assessor is done with and that are still open, and the overlap documents there that
    wait for their grade."""

    topics: int
    overlap_left: int


def completed_by_each(*, campaign: Campaign) -> dict[str, CompletedTopics]:
    """Completed topics by the assessors' names; assessors who are done with no open topic are missing."""
    completions = TopicCompletion.objects.filter(topic__campaign=campaign, topic__closed_at=None)
    rows = list(completions.values_list("topic", "assessor", "assessor__username"))
    waiting = waiting_for_each(campaign=campaign, pairs=[(topic, assessor) for topic, assessor, _ in rows])
    topics = Counter(name for *_, name in rows)
    left: Counter[str] = Counter()
    for (*_, name), count in zip(rows, waiting, strict=True):
        left[name] += count
    return {name: CompletedTopics(count, left[name]) for name, count in topics.items()}


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


def _close_once(campaign: Campaign, topic: Topic, by: User, **detail: int) -> Topic:
    with transaction.atomic():
        # The log's lock: a judgment under way claims its next document before this, or finds it closed.
        LogHead.objects.select_for_update().get(campaign=campaign)
        held = Topic.objects.select_for_update(no_key=True).get(id=topic.id)
        if held.closed_at is None:
            _close(campaign, held, by, **detail)
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


def _close(campaign: Campaign, held: Topic, by: User, **detail: int) -> None:
    held.closed_at, held.closed_by = timezone.now(), by
    held.save(update_fields=["closed_at", "closed_by"])
    Claim.objects.filter(topic=held).delete()
    data = {"topic": held.number, "closed_at": held.closed_at, "judged": detail.get("judged")}
    deliveries.create_deliveries(campaign=campaign, kind=WebhookEvent.TOPIC_CLOSED, data=data)
    audit.note(campaign=campaign, kind="topic closed", topic=held.number, **detail)
    _tell(campaign, held)


def _tell(campaign: Campaign, topic: Topic) -> None:
    data = {"topic": topic.number, "closed": topic.closed_at is not None}
    events.publish(campaign=campaign.id, events=[("topic", data)])
