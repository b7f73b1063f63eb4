"""The page on which an assessor searches a topic's collection and opens what they find."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from assess.access import assessor_of, before_judging, campaign_for, topic_for
from campaigns.collection.search import LONGEST_QUERY, MOST_PAGES
from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.judging.search import check_search, open_found, search_topic
from campaigns.models import Campaign, Topic


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def search(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    """?search= words or a docno, ?page=. A POST opens the document `docno` on the judging screen."""
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    if not campaign.search_judging:
        raise Http404
    topic = topic_for(campaign, number, user)
    instead = before_judging(request, campaign=campaign, topic=topic, user=user)
    if instead is not None:
        return instead
    query = request.GET.get("search", "").replace("\0", "").strip()[:LONGEST_QUERY]
    context: dict[str, Any] = {"campaign": campaign, "topic": topic, "query": query}
    status = 200
    try:
        check_search(campaign=campaign, topic=topic, assessor=user.id)
        if request.method == "POST":
            docno = request.POST.get("docno", "").replace("\0", "")
            open_found(campaign=campaign, topic=topic, docno=docno, assessor=user.id)
            screen = reverse("assess:topic", args=[campaign.slug, topic.number])
            return redirect(f"{screen}#{urlencode({'open': docno})}")
    except Refusal as refused:
        context["refused"], status = refused, refused.status
    if query and status != 409:
        context |= _found(request, campaign, topic, user.id, query)
    return render(request, "assess/search/search.html", context, status=status)


def _found(
    request: HttpRequest, campaign: Campaign, topic: Topic, assessor: int, query: str
) -> dict[str, Any]:
    page = min(max(read_digits(request.GET.get("page", ""), 9) or 1, 1), MOST_PAGES)
    try:
        found = search_topic(campaign=campaign, topic=topic, assessor=assessor, query=query, page=page)
    except Refusal as refused:
        return {"refused": refused}
    return {
        "found": found.page,
        "rows": [(row, found.own.get(row.docno)) for row in found.page.rows],
        "previous": _address(query, page - 1) if page > 1 else "",
        "next": "" if found.page.is_last else _address(query, page + 1),
        "judged": len(found.own),
    }


def _address(query: str, page: int) -> str:
    return f"?{urlencode({'search': query, 'page': str(page)})}"
