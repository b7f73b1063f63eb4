"""A topic's page: where it stands, what judging it can change, and its documents."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaigns.collection.assignments import assignees_by_topic
from campaigns.core.decimals import percentage, with_percent
from campaigns.judging.topic_development import RevisionChanges, revisions_of
from campaigns.log.current import grades_of
from campaigns.log.tallies import judged_by_each
from campaigns.models import Campaign, Sample, Topic
from campaigns.pages.access import organiser_page
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.setup.methods import label_of
from campaigns.pages.tables import Column, TablePage, address, asked_page, database_table, sorting_of
from campaigns.pages.topics.topics import MethodForm, choose_method, method_form, served_text
from campaigns.predictions.differences import Difference, run_scores_in
from campaigns.predictions.standings import standings_of
from campaigns.predictions.topic_outlook import TopicOutlook, topic_outlook
from campaigns.results.document_judgments import JudgedDocument, judged_documents, judged_in_topic
from campaigns.results.queues import QueueRow, QueueView, queue_view
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of
from campaigns.results.topic_rows import TopicRow, topics_of
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page

FIRST_QUEUE_ROWS, QUEUE_ROWS = 8, 100
FIRST_TOPIC_RUNS, FIRST_PAIRS = 10, 3
JUDGED_ROWS = 8

JUDGED_COLUMNS: list[Column[JudgedDocument]] = [
    Column("docno", gettext_lazy("Document"), in_database=True),
    Column("grade", gettext_lazy("Grade"), falls=True, in_database=True),
    Column("assessor", gettext_lazy("Assessor"), in_database=True),
    Column("time", pgettext_lazy("time", "Last"), falls=True, in_database=True),
]

RunLine = tuple[RunScoreRange, Difference | None]


@dataclass(frozen=True)
class GradeShare:
    """Judged documents of a grade, as a part of a bar in hundredths; `address`: of the page with these."""

    grade: int
    count: int
    start: float
    width: float
    address: str


class TopicPart(CampaignContext, template="campaigns/topics/_again.html"):
    """Parts that judging moves. `again`: the page has the rest already. `rows`: of the queue, each with the
    name of its method and its weight in hundredths of the first; `more_rows`: the address with all, empty if
    they are shown. `runs`, `more_runs`: with their predictions; `row`: the topic's counts. `grade`: judged
    documents of this one are shown; `every_grade`: the address without it."""

    topic: Topic
    again: bool
    outlook: TopicOutlook
    queue: QueueView
    rows: list[tuple[QueueRow, str, str]]
    more_rows: str
    opened: bool
    sampled: bool
    mixed: bool
    runs: list[RunLine]
    more_runs: list[RunLine]
    row: TopicRow
    grades: list[GradeShare]
    served_by: str
    sample: Sample | None
    assigned: list[str]
    assessors: list[str]
    judged: TablePage[JudgedDocument]
    grade: int | None
    every_grade: str
    first_pairs: int = FIRST_PAIRS

    @property
    def relevant_share(self) -> str:
        return with_percent(percentage(self.row.relevant / self.row.judged)) if self.row.judged else ""

    @property
    def residual_width(self) -> str:
        return f"{100 * (self.outlook.residual or 0):.1f}"


class TopicPage(PageContext, template="campaigns/topics/topic.html"):
    """`before`, `after`: the numbers of its neighbours, empty at the ends."""

    part: TopicPart
    form: MethodForm
    wordings: list[RevisionChanges]
    before: str
    after: str

    @property
    def predicted(self) -> int:
        """Number of runs whose score in the topic is predicted."""
        return sum(one is not None for _, one in (*self.part.runs, *self.part.more_runs))

    @property
    def all_runs(self) -> int:
        return len(self.part.runs) + len(self.part.more_runs)


def _choose_for_one(request: HttpRequest, campaign: Campaign, number: str) -> str:
    found = get_object_or_404(campaign.topics, number=number)
    found.campaign = campaign
    choose_method(request, campaign, [found])
    return served_text([found], found.method)


@page_with_acts(organiser_page, act=_choose_for_one)
def topic(request: HttpRequest, campaign: Campaign, answer: Answer, number: str) -> HttpResponse:
    """?grade=, ?sort= and ?page= of the judged documents, as campaigns/pages/tables.py has it; ?queue=all."""
    found = get_object_or_404(campaign.topics, number=number)
    found.campaign = campaign
    # What judging moves alone, for the page that asks again every few seconds.
    alone = request.method != "POST" and bool(request.headers.get("HX-Request"))
    part = _part(request, campaign, found, again=alone)
    if alone:
        return render_page(request, part)
    form = method_form(request, campaign, answer, found.method, found.options)
    numbers = campaign.topics.values_list("number", flat=True)
    before = numbers.filter(position__lt=found.position).last()
    after = numbers.filter(position__gt=found.position).first()
    return render_page(request, TopicPage(part, form, revisions_of(topic=found), before or "", after or ""))


def _part(request: HttpRequest, campaign: Campaign, topic: Topic, *, again: bool) -> TopicPart:
    path, grades = escape_uri_path(request.path), _grades(request, campaign, topic)
    grade = next((one.grade for one in grades if str(one.grade) == request.GET.get("grade")), None)
    whole = request.GET.get("queue") == "all"
    queue = queue_view(campaign=campaign, topic=topic, limit=QUEUE_ROWS if whole else FIRST_QUEUE_ROWS)
    more = not whole and queue.remaining > len(queue.rows)
    lines = _run_lines(campaign, topic)
    longest = max((row.weight for row in queue.rows), default=0.0) or 1.0
    return TopicPart(
        campaign=campaign,
        topic=topic,
        again=again,
        outlook=topic_outlook(campaign=campaign, topic=topic, standings=standings_of(campaign=campaign)),
        queue=queue,
        rows=[(row, label_of(row.method), f"{100 * row.weight / longest:.1f}") for row in queue.rows],
        more_rows=address(request, path, queue="all") if more else "",
        opened=any(row.open_to for row in queue.rows),
        sampled=any(row.inclusion is not None for row in queue.rows),
        mixed=any(row.method != queue.method for row in queue.rows),
        runs=lines[:FIRST_TOPIC_RUNS],
        more_runs=lines[FIRST_TOPIC_RUNS:],
        row=topics_of(campaign=campaign, only=[topic.id])[0],
        grades=grades,
        served_by=label_of(topic.method or campaign.method),
        sample=Sample.objects.filter(topic=topic).only("size", "created").first(),
        assigned=assignees_by_topic(campaign=campaign).get(topic.id, []),
        assessors=_assessors(campaign, topic),
        judged=_judged(request, campaign, topic, grade),
        grade=grade,
        every_grade=address(request, path, grade="", page=""),
    )


def _run_lines(campaign: Campaign, topic: Topic) -> list[RunLine]:
    """Order runs by expected score; behind them, by the middles of their ranges, those not predicted here."""
    predicted = run_scores_in(campaign=campaign, topic=topic.id)
    lines: list[RunLine] = [
        (run, predicted[run.id].within(run.base, run.top) if run.id in predicted else None)
        for run in score_ranges_of(campaign=campaign, topic=topic)
    ]
    return sorted(lines, key=lambda line: (line[1] is None, -_height(*line), line[0].id))


def _height(run: RunScoreRange, predicted: Difference | None) -> float:
    if predicted is None or predicted.expected is None:
        return (run.base + run.top) / 2
    return predicted.expected


def _grades(request: HttpRequest, campaign: Campaign, topic: Topic) -> list[GradeShare]:
    counts = Counter(grades_of(campaign=campaign, topics=[topic.id]).get(topic.id, {}).values())
    path, total, shares, start = escape_uri_path(request.path), counts.total(), [], 0.0
    for grade, count in sorted(counts.items()):
        width = 100 * count / total
        at = address(request, path, grade=str(grade), page="")
        shares.append(GradeShare(grade, count, start, width, at))
        start += width
    return shares


def _assessors(campaign: Campaign, topic: Topic) -> list[str]:
    """Names of all who judged in the topic."""
    counts = judged_by_each(campaign=campaign).items()
    ids = [person for (at, person), (judged, _) in counts if at == topic.id and judged]
    return list(User.objects.filter(id__in=ids).order_by("username").values_list("username", flat=True))


def _judged(
    request: HttpRequest, campaign: Campaign, topic: Topic, grade: int | None
) -> TablePage[JudgedDocument]:
    sorting, page = sorting_of(request, JUDGED_COLUMNS), asked_page(request)
    if page == 1 and not sorting.column and grade is None:
        latest = judged_documents(campaign=campaign, topic=topic)
        rows, total = latest.rows[:JUDGED_ROWS], latest.total or 0
    else:
        rows, total = judged_in_topic(
            campaign=campaign,
            topic=topic,
            grade=grade,
            order=sorting.column,
            falls=sorting.falls,
            page=page,
            size=JUDGED_ROWS,
        )
    return database_table(request, JUDGED_COLUMNS, rows, total, size=JUDGED_ROWS)
