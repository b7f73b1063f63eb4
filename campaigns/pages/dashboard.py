"""The overview of a campaign, and its panels for pages without live events."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from campaigns.core.digits import digits_or_zero
from campaigns.models import Campaign, Run
from campaigns.models.campaign import ANCHOR_COUNTS
from campaigns.overview.parts import Overview, overview_of, overview_part
from campaigns.pages.access import organiser_page, scoped_page
from campaigns.pages.acts import act_address
from campaigns.results.topic_scope import TopicScope
from campaigns.setup.campaigns import change_settings
from campaigns.templatetags.contexts import PageContext, render_page


class DashboardPage(PageContext, template="campaigns/dashboard/dashboard.html"):
    read: Overview
    overview: SafeString
    withdrawn: list[Run]
    show_all: bool
    whole_axis: bool
    anchor_counts: Sequence[int] = ANCHOR_COUNTS[1:]


@require_safe
@scoped_page
def dashboard(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    read = overview_of(campaign, scope)
    withdrawn = list(campaign.runs.exclude(withdrawn_at=None).order_by("tag"))
    show_all, whole_axis = request.GET.get("show") == "all", request.GET.get("axis") == "whole"
    return render_page(request, DashboardPage(read, overview_part(read), withdrawn, show_all, whole_axis))


def _dashboard(request: HttpRequest, campaign: Campaign) -> str:
    return reverse("campaigns:dashboard", args=[campaign.slug])


@act_address(organiser_page, back=_dashboard)
def anchors(request: HttpRequest, campaign: Campaign) -> str | HttpResponse:
    """Have so many anchors drawn as `count` says."""
    count = digits_or_zero(request.POST.get("count", ""))
    if count not in ANCHOR_COUNTS[1:]:
        detail = gettext("unknown number; choose 12, 24 or 48 anchors")
        return HttpResponse(detail, status=400, content_type="text/plain")
    change_settings(campaign=campaign, anchors=count)
    return gettext("The anchors are drawn within seconds, and come next.")


@require_safe
@scoped_page
def overview(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    return HttpResponse(overview_part(overview_of(campaign, scope)))
