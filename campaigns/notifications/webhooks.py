"""Webhooks of a campaign: added, changed, removed, and as pages and API show them, without their secrets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal, with_nearest
from campaigns.core.phrases import host_of
from campaigns.log import audit
from campaigns.models import Campaign, Delivery, LogHead, Webhook, WebhookEvent
from campaigns.notifications.addresses import AddressNotAllowed, parse
from campaigns.notifications.delivery_signatures import new_secret, seal

MOST_WEBHOOKS = 20
# How long the secret before the last one signs, too.
GRACE = timedelta(hours=24)

SHOWN_DELIVERIES = 100


def add(*, campaign: Campaign, user: User, url: str, events: Sequence[str]) -> tuple[Webhook, str]:
    """Send what happens from now on to an address. The secret is returned once and stored sealed."""
    _check_url(url)
    chosen = _check_events(events)
    secret = new_secret()
    with transaction.atomic():
        # The log's lock: of two who add at once, the second sees the first; and the beginning is exact.
        head = LogHead.objects.select_for_update().get(campaign=campaign)
        if campaign.webhooks.count() >= MOST_WEBHOOKS:
            detail = gettext("a campaign has at most %(most)s webhooks") % {"most": MOST_WEBHOOKS}
            raise Refusal("too_many", detail, status=409)
        webhook = Webhook.objects.create(
            campaign=campaign,
            url=url,
            events=chosen,
            secret=seal(secret),
            told=head.length,
            created_by=user,
        )
        audit.note(campaign=campaign, kind="webhook added", host=host_of(url), events=chosen)
    return webhook, secret


def change(
    *,
    webhook: Webhook,
    url: str | None = None,
    events: Sequence[str] | None = None,
    active: bool | None = None,
) -> Webhook:
    """Change a webhook; None keeps a value. Waiting deliveries go to the new address; while switched off,
    they wait. Judgments are sent without a gap from the moment they were asked for, including those made
    while it was off."""
    if url is not None:
        _check_url(url)
    chosen = None if events is None else _check_events(events)
    with transaction.atomic():
        held = _held(webhook)
        changed: dict[str, Any] = {}
        if url is not None and url != held.url:
            changed["host"] = [host_of(held.url), host_of(url)]
            held.url, held.failing_since = url, None
        if chosen is not None and chosen != held.events:
            changed["events"] = [held.events, chosen]
            if WebhookEvent.JUDGMENTS not in held.events:
                heads = LogHead.objects.values_list("length", flat=True)
                held.told = heads.get(campaign=held.campaign)
            held.events = chosen
        if active is not None and active != held.active:
            changed["active"] = [held.active, active]
            held.active, held.gone, held.unreachable = active, False, False
            if active:
                # A new beginning, for what waits as well.
                held.failing_since = None
                held.deliveries.filter(state=Delivery.State.WAITING).update(next_try=timezone.now())
        if changed:
            names = ["url", "events", "active", "gone", "unreachable", "told", "failing_since"]
            held.save(update_fields=names)
            detail = {"host": host_of(held.url), "changes": changed}
            audit.note(campaign=held.campaign, kind="webhook changed", **detail)
    return held


def renew_secret(*, webhook: Webhook) -> str:
    """A new secret, returned once. For a day, deliveries are signed with the one before as well, so that a
    receiver can change over without missing any."""
    secret = new_secret()
    with transaction.atomic():
        held = _held(webhook)
        held.old_secret, held.old_until = held.secret, timezone.now() + GRACE
        held.secret = seal(secret)
        held.save(update_fields=["secret", "old_secret", "old_until"])
        audit.note(campaign=held.campaign, kind="webhook secret", host=host_of(held.url))
    return secret


def remove(*, webhook: Webhook) -> None:
    """With its log, and with what was still on its way."""
    with transaction.atomic():
        held = _held(webhook)
        audit.note(campaign=held.campaign, kind="webhook removed", host=host_of(held.url))
        held.delete()


def _held(webhook: Webhook) -> Webhook:
    rows = Webhook.objects.select_for_update(of=("self",)).select_related("campaign")
    held = rows.filter(id=webhook.id).first()
    if held is None:
        # It was removed meanwhile.
        raise unknown_webhook()
    return held


def _check_url(url: str) -> None:
    try:
        parse(url, private=settings.WEBHOOK_ALLOW_PRIVATE)
    except AddressNotAllowed as error:
        raise Refusal("bad_url", str(error), field="url") from None


def _check_events(events: Sequence[str]) -> list[str]:
    """In the order of their list, each once."""
    unknown = [name for name in events if name not in WebhookEvent.values]
    if unknown:
        known = ", ".join(WebhookEvent.values)
        detail = gettext("there is no event “%(name)s”; there are %(known)s")
        detail %= {"name": unknown[0][:40], "known": known}
        raise Refusal("unknown_event", with_nearest(detail, unknown[0], WebhookEvent.values), field="events")
    if not events:
        raise Refusal("no_events", gettext("select at least one event"), field="events")
    return [name for name in WebhookEvent.values if name in events]


def webhook_of(*, campaign: Campaign, id: int) -> Webhook:
    webhook = campaign.webhooks.filter(id=id).first()
    if webhook is None:
        raise unknown_webhook()
    webhook.campaign = campaign
    return webhook


def unknown_webhook() -> Refusal:
    return Refusal("unknown_webhook", gettext("there is no such webhook"), status=404)


def log_of(*, webhook: Webhook) -> list[Delivery]:
    """The latest deliveries, the newest first."""
    return list(webhook.deliveries.order_by("-id")[:SHOWN_DELIVERIES])
