"""The leaderboard, for those to whom it is published, with or without an account."""

from __future__ import annotations

from dataclasses import asdict, replace

from django.contrib.auth.models import User
from django.http import Http404
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.scopes import SUBMITS, ScopePermission, campaign_of
from campaigns.api.framework.views import ApiView
from campaigns.api.framework.words import PARTICIPANTS_TAG
from campaigns.api.shapes import participants as shapes
from campaigns.models import Campaign
from campaigns.participants.leaderboard import leaderboard_of
from campaigns.participants.publication import may_see_leaderboard

operation = Operations(PARTICIPANTS_TAG)


class LeaderboardView(ApiView):
    needs = SUBMITS
    permission_classes = (ScopePermission,)
    campaign: Campaign

    def admit(self, request: Request, **kwargs: object) -> None:
        user = request.user if isinstance(request.user, User) else None
        campaign = Campaign.objects.filter(slug=kwargs["slug"]).first()
        if campaign is None or not may_see_leaderboard(campaign=campaign, user=user):
            # The same for campaigns that there are not.
            raise Http404 if user else NotAuthenticated
        if campaign_of(request) not in (None, campaign.id):
            raise Http404
        self.campaign = campaign

    @operation(
        "get_leaderboard",
        "Show the leaderboard",
        shapes.Leaderboard,
        "Live figures with the number of log entries behind them. Where it is public, no token is needed. "
        "From `first` to `last` are the ranks among distinct runs that no separated pair rules out.",
    )
    def get(self, request: Request, slug: str) -> Response:
        found = leaderboard_of(self.campaign)
        rows = [asdict(row) for row in found.rows]
        about = asdict(replace(found, rows=[]))
        del about["rows"]
        return Response({**about, "runs": rows})
