"""Sending deliveries, one at a time to each webhook, and what follows from each answer."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, When
from django.utils import timezone

from campaigns.core.phrases import host_of
from campaigns.log import audit
from campaigns.models import Delivery, Webhook
from campaigns.models.notifications import PING, WebhookEvent
from campaigns.notifications import delivery_signatures, notices
from campaigns.notifications.deliveries import due_filter, free_webhooks, gather
from campaigns.notifications.transport import WebhookResponse, post

State = Delivery.State

# Seconds from each failure to the next try; after the last of them it is given up.
PAUSES = (10, 120, 900, 3600, 4 * 3600, 12 * 3600, 12 * 3600)
LONGEST_PAUSE = 12 * 3600
# Each pause is up to so much shorter or longer, lest all that failed together come again together.
JITTER = 0.2
# Longer than any try takes: a worker that is busy for longer has died.
SENDING_LEASE = timedelta(seconds=60)
UNREADABLE = "the secret cannot be read any more, as SECRET_KEY was changed: make a new one"


# An answer after more milliseconds, or none, is slow.
QUICK = 1000
_TESTS_FIRST = Case(When(kind=PING, then=0), default=1)


@dataclass(frozen=True)
class ClaimedDelivery:
    delivery: Delivery
    webhook: Webhook


def send_next(*, quick: bool = False) -> bool:
    """Send what is due first of the webhook that has waited longest, of those that were last `quick` if so
    wished; False if nothing is due. No transaction is open while the receiver takes its time."""
    taken = claim_delivery(quick=quick)
    if taken is None:
        return False
    settle(taken, send(taken))
    if taken.delivery.kind == WebhookEvent.JUDGMENTS:
        gather(webhook=taken.webhook.id)
    return True


def claim_delivery(*, quick: bool = False) -> ClaimedDelivery | None:
    now = timezone.now()
    with transaction.atomic():
        rows = free_webhooks(now).select_for_update(skip_locked=True, of=("self",)).select_related("campaign")
        if quick:
            rows = rows.filter(slow=False)
        webhook = rows.order_by(F("served_at").asc(nulls_first=True), "id").first()
        if webhook is None:
            return None
        # In the order of what they report; before all else a test, for whose end an organiser is waiting.
        delivery = webhook.deliveries.filter(due_filter(now)).order_by(_TESTS_FIRST, "id").first()
        if delivery is None:
            return None
        webhook.busy_until, webhook.served_at = now + SENDING_LEASE, now
        webhook.save(update_fields=["busy_until", "served_at"])
    return ClaimedDelivery(delivery, webhook)


def send(taken: ClaimedDelivery) -> WebhookResponse:
    delivery, webhook = taken.delivery, taken.webhook
    try:
        keys = _keys(webhook)
    except delivery_signatures.UnreadableSecret:
        return WebhookResponse(None, error=UNREADABLE)
    id, timestamp, body = str(delivery.event), int(timezone.now().timestamp()), delivery.body.encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "assess-webhooks/1",
        "webhook-id": id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": delivery_signatures.signatures(keys=keys, id=id, timestamp=timestamp, body=body),
    }
    return post(webhook.url, body, headers, private=settings.WEBHOOK_ALLOW_PRIVATE)


def _keys(webhook: Webhook) -> list[str]:
    keys = [delivery_signatures.unseal(webhook.secret)]
    if webhook.old_until is not None and webhook.old_until > timezone.now():
        with suppress(delivery_signatures.UnreadableSecret):
            keys.append(delivery_signatures.unseal(webhook.old_secret))
    return keys


def settle(taken: ClaimedDelivery, answer: WebhookResponse) -> None:
    """Store the result, and queue emails about a delivery that is given up. A delivery or webhook that was
    removed meanwhile stays removed."""
    now = timezone.now()
    with transaction.atomic():
        rows = Webhook.objects.select_for_update(of=("self",)).select_related("campaign")
        webhook = rows.filter(id=taken.webhook.id).first()
        if webhook is None:
            return
        webhook.busy_until = None
        delivery = webhook.deliveries.select_for_update().filter(id=taken.delivery.id).first()
        if delivery is not None:
            _put_down(delivery, answer, now)
            _draw_conclusions(webhook, delivery, answer, now)
            delivery.save()
        webhook.slow = not answer.is_ok or answer.milliseconds > QUICK
        webhook.save(update_fields=["busy_until", "failing_since", "active", "gone", "unreachable", "slow"])
        if delivery is not None and _is_given_up(delivery):
            delivery.webhook = webhook
            notices.email_undelivered(delivery=delivery)


def _is_given_up(delivery: Delivery) -> bool:
    """Tests aside."""
    return delivery.state == State.FAILED and delivery.kind != PING


def _put_down(delivery: Delivery, answer: WebhookResponse, now: datetime) -> None:
    delivery.attempts += 1
    delivery.tried_at = now
    delivery.status, delivery.milliseconds = answer.status, answer.milliseconds
    delivery.answer, delivery.error = answer.body, answer.error[:300]
    delivery.next_try = None
    if answer.is_ok:
        delivery.state = State.DELIVERED
    elif answer.status == 410 or delivery.attempts >= tries(delivery.kind):
        delivery.state = State.FAILED
    else:
        delivery.next_try = now + pause_after(delivery.attempts, answer.retry_after)


def _draw_conclusions(webhook: Webhook, delivery: Delivery, answer: WebhookResponse, now: datetime) -> None:
    if answer.is_ok:
        if webhook.failing_since is not None:
            # It is back: what waits for later need not wait.
            waiting = webhook.deliveries.filter(state=State.WAITING).exclude(id=delivery.id)
            waiting.update(next_try=now)
        webhook.failing_since = None
        return
    webhook.failing_since = webhook.failing_since or now
    if answer.status == 410 and webhook.active:
        webhook.active, webhook.gone = False, True
        audit.note(campaign=webhook.campaign, kind="webhook gone", host=host_of(webhook.url))
    elif webhook.active and _is_dead(webhook.failing_since, delivery, now):
        webhook.active, webhook.unreachable = False, True
        detail = {"host": host_of(webhook.url), "since": webhook.failing_since.isoformat()}
        audit.note(campaign=webhook.campaign, kind="webhook unreachable", **detail)


def _is_dead(since: datetime, delivery: Delivery, now: datetime) -> bool:
    """For days nothing has arrived; and lest one try after a long silence decides it, all tries of a delivery
    have just failed."""
    days = settings.WEBHOOK_OFF_AFTER_DAYS
    return bool(days) and _is_given_up(delivery) and now - since >= timedelta(days=days)


def tries(kind: str) -> int:
    """A test is sent once: the organiser who asked for it is looking."""
    return 1 if kind == PING else len(PAUSES) + 1


def pause_after(attempts: int, retry_after: int | None = None) -> timedelta:
    """After so many tries; at least as long as the receiver asks for."""
    planned = PAUSES[min(attempts, len(PAUSES)) - 1] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311
    return timedelta(seconds=max(planned, min(retry_after or 0, LONGEST_PAUSE)))
