"""Deliveries to webhooks. A delivery is a row before it is sent, stored in one transaction with what it
reports or drawn from the judgment log, so a worker or broker that is away costs time and nothing else."""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_posting
from campaigns.log import judgments
from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Delivery, Webhook, WebhookEvent
from campaigns.models.notifications import PING
from campaigns.notifications.webhooks import unknown_webhook

State = Delivery.State

# Judgments are gathered until there are so many, or the first of them is so old.
MOST_JUDGMENTS = 200
DELIVERY_GATHER_SECONDS = 10
# Failures of a delivery after which those behind it still wait.
HOLDING_TRIES = 3
# Of each webhook's log, what is kept besides what is still on its way.
KEPT_DELIVERIES = 300


def create_deliveries(*, campaign: Campaign, kind: str, data: dict[str, Any]) -> int:
    """Store an event for every webhook that asks for its kind, in the surrounding transaction. Returns how
    many there are."""
    event, now = uuid.uuid4(), timezone.now()
    with transaction.atomic():
        rows = campaign.webhooks.filter(active=True, events__contains=[kind])
        # Held, so that each webhook's events are stored in the order of their numbers.
        webhooks = list(rows.select_for_update(no_key=True).order_by("id"))
        for webhook in webhooks:
            webhook.sequence += 1
        Webhook.objects.bulk_update(webhooks, ["sequence"])
        Delivery.objects.bulk_create(
            Delivery(
                webhook=webhook,
                event=event,
                kind=kind,
                body=_body(campaign, kind, data, webhook.sequence),
                next_try=now,
            )
            for webhook in webhooks
        )
    if webhooks:
        request_posting()
    return len(webhooks)


def ping(*, webhook: Webhook) -> Delivery:
    """A delivery without content, to see whether one arrives; also while the webhook is switched off."""
    with transaction.atomic():
        # Two tests at once come one after the other, and none once the webhook is gone.
        if not Webhook.objects.select_for_update(no_key=True).filter(id=webhook.id).exists():
            raise unknown_webhook()
        if webhook.deliveries.filter(kind=PING, state=State.WAITING).exists():
            raise Refusal("on_its_way", gettext("a test is on its way already"), status=409)
        body = _body(webhook.campaign, PING, {"webhook": webhook.id})
        row = Delivery.objects.create(webhook=webhook, kind=PING, body=body, next_try=timezone.now())
        request_posting()
    return row


def redeliver(*, webhook: Webhook, delivery: int) -> Delivery:
    """Send once more what was delivered or given up, or at once what waits: the same event, byte by byte."""
    with transaction.atomic():
        rows = webhook.deliveries.select_for_update()
        row = rows.filter(id=delivery).first()
        if row is None:
            raise Refusal("unknown_delivery", gettext("there is no such delivery"), status=404)
        if not webhook.active and row.kind != PING:
            raise _is_off()
        if row.state != State.WAITING:
            row.state, row.attempts = State.WAITING, 0
        row.next_try = timezone.now()
        row.save(update_fields=["state", "attempts", "next_try"])
        request_posting()
    return row


def redeliver_all(*, webhook: Webhook) -> int:
    """Send once more, in their order, all that were given up. Returns how many they are."""
    if not webhook.active:
        raise _is_off()
    now = timezone.now()
    rows = given_up_deliveries(webhook=webhook)
    count = rows.update(state=State.WAITING, attempts=0, next_try=now)
    if count:
        request_posting()
    return count


def given_up_deliveries(*, webhook: Webhook) -> QuerySet[Delivery]:
    """Filter the deliveries that never arrived, tests aside."""
    return webhook.deliveries.filter(state=State.FAILED).exclude(kind=PING)


def _is_off() -> Refusal:
    return Refusal("webhook_off", gettext("the webhook is switched off"), status=409)


def gather_all() -> None:
    """Put judgments that were not sent yet into deliveries, where it is time."""
    behind = Q(told__lt=F("campaign__log_head__length"))
    rows = Webhook.objects.filter(behind, active=True, events__contains=[WebhookEvent.JUDGMENTS])
    for webhook in rows.values_list("id", flat=True):
        gather(webhook=webhook)


def gather(*, webhook: int) -> Delivery | None:
    """The next judgments of one webhook, if it is time; none while earlier ones are on their way, so that
    they arrive in order, and a receiver that was away gets few and long deliveries."""
    with transaction.atomic():
        rows = Webhook.objects.select_for_update(of=("self",)).select_related("campaign")
        held = rows.filter(id=webhook, active=True, events__contains=[WebhookEvent.JUDGMENTS]).first()
        if held is None or held.deliveries.filter(kind=WebhookEvent.JUDGMENTS, state=State.WAITING).exists():
            return None
        acts = _next_judgments(held)
        if not acts:
            return None
        held.told, held.sequence = acts[-1]["sequence"], held.sequence + 1
        held.save(update_fields=["told", "sequence"])
        data = {"first": acts[0]["sequence"], "last": held.told, "judgments": acts}
        return Delivery.objects.create(
            webhook=held,
            kind=WebhookEvent.JUDGMENTS,
            body=_body(held.campaign, WebhookEvent.JUDGMENTS, data, held.sequence),
            next_try=timezone.now(),
        )


def _next_judgments(webhook: Webhook) -> list[dict[str, Any]]:
    """In the shape of the exported log, which is the API's; none while more may come to go with them."""
    log = judgments.acts_of(campaign=webhook.campaign).filter(sequence__gt=webhook.told)
    first = log.values_list("created", flat=True).first()
    if first is None:
        return []
    length = length_of(campaign=webhook.campaign)
    young = timezone.now() - first < timedelta(seconds=DELIVERY_GATHER_SECONDS)
    if young and length - webhook.told < MOST_JUDGMENTS:
        return []
    return list(judgments.log_rows(log[:MOST_JUDGMENTS]))


def _body(campaign: Campaign, kind: str, data: dict[str, Any], sequence: int | None = None) -> str:
    """Without a number where it is none of the events."""
    numbered = {} if sequence is None else {"sequence": sequence}
    body = {"type": kind, "timestamp": timezone.now(), "campaign": campaign.slug, **numbered, "data": data}
    return json.dumps(body, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":"))


def due_filter(now: datetime) -> Q:
    """Filter deliveries to be sent by now. A failed one holds up those behind it for its first few tries.
    After that the others go out, since the receiver may fail at this very one."""
    before = Delivery.objects.filter(webhook=OuterRef("webhook"), id__lt=OuterRef("id"), state=State.WAITING)
    failed = before.filter(attempts__range=(1, HOLDING_TRIES)).exclude(kind=PING)
    wanted = Q(kind=PING) | (Q(webhook__active=True) & ~Q(Exists(failed)))
    return Q(state=State.WAITING, next_try__lte=now) & wanted


def free_webhooks(now: datetime) -> QuerySet[Webhook]:
    """Filter the webhooks with something to be sent that no worker is sending."""
    free = Q(busy_until__isnull=True) | Q(busy_until__lt=now)
    return Webhook.objects.filter(
        free, Exists(Delivery.objects.filter(due_filter(now), webhook=OuterRef("pk")))
    )


def prune_deliveries() -> None:
    """Keep the newest of every webhook's log."""
    for webhook in Webhook.objects.values_list("id", flat=True):
        done = Delivery.objects.filter(webhook=webhook).exclude(state=State.WAITING)
        newest = done.order_by("-id").values_list("id", flat=True)
        for boundary in newest[KEPT_DELIVERIES : KEPT_DELIVERIES + 1]:
            done.filter(id__lte=boundary).delete()
