from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaigns.api.access import CampaignView, OrganiserView
from campaigns.api.serializers import CampaignIn, CampaignOut
from campaigns.models import Membership
from campaigns.services import campaigns as services

MOST = 200


# How documents are chosen, and what a grade is worth, is not for those who judge them.
ORGANISERS_ONLY = ("method", "scope", "batch", "p", "measure", "seed", "budget")


def visible(membership: Membership) -> dict[str, Any]:
    """The campaign as this member may see it."""
    data = dict(CampaignOut(membership.campaign).data)
    if membership.is_organiser:
        return data
    grades = [{name: row[name] for name in ("grade", "label", "key")} for row in data["grades"]]
    return {name: value for name, value in data.items() if name not in ORGANISERS_ONLY} | {"grades": grades}


def signed_in(request: Request) -> User:
    assert isinstance(request.user, User)
    return request.user


class CampaignsView(APIView):
    def get(self, request: Request) -> Response:
        rows = Membership.objects.select_related("campaign").filter(user=signed_in(request))
        memberships = rows.order_by("-campaign__created")[:MOST]
        return Response({"results": [visible(membership) for membership in memberships], "next": None})

    def post(self, request: Request) -> Response:
        wish = CampaignIn(data=request.data)
        wish.is_valid(raise_exception=True)
        campaign = services.create(organiser=signed_in(request), **wish.validated_data)
        return Response(CampaignOut(campaign).data, status=201)


class CampaignDetailView(CampaignView):
    def get(self, request: Request, slug: str) -> Response:
        return Response(visible(self.membership))

    def patch(self, request: Request, slug: str) -> Response:
        if not self.membership.is_organiser:
            self.permission_denied(request, message="only the campaign's organisers may do this")
        wish = CampaignIn(data=request.data, partial=True)
        wish.is_valid(raise_exception=True)
        services.change_settings(campaign=self.campaign, **wish.validated_data)
        return Response(visible(self.membership))


class _Move(OrganiserView):
    move: Callable[..., None]

    def post(self, request: Request, slug: str) -> Response:
        type(self).move(campaign=self.campaign)
        return Response({"status": self.campaign.status})


class OpenView(_Move):
    move = staticmethod(services.open_campaign)


class PauseView(_Move):
    move = staticmethod(services.pause)


class CloseView(_Move):
    move = staticmethod(services.close)
