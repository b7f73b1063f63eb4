"""The topics page, a topic's page, and the choice of a topic's method."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext_lazy

from campaigns.collection.assignments import assignees_by_topic
from campaigns.collection.topics import set_method
from campaigns.core.errors import Refusal
from campaigns.judging.topic_development import RevisionChanges, revisions_of
from campaigns.models import Campaign, Sample, Topic
from campaigns.pages.access import organiser_page
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.setup.methods import (
    OfferedMethod,
    OptionField,
    field_name,
    fields_of,
    label_of,
    offered_methods,
    read_options,
    run_tags,
)
from campaigns.pages.tables import Column, TablePage, address, asked_page, database_table, sorting_of
from campaigns.pages.topics.actions import remember_undo, undo_of_method, undo_to_offer
from campaigns.pages.topics.table import TopicTable, offered_states, topic_table
from campaigns.people.workload import Workload, workload_of
from campaigns.predictions.differences import Difference, run_scores_in
from campaigns.results.document_judgments import PAGE, JudgedDocument, judged_documents, judged_in_topic
from campaigns.results.queues import QueueRow, QueueView, queue_view
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of
from campaigns.results.topic_rows import TopicRow, topics_of
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page

QUEUE_ROWS = 20
FIRST_TOPIC_RUNS = 15

JUDGED_COLUMNS: list[Column[JudgedDocument]] = [
    Column("docno", gettext_lazy("Document"), in_database=True),
    Column("grade", gettext_lazy("Grade"), falls=True, in_database=True),
    Column("assessor", gettext_lazy("Assessor"), in_database=True),
    Column("time", pgettext_lazy("time", "Last"), falls=True, in_database=True),
]


class MethodForm(PageContext):
    """Form that chooses a method for topics. `options`: of the methods that have any; `wrong_option`: the
    field that was refused."""

    groups: list[tuple[str, list[OfferedMethod]]]
    method: str
    options: list[tuple[OfferedMethod, list[OptionField]]]
    campaign_method: str
    refused: Refusal | None
    wrong_option: str


class TopicsPage(PageContext, template="campaigns/topics/topics.html"):
    part: TopicTable
    form: MethodForm
    states: dict[str, str | Promise]
    people: list[Workload]
    undo: dict[str, str] | None


def _choose_for_some(request: HttpRequest, campaign: Campaign) -> str:
    chosen = list(campaign.topics.filter(number__in=request.POST.getlist("topic")))
    before = undo_of_method(chosen)
    _choose(request, campaign, chosen)
    remember_undo(request, campaign, _served(chosen, request.POST.get("method", "")), before)
    return ""


def _table(request: HttpRequest, campaign: Campaign) -> str:
    return address(request, request.path)


@page_with_acts(organiser_page, act=_choose_for_some, back=_table)
def topics(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    """?words= and ?state= filter, ?sort= and ?page= as campaigns/pages/tables.py has it."""
    part = topic_table(request, campaign, reverse("campaigns:topics", args=[campaign.slug]))
    # The live part alone, for the page that asks again every few seconds, and during typing. A refused form
    # needs the whole page.
    if request.method != "POST" and request.headers.get("HX-Request"):
        return _never_as_a_page(render_page(request, part))
    people = [person for person in workload_of(campaign=campaign) if not person.deactivated]
    form, states = _method_form(request, campaign, answer, "", {}), offered_states(campaign)
    undo = undo_to_offer(request, campaign)
    return render_page(request, TopicsPage(part, form, states, people, undo))


def _never_as_a_page(part: HttpResponse) -> HttpResponse:
    """Its address is the page's, too: a browser that goes back must not show the part alone."""
    patch_cache_control(part, no_store=True)
    return part


class TopicPart(CampaignContext, template="campaigns/topics/_again.html"):
    """Rows that judging moves. `again`: the page has the rest already. `rows`: of the queue, each with the
    name of its method; `runs`, `more_runs`: with their predictions; `row`: the topic's counts."""

    topic: Topic
    again: bool
    queue: QueueView
    rows: list[tuple[QueueRow, str]]
    opened: bool
    sampled: bool
    mixed: bool
    runs: list[tuple[RunScoreRange, Difference | None]]
    more_runs: list[tuple[RunScoreRange, Difference | None]]
    row: TopicRow
    served_by: str
    sample: Sample | None
    assigned: list[str]
    judged: TablePage[JudgedDocument]


class TopicPage(PageContext, template="campaigns/topics/topic.html"):
    part: TopicPart
    form: MethodForm
    wordings: list[RevisionChanges]

    @property
    def some_predicted(self) -> bool:
        known = [one is not None for _, one in (*self.part.runs, *self.part.more_runs)]
        return any(known) and not all(known)


def _choose_for_one(request: HttpRequest, campaign: Campaign, number: str) -> str:
    found = get_object_or_404(campaign.topics, number=number)
    found.campaign = campaign
    _choose(request, campaign, [found])
    return _served([found], found.method)


@page_with_acts(organiser_page, act=_choose_for_one)
def topic(request: HttpRequest, campaign: Campaign, answer: Answer, number: str) -> HttpResponse:
    """?sort= and ?page= of the judged documents, as campaigns/pages/tables.py has it."""
    found = get_object_or_404(campaign.topics, number=number)
    found.campaign = campaign
    # What judging moves alone, for the page that asks again every few seconds.
    alone = request.method != "POST" and bool(request.headers.get("HX-Request"))
    part = _part(request, campaign, found, again=alone)
    if alone:
        return render_page(request, part)
    form = _method_form(request, campaign, answer, found.method, found.options)
    return render_page(request, TopicPage(part, form, revisions_of(topic=found)))


def _part(request: HttpRequest, campaign: Campaign, topic: Topic, *, again: bool) -> TopicPart:
    queue = queue_view(campaign=campaign, topic=topic, limit=QUEUE_ROWS)
    ranges = score_ranges_of(campaign=campaign, topic=topic)
    runs = sorted(ranges, key=lambda run: (-run.base, -run.top, run.id))
    predicted = run_scores_in(campaign=campaign, topic=topic.id)
    lines = [
        (run, predicted[run.id].within(run.base, run.top) if run.id in predicted else None) for run in runs
    ]
    return TopicPart(
        campaign=campaign,
        topic=topic,
        again=again,
        queue=queue,
        rows=[(row, label_of(row.method)) for row in queue.rows],
        opened=any(row.open_to for row in queue.rows),
        sampled=any(row.inclusion is not None for row in queue.rows),
        mixed=any(row.method != queue.method for row in queue.rows),
        runs=lines[:FIRST_TOPIC_RUNS],
        more_runs=lines[FIRST_TOPIC_RUNS:],
        row=topics_of(campaign=campaign, only=[topic.id])[0],
        served_by=label_of(topic.method or campaign.method),
        sample=Sample.objects.filter(topic=topic).only("size", "created").first(),
        assigned=assignees_by_topic(campaign=campaign).get(topic.id, []),
        judged=_judged(request, campaign, topic),
    )


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


def _choose(request: HttpRequest, campaign: Campaign, chosen: list[Topic]) -> None:
    """Have the topics served as the form says."""
    method = request.POST.get("method", "")
    if not chosen:
        raise Refusal("no_topic", gettext("choose at least one topic"), field="topic")
    set_method(campaign=campaign, topics=chosen, method=method, options=read_options(request.POST, method))


def _served(chosen: list[Topic], method: str) -> str:
    served = gettext("by %(method)s") % {"method": label_of(method)} if method else gettext("as the campaign")
    said = ngettext(
        "Topic %(number)s is served %(served)s. Judgments are kept; the queue is computed again.",
        "%(count)s topics are served %(served)s. Judgments are kept; the queues are computed again.",
        len(chosen),
    )
    return said % {"number": chosen[0].number, "count": len(chosen), "served": served}


def _method_form(
    request: HttpRequest, campaign: Campaign, answer: Answer, method: str, stored: dict[str, Any]
) -> MethodForm:
    typed = request.POST if request.method == "POST" else None
    runs = run_tags(campaign)
    groups = offered_methods()
    kept = {campaign.method: campaign.options, method: stored}
    options = [
        (one, fields_of(one.name, kept.get(one.name, {}), typed, runs)) for _, of in groups for one in of
    ]
    chosen = method if typed is None else typed.get("method", "")
    wrong = field_name(chosen, answer.refused) if answer.refused else ""
    some = [(one, fields) for one, fields in options if fields]
    return MethodForm(groups, chosen, some, label_of(campaign.method), answer.refused, wrong)
