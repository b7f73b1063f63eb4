"""The quality page: what assessors' judgments show, whose judgments are excluded, topics dealt again."""

from __future__ import annotations

from itertools import groupby

from django import template
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.template import Context
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from campaigns.collection.topics import topics_numbered
from campaigns.core.errors import Refusal
from campaigns.log.tallies import judged_by_each
from campaigns.models import Campaign, Topic
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.setup.forms import SettingRow, SettingsForm
from campaigns.quality import exclusions
from campaigns.quality.exclusions import ExcludedWork, excluded_topics, exclusions_of
from campaigns.quality.flag_sentences import flag_sentence
from campaigns.quality.flags import flags_of
from campaigns.setup.campaigns import change_settings
from campaigns.setup.settings import settings_in
from campaigns.templatetags.contexts import CampaignContext, render_page

register = template.Library()


def _exclude(request: HttpRequest, campaign: Campaign) -> str:
    """With `to`, their topics are assigned to that assessor."""
    username, topics = _whose(request, campaign)
    to = request.POST.get("to", "").strip()
    if to:
        organiser = signed_in_user(request)
        dealt = exclusions.redeal(
            campaign=campaign, username=username, to=to, topics=topics, organiser=organiser
        )
        words = ngettext(
            "One topic of %(username)s is assigned to %(to)s.",
            "%(count)s topics of %(username)s are assigned to %(to)s.",
            len(dealt),
        ) % {"username": username, "to": to, "count": len(dealt)}
        return f"{words} {_closed(dealt)}".strip()
    exclusions.exclude(campaign=campaign, username=username, topics=topics)
    words = gettext("The judgments of %(username)s are excluded. The figures follow in a moment.")
    return words % {"username": username}


def _include(request: HttpRequest, campaign: Campaign) -> str:
    username, topics = _whose(request, campaign)
    exclusions.include(campaign=campaign, username=username, topics=topics)
    words = gettext("The judgments of %(username)s count again. The figures follow in a moment.")
    return words % {"username": username}


def _whose(request: HttpRequest, campaign: Campaign) -> tuple[str, list[Topic]]:
    numbers = request.POST.get("topics", "").replace(",", " ").split()
    topics = topics_numbered(campaign=campaign, numbers=numbers, field="topics")
    return request.POST.get("username", "").strip(), topics


def _set_thresholds(request: HttpRequest, campaign: Campaign) -> str:
    form = SettingsForm("flags", data=request.POST)
    if not form.is_valid():
        [(field, errors), *_] = form.errors.items()
        detail = " ".join(map(str, errors)).rstrip(".")
        raise Refusal("bad_flag", detail[:1].lower() + detail[1:], field=field)
    change_settings(campaign=campaign, **form.cleaned_data)
    return gettext("Saved. Flags follow within a minute.")


def _closed(topics: list[Topic]) -> str:
    closed = sum(topic.closed_at is not None for topic in topics)
    words = ngettext(
        "One of them is closed: open it to have it judged.",
        "%(count)s of them are closed: open them to have them judged.",
        closed,
    )
    return words % {"count": closed} if closed else ""


class QualityPage(CampaignContext, template="campaigns/quality/quality.html"):
    """`flagged`: assessors with the sentences of their flags; `everywhere`: those excluded in all topics;
    `people`: members, and all who judged once; `chosen`: the assessor whom the address names."""

    flagged: list[tuple[str, list[str]]]
    excluded: list[ExcludedWork]
    everywhere: set[str]
    people: list[str]
    members: list[str]
    thresholds: list[SettingRow]
    chosen: str
    answer: Answer


@page_with_acts(
    organiser_page, acts={"exclude": _exclude, "include": _include, "thresholds": _set_thresholds}
)
def quality(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    excluded = exclusions_of(campaign=campaign)
    flags = flags_of(campaign=campaign)
    page = QualityPage(
        campaign=campaign,
        flagged=[
            (name, [flag_sentence(flag) for flag in some])
            for name, some in groupby(flags, key=lambda flag: flag.assessor.get_username())
        ],
        excluded=excluded,
        everywhere={row.username for row in excluded if not row.topic},
        people=_people(campaign),
        members=list(
            campaign.memberships.order_by("user__username").values_list("user__username", flat=True)
        ),
        thresholds=SettingsForm(
            "flags",
            initial={one.name: getattr(campaign, one.name) for one in settings_in("flags")},
            auto_id="%s",
        ).rows()["flags"],
        chosen=request.GET.get("assessor", ""),
        answer=answer,
    )
    return render_page(request, page)


def _people(campaign: Campaign) -> list[str]:
    """Members, and all who judged here once."""
    judged = {person for _, person in judged_by_each(campaign=campaign)}
    members = campaign.memberships.values_list("user_id", flat=True)
    found = User.objects.filter(id__in={*judged, *members}).order_by("username")
    return list(found.values_list("username", flat=True))


class ExclusionNotice(CampaignContext, template="campaigns/quality/_excluded.html"):
    excluded: list[tuple[str, list[str]]]


@register.simple_tag(takes_context=True)
def exclusion_notice(context: Context) -> SafeString:
    """On a page of figures: whose judgments they leave out. Nothing where all count."""
    campaign = context["campaign"]
    return ExclusionNotice(campaign, list(excluded_topics(campaign=campaign).items())).html()
