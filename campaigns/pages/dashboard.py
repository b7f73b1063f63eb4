from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.models import Campaign
from campaigns.pages.access import organiser_page
from campaigns.services.advice import stopping_of
from campaigns.services.intervals import intervals_of, summary_of
from campaigns.services.overview import topics_of


@require_safe
@organiser_page
def dashboard(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    runs = intervals_of(campaign=campaign)
    intervals = {
        **summary_of(campaign=campaign),
        "topic": None,
        "runs": [asdict(run) for run in runs],
        "status": campaign.status,
    }
    context = {"campaign": campaign, "intervals": intervals, **_progress(campaign)}
    context["stopping"] = stopping_of(campaign=campaign)
    return render(request, "campaigns/dashboard.html", context)


@require_safe
@organiser_page
def progress(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    context = {"campaign": campaign, **_progress(campaign)}
    return render(request, "campaigns/_progress.html", context)


@require_safe
@organiser_page
def stop(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    context = {"campaign": campaign, "stopping": stopping_of(campaign=campaign)}
    return render(request, "campaigns/_stop.html", context)


def _progress(campaign: Campaign) -> dict[str, Any]:
    topics = topics_of(campaign=campaign)
    return {
        "topics": len(topics),
        "under_minimum": sum(topic.judged < campaign.min_judgments for topic in topics),
        "pool": sum(topic.pool or 0 for topic in topics),
    }
