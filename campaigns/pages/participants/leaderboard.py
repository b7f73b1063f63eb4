"""The leaderboard, for those to whom it is published."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaigns.models import Campaign, HandIn, Membership
from campaigns.pages.participants.team import TeamPart, navigation
from campaigns.participants.leaderboard import Leaderboard, leaderboard_of
from campaigns.participants.publication import may_see_leaderboard
from campaigns.participants.rules import rules_of
from campaigns.people.teams import place_of
from campaigns.templatetags.contexts import CampaignContext, render_page

ORGANISER = Membership.Role.ORGANISER


class LeaderboardPage(CampaignContext, template="campaigns/participants/leaderboard.html"):
    place: TeamPart
    rules: HandIn
    found: Leaderboard


@require_safe
@never_cache
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    user = request.user if isinstance(request.user, User) else None
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None or not may_see_leaderboard(campaign=campaign, user=user):
        if user is None:
            # The same for campaigns that there are not.
            return redirect_to_login(request.get_full_path())
        raise Http404
    place = place_of(user=user, slug=slug) if user else None
    if place is not None:
        part = navigation(place)
    else:
        organises = user is not None and campaign.memberships.filter(user=user, role=ORGANISER).exists()
        part = TeamPart(organises_this=organises)
    page = LeaderboardPage(campaign, part, rules_of(campaign), leaderboard_of(campaign))
    return render_page(request, page)
