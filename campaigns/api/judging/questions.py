"""Assessors' questions to the organisers about documents, and the answers."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.scopes import ASSESSES
from campaigns.api.framework.views import CampaignView, OrganiserView
from campaigns.api.framework.words import JUDGING_TAG, PEOPLE_TAG
from campaigns.api.shapes.base import PageQuery, Problem, list_shape
from campaigns.api.shapes.judging.questions import AnswerIn, QuestionIn, QuestionOut
from campaigns.judging.questions import answer, ask, with_names
from campaigns.models import Question

operation = Operations(JUDGING_TAG)
people_operation = Operations(PEOPLE_TAG)

QUESTIONS_LISTING = Listing[Question]("questions", lambda row: row.id, descending=True)


def question_json(row: Question, *, organiser: bool) -> dict[str, Any]:
    """Assessors do not see which organiser answered."""
    by = row.answered_by if organiser else None
    return QuestionOut.of(
        row,
        topic=row.topic.number,
        docno=row.document.docno,
        assessor=row.assessor.get_username(),
        answer=row.answer if row.answered_at else None,
        answered_by=by.get_username() if by else None,
    )


class QuestionsView(CampaignView):
    needs = ASSESSES
    queries = {"GET": PageQuery}
    takes = {"POST": QuestionIn}

    @operation(
        "list_questions",
        "List questions",
        list_shape(QuestionOut),
        "Newest first. Organisers get all questions of the campaign, assessors their own.",
    )
    def get(self, request: Request, slug: str) -> Response:
        organiser = self.membership.is_organiser
        rows = with_names(self.campaign.questions.all())
        if not organiser:
            rows = rows.filter(assessor=self.user)
        page = QUESTIONS_LISTING.of_query(request, self.asked, rows, "id")
        return Response(page.as_json(lambda row: question_json(row, organiser=organiser)))

    @operation(
        "ask_question",
        "Ask the organisers about a document",
        {200: QuestionOut, 201: QuestionOut, 409: Problem},
        "The document must be one that you may judge, and the campaign open. 200: stored before.",
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, QuestionIn)
        row, created = ask(campaign=self.campaign, assessor=self.user, **wish)
        return Response(question_json(row, organiser=False), status=201 if created else 200)


class AnswerView(OrganiserView):
    takes = {"POST": AnswerIn}

    @people_operation(
        "answer_question",
        "Answer a question",
        {200: QuestionOut, 409: Problem},
        "409: the question has an answer already.",
    )
    def post(self, request: Request, slug: str, question: int) -> Response:
        text = self.body(request, AnswerIn)["answer"]
        row = answer(campaign=self.campaign, organiser=self.user, question=question, text=text)
        return Response(question_json(row, organiser=True))
