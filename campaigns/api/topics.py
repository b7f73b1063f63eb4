from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import CampaignView, OrganiserView
from campaigns.api.problems import problem
from campaigns.api.scopes import ASSESSES
from campaigns.api.serializers import AssignmentIn, RevisionIn, TopicIn, TopicOut
from campaigns.models import Topic, TopicRevision
from campaigns.services import assignments, closing, development
from campaigns.services.topics import set_method


class TopicView(OrganiserView):
    """One topic and the method that serves it; "" means: as the campaign."""

    def get(self, request: Request, slug: str, number: str) -> Response:
        return Response(TopicOut(self.topic(number)).data)

    def patch(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        wish = TopicIn(data=request.data)
        wish.is_valid(raise_exception=True)
        set_method(campaign=self.campaign, topics=[topic], **wish.validated_data)
        return Response(TopicOut(topic).data)


class RevisionsView(CampaignView):
    """Every wording of a topic, the latest first; POST a new one. Only organisers are told whose it is."""

    needs = ASSESSES

    def get(self, request: Request, slug: str, number: str) -> Response:
        rows = self.topic(number).revisions.select_related("author").order_by("-revision")
        return Response({"results": [self._json(row) for row in rows], "next": None})

    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        wish = RevisionIn(data=request.data)
        wish.is_valid(raise_exception=True)
        try:
            revised = development.revise(
                campaign=self.campaign, topic=topic, author=self.user, **wish.validated_data
            )
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

    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        return Response(
            _closed_json(closing.close_topic(campaign=self.campaign, topic=topic, assessor=self.user))
        )


class ReopenTopicView(OrganiserView):
    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        return Response(_closed_json(closing.reopen_topic(campaign=self.campaign, topic=topic)))


class AssignmentsView(OrganiserView):
    """Who has the topic. POST gives it to somebody, DELETE takes it back."""

    def get(self, request: Request, slug: str, number: str) -> Response:
        return self._reply(self.topic(number))

    def post(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        given = assignments.assign(
            campaign=self.campaign, topics=[topic], username=self._username(request), organiser=self.user
        )
        return self._reply(topic, status=201 if given else 200)

    def delete(self, request: Request, slug: str, number: str) -> Response:
        topic = self.topic(number)
        assignments.take_back(campaign=self.campaign, topics=[topic], username=self._username(request))
        return self._reply(topic)

    def _username(self, request: Request) -> str:
        wish = AssignmentIn(data=request.data)
        wish.is_valid(raise_exception=True)
        return str(wish.validated_data["username"])

    def _reply(self, topic: Topic, status: int = 200) -> Response:
        people = assignments.assigned(campaign=self.campaign).get(topic.id, [])
        return Response({"topic": topic.number, "assessors": people}, status=status)


class DealView(OrganiserView):
    """Give all topics that nobody has to the assessors in turn."""

    def post(self, request: Request, slug: str) -> Response:
        return Response({"assigned": assignments.deal(campaign=self.campaign, organiser=self.user)})
