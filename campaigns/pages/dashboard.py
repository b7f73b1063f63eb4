"""The overview of a campaign, and its panels for pages without live events."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.api.streaming.parts import overview_context, overview_part
from campaigns.log.judgments import acts_since_judging_began
from campaigns.models import Campaign, Membership
from campaigns.models.campaign import Status
from campaigns.pages.access import scoped_page
from campaigns.results.topic_scope import TopicScope


@require_safe
@scoped_page
def dashboard(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    context = overview_context(campaign, scope)
    context["withdrawn"] = list(campaign.runs.exclude(withdrawn_at=None).order_by("tag"))
    context["unattended"] = campaign.status == Status.OPEN and not _is_attended(campaign)
    context["show_all"] = request.GET.get("show") == "all"
    return render(request, "campaigns/dashboard/dashboard.html", context)


def _is_attended(campaign: Campaign) -> bool:
    """Whether a person judges here or has judged."""
    judged = acts_since_judging_began(campaign).exists()
    return judged or campaign.memberships.filter(role=Membership.Role.ASSESSOR).exists()


@require_safe
@scoped_page
def overview(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    return HttpResponse(overview_part(campaign, scope))
