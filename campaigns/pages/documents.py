from __future__ import annotations

from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from campaigns.collection.access import source_url
from campaigns.formats.content_types import Kind, kind_of
from campaigns.models import Campaign, Document
from campaigns.pages.access import organiser_page
from campaigns.results import documents as reading
from campaigns.results.documents import judged_documents

MATCHES = 20
SHOWN_CHARACTERS = 60_000


@require_safe
@organiser_page
def documents(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What was judged, the latest first; ?docno= how docnos begin, ?disputed=yes where people differ;
    ?before= and ?after= a place of the log."""
    prefix = request.GET.get("docno", "").strip()[:512]
    disputed = request.GET.get("disputed") == "yes"
    before, after = _place(request.GET.get("before", "")), _place(request.GET.get("after", ""))
    page = judged_documents(campaign=campaign, prefix=prefix, disputed=disputed, before=before, after=after)
    context = {
        "campaign": campaign,
        "page": page,
        "rows": page.rows,
        "prefix": prefix,
        "disputed": disputed,
        "matches": reading.documents_with(campaign=campaign, prefix=prefix, limit=MATCHES),
    }
    return render(request, "campaigns/documents.html", context)


def _place(typed: str) -> int | None:
    """Any other is no place of a log."""
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 10 else None


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
        labels: dict[int | None, str] = {row["grade"]: row["label"] for row in campaign.grades} | {
            -2: gettext("junk")
        }
        context["topics"] = reading.topics_of_document(campaign=campaign, document=found, labels=labels)
    if alone:
        return render(request, "campaigns/_document.html", context)
    context |= shown(campaign, found)
    context["back"] = campaign.topics.filter(number=request.GET.get("topic", "")).first()
    return render(request, "campaigns/document.html", context)


def shown(campaign: Campaign, document: Document) -> dict[str, Any]:
    kind = kind_of(document.content_type)
    text = document.body if kind in (Kind.TEXT, Kind.MARKDOWN) else ""
    framed = document.body and kind not in (Kind.TEXT, Kind.MARKDOWN)
    content = f"/api/v1/campaigns/{campaign.slug}/documents/{quote(document.docno, safe='')}/content/"
    return {
        "text": text[:SHOWN_CHARACTERS],
        "cut": len(text) > SHOWN_CHARACTERS,
        "content": content if document.body else "",
        "framed": framed and kind is not Kind.PDF,
        "source": source_url(campaign.collection.url_template, document.docno),
    }
