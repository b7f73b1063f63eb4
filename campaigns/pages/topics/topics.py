"""The topics page, a topic's page, and the choice of a topic's method."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.http import require_http_methods

from campaigns.collection.assignments import assignees_by_topic
from campaigns.collection.topics import set_method
from campaigns.core.errors import Refusal
from campaigns.judging.topic_development import revisions_of
from campaigns.models import Campaign, Sample, Topic
from campaigns.pages.access import organiser_page
from campaigns.pages.setup.methods import (
    field_name,
    fields_of,
    label_of,
    offered_methods,
    read_options,
    run_tags,
)
from campaigns.pages.tables import Column, TablePage, address, asked_page, database_table, sorting_of
from campaigns.pages.topics.actions import remember_undo, undo_of_method, undo_to_offer
from campaigns.pages.topics.table import offered_states, topic_table
from campaigns.people.workload import workload_of
from campaigns.predictions.differences import run_scores_in
from campaigns.results.documents import PAGE, JudgedDocument, judged_documents, judged_in_topic
from campaigns.results.queues import queue_view
from campaigns.results.score_ranges import score_ranges_of
from campaigns.results.topic_rows import topics_of

QUEUE_ROWS = 20
FIRST_TOPIC_RUNS = 15

JUDGED_COLUMNS: list[Column[JudgedDocument]] = [
    Column("docno", gettext_lazy("Document"), in_database=True),
    Column("grade", gettext_lazy("Grade"), falls=True, in_database=True),
    Column("assessor", gettext_lazy("Assessor"), in_database=True),
    Column("time", pgettext_lazy("time", "Last"), falls=True, in_database=True),
]


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def topics(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """?words= and ?state= filter, ?sort= and ?page= as campaigns/pages/tables.py has it."""
    answer: dict[str, Any] = {}
    path = reverse("campaigns:topics", args=[campaign.slug])
    if request.method == "POST":
        numbers = request.POST.getlist("topic")
        chosen = list(campaign.topics.filter(number__in=numbers))
        before = undo_of_method(chosen)
        answer = _choose(request, campaign, chosen)
        if not answer:
            remember_undo(request, campaign, _served(chosen, request.POST.get("method", "")), before)
            return redirect(address(request, path))
        answer["chosen"] = numbers
    context = topic_table(request, campaign, path)
    # The live part alone, for the page that asks again every few seconds, and during typing.
    if request.headers.get("HX-Request"):
        return _never_as_a_page(render(request, "campaigns/topics/_topics.html", context))
    context |= {
        "states": offered_states(campaign),
        "people": [person for person in workload_of(campaign=campaign) if not person.deactivated],
        "undo": undo_to_offer(request, campaign),
        **_method_form(request, campaign, "", {}),
        **answer,
    }
    return render(request, "campaigns/topics/topics.html", context, status=_status(answer))


def _never_as_a_page(part: HttpResponse) -> HttpResponse:
    """Its address is the page's, too: a browser that goes back must not show the part alone."""
    patch_cache_control(part, no_store=True)
    return part


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def topic(request: HttpRequest, campaign: Campaign, number: str) -> HttpResponse:
    """?sort= and ?page= of the judged documents, as campaigns/pages/tables.py has it."""
    found = get_object_or_404(campaign.topics, number=number)
    found.campaign = campaign
    answer: dict[str, Any] = {}
    if request.method == "POST":
        answer = _choose(request, campaign, [found])
        if not answer:
            messages.success(request, _served([found], found.method))
            return redirect("campaigns:topic", slug=campaign.slug, number=number)
    context = {"campaign": campaign, "topic": found, **_queue(campaign, found), **_standing(campaign, found)}
    context["judged"] = _judged(request, campaign, found)
    # What judging moves alone, for the page that asks again every few seconds.
    if request.headers.get("HX-Request"):
        return render(request, "campaigns/topics/_again.html", context | {"again": True})
    context |= {
        "wordings": revisions_of(topic=found),
        **_method_form(request, campaign, found.method, found.options),
        **answer,
    }
    return render(request, "campaigns/topics/topic.html", context, status=_status(answer))


def _queue(campaign: Campaign, topic: Topic) -> dict[str, Any]:
    queue = queue_view(campaign=campaign, topic=topic, limit=QUEUE_ROWS)
    return {
        "queue": queue,
        "rows": [(row, label_of(row.method)) for row in queue.rows],
        "opened": any(row.open_to for row in queue.rows),
        "sampled": any(row.inclusion is not None for row in queue.rows),
        "mixed": any(row.method != queue.method for row in queue.rows),
    }


def _standing(campaign: Campaign, topic: Topic) -> dict[str, Any]:
    """State of the topic: its counts, and the runs' score ranges on it."""
    runs = sorted(
        score_ranges_of(campaign=campaign, topic=topic), key=lambda run: (-run.base, -run.top, run.id)
    )
    predicted = run_scores_in(campaign=campaign, topic=topic.id)
    lines = [
        (run, predicted[run.id].within(run.base, run.top) if run.id in predicted else None) for run in runs
    ]
    return {
        "runs": lines[:FIRST_TOPIC_RUNS],
        "more_runs": lines[FIRST_TOPIC_RUNS:],
        "some_predicted": 0 < len(predicted) < len(runs),
        "row": topics_of(campaign=campaign, only=[topic.id])[0],
        "served_by": label_of(topic.method or campaign.method),
        "sample": _sample(topic),
        "assigned": assignees_by_topic(campaign=campaign).get(topic.id, []),
    }


def _judged(request: HttpRequest, campaign: Campaign, topic: Topic) -> TablePage[JudgedDocument]:
    sorting, page = sorting_of(request, JUDGED_COLUMNS), asked_page(request)
    if page == 1 and not sorting.column:
        # Reads no more than it shows.
        latest = judged_documents(campaign=campaign, topic=topic)
        rows, total = latest.rows, latest.total or 0
    else:
        rows, total = judged_in_topic(
            campaign=campaign, topic=topic, order=sorting.column, falls=sorting.falls, page=page
        )
    return database_table(request, JUDGED_COLUMNS, rows, total, size=PAGE)


def _sample(topic: Topic) -> Sample | None:
    return Sample.objects.filter(topic=topic).only("size", "created").first()


def _choose(request: HttpRequest, campaign: Campaign, chosen: list[Topic]) -> dict[str, Any]:
    """Have the topics served as the form says; what the page must say if that is refused."""
    method = request.POST.get("method", "")
    try:
        if not chosen:
            raise Refusal("no_topic", gettext("choose at least one topic"), field="topic")
        set_method(
            campaign=campaign, topics=chosen, method=method, options=read_options(request.POST, method)
        )
    except Refusal as refused:
        return {"refused": refused, "wrong_option": field_name(method, refused)}
    return {}


def _served(chosen: list[Topic], method: str) -> str:
    served = gettext("by %(method)s") % {"method": label_of(method)} if method else gettext("as the campaign")
    said = ngettext(
        "Topic %(number)s is served %(served)s. Judgments are kept; the queue is computed again.",
        "%(count)s topics are served %(served)s. Judgments are kept; the queues are computed again.",
        len(chosen),
    )
    return said % {"number": chosen[0].number, "count": len(chosen), "served": served}


def _method_form(
    request: HttpRequest, campaign: Campaign, method: str, stored: dict[str, Any]
) -> dict[str, Any]:
    typed = request.POST if request.method == "POST" else None
    runs = run_tags(campaign)
    groups = offered_methods()
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


def _status(answer: dict[str, Any]) -> int:
    return answer["refused"].status if "refused" in answer else 200
