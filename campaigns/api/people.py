"""Who takes part, and who is invited to."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.paging import Listing
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import PEOPLE_TAG
from campaigns.api.shapes import people as shapes
from campaigns.api.shapes.base import PageQuery, Problem, list_shape
from campaigns.models import Invitation, Membership
from campaigns.people import invitations

INVITATIONS_LISTING = Listing[Invitation]("invitations", lambda row: row.id, descending=True)
MEMBERS_LISTING = Listing[Membership]("members", lambda row: row.id)


def invitation_json(invitation: Invitation) -> dict[str, Any]:
    inviter, used_by = invitation.created_by, invitation.used_by
    return {
        "id": invitation.id,
        "role": invitation.role,
        "topics": invitation.topics,
        "address": invitation.address,
        "state": invitation.state,
        "invited_by": inviter.get_username() if inviter else None,
        "used_by": used_by.get_username() if used_by else None,
        "created": invitation.created,
        "expires_at": invitation.expires_at,
    }


def member_json(member: Membership) -> dict[str, Any]:
    return {
        "username": member.user.get_username(),
        "role": member.role,
        "paused_at": member.paused_at,
        "since": member.created,
    }


class InvitationsView(OrganiserView):
    queries = {"GET": PageQuery}
    takes = {"POST": shapes.InvitationIn}

    @extend_schema(
        operation_id="list_invitations",
        summary="List invitations",
        description="Newest first, without their links.",
        tags=[PEOPLE_TAG],
        responses=list_shape(shapes.Invitation),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = self.campaign.invitations.select_related("created_by", "used_by")
        return Response(
            INVITATIONS_LISTING.of_query(request, self.asked, rows, "id").as_json(invitation_json)
        )

    @extend_schema(
        operation_id="invite",
        summary="Create an invitation",
        description="The link gives the role to the first person who follows it. Only this answer contains "
        "the link.",
        tags=[PEOPLE_TAG],
        responses={201: shapes.NewInvitation},
    )
    def post(self, request: Request, slug: str) -> Response:
        made, link = invitations.create(
            campaign=self.campaign,
            inviter=self.user,
            # Behind the #, which browsers send to no server, it is in no log.
            link_of=lambda token: f"{request.build_absolute_uri(reverse('join'))}#{token}",
            **self.body(request, shapes.InvitationIn),
        )
        return Response({**invitation_json(made), "link": link}, status=201)


class InvitationView(OrganiserView):
    @extend_schema(
        operation_id="revoke_invitation",
        summary="Revoke an invitation",
        description="The link stops working.",
        tags=[PEOPLE_TAG],
        responses={204: None, 410: Problem},
    )
    def delete(self, request: Request, slug: str, invitation: int) -> Response:
        invitations.revoke_invitation(campaign=self.campaign, invitation=invitation)
        return Response(status=204)


class MembersView(OrganiserView):
    queries = {"GET": PageQuery}

    @extend_schema(
        operation_id="list_members",
        summary="List members",
        tags=[PEOPLE_TAG],
        responses=list_shape(shapes.Member),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = self.campaign.memberships.select_related("user")
        return Response(MEMBERS_LISTING.of_query(request, self.asked, rows, "id").as_json(member_json))
