"""For organisers: the teams, what they handed in, and what is admitted and published."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from django.http import Http404, StreamingHttpResponse
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import PARTICIPANTS_TAG
from campaigns.api.participants.team import (
    SUBMISSIONS_LISTING,
    SubmissionList,
    hand_in_json,
    submission_json,
)
from campaigns.api.shapes import participants as shapes
from campaigns.api.shapes.base import PageQuery, Problem, file, list_shape
from campaigns.core.errors import Refusal
from campaigns.models import Team
from campaigns.participants.admission import admit, first_priorities, submissions_of
from campaigns.participants.publication import publish_leaderboard, release_scores
from campaigns.participants.rules import rules_of, set_rules
from campaigns.participants.submissions import file_reply
from campaigns.people.teams import leave_team, remove_team

operation = Operations(PARTICIPANTS_TAG)

TEAMS_LISTING = Listing[Team]("teams", lambda row: row.id)


class TeamsView(OrganiserView):
    queries = {"GET": PageQuery}

    @operation(
        "list_teams",
        "List teams",
        list_shape(shapes.Team),
        "An invitation with the role `participant` and the name of a new team creates the team.",
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = self.campaign.teams.prefetch_related("members__user")
        rows = rows.annotate(standing=Count("submissions", filter=Q(submissions__ended_at=None)))
        return Response(TEAMS_LISTING.of_query(request, self.asked, rows, "id").as_json(_team_json))


def _team_json(team: Any) -> dict[str, Any]:
    members = sorted(place.user.get_username() for place in team.members.all())
    return shapes.Team.of(team, team=team.name, members=members, runs=team.standing)


class TeamDetailView(OrganiserView):
    @operation(
        "remove_team", "Remove a team", {204: None, 409: Problem}, "409 if the team has handed in a run."
    )
    def delete(self, request: Request, slug: str, team: int) -> Response:
        remove_team(team=_team_of(self, team))
        return Response(status=204)


class TeamPersonView(OrganiserView):
    @operation(
        "remove_participant",
        "Remove a participant from a team",
        {204: None},
        "Their runs stay with the team.",
    )
    def delete(self, request: Request, slug: str, team: int, username: str) -> Response:
        leave_team(team=_team_of(self, team), username=username)
        return Response(status=204)


def _team_of(view: OrganiserView, id: int) -> Team:
    team = view.campaign.teams.filter(id=id).first()
    if team is None:
        raise Http404
    team.campaign = view.campaign
    return team


class HandInView(OrganiserView):
    takes = {"PATCH": shapes.HandInPatch}

    @operation("get_hand_in", "Show the rules of handing in and the published results", shapes.HandIn)
    def get(self, request: Request, slug: str) -> Response:
        return Response(hand_in_json(rules_of(self.campaign)))

    @operation(
        "change_hand_in",
        "Change the rules of handing in; release scores; publish the leaderboard",
        shapes.HandIn,
        "Everything can be changed back: a later deadline opens handing in again, and a "
        "leaderboard for `none` is not published.",
    )
    def patch(self, request: Request, slug: str) -> Response:
        wish = self.body(request, shapes.HandInPatch, partial=True)
        campaign = self.campaign
        with transaction.atomic():
            if "deadline" in wish or "most_runs" in wish:
                asked = {name: wish[name] for name in ("deadline", "most_runs") if name in wish}
                set_rules(campaign=campaign, **asked)
            if "scores_released" in wish:
                release_scores(campaign=campaign, released=wish["scores_released"])
            if "leaderboard" in wish or "anonymous" in wish:
                publish_leaderboard(
                    campaign=campaign, audience=wish.get("leaderboard"), anonymous=wish.get("anonymous")
                )
        return Response(hand_in_json(rules_of(campaign)))


class SubmissionsView(OrganiserView):
    queries = {"GET": PageQuery}

    @operation(
        "list_submissions",
        "List submissions",
        SubmissionList,
        "Without replaced and withdrawn runs. The history has those.",
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = submissions_of(self.campaign)
        return Response(
            SUBMISSIONS_LISTING.of_query(request, self.asked, rows, "id").as_json(submission_json)
        )


class SubmissionFileView(OrganiserView):
    @operation(
        "get_submitted_file",
        "Download a run as a team handed it in",
        {(200, "application/octet-stream"): file(OpenApiTypes.BINARY, "(its bytes)", "The file")},
    )
    def get(self, request: Request, slug: str, submission: int) -> StreamingHttpResponse:
        row = submissions_of(self.campaign).filter(id=submission).first()
        if row is None:
            raise Http404
        return file_reply(row)


class AdmissionView(OrganiserView):
    takes = {"POST": shapes.AdmissionIn}

    @operation(
        "admit_runs",
        "Admit submissions as runs of the campaign",
        {201: shapes.Admission, 409: Problem},
        "Possible after the deadline. Admits all of them or none. For those that are runs "
        "already, sets `contributes`.",
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, shapes.AdmissionIn)
        if ("first" in wish) == ("submissions" in wish):
            detail = gettext("give either submissions or first")
            raise Refusal("one_choice", detail, field="submissions")
        chosen = wish.get("submissions") or first_priorities(self.campaign, wish.get("first", 0))
        contributes = wish["contributes"]
        rows = admit(campaign=self.campaign, submissions=chosen, user=self.user, contributes=contributes)
        return Response({"admitted": [submission_json(row) for row in rows]}, status=201)
