"""Start pages of a signed-in user: the list of campaigns, and the language of all pages."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import get_language
from django.views.decorators.http import require_safe
from django.views.i18n import set_language

from campaigns.models import Campaign, Membership, TeamMember
from campaigns.notifications.emails import languages_of, prefer
from campaigns.overview.campaign_cards import CampaignCard, cards_of, with_samples
from campaigns.overview.waiting_work import WaitingWork, waiting_work
from campaigns.pages.access import signed_in_user
from campaigns.templatetags.contexts import PageContext, render_page


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Organisers start at their campaigns, everybody else at their judging."""
    organises = Campaign.objects.organised_by(request.user).exists()
    judges = Campaign.objects.visible_to(request.user).exists()
    return redirect("campaigns:list" if organises or not judges else "assess:home")


class CampaignsPage(PageContext, template="campaigns/list.html"):
    """`cards`: of the campaigns that the person organises; `archived`: those in their place, where they are
    shown. `work`: what waits for the person."""

    cards: list[CampaignCard]
    archived: Sequence[Campaign]
    judged_in: Sequence[Campaign]
    archived_count: int
    shows_archived: bool
    places: list[TeamMember]
    work: list[WaitingWork]


@require_safe
@login_required
def campaigns(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    shows_archived = request.GET.get("show") == "archived"
    rows = list(with_samples(Campaign.objects.organised_by(user)))
    archived = [one for one in rows if one.archived_at is not None]
    active = [one for one in rows if one.archived_at is None]
    as_assessor = user.memberships.filter(role=Membership.Role.ASSESSOR, campaign__archived_at=None)
    own = list(as_assessor.select_related("campaign").order_by("campaign"))
    judged = [one.campaign for one in own if one.paused_at is None]
    work = waiting_work(user=user, organised=active, judged=judged)
    page = CampaignsPage(
        cards=[] if shows_archived else cards_of(campaigns=active),
        archived=archived if shows_archived else [],
        judged_in=[one.campaign for one in own],
        archived_count=len(archived),
        shows_archived=shows_archived,
        places=list(user.team_places.select_related("campaign", "team").order_by("-id")),
        work=work,
    )
    return render_page(request, page)


def choose(request: HttpRequest) -> HttpResponseBase:
    """Keep the choice in this browser, and for the signed-in person."""
    response = set_language(request)
    if request.method == "POST" and isinstance(request.user, User):
        prefer(user=request.user, code=request.POST.get("language", ""))
    return response


def keep_language(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """A browser without a choice takes the person's language; else the person takes the page's."""
    name = settings.LANGUAGE_COOKIE_NAME
    known = languages_of([user.id]).get(user.id)
    if known is None or name in request.COOKIES:
        prefer(user=user, code=get_language() or settings.LANGUAGE_CODE)
        return
    response.set_cookie(
        name,
        known,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
