"""The overview of a campaign, and its panels for pages without live events."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from campaigns.models import Campaign, Run
from campaigns.overview.parts import Overview, overview_of, overview_part
from campaigns.pages.access import scoped_page
from campaigns.results.topic_scope import TopicScope
from campaigns.templatetags.contexts import PageContext, render_page


class DashboardPage(PageContext, template="campaigns/dashboard/dashboard.html"):
    read: Overview
    overview: SafeString
    withdrawn: list[Run]
    show_all: bool
    whole_axis: bool


@require_safe
@scoped_page
def dashboard(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    read = overview_of(campaign, scope)
    withdrawn = list(campaign.runs.exclude(withdrawn_at=None).order_by("tag"))
    show_all, whole_axis = request.GET.get("show") == "all", request.GET.get("axis") == "whole"
    return render_page(request, DashboardPage(read, overview_part(read), withdrawn, show_all, whole_axis))


@require_safe
@scoped_page
def overview(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    return HttpResponse(overview_part(overview_of(campaign, scope)))
