"""The overview of a campaign, and its panels for pages without live events."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.log.judgments import acts_since_judging_began
from campaigns.models import Campaign, Membership
from campaigns.models.campaign import ANCHOR_COUNTS, Status
from campaigns.overview.parts import overview_context, overview_part
from campaigns.pages.access import organiser_page, scoped_page
from campaigns.results.topic_scope import TopicScope
from campaigns.setup.campaigns import change_settings


@require_safe
@scoped_page
def dashboard(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    context = overview_context(campaign, scope)
    context["withdrawn"] = list(campaign.runs.exclude(withdrawn_at=None).order_by("tag"))
    context["unattended"] = campaign.status == Status.OPEN and not _is_attended(campaign)
    context["anchor_counts"] = ANCHOR_COUNTS[1:]
    context["overview"] = overview_part(context)
    context["show_all"] = request.GET.get("show") == "all"
    return render(request, "campaigns/dashboard/dashboard.html", context)


def _is_attended(campaign: Campaign) -> bool:
    """True if a person judges here or has judged."""
    judged = acts_since_judging_began(campaign).exists()
    return judged or campaign.memberships.filter(role=Membership.Role.ASSESSOR).exists()


@require_POST
@organiser_page
def anchors(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Have so many anchors drawn as `count` says."""
    count = digits_or_zero(request.POST.get("count", ""))
    if count not in ANCHOR_COUNTS[1:]:
        detail = gettext("unknown number; choose 12, 24 or 48 anchors")
        return HttpResponse(detail, status=400, content_type="text/plain")
    try:
        change_settings(campaign=campaign, anchors=count)
    except Refusal as refused:
        messages.error(request, refused.detail)
    else:
        messages.success(request, gettext("The anchors are drawn within seconds, and come next."))
    return redirect("campaigns:dashboard", slug=campaign.slug)


@require_safe
@scoped_page
def overview(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    return HttpResponse(overview_part(overview_context(campaign, scope)))
