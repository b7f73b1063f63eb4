"""The page of near-duplicates: their groups, and two documents side by side."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns.core.digits import read_digits
from campaigns.duplicates.fingerprints import LEAST_SIMILARITY, SHINGLE_WORDS
from campaigns.duplicates.groups import (
    DuplicateFigures,
    DuplicateGroup,
    duplicate_figures,
    largest_groups,
    pair_of,
    similarity_of,
)
from campaigns.duplicates.judgment_copies import copy_count, count_differing_groups
from campaigns.log.timeline import last_changed_by
from campaigns.models import Campaign, Document, TextSignature
from campaigns.models.campaign import JudgmentCopies
from campaigns.pages.access import organiser_page
from campaigns.pages.documents import DocumentText, document_text
from campaigns.pages.tables import address
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page


class DuplicatesPage(CampaignContext, template="campaigns/duplicates/duplicates.html"):
    """`copies`: copied judgments that hold; `differing`: groups whose judgments differ; `chosen_by`: the
    organiser who last changed that setting."""

    copies: int
    differing: int
    chosen_by: str
    figures: DuplicateFigures
    groups: list[DuplicateGroup]
    least: float
    words: int
    previous: str
    next: str


class ComparedDocument(PageContext, template="campaigns/duplicates/_compared.html"):
    document: Document
    body: DocumentText


class ComparisonPage(CampaignContext, template="campaigns/duplicates/comparison.html"):
    """`pair`: both documents as HTML; `signature`: how they compare, if one represents the other."""

    pair: list[str]
    signature: TextSignature | None


@require_safe
@organiser_page
def duplicates(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Groups, the largest first; ?page= from 1. ?docno= twice shows two documents side by side."""
    docnos = request.GET.getlist("docno")
    if docnos:
        return _comparison(request, campaign, docnos)
    page = max(read_digits(request.GET.get("page", ""), 6) or 1, 1)
    groups, more = largest_groups(campaign.collection, page=page)
    path = reverse("campaigns:duplicates", args=[campaign.slug])
    copied = campaign.judgment_copies != JudgmentCopies.OFF
    shown = DuplicatesPage(
        campaign,
        copy_count(campaign) if copied else 0,
        count_differing_groups(campaign) if copied else 0,
        last_changed_by(campaign=campaign, setting="judgment_copies"),
        duplicate_figures(campaign.collection),
        groups,
        LEAST_SIMILARITY,
        SHINGLE_WORDS,
        previous=address(request, path, page=str(page - 1)) if page > 1 else "",
        next=address(request, path, page=str(page + 1)) if more else "",
    )
    return render_page(request, shown)


def _comparison(request: HttpRequest, campaign: Campaign, docnos: list[str]) -> HttpResponse:
    pair = pair_of(campaign.collection, docnos[:2])
    if len(pair) != 2 or len(docnos) != 2:
        raise Http404
    shown = [ComparedDocument(each, document_text(campaign, each)).html(request) for each in pair]
    return render_page(request, ComparisonPage(campaign, list(shown), similarity_of(*pair)))
