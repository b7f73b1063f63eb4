"""People of a campaign: members, invitations, and the reliability of their judgments."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import PEOPLE_TAG
from campaigns.api.shapes import people as shapes
from campaigns.api.shapes import quality as quality_shapes
from campaigns.api.shapes.base import PageQuery, Problem, list_shape
from campaigns.collection.topics import topics_numbered
from campaigns.core.links import secret_link
from campaigns.models import Campaign, Invitation, Membership, QrelsImport, QualityFlag
from campaigns.people import invitations
from campaigns.people.invitation_lists import ListLine, read_list, send_list
from campaigns.people.open_invitations import act_on
from campaigns.quality import exclusions
from campaigns.quality.flag_sentences import flag_sentence
from campaigns.quality.flags import flags_of

operation = Operations(PEOPLE_TAG)

INVITATIONS_LISTING = Listing[Invitation]("invitations", lambda row: row.id, descending=True)
MEMBERS_LISTING = Listing[Membership]("members", lambda row: row.id)


def invitation_json(invitation: Invitation) -> dict[str, Any]:
    inviter, used_by = invitation.created_by, invitation.used_by
    return shapes.Invitation.of(
        invitation,
        team=invitation.team.name if invitation.team else None,
        invited_by=inviter.get_username() if inviter else None,
        used_by=used_by.get_username() if used_by else None,
    )


def line_json(line: ListLine, link: str | None) -> dict[str, Any]:
    return shapes.ListedLine.of(line, topics=list(line.topics), state=line.state.value, link=link)


def member_json(member: Membership) -> dict[str, Any]:
    return shapes.Member.of(member, username=member.user.get_username(), since=member.created)


class InvitationsView(OrganiserView):
    queries = {"GET": PageQuery}
    takes = {"POST": shapes.InvitationIn}

    @operation(
        "list_invitations",
        "List invitations",
        list_shape(shapes.Invitation),
        "Newest first, without their links.",
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = self.campaign.invitations.select_related("created_by", "used_by", "team")
        return Response(
            INVITATIONS_LISTING.of_query(request, self.asked, rows, "id").as_json(invitation_json)
        )

    @operation(
        "invite",
        "Create an invitation",
        {201: shapes.NewInvitation},
        "The link gives the role to the first person who follows it, or to as many as `capacity` "
        "allows. Only this answer contains the link.",
    )
    def post(self, request: Request, slug: str) -> Response:
        made, link = invitations.create(
            campaign=self.campaign,
            inviter=self.user,
            link_of=secret_link(request, "join"),
            **self.body(request, shapes.InvitationIn),
        )
        return Response({**invitation_json(made), "link": link}, status=201)


class InvitationView(OrganiserView):
    @operation(
        "revoke_invitation", "Revoke an invitation", {204: None, 410: Problem}, "The link stops working."
    )
    def delete(self, request: Request, slug: str, invitation: int) -> Response:
        invitations.revoke_invitation(campaign=self.campaign, invitation=invitation)
        return Response(status=204)


class InvitationListView(OrganiserView):
    takes = {"POST": shapes.InvitationListIn}

    @operation(
        "invite_by_list",
        "Invite by a list",
        {200: shapes.InvitationListOut, 201: shapes.InvitationListOut},
        "One person a line: email address, role, topics. Role and topics may be left out. "
        "Members, and people with an open invitation, are left as they are. If a line is wrong, nothing is "
        "sent (400). With `check_only`, each line's effect is returned. Only this answer contains the links.",
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.body(request, shapes.InvitationListIn)
        text, days = asked["text"], asked["days"]
        if asked["check_only"]:
            found, links = read_list(campaign=self.campaign, text=text, days=days), {}
        else:
            found, made = send_list(
                campaign=self.campaign,
                text=text,
                inviter=self.user,
                link_of=secret_link(request, "join"),
                days=days,
            )
            links = {invitation.address: link for invitation, link in made}
        lines = [line_json(line, links.get(line.address)) for line in found.lines]
        answer = {"sent": len(links), "lines": lines}
        return Response(answer, status=200 if asked["check_only"] else 201)


class InvitationActsView(OrganiserView):
    takes = {"POST": shapes.InvitationActIn}

    @operation(
        "act_on_invitations",
        "Remind, revoke or restore invitations",
        {200: shapes.InvitationActOut, 409: Problem},
        "A reminder emails a new link, which replaces the first one: at most one in 24 hours. "
        "Invitations to which the act does not apply are skipped; 409 if it applies to none.",
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.body(request, shapes.InvitationActIn)
        done = act_on(campaign=self.campaign, actor=self.user, link_of=secret_link(request, "join"), **asked)
        return Response({"changed": done.changed, "skipped": done.skipped})


class MembersView(OrganiserView):
    queries = {"GET": PageQuery}

    @operation("list_members", "List members", list_shape(shapes.Member))
    def get(self, request: Request, slug: str) -> Response:
        rows = self.campaign.memberships.select_related("user")
        return Response(MEMBERS_LISTING.of_query(request, self.asked, rows, "id").as_json(member_json))


def flag_json(flag: QualityFlag) -> dict[str, Any]:
    return quality_shapes.QualityFlagOut.of(
        flag, assessor=flag.assessor.get_username(), sentence=flag_sentence(flag)
    )


def exclusion_json(row: exclusions.ExcludedWork) -> dict[str, Any]:
    return quality_shapes.ExclusionOut.of(
        row, assessor=row.username, topic=row.topic or None, excluded_by=row.by or None
    )


def import_json(row: QrelsImport) -> dict[str, Any]:
    imported_by = row.imported_by.get_username() if row.imported_by else None
    return quality_shapes.QrelsImportOut.of(row, imported_by=imported_by)


def quality_json(campaign: Campaign) -> dict[str, Any]:
    return {
        "flags": [flag_json(flag) for flag in flags_of(campaign=campaign)],
        "exclusions": [exclusion_json(row) for row in exclusions.exclusions_of(campaign=campaign)],
        "imports": [import_json(row) for row in campaign.imports.select_related("imported_by")],
    }


class QualityView(OrganiserView):
    @operation(
        "get_quality",
        "List flags, exclusions and imports",
        quality_shapes.QualityOut,
        "Flags on assessors' work, excluded assessors, and imported qrels files.",
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(quality_json(self.campaign))


class ExclusionsView(OrganiserView):
    queries = {"DELETE": quality_shapes.InclusionIn}
    takes = {"POST": quality_shapes.ExclusionIn}

    @operation(
        "exclude_judgments",
        "Exclude an assessor's judgments",
        {200: quality_shapes.QualityOut, 409: Problem},
        "They are left out of qrels, score ranges, pairs and predictions. The log keeps them. "
        "With `to`, the topics are assigned to that member instead.",
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, quality_shapes.ExclusionIn)
        topics = topics_numbered(campaign=self.campaign, numbers=wish["topics"], field="topics")
        given: dict[str, Any] = {"campaign": self.campaign, "username": wish["username"], "topics": topics}
        if wish["to"]:
            exclusions.redeal(to=wish["to"], organiser=self.user, **given)
        else:
            exclusions.exclude(**given)
        return Response(quality_json(self.campaign))

    @operation("include_judgments", "Include an assessor's judgments again", {204: None, 409: Problem})
    def delete(self, request: Request, slug: str) -> Response:
        numbers = [self.asked["topic"]] if self.asked["topic"] else []
        topics = topics_numbered(campaign=self.campaign, numbers=numbers, field="topic")
        exclusions.include(campaign=self.campaign, username=self.asked["username"], topics=topics)
        return Response(status=204)
