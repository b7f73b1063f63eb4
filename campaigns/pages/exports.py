from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from campaigns.api.downloads import bundle_download, download
from campaigns.models import Campaign
from campaigns.pages.access import organiser_page
from campaigns.services.errors import Refused
from campaigns.services.exports import EXPORTS
from campaigns.services.overview import topics_of
from campaigns.services.prels import sampling_of


@require_safe
@organiser_page
def exports(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    topics = topics_of(campaign=campaign)
    context = {
        "campaign": campaign,
        "judged": sum(topic.judged for topic in topics),
        "relevant": sum(topic.relevant for topic in topics),
        "topics": sum(topic.judged > 0 for topic in topics),
        "sampling": sampling_of(campaign=campaign),
    }
    return render(request, "campaigns/exports.html", context)


@require_safe
@organiser_page
def export(request: HttpRequest, campaign: Campaign, what: str) -> HttpResponseBase:
    if what not in EXPORTS:
        raise Http404
    return download(campaign, EXPORTS[what])


@require_safe
@organiser_page
def bundle(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    try:
        return bundle_download(
            campaign, texts="without_texts" not in request.GET, pseudonyms="pseudonyms" in request.GET
        )
    except Refused as refused:
        messages.error(request, refused.detail)
        return redirect("campaigns:exports", slug=campaign.slug)
