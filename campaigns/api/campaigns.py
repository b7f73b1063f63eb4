from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaigns.api.access import CampaignView, OrganiserView
from campaigns.api.serializers import CampaignIn, CampaignOut
from campaigns.models import Campaign
from campaigns.services import campaigns as services

MOST = 200


class CampaignsView(APIView):
    def get(self, request: Request) -> Response:
        rows = Campaign.objects.visible_to(request.user)[:MOST]
        return Response({"results": CampaignOut(rows, many=True).data, "next": None})

    def post(self, request: Request) -> Response:
        wish = CampaignIn(data=request.data)
        wish.is_valid(raise_exception=True)
        assert isinstance(request.user, User)
        campaign = services.create(organiser=request.user, **wish.validated_data)
        return Response(CampaignOut(campaign).data, status=201)


class CampaignDetailView(CampaignView):
    def get(self, request: Request, slug: str) -> Response:
        return Response(self._visible())

    def patch(self, request: Request, slug: str) -> Response:
        if not self.membership.is_organiser:
            self.permission_denied(request, message="only the campaign's organisers may do this")
        wish = CampaignIn(data=request.data, partial=True)
        wish.is_valid(raise_exception=True)
        services.change_settings(campaign=self.campaign, **wish.validated_data)
        return Response(self._visible())

    def _visible(self) -> dict[str, Any]:
        data = dict(CampaignOut(self.campaign).data)
        if not self.membership.is_organiser:
            # How documents are chosen is not for those who judge them.
            for name in ("method", "scope", "batch", "p", "measure", "seed", "budget"):
                data.pop(name)
        return data


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
