"""The topics: listed, reworded, closed, reopened, and assigned to assessors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.db.models import Exists, OuterRef
from drf_spectacular.utils import OpenApiExample, PolymorphicProxySerializer
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import PROBLEM, Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.scopes import ASSESSES, JUDGES, ORGANISES
from campaigns.api.framework.views import CampaignView, OrganiserView
from campaigns.api.framework.words import TOPICS_TAG
from campaigns.api.shapes.base import PageQuery, Problem, list_shape
from campaigns.api.shapes.topics import (
    Assigned,
    Assignment,
    AssignmentIn,
    AssignmentQuery,
    Closed,
    Dealt,
    Done,
    Outdated,
    Revision,
    RevisionIn,
    TopicIn,
    TopicListed,
    TopicOffered,
    TopicOut,
)
from campaigns.collection import assignments
from campaigns.collection.topics import set_method
from campaigns.core.problems import problem
from campaigns.judging import topic_closure, topic_development
from campaigns.judging.progress import judged_by
from campaigns.models import Topic, TopicAssignment, TopicCompletion, TopicRevision
from campaigns.results.topic_rows import TopicRow, topics_of

operation = Operations(TOPICS_TAG)

TOPICS_LISTING = Listing[Topic]("topics", lambda topic: topic.position)
REVISIONS_LISTING = Listing[TopicRevision]("revisions", lambda row: row.revision, descending=True)
ASSIGNMENTS_LISTING = Listing[TopicAssignment]("assignments", lambda row: row.assessor.get_username(), str)


class TopicsView(CampaignView):
    """All topics; assessors see those that are theirs to judge, and how far they are themselves."""

    needs = ORGANISES
    queries = {"GET": PageQuery}

    @operation(
        "list_topics",
        "List topics",
        PolymorphicProxySerializer(
            "TopicList", [list_shape(TopicListed), list_shape(TopicOffered)], resource_type_field_name=None
        ),
        "In the order of the topics. Assessors get released topics with their own progress; if "
        "only assigned topics may be judged, they get their own topics only.",
        examples=[
            OpenApiExample(name, list_shape(shape).example, response_only=True)
            for name, shape in (("For organisers", TopicListed), ("For assessors", TopicOffered))
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        if not self.membership.is_organiser:
            return Response(self._offered(request))
        page = TOPICS_LISTING.of_query(request, self.asked, self.campaign.topics.all(), "position")
        counted = topics_of(campaign=self.campaign, only=[topic.id for topic in page.rows])
        counts = {row.id: row for row in counted}
        return Response(page.as_json(lambda topic: _listed(topic, counts[topic.id])))

    def _offered(self, request: Request) -> dict[str, Any]:
        rows = assignments.offered_topics(campaign=self.campaign, assessor=self.user.id).annotate(
            mine=Exists(TopicAssignment.objects.filter(topic=OuterRef("pk"), assessor=self.user)),
            done=Exists(TopicCompletion.objects.filter(topic=OuterRef("pk"), assessor=self.user)),
        )
        page = TOPICS_LISTING.of_query(request, self.asked, rows, "position")
        judged = judged_by(assessor=self.user.id, topics=[topic.id for topic in page.rows])
        return page.as_json(lambda topic: _offered(topic, judged.get(topic.id, 0)))


def _listed(topic: Topic, counts: TopicRow) -> dict[str, Any]:
    names = ("judged", "minimum", "relevant", "pool", "remaining")
    return TopicListed.of(topic, **{name: getattr(counts, name) for name in names})


def _offered(topic: Any, judged: int) -> dict[str, Any]:
    return TopicOffered.of(topic, closed=topic.closed_at is not None, assigned=topic.mine, judged=judged)


class TopicView(OrganiserView):
    """One topic and the method that serves it; "" means: as the campaign."""

    takes = {"PATCH": TopicIn}

    @operation("get_topic", "Show a topic", TopicOut)
    def get(self, request: Request, slug: str, number: str) -> Response:
        return Response(TopicOut(self.topic(number)).data)

    @operation("change_topic", "Change a topic's selection method", {200: TopicOut, 409: Problem})
    def patch(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        wish = self.body(request, TopicIn, partial=True)
        method = wish.get("method", topic.method)
        options = wish.get("options", topic.options if method == topic.method else {})
        set_method(campaign=self.campaign, topics=[topic], method=method, options=options)
        return Response(TopicOut(topic).data)


class RevisionsView(CampaignView):
    """Every wording of a topic, the latest first; POST a new one. Only organisers see whose it is."""

    needs = ASSESSES
    queries = {"GET": PageQuery}
    takes = {"POST": RevisionIn}

    @operation("list_revisions", "List revisions of a topic", list_shape(Revision), "Newest first.")
    def get(self, request: Request, slug: str, number: str) -> Response:
        rows = self.topic(number).revisions.select_related("author")
        return Response(REVISIONS_LISTING.of_query(request, self.asked, rows, "revision").as_json(self._json))

    @operation(
        "revise_topic",
        "Revise a topic",
        {200: Revision, 201: Revision, (409, PROBLEM): Outdated},
        "200: the text is unchanged. 409 with `current`: another person changed the topic after `based_on`.",
    )
    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        wish = self.body(request, RevisionIn)
        try:
            revised = topic_development.revise(campaign=self.campaign, topic=topic, author=self.user, **wish)
        except topic_development.OutdatedRevision as outdated:
            answer = problem(outdated.code, outdated.detail)
            content = {**answer, "current": self._json(outdated.current)}
            return Response(content, status=outdated.status, content_type="application/problem+json")
        rows = revised.revisions.select_related("author")
        row = rows.get(revision=revised.revision)
        return Response(self._json(row), status=201 if revised.revision > topic.revision else 200)

    def _json(self, row: TopicRevision) -> dict[str, Any]:
        fields = ("revision", "title", "description", "narrative", "further_fields", "created")
        data = {name: getattr(row, name) for name in fields} | {"mine": row.author_id == self.user.id}
        return {**data, "author": row.author.get_username()} if self.membership.is_organiser else data


def _closed_json(topic: Topic) -> dict[str, Any]:
    return {"topic": topic.number, "closed_at": topic.closed_at}


class CloseTopicView(CampaignView):
    """Nothing more is served in the topic to any assessor."""

    needs = ASSESSES

    @operation(
        "close_topic",
        "Close a topic for all assessors",
        {200: Closed, 409: Problem},
        "Organisers close any topic. Assessors close a topic of which they have judged the "
        "minimum, if the campaign’s `assessors_close` is true; otherwise 403.",
    )
    def post(self, request: Request, slug: str, number: str) -> Response:
        campaign, topic = self.campaign, self.topic(number)
        if self.membership.is_organiser:
            closed = topic_closure.close_for_all(campaign=campaign, topic=topic, organiser=self.user)
        else:
            closed = topic_closure.close_topic(campaign=campaign, topic=topic, assessor=self.user)
        return Response(_closed_json(closed))


class DoneView(CampaignView):
    """The current user's work in the topic. POST ends the topic for them alone, DELETE lets them judge on."""

    needs = JUDGES

    @operation("get_done", "Show your work in a topic", Done)
    def get(self, request: Request, slug: str, number: str) -> Response:
        return self._answer(number, topic_closure.summary_of)

    @operation(
        "be_done",
        "Finish a topic for yourself",
        {200: Done, 409: Problem},
        "Ends the topic only for you, from the campaign’s minimum of judgments or once no "
        "document is left. Your open documents there are released.",
    )
    def post(self, request: Request, slug: str, number: str) -> Response:
        return self._answer(number, topic_closure.complete_topic)

    @operation("judge_on", "Resume a finished topic", {200: Done, 409: Problem})
    def delete(self, request: Request, slug: str, number: str) -> Response:
        return self._answer(number, topic_closure.judge_on)

    def _answer(self, number: str, act: Callable[..., topic_closure.TopicSummary]) -> Response:
        topic = self.topic(number)
        summary = act(campaign=self.campaign, topic=topic, assessor=self.user)
        return Response({"topic": topic.number, **asdict(summary)})


class ReopenTopicView(OrganiserView):
    @operation("reopen_topic", "Reopen a topic", {200: Closed, 409: Problem})
    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        return Response(_closed_json(topic_closure.reopen_topic(campaign=self.campaign, topic=topic)))


class AssignmentsView(OrganiserView):
    """Assignments of the topic. POST assigns it to an assessor, DELETE removes the assignment."""

    queries = {"GET": PageQuery, "DELETE": AssignmentQuery}
    takes = {"POST": AssignmentIn}

    @operation("list_assignments", "List a topic's assignments", list_shape(Assignment))
    def get(self, request: Request, slug: str, number: str) -> Response:
        rows = self.topic(number).assignments.select_related("assessor", "assigned_by")
        page = ASSIGNMENTS_LISTING.of_query(request, self.asked, rows, "assessor__username")
        return Response(page.as_json(_assignment))

    @operation(
        "assign_topic",
        "Assign a topic",
        {200: Assigned, 201: Assigned, 409: Problem},
        "200: the topic was already assigned to this assessor.",
    )
    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        username = self.body(request, AssignmentIn)["username"]
        given = assignments.assign(
            campaign=self.campaign, topics=[topic], username=username, organiser=self.user
        )
        return self._reply(topic, status=201 if given else 200)

    @operation("take_topic_back", "Unassign a topic", {200: Assigned})
    def delete(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        assignments.unassign(campaign=self.campaign, topics=[topic], username=self.asked["username"])
        return self._reply(topic)

    def _reply(self, topic: Topic, status: int = 200) -> Response:
        people = assignments.assignees_by_topic(campaign=self.campaign).get(topic.id, [])
        return Response({"topic": topic.number, "assessors": people}, status=status)


def _assignment(row: TopicAssignment) -> dict[str, Any]:
    people = {"username": row.assessor.get_username(), "assigned_by": row.assigned_by.get_username()}
    return Assignment.of(row, **people)


class DealView(OrganiserView):
    @operation(
        "deal_topics",
        "Distribute unassigned topics evenly",
        {200: Dealt, 409: Problem},
        "Assigns each open topic without an assessor, taking the assessors in turn.",
    )
    def post(self, request: Request, slug: str) -> Response:
        return Response({"assigned": assignments.assign_evenly(campaign=self.campaign, organiser=self.user)})
