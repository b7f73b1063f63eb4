"""The dashboard, and its parts for pages without live events."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.api.streaming.parts import _progress, _stop, dashboard_part
from campaigns.models import Campaign, Membership
from campaigns.models.campaign import Status
from campaigns.pages.access import organiser_page
from campaigns.results.score_ranges import score_ranges_of, summary_of


@require_safe
@organiser_page
def dashboard(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    runs = score_ranges_of(campaign=campaign)
    intervals = {
        **summary_of(campaign=campaign),
        "topic": None,
        "runs": [asdict(run) for run in runs],
        "status": campaign.status,
    }
    withdrawn = list(campaign.runs.exclude(withdrawn_at=None).order_by("tag"))
    context = {"campaign": campaign, "intervals": intervals, "withdrawn": withdrawn}
    context |= {**_progress(campaign), **_stop(campaign)}
    context["unattended"] = campaign.status == Status.OPEN and not _is_attended(campaign)
    return render(request, "campaigns/dashboard/dashboard.html", context)


def _is_attended(campaign: Campaign) -> bool:
    """Whether anybody judges here or has judged."""
    return campaign.judgments.exists() or campaign.memberships.filter(role=Membership.Role.ASSESSOR).exists()


@require_safe
@organiser_page
def progress(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    return HttpResponse(dashboard_part(campaign, "progress"))


@require_safe
@organiser_page
def stop(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    return HttpResponse(dashboard_part(campaign, "stop"))


@require_safe
@organiser_page
def board(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    return HttpResponse(dashboard_part(campaign, "board"))
