from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaigns.api.access import CampaignView, OrganiserView
from campaigns.api.scopes import ORGANISES, campaign_of
from campaigns.api.serializers import CampaignIn, CampaignOut
from campaigns.models import Membership
from campaigns.services import campaigns as services
from campaigns.services.sources import set_url_template

MOST = 200


# How documents are chosen, and what a grade is worth, is not for those who judge them.
ORGANISERS_ONLY = (
    "method",
    "options",
    "scope",
    "batch",
    "p",
    "measure",
    "relevant_from",
    "seed",
    "budget",
    "overlap_share",
    "overlap_assessors",
    "repeat_share",
    "url_template",
)


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
    needs = ORGANISES

    def get(self, request: Request) -> Response:
        rows = Membership.objects.select_related("campaign__collection").filter(user=signed_in(request))
        only = campaign_of(request)
        if only is not None:
            rows = rows.filter(campaign=only)
        memberships = rows.order_by("-campaign__created")[:MOST]
        return Response({"results": [visible(membership) for membership in memberships], "next": None})

    def post(self, request: Request) -> Response:
        if campaign_of(request) is not None:
            detail = gettext("this token is for one campaign and makes no others")
            raise PermissionDenied(detail, code="scope")
        wish = CampaignIn(data=request.data)
        wish.is_valid(raise_exception=True)
        with transaction.atomic():
            settings = dict(wish.validated_data)
            template = settings.pop("url_template", None)
            campaign = services.create(organiser=signed_in(request), **settings)
            if template is not None:
                set_url_template(collection=campaign.collection, template=template)
        return Response(CampaignOut(campaign).data, status=201)


class CampaignDetailView(CampaignView):
    needs = ORGANISES

    def get(self, request: Request, slug: str) -> Response:
        return Response(visible(self.membership))

    def patch(self, request: Request, slug: str) -> Response:
        if not self.membership.is_organiser:
            self.permission_denied(request, message="only the campaign's organisers may do this")
        wish = CampaignIn(data=request.data, partial=True)
        wish.is_valid(raise_exception=True)
        with transaction.atomic():
            settings = dict(wish.validated_data)
            template = settings.pop("url_template", None)
            services.change_settings(campaign=self.campaign, **settings)
            if template is not None:
                set_url_template(collection=self.campaign.collection, template=template)
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
