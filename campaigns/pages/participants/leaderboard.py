"""The leaderboard, for those to whom it is published."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaigns.models import Campaign, Membership
from campaigns.pages.participants.team import navigation
from campaigns.participants.leaderboard import leaderboard_of
from campaigns.participants.publication import may_see_leaderboard
from campaigns.participants.rules import rules_of
from campaigns.people.teams import place_of

ORGANISER = Membership.Role.ORGANISER


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
    context = {"campaign": campaign, "rules": rules_of(campaign), "found": leaderboard_of(campaign)}
    if place is not None:
        context = {**navigation(place), **context, "leaderboard": True}
    elif user is not None:
        context["organises_this"] = campaign.memberships.filter(user=user, role=ORGANISER).exists()
    return render(request, "campaigns/participants/leaderboard.html", context)
