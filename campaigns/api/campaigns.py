"""The campaigns: listed, made, changed, opened, paused and closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.scopes import ORGANISES, campaign_of
from campaigns.api.framework.views import ApiView, CampaignView, OrganiserView
from campaigns.api.framework.words import CAMPAIGNS_TAG
from campaigns.api.shapes.base import Problem, list_shape
from campaigns.api.shapes.campaigns import Archived, CampaignOut, CampaignsQuery, CopyIn, DeletionQuery, Moved
from campaigns.api.shapes.settings import CampaignChanges, CampaignIn
from campaigns.collection.access import set_language, set_url_template
from campaigns.models import Membership
from campaigns.operations.campaign_deletion import delete_campaign
from campaigns.setup import campaigns as services
from campaigns.setup.archive import archive, unarchive
from campaigns.setup.copies import copy_settings
from campaigns.setup.settings import SETTINGS

operation = Operations(CAMPAIGNS_TAG)

CAMPAIGNS_LISTING = Listing[Membership](
    "campaigns", lambda member: member.campaign_id, descending=True, most=200
)


# How documents are chosen, and what a grade is worth, is not for those who judge them.
ORGANISERS_ONLY = {"measure", "url_template", *(one.name for one in SETTINGS if one.organisers_only)}


def visible(membership: Membership) -> dict[str, Any]:
    """The campaign as this member may see it."""
    data = dict(CampaignOut(membership.campaign).data)
    if membership.is_organiser:
        return data
    grades = [{name: row[name] for name in row if name != "gain"} for row in data["grades"]]
    return {name: value for name, value in data.items() if name not in ORGANISERS_ONLY} | {"grades": grades}


def request_user(request: Request) -> User:
    assert isinstance(request.user, User)
    return request.user


class CampaignsView(ApiView):
    needs = ORGANISES
    queries = {"GET": CampaignsQuery}
    takes = {"POST": CampaignIn}

    @operation(
        "list_campaigns",
        "List your campaigns",
        list_shape(CampaignOut),
        "Newest first; archived ones only with `archived`.",
    )
    def get(self, request: Request) -> Response:
        rows = Membership.objects.select_related("campaign__collection").filter(
            user=request_user(request), campaign__archived_at__isnull=not self.asked["archived"]
        )
        only = campaign_of(request)
        if only is not None:
            rows = rows.filter(campaign=only)
        return Response(CAMPAIGNS_LISTING.of_query(request, self.asked, rows, "campaign_id").as_json(visible))

    @operation(
        "create_campaign",
        "Create a campaign",
        {201: CampaignOut, 409: Problem},
        "The campaign is a draft, and you are its organiser.",
    )
    def post(self, request: Request) -> Response:
        if campaign_of(request) is not None:
            detail = gettext("this token is for one campaign and makes no others")
            raise PermissionDenied(detail, code="scope")
        settings = self.body(request, CampaignIn)
        with transaction.atomic():
            template, language = settings.pop("url_template", None), settings.pop("language", None)
            campaign = services.create(organiser=request_user(request), **settings)
            if template is not None:
                set_url_template(collection=campaign.collection, template=template)
            if language is not None:
                set_language(collection=campaign.collection, language=language)
        return Response(CampaignOut(campaign).data, status=201)


class CampaignDetailView(CampaignView):
    needs = ORGANISES
    also_archived = ("DELETE",)
    queries = {"DELETE": DeletionQuery}
    takes = {"PATCH": CampaignChanges}

    @operation("get_campaign", "Show a campaign", CampaignOut)
    def get(self, request: Request, slug: str) -> Response:
        return Response(visible(self.membership))

    @operation(
        "change_campaign",
        "Change settings",
        {200: CampaignOut, 409: Problem},
        "Omitted settings keep their values. Existing judgments are kept, and score ranges are computed "
        "again. Once the campaign was open, the seed and the grades already used cannot be changed (409).",
    )
    def patch(self, request: Request, slug: str) -> Response:
        if not self.membership.is_organiser:
            self.permission_denied(request, message="only the campaign's organisers may do this")
        settings = self.body(request, CampaignChanges, partial=True)
        with transaction.atomic():
            template, language = settings.pop("url_template", None), settings.pop("language", None)
            if template is not None:
                set_url_template(collection=self.campaign.collection, template=template)
            if language is not None:
                set_language(collection=self.campaign.collection, language=language)
            services.change_settings(campaign=self.campaign, **settings)
        return Response(visible(self.membership))

    @operation(
        "delete_campaign",
        "Delete a campaign permanently",
        {204: None, 409: Problem},
        "Deletes all its judgments, runs, roles, tokens and webhooks, and its documents if no "
        "other campaign uses them. An open campaign cannot be deleted (409).",
    )
    def delete(self, request: Request, slug: str) -> Response:
        if not self.membership.is_organiser:
            self.permission_denied(request, message="only the campaign's organisers may do this")
        delete_campaign(campaign=self.campaign, confirmation=self.asked["confirm"])
        return Response(status=204)


class CopyView(OrganiserView):
    also_archived = ("POST",)
    takes = {"POST": CopyIn}

    @operation(
        "copy_campaign",
        "Copy the settings into a new campaign",
        {201: CampaignOut, 409: Problem},
        "The new campaign is a draft on the same documents, with the same settings, guidelines, "
        "grades, method and topic order. The guidelines' examples come along, those of one topic only with "
        "the topics. The due date, runs, judgments, training items, teams, invitations "
        "and webhooks are never copied. Method options that name a run return to their defaults.",
    )
    def post(self, request: Request, slug: str) -> Response:
        if campaign_of(request) is not None:
            detail = gettext("this token is for one campaign and makes no others")
            raise PermissionDenied(detail, code="scope")
        asked = self.body(request, CopyIn)
        return Response(
            CampaignOut(copy_settings(campaign=self.campaign, organiser=self.user, **asked)).data, status=201
        )


class _StatusView(OrganiserView):
    def moved(self, move: Callable[..., None]) -> Response:
        move(campaign=self.campaign)
        return Response({"status": self.campaign.status})


class OpenView(_StatusView):
    @operation(
        "open_campaign",
        "Open a campaign",
        {200: Moved, 409: Problem},
        "Judging starts or resumes. The campaign needs topics and runs.",
    )
    def post(self, request: Request, slug: str) -> Response:
        return self.moved(services.open_campaign)


class PauseView(_StatusView):
    @operation(
        "pause_campaign",
        "Pause a campaign",
        {200: Moved, 409: Problem},
        "No document is served and no judgment accepted until you open the campaign again.",
    )
    def post(self, request: Request, slug: str) -> Response:
        return self.moved(services.pause)


class CloseView(_StatusView):
    @operation(
        "close_campaign",
        "Close a campaign",
        {200: Moved, 409: Problem},
        "Judging ends. You can open the campaign again.",
    )
    def post(self, request: Request, slug: str) -> Response:
        return self.moved(services.close)


class _ArchivalView(OrganiserView):
    also_archived = ("POST",)

    def answer(self, act: Callable[..., None]) -> Response:
        act(campaign=self.campaign)
        return Response({"archived_at": self.campaign.archived_at})


class ArchiveView(_ArchivalView):
    @operation(
        "archive_campaign",
        "Archive a campaign",
        {200: Archived, 409: Problem},
        "The campaign becomes read-only and leaves the list; exports still work. An open "
        "campaign cannot be archived (409).",
    )
    def post(self, request: Request, slug: str) -> Response:
        return self.answer(archive)


class UnarchiveView(_ArchivalView):
    @operation(
        "unarchive_campaign", "Restore an archived campaign", Archived, "The campaign is as it was before."
    )
    def post(self, request: Request, slug: str) -> Response:
        return self.answer(unarchive)
