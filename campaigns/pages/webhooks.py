"""The webhooks page, and a webhook's page with its deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal, unknown_act
from campaigns.models import Campaign, Delivery, Webhook, WebhookEvent
from campaigns.notifications import deliveries as sending
from campaigns.notifications import webhooks as services
from campaigns.notifications.webhooks import log_of, webhook_of
from campaigns.pages.access import organiser_page, signed_in_user

# The kinds of events, and the use of each.
EVENTS = (
    (
        WebhookEvent.JUDGMENTS,
        gettext_lazy("Judgments"),
        gettext_lazy("Every log entry, a few seconds’ worth at a time, with the assessor’s name."),
    ),
    (
        WebhookEvent.TOPIC_CLOSED,
        gettext_lazy("A topic is closed"),
        gettext_lazy("It has been judged enough, and nothing more of it is served."),
    ),
    (
        WebhookEvent.TOPIC_RELEASED,
        gettext_lazy("A topic is released"),
        gettext_lazy("The topic order or an organiser offers it to assessors."),
    ),
    (
        WebhookEvent.PAIR_DECIDED,
        gettext_lazy("Two runs are certainly separated"),
        gettext_lazy("Among the ten best, no unjudged document can reverse the order of two runs."),
    ),
    (
        WebhookEvent.MAY_STOP,
        gettext_lazy("The campaign may stop"),
        gettext_lazy(
            "The best run is settled. Sent once, and again only if the best run became open in between."
        ),
    ),
)
# The page looks again by itself while something is so near.
SOON = timedelta(seconds=30)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@organiser_page
def webhooks(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    context: dict[str, Any] = {"typed": {"events": [name for name, *_ in EVENTS]}}
    status = 200
    if request.method == "POST":
        url, chosen = request.POST.get("url", "").strip(), request.POST.getlist("events")
        try:
            added, secret = services.add(
                campaign=campaign, user=signed_in_user(request), url=url, events=chosen
            )
        except Refusal as refused:
            context |= {"refused": refused, "typed": {"url": url, "events": chosen}}
            status = refused.status
        else:
            context |= {"added": added, "secret": secret}
    context |= {
        "campaign": campaign,
        "webhooks": [(row, _labels(row)) for row in campaign.webhooks.order_by("id")],
        "events": EVENTS,
        "most": services.MOST_WEBHOOKS,
        "off_after": settings.WEBHOOK_OFF_AFTER_DAYS,
    }
    return _rendered(request, "webhooks", context, status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@organiser_page
def webhook(request: HttpRequest, campaign: Campaign, webhook: int) -> HttpResponse:
    found = _found(campaign, webhook)
    context: dict[str, Any] = {}
    status = 200
    if request.method == "POST":
        if request.POST.get("act") == "remove":
            services.remove(webhook=found)
            return _away(request, campaign)
        try:
            context = _act(found, request)
        except Refusal as refused:
            context, status = {"refused": refused, "typed": request.POST}, refused.status
        found = _found(campaign, webhook)
    context |= {"campaign": campaign, "webhook": found, "events": EVENTS, **_log(found)}
    return _rendered(request, "webhook", context, status)


@require_safe
@never_cache
@organiser_page
def deliveries(request: HttpRequest, campaign: Campaign, webhook: int) -> HttpResponse:
    found = _found(campaign, webhook)
    context = {"campaign": campaign, "webhook": found, "alone": True, **_log(found)}
    return render(request, "campaigns/webhooks/_deliveries.html", context)


def _act(webhook: Webhook, request: HttpRequest) -> dict[str, Any]:
    posted = request.POST
    match posted.get("act"):
        case "change":
            url, chosen = posted.get("url", "").strip(), posted.getlist("events")
            services.change(webhook=webhook, url=url, events=chosen)
            return {"said": gettext("Saved.")}
        case "on" | "off" as act:
            services.change(webhook=webhook, active=act == "on")
            return {"said": gettext("Switched on.") if act == "on" else gettext("Switched off.")}
        case "secret":
            return {"secret": services.renew_secret(webhook=webhook)}
        case "ping":
            sending.ping(webhook=webhook)
            return {"said": gettext("A test is being sent; the log below shows the result.")}
        case "redeliver":
            sending.redeliver(webhook=webhook, delivery=digits_or_zero(posted.get("delivery", ""), 18))
            return {"said": gettext("It is on its way once more.")}
        case "redeliver all":
            count = sending.redeliver_all(webhook=webhook)
            words = ngettext(
                "%(count)s delivery is on its way once more.",
                "%(count)s deliveries are on their way once more.",
                count,
            )
            return {"said": words % {"count": count}}
        case other:
            raise unknown_act(other)


def _log(webhook: Webhook) -> dict[str, Any]:
    rows = log_of(webhook=webhook)
    given_up = sending.given_up_deliveries(webhook=webhook).count()
    return {"log": rows, "watch": _anything_soon(webhook, rows), "given_up": given_up}


def _anything_soon(webhook: Webhook, rows: Sequence[Delivery]) -> bool:
    until = timezone.now() + SOON
    waiting = [row for row in rows if row.next_try is not None and row.next_try < until]
    return any(webhook.active or row.kind not in WebhookEvent.values for row in waiting)


def _labels(webhook: Webhook) -> list[str]:
    return [str(label) for name, label, _ in EVENTS if name in webhook.events]


def _found(campaign: Campaign, webhook: int) -> Webhook:
    try:
        return webhook_of(campaign=campaign, id=webhook)
    except Refusal as refused:
        raise Http404 from refused


def _rendered(request: HttpRequest, page: str, context: dict[str, Any], status: int) -> HttpResponse:
    # htmx shows a refusal only if it comes as a success.
    if request.headers.get("HX-Request"):
        return render(request, f"campaigns/webhooks/_{page}.html", context)
    return render(request, f"campaigns/webhooks/{page}.html", context, status=status)


def _away(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    to = redirect("campaigns:webhooks", slug=campaign.slug)
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Redirect": to.url})
    return to
