"""The quality page: what assessors' judgments show, whose judgments are excluded, topics dealt again."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from django import template
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template import Context
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from campaigns.collection.topics import topics_numbered
from campaigns.core.errors import Refusal, unknown_act
from campaigns.log.tallies import judged_by_each
from campaigns.models import Campaign, Topic
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.setup.forms import SettingsForm
from campaigns.quality import exclusions
from campaigns.quality.exclusions import excluded_topics, exclusions_of
from campaigns.quality.flag_sentences import flag_sentence
from campaigns.quality.flags import flags_of
from campaigns.setup.campaigns import change_settings
from campaigns.setup.settings import settings_in

register = template.Library()


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def quality(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    answer: dict[str, Any] = {}
    if request.method == "POST":
        try:
            messages.success(request, _act(request, campaign))
        except Refusal as refused:
            answer = {"refused": refused, "typed": request.POST}
        else:
            return redirect("campaigns:quality", slug=campaign.slug)
    excluded = exclusions_of(campaign=campaign)
    flags = flags_of(campaign=campaign)
    context = {
        "campaign": campaign,
        "flagged": [
            (name, [flag_sentence(flag) for flag in some])
            for name, some in groupby(flags, key=lambda flag: flag.assessor.get_username())
        ],
        "excluded": excluded,
        "everywhere": {row.username for row in excluded if not row.topic},
        "people": _people(campaign),
        "members": list(
            campaign.memberships.order_by("user__username").values_list("user__username", flat=True)
        ),
        "thresholds": SettingsForm(
            "flags",
            initial={one.name: getattr(campaign, one.name) for one in settings_in("flags")},
            auto_id="%s",
        ).rows()["flags"],
        "chosen": request.GET.get("assessor", ""),
        **answer,
    }
    status = answer["refused"].status if answer else 200
    return render(request, "campaigns/quality/quality.html", context, status=status)


def _people(campaign: Campaign) -> list[str]:
    """Members, and all who judged here once."""
    judged = {person for _, person in judged_by_each(campaign=campaign)}
    members = campaign.memberships.values_list("user_id", flat=True)
    found = User.objects.filter(id__in={*judged, *members}).order_by("username")
    return list(found.values_list("username", flat=True))


def _act(request: HttpRequest, campaign: Campaign) -> str:
    posted = request.POST
    username, to = posted.get("username", "").strip(), posted.get("to", "").strip()
    numbers = posted.get("topics", "").replace(",", " ").split()
    topics = topics_numbered(campaign=campaign, numbers=numbers, field="topics")
    match posted.get("act"):
        case "exclude" if to:
            organiser = signed_in_user(request)
            dealt = exclusions.redeal(
                campaign=campaign, username=username, to=to, topics=topics, organiser=organiser
            )
            said = ngettext(
                "One topic of %(username)s is assigned to %(to)s.",
                "%(count)s topics of %(username)s are assigned to %(to)s.",
                len(dealt),
            ) % {"username": username, "to": to, "count": len(dealt)}
            return f"{said} {_closed(dealt)}".strip()
        case "exclude":
            exclusions.exclude(campaign=campaign, username=username, topics=topics)
            said = gettext("The judgments of %(username)s are excluded. The figures follow in a moment.")
        case "include":
            exclusions.include(campaign=campaign, username=username, topics=topics)
            said = gettext("The judgments of %(username)s count again. The figures follow in a moment.")
        case "thresholds":
            change_settings(campaign=campaign, **_thresholds(posted))
            return gettext("Saved. Flags follow within a minute.")
        case other:
            raise unknown_act(other)
    return said % {"username": username}


def _thresholds(posted: QueryDict) -> dict[str, Any]:
    form = SettingsForm("flags", data=posted)
    if form.is_valid():
        return dict(form.cleaned_data)
    [(field, errors), *_] = form.errors.items()
    detail = " ".join(map(str, errors)).rstrip(".")
    raise Refusal("bad_flag", detail[:1].lower() + detail[1:], field=field)


def _closed(topics: list[Topic]) -> str:
    closed = sum(topic.closed_at is not None for topic in topics)
    words = ngettext(
        "One of them is closed: open it to have it judged.",
        "%(count)s of them are closed: open them to have them judged.",
        closed,
    )
    return words % {"count": closed} if closed else ""


@register.inclusion_tag("campaigns/quality/_excluded.html", takes_context=True)
def exclusion_notice(context: Context) -> dict[str, Any]:
    """On a page of figures: whose judgments they leave out. Nothing where all count."""
    campaign = context["campaign"]
    return {"campaign": campaign, "excluded": list(excluded_topics(campaign=campaign).items())}
