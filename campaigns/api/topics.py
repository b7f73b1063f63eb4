from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import CampaignView, OrganiserView
from campaigns.api.describing import PROBLEM
from campaigns.api.problems import problem
from campaigns.api.scopes import ASSESSES
from campaigns.api.shapes.base import listed
from campaigns.api.shapes.problems import Problem
from campaigns.api.shapes.topics import (
    Assigned,
    AssignmentIn,
    AssignmentQuery,
    Closed,
    Dealt,
    Outdated,
    Revision,
    RevisionIn,
    TopicIn,
    TopicOut,
)
from campaigns.api.words import TOPICS
from campaigns.models import Topic, TopicRevision
from campaigns.services import assignments, closing, development
from campaigns.services.topics import set_method


class TopicView(OrganiserView):
    """One topic and the method that serves it; "" means: as the campaign."""

    takes = {"PATCH": TopicIn}

    @extend_schema(operation_id="get_topic", summary="One topic", tags=[TOPICS], responses=TopicOut)
    def get(self, request: Request, slug: str, number: str) -> Response:
        return Response(TopicOut(self.topic(number)).data)

    @extend_schema(
        operation_id="change_topic",
        summary="Give a topic a method of its own",
        tags=[TOPICS],
        responses={200: TopicOut, 409: Problem},
    )
    def patch(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        wish = self.body(request, TopicIn, partial=True)
        method = wish.get("method", topic.method)
        options = wish.get("options", topic.options if method == topic.method else {})
        set_method(campaign=self.campaign, topics=[topic], method=method, options=options)
        return Response(TopicOut(topic).data)


class RevisionsView(CampaignView):
    """Every wording of a topic, the latest first; POST a new one. Only organisers are told whose it is."""

    needs = ASSESSES
    takes = {"POST": RevisionIn}

    @extend_schema(
        operation_id="list_revisions",
        summary="Every wording of a topic",
        description="The latest first.",
        tags=[TOPICS],
        responses=listed(Revision),
    )
    def get(self, request: Request, slug: str, number: str) -> Response:
        rows = self.topic(number).revisions.select_related("author").order_by("-revision")
        return Response({"results": [self._json(row) for row in rows], "next": None})

    @extend_schema(
        operation_id="revise_topic",
        summary="Word a topic anew",
        description="200: nothing was changed. 409 with `current`: somebody else has changed it meanwhile.",
        tags=[TOPICS],
        responses={200: Revision, 201: Revision, (409, PROBLEM): Outdated},
    )
    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        wish = self.body(request, RevisionIn)
        try:
            revised = development.revise(campaign=self.campaign, topic=topic, author=self.user, **wish)
        except development.Outdated as outdated:
            answer = problem(outdated.code, outdated.detail)
            content = {**answer, "current": self._json(outdated.current)}
            return Response(content, status=outdated.status, content_type="application/problem+json")
        rows = revised.revisions.select_related("author")
        row = rows.get(revision=revised.revision)
        return Response(self._json(row), status=201 if revised.revision > topic.revision else 200)

    def _json(self, row: TopicRevision) -> dict[str, Any]:
        fields = ("revision", "title", "description", "narrative", "created")
        data = {name: getattr(row, name) for name in fields} | {"mine": row.author_id == self.user.id}
        return {**data, "author": row.author.get_username()} if self.membership.is_organiser else data


def _closed_json(topic: Topic) -> dict[str, Any]:
    return {"topic": topic.number, "closed_at": topic.closed_at}


class CloseTopicView(CampaignView):
    """Nothing more is served in the topic, once it has been judged enough."""

    needs = ASSESSES

    @extend_schema(
        operation_id="close_topic",
        summary="Close a topic",
        tags=[TOPICS],
        responses={200: Closed, 409: Problem},
    )
    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        return Response(
            _closed_json(closing.close_topic(campaign=self.campaign, topic=topic, assessor=self.user))
        )


class ReopenTopicView(OrganiserView):
    @extend_schema(
        operation_id="reopen_topic",
        summary="Open a topic again",
        tags=[TOPICS],
        responses={200: Closed, 409: Problem},
    )
    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        return Response(_closed_json(closing.reopen_topic(campaign=self.campaign, topic=topic)))


class AssignmentsView(OrganiserView):
    """Who has the topic. POST gives it to somebody, DELETE takes it back."""

    queries = {"DELETE": AssignmentQuery}
    takes = {"POST": AssignmentIn}

    @extend_schema(
        operation_id="get_assignments", summary="Who has a topic", tags=[TOPICS], responses=Assigned
    )
    def get(self, request: Request, slug: str, number: str) -> Response:
        return self._reply(self.topic(number))

    @extend_schema(
        operation_id="assign_topic",
        summary="Give a topic to somebody",
        description="200: they had it already.",
        tags=[TOPICS],
        responses={200: Assigned, 201: Assigned, 409: Problem},
    )
    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        username = self.body(request, AssignmentIn)["username"]
        given = assignments.assign(
            campaign=self.campaign, topics=[topic], username=username, organiser=self.user
        )
        return self._reply(topic, status=201 if given else 200)

    @extend_schema(
        operation_id="take_topic_back",
        summary="Take a topic back from somebody",
        tags=[TOPICS],
        responses={200: Assigned},
    )
    def delete(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        assignments.take_back(campaign=self.campaign, topics=[topic], username=self.asked["username"])
        return self._reply(topic)

    def _reply(self, topic: Topic, status: int = 200) -> Response:
        people = assignments.assigned(campaign=self.campaign).get(topic.id, [])
        return Response({"topic": topic.number, "assessors": people}, status=status)


class DealView(OrganiserView):
    @extend_schema(
        operation_id="deal_topics",
        summary="Give every topic to somebody",
        description="Those that nobody has, to the assessors in turn.",
        tags=[TOPICS],
        responses={200: Dealt, 409: Problem},
    )
    def post(self, request: Request, slug: str) -> Response:
        return Response({"assigned": assignments.deal(campaign=self.campaign, organiser=self.user)})
