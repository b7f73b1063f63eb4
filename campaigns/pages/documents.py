"""The pages of judged documents, of one document, and of a document's place in a queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from campaigns.collection.access import source_url
from campaigns.collection.document_revisions import as_it_was, replaced_texts
from campaigns.collection.metadata import all_field_rows, field_rows
from campaigns.collection.search import LONGEST_QUERY, MOST_PAGES, SearchPage, search_documents
from campaigns.configuration.scale import grade_labels
from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.duplicates.groups import DuplicateGroup, group_of
from campaigns.formats.content_types import Kind, kind_of
from campaigns.log.judgments import with_origins
from campaigns.models import Campaign, Document, DocumentRevision, Judgment, Topic
from campaigns.pages.access import organiser_page
from campaigns.pages.setup.methods import label_of
from campaigns.pages.tables import Column, Sorting, address, sorting_of
from campaigns.pages.topics.table import topic_choices
from campaigns.results import document_judgments as reading
from campaigns.results.document_judgments import judged_documents
from campaigns.results.queues import DocumentExplanation, RunShare, explain_document
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page

MATCHES = 20
SHOWN_CHARACTERS = 60_000

FIRST_BAR_RUNS = 12

FOUND_COLUMNS: list[Column[Any]] = [
    Column("title", gettext_lazy("Title"), in_database=True),
    Column("docno", gettext_lazy("Docno"), in_database=True),
    Column("text", gettext_lazy("Text")),
    Column("length", gettext_lazy("Length"), numeric=True, falls=True, in_database=True),
]


class JudgedDocumentsPage(CampaignContext, template="campaigns/documents/documents.html"):
    page: reading.DocumentsPage
    rows: list[reading.JudgedDocument]
    prefix: str
    disputed: bool
    number: str
    topic: Topic | None
    grade: int | None
    filtered: bool
    filter: str
    topics: list[tuple[str, str]]
    earlier: str
    later: str
    first: str
    matches: list[tuple[str, str]]
    typed: QueryDict
    query: str = ""
    sorting: Sorting | None = None


class FoundDocuments(CampaignContext, template="campaigns/documents/_found.html"):
    """`live`: the id of the part that changes without a reload."""

    query: str
    sorting: Sorting
    live: str
    refused: Refusal | None = None
    found: SearchPage | None = None
    by_relevance: str = ""
    previous: str = ""
    next: str = ""


class DocumentSearchPage(PageContext, template="campaigns/documents/search.html"):
    part: FoundDocuments
    topics: list[tuple[str, str]]
    typed: QueryDict


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
    shown = JudgedDocumentsPage(
        campaign=campaign,
        page=page,
        rows=[] if number and topic is None else page.rows,
        prefix=prefix,
        disputed=disputed,
        number=number,
        topic=topic,
        grade=grade,
        filtered=bool(prefix or disputed or number or grade is not None),
        filter=_filter_name(prefix, topic, grade, disputed=disputed),
        topics=topic_choices(campaign),
        earlier=_neighbour(request, before=page.before),
        later=_neighbour(request, after=page.after),
        first="" if page.before is None else _neighbour(request, after=0),
        matches=reading.documents_with(campaign=campaign, prefix=prefix, limit=MATCHES),
        typed=request.GET,
    )
    return render_page(request, shown)


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
    return address(request, escape_uri_path(request.path), **others)


def _search(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Also for the training page, which shows the part alone; ?sort= as campaigns/pages/tables.py has it."""
    query = request.GET.get("search", "").replace("\0", "").strip()[:LONGEST_QUERY]
    page = min(max(read_digits(request.GET.get("page", ""), 9) or 1, 1), MOST_PAGES)
    path = reverse("campaigns:documents", args=[campaign.slug])
    sorting = sorting_of(request, FOUND_COLUMNS, path=path)
    alone = bool(request.headers.get("HX-Request"))
    part = FoundDocuments(campaign, query, sorting, "found" if alone else "")
    status = 200
    try:
        found = search_documents(
            collection=campaign.collection, query=query, page=page, order=sorting.column, falls=sorting.falls
        )
    except Refusal as refused:
        part, status = replace(part, refused=refused), refused.status
    else:
        part = replace(
            part,
            found=found,
            by_relevance=address(request, path, sort="", page=""),
            previous=address(request, path, page=str(page - 1)) if page > 1 else "",
            next="" if found.is_last else address(request, path, page=str(page + 1)),
        )
    # htmx shows a refusal only if it comes as a success.
    if alone:
        return render_page(request, part, status=200)
    return render_page(request, DocumentSearchPage(part, topic_choices(campaign), request.GET), status=status)


class DocumentPart(CampaignContext, template="campaigns/documents/_document.html"):
    """`topics`: None where a second request brings them. `present`: the revision of the document's text."""

    document: Document
    topics: list[reading.DocumentInTopic] | None
    present: int


class DocumentText(PageContext):
    """The text, as the page shows it, and the fields that assessors see."""

    text: str = ""
    cut: bool = False
    content: str = ""
    framed: bool = False
    metadata: Sequence[dict[str, str]] = ()
    source: str = ""


class DocumentPage(PageContext, template="campaigns/documents/document.html"):
    """`earlier`: replaced texts by revision; `replaced`: the one of them that is shown, or asked for and not
    held."""

    part: DocumentPart
    body: DocumentText
    back: Topic | None
    earlier: dict[int, DocumentRevision]
    replaced: DocumentRevision | None
    group: DuplicateGroup | None


@require_safe
@organiser_page
def document(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """?docno=; where runs rank it comes by a second request, since all rankings are read for it. Without
    scripts ?all brings both."""
    found = reading.document_of(campaign=campaign, docno=request.GET.get("docno", ""))
    if found is None:
        raise Http404
    revision = read_digits(request.GET.get("revision", ""), 9)
    present = found.revision
    earlier = {row.revision: row for row in replaced_texts(found).defer("body", "html")}
    replaced = earlier.get(revision or present)
    if revision is not None:
        found = as_it_was(found, revision)
    alone, topics = bool(request.headers.get("HX-Request")), None
    if alone or "all" in request.GET:
        labels = grade_labels(campaign.grades)
        topics = reading.topics_of_document(campaign=campaign, document=found, labels=labels)
    part = DocumentPart(campaign, found, topics, present)
    if alone:
        return render_page(request, part)
    body = replace(document_text(campaign, found), metadata=all_field_rows(found))
    back = campaign.topics.filter(number=request.GET.get("topic", "")).first()
    group = group_of(found)
    return render_page(request, DocumentPage(part, body, back, earlier, replaced, group))


def document_text(campaign: Campaign, document: Document) -> DocumentText:
    kind = kind_of(document.content_type)
    text = document.body if kind in (Kind.TEXT, Kind.MARKDOWN) else ""
    framed = document.body and kind not in (Kind.TEXT, Kind.MARKDOWN, Kind.PDF)
    content = f"/api/v1/campaigns/{campaign.slug}/documents/{quote(document.docno, safe='')}/content/"
    content += f"?revision={document.revision}"
    return DocumentText(
        text=text[:SHOWN_CHARACTERS],
        cut=len(text) > SHOWN_CHARACTERS,
        content=content if document.body else "",
        framed=bool(framed),
        metadata=field_rows(document.metadata, campaign.shown_fields),
        source=source_url(campaign.collection.url_template, document.docno),
    )


class WhyPart(CampaignContext, template="campaigns/why/_why.html"):
    """`bars`, `more`: the runs behind the document, the first ones and the others."""

    topic: Topic
    docno: str
    refused: Refusal | None = None
    why: DocumentExplanation | None = None
    method: str = ""
    bars: Sequence[Bar] = ()
    more: Sequence[Bar] = ()
    judgments: Sequence[LabelledAct] = ()


class WhyPage(WhyPart, template="campaigns/why/why.html"):
    pass


@require_safe
@organiser_page
def document_in_queue(request: HttpRequest, campaign: Campaign, number: str) -> HttpResponse:
    """Explanation of a document's place in a topic's queue: a page, or a panel of the topic's page."""
    topic = get_object_or_404(campaign.topics, number=number)
    topic.campaign = campaign
    alone, docno = bool(request.headers.get("HX-Request")), request.GET.get("docno", "")
    shown = WhyPart if alone else WhyPage
    try:
        why = explain_document(campaign=campaign, topic=topic, docno=docno)
    except Refusal as refused:
        # htmx shows a refusal only if it comes as a success.
        status = 200 if alone else refused.status
        return render_page(request, shown(campaign, topic, docno, refused), status=status)
    bars, acts = _bars(why.behind), _judgments(campaign, topic, docno)
    first, more = bars[:FIRST_BAR_RUNS], bars[FIRST_BAR_RUNS:]
    label = label_of(why.method)
    return render_page(request, shown(campaign, topic, docno, None, why, label, first, more, acts))


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
    return [LabelledAct(row, labels.get(row.grade, "")) for row in with_origins(rows).order_by("sequence")]
