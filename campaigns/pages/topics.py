from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from campaigns.collection.assignments import assigned
from campaigns.collection.topics import set_method
from campaigns.core.errors import Refused
from campaigns.judging.topic_revisions import wordings
from campaigns.models import Campaign, Sample, Topic
from campaigns.pages.access import organiser_page
from campaigns.pages.setup.methods import label_of, offered
from campaigns.pages.setup.options import field_name, fields_of, read_options, run_tags
from campaigns.pages.topic_filter import STATES, TopicFilter, TopicLine
from campaigns.results.documents import judged_documents
from campaigns.results.intervals import intervals_of
from campaigns.results.overview import judging_now, people_of, topics_of
from campaigns.results.queues import queue_of

SHOWN = 20
FIRST_RUNS = 15
# So few are found without a filter.
FEW_TOPICS = 10
OF_MINIMUM = ("left", "enough")


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def topics(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    answer: dict[str, Any] = {}
    if request.method == "POST":
        numbers = request.POST.getlist("topic")
        chosen = list(campaign.topics.filter(number__in=numbers))
        answer = _choose(request, campaign, chosen)
        if not answer:
            return redirect("campaigns:topics", slug=campaign.slug)
        answer["chosen"] = numbers
    now = judging_now(campaign=campaign)
    marks = {row[0]: row[1:] for row in campaign.topics.values_list("id", "method", "closed_at")}
    given = assigned(campaign=campaign)
    rows = [
        TopicLine(
            topic,
            now.get(topic.id, []),
            label_of(method) if method else "",
            given.get(topic.id, []),
            closed_at is not None,
        )
        for topic in topics_of(campaign=campaign)
        for method, closed_at in [marks[topic.id]]
    ]
    asked = TopicFilter.asked(request.GET)
    context = {
        "campaign": campaign,
        "rows": rows,
        "shown": asked.only(rows, minimum=campaign.min_judgments),
        "asked": asked,
        "people": people_of(campaign=campaign),
    }
    # The live part alone, for the page that asks again every few seconds, and as somebody types.
    if request.headers.get("HX-Request"):
        return _never_as_a_page(render(request, "campaigns/_topics.html", context))
    states = (
        STATES if campaign.min_judgments else {key: STATES[key] for key in STATES if key not in OF_MINIMUM}
    )
    context |= {"states": states, "filtering": bool(asked) or len(rows) > FEW_TOPICS}
    context |= {**_method_form(request, campaign, "", {}), **answer}
    return render(request, "campaigns/topics.html", context, status=_status(answer))


def _never_as_a_page(part: HttpResponse) -> HttpResponse:
    """Its address is the page's, too: a browser that goes back must not show the part alone."""
    patch_cache_control(part, no_store=True)
    return part


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def topic(request: HttpRequest, campaign: Campaign, number: str) -> HttpResponse:
    found = get_object_or_404(campaign.topics, number=number)
    found.campaign = campaign
    answer: dict[str, Any] = {}
    if request.method == "POST":
        answer = _choose(request, campaign, [found])
        if not answer:
            return redirect("campaigns:topic", slug=campaign.slug, number=number)
    context = {"campaign": campaign, "topic": found, **_queue(campaign, found), **_standing(campaign, found)}
    # What judging moves alone, for the page that asks again every few seconds.
    if request.headers.get("HX-Request"):
        return render(request, "campaigns/_topic_again.html", context | {"again": True})
    context |= {
        "wordings": wordings(topic=found),
        **_method_form(request, campaign, found.method, found.options),
        **answer,
    }
    return render(request, "campaigns/topic.html", context, status=_status(answer))


def _choose(request: HttpRequest, campaign: Campaign, chosen: list[Topic]) -> dict[str, Any]:
    """Have the topics served as the form says; what the page must say if that is refused."""
    method = request.POST.get("method", "")
    try:
        if not chosen:
            raise Refused("no_topic", gettext("choose at least one topic"), field="topic")
        set_method(
            campaign=campaign, topics=chosen, method=method, options=read_options(request.POST, method)
        )
    except Refused as refused:
        return {"refused": refused, "wrong_option": field_name(method, refused)}
    messages.success(request, _served(chosen, method))
    return {}


def _served(chosen: list[Topic], method: str) -> str:
    served = gettext("by %(method)s") % {"method": label_of(method)} if method else gettext("as the campaign")
    said = ngettext(
        "Topic %(number)s is served %(served)s. All judgments stay; the queue is made anew.",
        "%(count)s topics are served %(served)s. All judgments stay; the queue is made anew.",
        len(chosen),
    )
    return said % {"number": chosen[0].number, "count": len(chosen), "served": served}


def _method_form(
    request: HttpRequest, campaign: Campaign, method: str, stored: dict[str, Any]
) -> dict[str, Any]:
    typed = request.POST if request.method == "POST" else None
    runs = run_tags(campaign)
    groups = offered()
    kept = {campaign.method: campaign.options, method: stored}
    options = [
        (one, fields_of(one.name, kept.get(one.name, {}), typed, runs)) for _, of in groups for one in of
    ]
    return {
        "groups": groups,
        "method": method if typed is None else typed.get("method", ""),
        "options": [(one, fields) for one, fields in options if fields],
        "campaign_method": label_of(campaign.method),
    }


def _queue(campaign: Campaign, topic: Topic) -> dict[str, Any]:
    queue = queue_of(campaign=campaign, topic=topic, limit=SHOWN)
    return {
        "queue": queue,
        "rows": [(row, label_of(row.method)) for row in queue.rows],
        "opened": any(row.open_to for row in queue.rows),
        "sampled": any(row.inclusion is not None for row in queue.rows),
        "mixed": any(row.method != queue.method for row in queue.rows),
    }


def _standing(campaign: Campaign, topic: Topic) -> dict[str, Any]:
    """How the topic stands: its counts, the runs' intervals on it, and the latest judged documents."""
    runs = sorted(intervals_of(campaign=campaign, topic=topic), key=lambda run: (-run.base, -run.top, run.id))
    judged = judged_documents(campaign=campaign, topic=topic)
    return {
        "runs": runs[:FIRST_RUNS],
        "more_runs": runs[FIRST_RUNS:],
        "judged": judged.rows,
        "judged_total": judged.total,
        "row": topics_of(campaign=campaign, only=[topic.id])[0],
        "served_by": label_of(topic.method or campaign.method),
        "sample": _sample(topic),
        "assigned": assigned(campaign=campaign).get(topic.id, []),
    }


def _sample(topic: Topic) -> Sample | None:
    return Sample.objects.filter(topic=topic).only("size", "created").first()


def _status(answer: dict[str, Any]) -> int:
    return answer["refused"].status if "refused" in answer else 200
