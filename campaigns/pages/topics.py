from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.models import Campaign
from campaigns.pages.access import organiser_page
from campaigns.services.overview import judging_now, people_of, topics_of


@require_safe
@organiser_page
def topics(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    now = judging_now(campaign=campaign)
    rows = [(topic, now.get(topic.id, [])) for topic in topics_of(campaign=campaign)]
    context = {"campaign": campaign, "rows": rows, "people": people_of(campaign=campaign)}
    # The live part alone, for the page that asks again every few seconds.
    template = "campaigns/_topics.html" if request.headers.get("HX-Request") else "campaigns/topics.html"
    return render(request, template, context)
