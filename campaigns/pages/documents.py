"""The pages of judged documents, of one document, and of a document's place in a queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from campaigns.collection.access import source_url
from campaigns.collection.metadata import all_field_rows, field_rows
from campaigns.collection.search import LONGEST_QUERY, MOST_PAGES, search_documents
from campaigns.configuration.scale import grade_labels
from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.formats.content_types import Kind, kind_of
from campaigns.log.judgments import with_files
from campaigns.models import Campaign, Document, Judgment, Topic
from campaigns.pages.access import organiser_page
from campaigns.pages.setup.methods import label_of
from campaigns.pages.tables import Column, address, sorting_of
from campaigns.pages.topics.table import topic_choices
from campaigns.results import documents as reading
from campaigns.results.documents import judged_documents
from campaigns.results.queues import RunShare, explain_document

MATCHES = 20
SHOWN_CHARACTERS = 60_000

FIRST_BAR_RUNS = 12

FOUND_COLUMNS: list[Column[Any]] = [
    Column("title", gettext_lazy("Title"), in_database=True),
    Column("docno", gettext_lazy("Docno"), in_database=True),
    Column("text", gettext_lazy("Text")),
    Column("length", gettext_lazy("Length"), numeric=True, falls=True, in_database=True),
]


@require_safe
@organiser_page
def documents(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Judged documents, the latest first; ?docno= how docnos begin, ?topic= its number, ?grade= given by an
    assessor, ?disputed=yes where people differ; ?before= and ?after= a place of the log. ?search= finds any
    document of the collection."""
    if "search" in request.GET:
        return _search(request, campaign)
    prefix = request.GET.get("docno", "").strip()[:512]
    disputed = request.GET.get("disputed") == "yes"
    number = request.GET.get("topic", "").replace("\0", "").strip()
    topic = campaign.topics.filter(number=number).first() if number else None
    grade = _grade(campaign, request.GET.get("grade", ""))
    before, after = (read_digits(request.GET.get(name, "")) for name in ("before", "after"))
    page = judged_documents(
        campaign=campaign,
        prefix=prefix,
        disputed=disputed,
        topic=topic,
        grade=grade,
        before=before,
        after=after,
    )
    context = {
        "campaign": campaign,
        "page": page,
        "rows": [] if number and topic is None else page.rows,
        "prefix": prefix,
        "disputed": disputed,
        "number": number,
        "topic": topic,
        "grade": grade,
        "filtered": bool(prefix or disputed or number or grade is not None),
        "filter": _filter_name(prefix, topic, grade, disputed=disputed),
        "topics": topic_choices(campaign),
        "typed": request.GET,
        "earlier": _neighbour(request, before=page.before),
        "later": _neighbour(request, after=page.after),
        "first": "" if page.before is None else _neighbour(request, after=0),
        "matches": reading.documents_with(campaign=campaign, prefix=prefix, limit=MATCHES),
    }
    return render(request, "campaigns/documents/documents.html", context)


def _filter_name(prefix: str, topic: Topic | None, grade: int | None, *, disputed: bool) -> str:
    """Name of the filter that the list counts by; empty: all judged documents are counted."""
    if prefix or grade is not None or disputed:
        return "filter"
    return f"topic {topic.number}" if topic else ""


def _grade(campaign: Campaign, typed: str) -> int | None:
    """None for anything that is no grade of the campaign."""
    return next((row["grade"] for row in campaign.grades if str(row["grade"]) == typed), None)


def _neighbour(request: HttpRequest, **edge: int | None) -> str:
    """The address of a page that begins at a place of the log; empty where there is none."""
    [(name, place)] = edge.items()
    if place is None:
        return ""
    others = {"before": "", "after": ""} | {name: str(place)}
    return address(request, request.path, **others)


def _search(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Also for the training page, which shows the part alone; ?sort= as campaigns/pages/tables.py has it."""
    query = request.GET.get("search", "").replace("\0", "").strip()[:LONGEST_QUERY]
    page = min(max(read_digits(request.GET.get("page", ""), 9) or 1, 1), MOST_PAGES)
    path = reverse("campaigns:documents", args=[campaign.slug])
    sorting = sorting_of(request, FOUND_COLUMNS, path=path)
    context: dict[str, Any] = {"campaign": campaign, "query": query, "sorting": sorting}
    status = 200
    try:
        found = search_documents(
            collection=campaign.collection, query=query, page=page, order=sorting.column, falls=sorting.falls
        )
    except Refusal as refused:
        context["refused"], status = refused, refused.status
    else:
        context |= {
            "found": found,
            "by_relevance": address(request, path, sort="", page=""),
            "previous": address(request, path, page=str(page - 1)) if page > 1 else "",
            "next": "" if found.is_last else address(request, path, page=str(page + 1)),
        }
    # htmx shows a refusal only if it comes as a success.
    if request.headers.get("HX-Request"):
        return render(request, "campaigns/documents/_found.html", context | {"live": "found"})
    context["topics"] = topic_choices(campaign)
    return render(request, "campaigns/documents/search.html", context, status=status)


@require_safe
@organiser_page
def document(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """?docno=; where runs rank it comes by a second request, since all rankings are read for it. Without
    scripts ?all brings both."""
    found = reading.document_of(campaign=campaign, docno=request.GET.get("docno", ""))
    if found is None:
        raise Http404
    context: dict[str, Any] = {"campaign": campaign, "document": found}
    alone = bool(request.headers.get("HX-Request"))
    if alone or "all" in request.GET:
        labels = grade_labels(campaign.grades)
        context["topics"] = reading.topics_of_document(campaign=campaign, document=found, labels=labels)
    if alone:
        return render(request, "campaigns/documents/_document.html", context)
    context |= {**document_context(campaign, found), "metadata": all_field_rows(found)}
    context["back"] = campaign.topics.filter(number=request.GET.get("topic", "")).first()
    return render(request, "campaigns/documents/document.html", context)


def document_context(campaign: Campaign, document: Document) -> dict[str, Any]:
    """The text, as the page shows it, and the fields that assessors see."""
    kind = kind_of(document.content_type)
    text = document.body if kind in (Kind.TEXT, Kind.MARKDOWN) else ""
    framed = document.body and kind not in (Kind.TEXT, Kind.MARKDOWN)
    content = f"/api/v1/campaigns/{campaign.slug}/documents/{quote(document.docno, safe='')}/content/"
    return {
        "text": text[:SHOWN_CHARACTERS],
        "cut": len(text) > SHOWN_CHARACTERS,
        "content": content if document.body else "",
        "framed": framed and kind is not Kind.PDF,
        "metadata": field_rows(document.metadata, campaign.shown_fields),
        "source": source_url(campaign.collection.url_template, document.docno),
    }


@require_safe
@organiser_page
def document_in_queue(request: HttpRequest, campaign: Campaign, number: str) -> HttpResponse:
    """Explanation of a document's place in a topic's queue: a page, or a panel of the topic's page."""
    topic = get_object_or_404(campaign.topics, number=number)
    topic.campaign = campaign
    context: dict[str, Any] = {"campaign": campaign, "topic": topic, "docno": request.GET.get("docno", "")}
    status = 200
    try:
        context |= _found(campaign, topic, context["docno"])
    except Refusal as refused:
        context["refused"] = refused
        status = refused.status
    # htmx shows a refusal only if it comes as a success.
    if request.headers.get("HX-Request"):
        return render(request, "campaigns/why/_why.html", context)
    return render(request, "campaigns/why/why.html", context, status=status)


def _found(campaign: Campaign, topic: Topic, docno: str) -> dict[str, Any]:
    found = explain_document(campaign=campaign, topic=topic, docno=docno)
    bars = _bars(found.behind)
    return {
        "why": found,
        "method": label_of(found.method),
        "bars": bars[:FIRST_BAR_RUNS],
        "more": bars[FIRST_BAR_RUNS:],
        "judgments": _judgments(campaign, topic, docno),
    }


@dataclass(frozen=True)
class Bar:
    """`length` in hundredths of the longest."""

    run: str
    rank: int
    share: float
    length: float


def _bars(behind: list[RunShare]) -> list[Bar]:
    longest = max((abs(run.share) for run in behind), default=0.0) or 1.0
    return [Bar(run.run, run.rank, run.share, 100 * abs(run.share) / longest) for run in behind]


@dataclass(frozen=True)
class LabelledAct:
    act: Judgment
    label: str


def _judgments(campaign: Campaign, topic: Topic, docno: str) -> list[LabelledAct]:
    labels = grade_labels(campaign.grades)
    rows = Judgment.objects.filter(topic=topic, document__docno=docno).select_related("assessor")
    return [LabelledAct(row, labels.get(row.grade, "")) for row in with_files(rows).order_by("sequence")]
