"""The webhooks page, and a webhook's page with its deliveries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Delivery, Webhook, WebhookEvent
from campaigns.notifications import deliveries as sending
from campaigns.notifications import webhooks as services
from campaigns.notifications.webhooks import log_of, webhook_of
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.templatetags.contexts import CampaignContext, render_page

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


def _add(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    url, chosen = request.POST.get("url", "").strip(), request.POST.getlist("events")
    user = signed_in_user(request)
    added, secret = services.add(campaign=campaign, user=user, url=url, events=chosen)
    return {"added": added, "secret": secret}


class WebhooksPage(CampaignContext, template="campaigns/webhooks/webhooks.html"):
    fragments = ("campaigns/webhooks/_webhooks.html",)
    webhooks: list[tuple[Webhook, list[str]]]
    refused: Refusal | None
    typed: Mapping[str, Any]
    added: Webhook | None = None
    secret: str = ""
    events: Sequence[Any] = EVENTS
    most: int = services.MOST_WEBHOOKS
    off_after: int = field(default_factory=lambda: settings.WEBHOOK_OFF_AFTER_DAYS)


@page_with_acts(never_cache, organiser_page, act=_add)
def webhooks(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    chosen = request.POST.getlist("events") if answer.refused else [name for name, *_ in EVENTS]
    typed = {"url": answer.typed.get("url", "").strip(), "events": chosen}
    rows = [(row, _labels(row)) for row in campaign.webhooks.order_by("id")]
    return _rendered(request, WebhooksPage(campaign, rows, answer.refused, typed, **answer.shown))


def _change(request: HttpRequest, campaign: Campaign, webhook: int) -> dict[str, Any]:
    url, chosen = request.POST.get("url", "").strip(), request.POST.getlist("events")
    services.change(webhook=_found(campaign, webhook), url=url, events=chosen)
    return {"said": gettext("Saved.")}


def _switch(request: HttpRequest, campaign: Campaign, webhook: int, *, on: bool) -> dict[str, Any]:
    services.change(webhook=_found(campaign, webhook), active=on)
    return {"said": gettext("Switched on.") if on else gettext("Switched off.")}


def _renew_secret(request: HttpRequest, campaign: Campaign, webhook: int) -> dict[str, Any]:
    return {"secret": services.renew_secret(webhook=_found(campaign, webhook))}


def _ping(request: HttpRequest, campaign: Campaign, webhook: int) -> dict[str, Any]:
    sending.ping(webhook=_found(campaign, webhook))
    return {"said": gettext("A test is being sent; the log below shows the result.")}


def _redeliver(request: HttpRequest, campaign: Campaign, webhook: int) -> dict[str, Any]:
    delivery = digits_or_zero(request.POST.get("delivery", ""), 18)
    sending.redeliver(webhook=_found(campaign, webhook), delivery=delivery)
    return {"said": gettext("Sending again.")}


def _redeliver_all(request: HttpRequest, campaign: Campaign, webhook: int) -> dict[str, Any]:
    count = sending.redeliver_all(webhook=_found(campaign, webhook))
    words = ngettext(
        "%(count)s delivery is on its way once more.",
        "%(count)s deliveries are on their way once more.",
        count,
    )
    return {"said": words % {"count": count}}


def _remove(request: HttpRequest, campaign: Campaign, webhook: int) -> HttpResponse:
    services.remove(webhook=_found(campaign, webhook))
    to = redirect("campaigns:webhooks", slug=campaign.slug)
    return HttpResponse(headers={"HX-Redirect": to.url}) if request.headers.get("HX-Request") else to


class WebhookPage(CampaignContext, template="campaigns/webhooks/webhook.html"):
    fragments = "campaigns/webhooks/_webhook.html", "campaigns/webhooks/_deliveries.html"
    webhook: Webhook
    answer: Answer
    log: list[Delivery]
    given_up: int
    said: str = ""
    secret: str = ""
    alone: bool = False
    events: Sequence[Any] = EVENTS

    @property
    def watch(self) -> bool:
        """A page that waits for something near looks again by itself."""
        until = timezone.now() + SOON
        waiting = [row for row in self.log if row.next_try is not None and row.next_try < until]
        return any(self.webhook.active or row.kind not in WebhookEvent.values for row in waiting)


@page_with_acts(
    never_cache,
    organiser_page,
    acts={
        "change": _change,
        "on": partial(_switch, on=True),
        "off": partial(_switch, on=False),
        "secret": _renew_secret,
        "ping": _ping,
        "redeliver": _redeliver,
        "redeliver all": _redeliver_all,
        "remove": _remove,
    },
)
def webhook(request: HttpRequest, campaign: Campaign, answer: Answer, webhook: int) -> HttpResponse:
    return _rendered(request, _page(campaign, webhook, answer, **answer.shown))


@require_safe
@never_cache
@organiser_page
def deliveries(request: HttpRequest, campaign: Campaign, webhook: int) -> HttpResponse:
    page = _page(campaign, webhook, Answer(), alone=True)
    return render_page(request, page, template="campaigns/webhooks/_deliveries.html")


def _page(campaign: Campaign, webhook: int, answer: Answer, **shown: Any) -> WebhookPage:
    found = _found(campaign, webhook)
    given_up = sending.given_up_deliveries(webhook=found).count()
    return WebhookPage(campaign, found, answer, log_of(webhook=found), given_up, **shown)


def _labels(webhook: Webhook) -> list[str]:
    return [str(label) for name, label, _ in EVENTS if name in webhook.events]


def _found(campaign: Campaign, webhook: int) -> Webhook:
    try:
        return webhook_of(campaign=campaign, id=webhook)
    except Refusal as refused:
        raise Http404 from refused


def _rendered(request: HttpRequest, page: WebhooksPage | WebhookPage) -> HttpResponse:
    return render_page(request, page, template=page.fragments[0] if "HX-Request" in request.headers else "")
