"""The organiser's door, as in the API: 404 for a stranger, 403 for an assessor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache

from campaigns.core.errors import Refusal
from campaigns.log.archived import archived_refusal
from campaigns.models import Campaign, Membership
from campaigns.people.accounts import is_administrator
from campaigns.results.topic_scope import check_scope
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page

# Django's forms take PUT as well, which no browser sends.
FORM_METHODS = ["get", "head", "post", "options"]

PageView = Callable[..., HttpResponseBase]


def also_archived(view: PageView) -> PageView:
    """Let the view change an archived campaign; stands below `organiser_page`."""
    view.also_archived = True  # type: ignore[attr-defined]  # read by organiser_page
    return view


def organiser_page(view: PageView) -> PageView:
    """The view gets the campaign instead of the slug. What would change an archived campaign is refused."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, **kwargs: object) -> HttpResponseBase:
        membership = (
            Membership.objects.select_related("campaign__collection")
            .filter(user=signed_in_user(request), campaign__slug=slug)
            .first()
        )
        if membership is None:
            raise Http404
        if not membership.is_organiser:
            raise PermissionDenied
        campaign = membership.campaign
        if campaign.archived_at and request.method == "POST" and not hasattr(view, "also_archived"):
            return _archived(request, campaign)
        return view(request, campaign, **kwargs)

    return guarded


class ArchivedPage(CampaignContext, template="campaigns/archived.html"):
    refused: Refusal


def _archived(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if request.headers.get("HX-Request"):
        # htmx shows no refusal: the page is read again, and says that the campaign is archived.
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render_page(request, ArchivedPage(campaign, archived_refusal(campaign)))


def scoped_page(view: Callable[..., HttpResponse]) -> PageView:
    """An organisers' page whose address names, by `?topics=`, over which topics scores are means."""

    @organiser_page
    @wraps(view)
    def scoped(request: HttpRequest, campaign: Campaign, **kwargs: object) -> HttpResponse:
        try:
            scope = check_scope(request.GET.get("topics", "all"))
        except Refusal as refused:
            kind = "text/plain; charset=utf-8"
            return HttpResponse(refused.detail, status=refused.status, content_type=kind)
        return view(request, campaign, scope, **kwargs)

    return scoped


def administrator_page(view: PageView) -> PageView:
    @login_required
    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, **kwargs: object) -> HttpResponseBase:
        if not is_administrator(signed_in_user(request)):
            raise PermissionDenied
        return view(request, **kwargs)

    return guarded


def second_factor_page(view: PageView) -> PageView:
    """There is none where the site has no second factor."""

    @wraps(view)
    def guarded(request: HttpRequest, **kwargs: object) -> HttpResponseBase:
        if not settings.SECOND_FACTOR:
            raise Http404
        return view(request, **kwargs)

    return guarded


class LimitedPage(PageContext, kw_only=True):
    minutes: int = 0


def too_many_attempts(request: HttpRequest, page: LimitedPage, left: int) -> HttpResponse:
    """The page that says so; `left`: seconds until the next try is looked at."""
    response = render_page(request, replace(page, minutes=-(-left // 60)), status=429)
    response.headers["Retry-After"] = str(left)
    return response


def signed_in_user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
