"""Who judges which topic, and which topics are closed: what the organiser does on the topics page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from campaigns.collection import assignments
from campaigns.core.errors import Refused
from campaigns.judging import closing
from campaigns.models import Campaign, Topic
from campaigns.pages.access import organiser_page, signed_in


@require_POST
@organiser_page
def act(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    try:
        messages.success(request, _act(request, campaign))
    except Refused as refused:
        messages.error(request, f"{refused.detail[:1].upper()}{refused.detail[1:]}.")
    number = request.POST.get("back", "")
    if number and "\0" not in number and campaign.topics.filter(number=number).exists():
        return redirect("campaigns:topic", slug=campaign.slug, number=number)
    return redirect("campaigns:topics", slug=campaign.slug)


def _act(request: HttpRequest, campaign: Campaign) -> str:
    posted = request.POST
    if "take_back" in posted:
        # "number name": neither has a blank in it.
        number, _, username = posted["take_back"].partition(" ")
        topics = _topics(campaign, [number])
        assignments.take_back(campaign=campaign, topics=topics, username=username)
        said = gettext("Topic %(number)s is taken back from %(username)s. What they judged stays.")
        return said % {"number": number, "username": username}
    if "close" in posted:
        for topic in _topics(campaign, [posted["close"]]):
            closing.close_for_all(campaign=campaign, topic=topic, organiser=signed_in(request))
        said = gettext("Topic %(number)s is closed: nothing of it is served. What was judged stays.")
        return said % {"number": posted["close"]}
    if "reopen" in posted:
        for topic in _topics(campaign, [posted["reopen"]]):
            closing.reopen_topic(campaign=campaign, topic=topic)
        return gettext("Topic %(number)s is open again.") % {"number": posted["reopen"]}
    if "deal" in posted:
        dealt = assignments.deal(campaign=campaign, organiser=signed_in(request))
        return ngettext(
            "One topic is dealt to the assessors in turn.",
            "%(count)s topics are dealt to the assessors in turn.",
            dealt,
        ) % {"count": dealt}
    if "assign" in posted:
        username = posted.get("username", "")
        topics = _topics(campaign, posted.getlist("topic"))
        given = assignments.assign(
            campaign=campaign, topics=topics, username=username, organiser=signed_in(request)
        )
        return ngettext(
            "One topic is newly assigned to %(username)s.",
            "%(count)s topics are newly assigned to %(username)s.",
            given,
        ) % {"count": given, "username": username}
    raise Refused("unknown_act", gettext("say what to do: assign, deal, take back, close or reopen"))


def _topics(campaign: Campaign, numbers: list[str]) -> list[Topic]:
    # Postgres refuses to be asked for a text with a NUL in it.
    found = list(campaign.topics.filter(number__in=[number for number in numbers if "\0" not in number]))
    if not found:
        raise Refused("no_topic", gettext("choose at least one topic"), field="topic", status=404)
    return found
