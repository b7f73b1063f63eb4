"""The page on which an assessor searches a topic's collection and opens what they find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from assess.access import assessor_of, judging_page
from campaigns.collection.search import LONGEST_QUERY, MOST_PAGES, FoundDocument, SearchPage
from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.judging.interactive_search import OwnAct, check_search, open_found, search_topic
from campaigns.models import Campaign, Topic
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.templatetags.contexts import CampaignContext, render_page


def _open(request: HttpRequest, campaign: Campaign, topic: Topic) -> HttpResponse:
    assessor, docno = assessor_of(request).id, request.POST.get("docno", "").replace("\0", "")
    check_search(campaign=campaign, topic=topic, assessor=assessor)
    open_found(campaign=campaign, topic=topic, docno=docno, assessor=assessor)
    screen = reverse("assess:topic", args=[campaign.slug, topic.number])
    return redirect(f"{screen}#{urlencode({'open': docno})}")


class TopicSearchPage(CampaignContext, template="assess/search/search.html"):
    topic: Topic
    query: str
    refused: Refusal | None
    found: SearchPage | None = None
    rows: Sequence[tuple[FoundDocument, OwnAct | None]] = ()
    previous: str = ""
    next: str = ""
    judged: int = 0


@page_with_acts(never_cache, partial(judging_page, searching=True), act=_open)
def search(request: HttpRequest, campaign: Campaign, topic: Topic, answer: Answer) -> HttpResponse:
    """?search= words or a docno, ?page=. A form opens the document `docno` on the judging screen."""
    assessor, refused = assessor_of(request).id, answer.refused
    try:
        check_search(campaign=campaign, topic=topic, assessor=assessor)
    except Refusal as refusal:
        refused = refusal
    query = request.GET.get("search", "").replace("\0", "").strip()[:LONGEST_QUERY]
    page, status = TopicSearchPage(campaign, topic, query, refused), refused.status if refused else 200
    if query and status != 409:
        page = _found(request, page, assessor)
    return render_page(request, page, status=status)


def _found(request: HttpRequest, shown: TopicSearchPage, assessor: int) -> TopicSearchPage:
    page, query = min(max(read_digits(request.GET.get("page", ""), 9) or 1, 1), MOST_PAGES), shown.query
    try:
        found = search_topic(
            campaign=shown.campaign, topic=shown.topic, assessor=assessor, query=query, page=page
        )
    except Refusal as refused:
        return replace(shown, refused=refused)
    return replace(
        shown,
        found=found.page,
        rows=[(row, found.own.get(row.docno)) for row in found.page.rows],
        previous=_address(query, page - 1) if page > 1 else "",
        next="" if found.page.is_last else _address(query, page + 1),
        judged=len(found.own),
    )


def _address(query: str, page: int) -> str:
    return f"?{urlencode({'search': query, 'page': str(page)})}"
