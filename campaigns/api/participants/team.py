"""A participant's own team: what it hands in, and what it sees of it."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.exceptions import PermissionDenied
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.campaigns import request_user
from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.scopes import SUBMITS, campaign_of
from campaigns.api.framework.views import ApiView
from campaigns.api.framework.words import PARTICIPANTS_TAG
from campaigns.api.shapes import participants as shapes
from campaigns.api.shapes.base import PageQuery, Problem, file, list_shape
from campaigns.models import Campaign, HandIn, Submission, Team, TeamMember, Topic
from campaigns.participants import submissions
from campaigns.participants.rules import is_open, rules_of
from campaigns.participants.submissions import receipt_text
from campaigns.participants.team_scores import own_runs
from campaigns.participants.topic_files import topic_file
from campaigns.people.members import role_of
from campaigns.people.teams import place_of

operation = Operations(PARTICIPANTS_TAG)

SubmissionList = list_shape(shapes.Submission)
TEAM_TOPICS_LISTING = Listing[Topic]("team topics", lambda topic: topic.position)
SUBMISSIONS_LISTING = Listing[Submission]("submissions", lambda row: row.id)


def hand_in_json(rules: HandIn) -> dict[str, Any]:
    released = rules.scores_released_at is not None
    return shapes.HandIn.of(rules, open=is_open(rules), scores_released=released)


def submission_json(row: Submission) -> dict[str, Any]:
    return shapes.Submission.of(
        row,
        team=row.team.name,
        run=row.tag,
        file=row.file_name,
        handed_in_by=row.handed_in_by.get_username(),
        admitted_as=row.run.tag if row.run else None,
    )


class TeamView(ApiView):
    """For the campaign's participants. Its members are refused, and for all others it does not exist."""

    needs = SUBMITS
    campaign: Campaign
    place: TeamMember

    def admit(self, request: Request, **kwargs: object) -> None:
        slug, user = str(kwargs["slug"]), request_user(request)
        place = place_of(user=user, slug=slug)
        bound = campaign_of(request)
        if place is not None and bound in (None, place.campaign_id):
            self.place, self.campaign = place, place.campaign
            return
        member = role_of(user=user, slug=slug)
        if member is not None and bound in (None, member.campaign_id):
            raise PermissionDenied("only the campaign's participants may do this", code="participants_only")
        raise Http404

    @property
    def team(self) -> Team:
        return self.place.team

    def submission(self, id: int) -> Submission:
        rows = self.team.submissions.standing().select_related("team", "run", "handed_in_by")
        row = rows.filter(id=id).first()
        if row is None:
            raise Http404
        row.team = self.team
        return row


class OwnTeamView(TeamView):
    @operation("get_team", "Show your team and the rules of handing in", shapes.OwnTeam)
    def get(self, request: Request, slug: str) -> Response:
        return Response({**hand_in_json(rules_of(self.campaign)), "team": self.team.name})


class TeamTopicsView(TeamView):
    @operation(
        "get_team_topics",
        "Download the topics",
        {
            (200, "application/xml"): file(OpenApiTypes.STR, "<topics></topics>\n", "TREC XML"),
            (200, "application/x-ndjson"): file(OpenApiTypes.STR, '{"number":"401"}\n', "A topic a line"),
            (200, "text/tab-separated-values"): file(OpenApiTypes.STR, "401\tcinema\n", "A topic a line"),
            409: Problem,
        },
        "`xml` (TREC), `jsonl`, or `tsv` with number and title: every topic of the campaign, as "
        "assessors see it now. From when the organiser allows handing in; until then 409 `hand_in_not_open`.",
    )
    def get(self, request: Request, slug: str, ending: str) -> HttpResponse:
        return topic_file(self.campaign, ending)


class TeamRunsView(TeamView):
    parser_classes = (MultiPartParser,)
    queries = {"GET": PageQuery}
    takes = {"POST": shapes.SubmissionIn}

    @operation(
        "list_team_runs",
        "List your team's runs",
        SubmissionList,
        "Without replaced and withdrawn ones, in the order in which they were handed in.",
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = self.team.submissions.standing().select_related("team", "run", "handed_in_by")
        return Response(
            SUBMISSIONS_LISTING.of_query(request, self.asked, rows, "id").as_json(submission_json)
        )

    @operation(
        "hand_in_run",
        "Hand in or replace a run",
        {201: shapes.Submission, 409: Problem},
        "A TREC run file. If it has an error, nothing is stored. The time of storing counts. The "
        "response is the receipt.",
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, shapes.SubmissionIn)
        row = submissions.hand_in(team=self.team, user=self.place.user, upload=wish.pop("file"), **wish)
        return Response(submission_json(row), status=201)


class TeamRunView(TeamView):
    takes = {"PATCH": shapes.SubmissionPatch}

    @operation("get_team_run", "Show one of your team's runs", shapes.Submission)
    def get(self, request: Request, slug: str, submission: int) -> Response:
        return Response(submission_json(self.submission(submission)))

    @operation(
        "change_team_run", "Change priority or description of a run", {200: shapes.Submission, 409: Problem}
    )
    def patch(self, request: Request, slug: str, submission: int) -> Response:
        wish = self.body(request, shapes.SubmissionPatch, partial=True)
        submissions.change(team=self.team, submission=submission, **wish)
        return Response(submission_json(self.submission(submission)))

    @operation(
        "withdraw_team_run",
        "Withdraw a run",
        {204: None, 409: Problem},
        "Its file is deleted; the receipt stays.",
    )
    def delete(self, request: Request, slug: str, submission: int) -> Response:
        submissions.withdraw(team=self.team, submission=submission)
        return Response(status=204)


class ReceiptView(TeamView):
    @operation(
        "get_receipt",
        "Download a receipt",
        {(200, "text/plain"): file(OpenApiTypes.STR, f"SHA-256: {shapes.SHA256}\n", "The receipt")},
        "Also of a run that was replaced or withdrawn.",
    )
    def get(self, request: Request, slug: str, submission: int) -> HttpResponse:
        row = self.team.submissions.select_related("handed_in_by").filter(id=submission).first()
        if row is None:
            raise Http404
        row.team = self.team
        return HttpResponse(receipt_text(row), content_type="text/plain; charset=utf-8")


class TeamFileView(TeamView):
    @operation(
        "get_team_file",
        "Download a run as your team handed it in",
        {(200, "application/octet-stream"): file(OpenApiTypes.BINARY, "(its bytes)", "The file")},
    )
    def get(self, request: Request, slug: str, submission: int) -> StreamingHttpResponse:
        return submissions.file_reply(self.submission(submission))


class TeamScoresView(TeamView):
    queries = {"GET": PageQuery}

    @operation(
        "get_team_scores",
        "Show the score ranges of your team's runs",
        {200: shapes.OwnScores, 409: Problem},
        "`limit` and `cursor` page the `topics` of each run. 409 `scores_not_released` until the "
        "organiser releases them.",
    )
    def get(self, request: Request, slug: str) -> Response:
        page = TEAM_TOPICS_LISTING.of_query(request, self.asked, self.campaign.topics.all(), "position")
        found = own_runs(self.team, topics=[topic.id for topic in page.rows])
        rows = [
            {
                "submission": one.submission.id,
                "run": one.submission.tag,
                "priority": one.submission.priority,
                "base": one.mean.base,
                "residual": one.mean.residual,
                "top": one.mean.top,
                "primary": one.primary,
                "topics": [
                    {"topic": row.number, "base": row.base, "residual": row.residual, "top": row.top}
                    for row in one.topics
                ],
            }
            for one in found
        ]
        as_of = max((one.mean.as_of for one in found), default=0)
        links = {"next": page.next, "previous": page.previous}
        about = {"measure": self.campaign.rbp, "primary": self.campaign.measure, "as_of": as_of}
        return Response({**about, "runs": rows, **links})
