"""Training: the organiser's items, and an assessor's way through them. An item says what is expected of it
only once it has been answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiExample, PolymorphicProxySerializer
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.collection import shown_document_json
from campaigns.api.framework.http import BoundedJSONParser
from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.scopes import JUDGES
from campaigns.api.framework.views import CampaignView, OrganiserView
from campaigns.api.framework.words import TRAINING_TAG
from campaigns.api.shapes.base import PageQuery, Problem, list_shape
from campaigns.api.shapes.collection import FileIn, Report
from campaigns.api.shapes.judging import training as shapes
from campaigns.api.uploads import report
from campaigns.exchange.uploads import size_limit
from campaigns.formats.errors import TRAINING_BYTES, Notices
from campaigns.formats.training import read_training
from campaigns.models import TrainingItem
from campaigns.quality import training, training_attempts
from campaigns.quality.training_attempts import AnsweredItem, Attempt, TrainingAnswerRequest

operation = Operations(TRAINING_TAG)

ITEMS_LISTING = Listing[TrainingItem]("training", lambda item: item.position)
STANDINGS_LISTING = Listing[training_attempts.TrainingRow]("standings", lambda row: row.username, str)


def item_json(item: TrainingItem, shown: Sequence[str]) -> dict[str, Any]:
    """An item as it is shown before it is answered."""
    document = shown_document_json(item.document, shown, item.document_revision)
    return shapes.TrainingAsked.of(item, topic=shapes.TrainingTopic.of(item.topic), document=document)


def answered_json(answered: AnsweredItem) -> dict[str, Any]:
    item, document = answered.item, answered.item.document
    return shapes.TrainingAnswered.of(
        answered,
        item=item.id,
        topic=item.topic.number,
        docno=document.docno,
        title=document.title,
        expected=item.grade,
        reason=item.reason,
    )


def attempt_json(attempt: Attempt, shown: Sequence[str]) -> dict[str, Any]:
    return shapes.TrainingAttempt.of(
        attempt,
        attempt=attempt.number,
        answered=len(attempt.answers),
        answers=[answered_json(answered) for answered in attempt.answers],
        next=None if attempt.next is None else item_json(attempt.next, shown),
    )


class TrainingView(CampaignView):
    queries = {"GET": shapes.TrainingQuery}
    takes = {"POST": shapes.TrainingAnswerIn}

    needs = JUDGES

    @operation("get_training", "Show your attempt and the next item", shapes.TrainingAttempt)
    def get(self, request: Request, slug: str) -> Response:
        attempt = training_attempts.attempt_of(campaign=self.campaign, assessor=self.user.id, **self.asked)
        return Response(attempt_json(attempt, self.campaign.shown_fields))

    @operation(
        "answer_training_item",
        "Answer a training item",
        {200: shapes.TrainingRecorded, 201: shapes.TrainingRecorded, 409: Problem},
        "200: recorded before.",
    )
    def post(self, request: Request, slug: str) -> Response:
        given = TrainingAnswerRequest(**self.body(request, shapes.TrainingAnswerIn))
        answered, attempt, created = training_attempts.answer(
            campaign=self.campaign, assessor=self.user.id, request=given
        )
        body = {"answer": answered_json(answered), **attempt_json(attempt, self.campaign.shown_fields)}
        return Response(body, status=201 if created else 200)


class TrainingItemsView(OrganiserView):
    queries = {"GET": PageQuery}
    takes = {"POST": {"application/json": shapes.TrainingItemIn, "multipart/form-data": FileIn}}

    def get_parsers(self) -> list[BaseParser]:
        return [BoundedJSONParser(), MultiPartParser()]

    @operation("list_training_items", "List training items", list_shape(shapes.TrainingItem))
    def get(self, request: Request, slug: str) -> Response:
        items = self.campaign.training_items.select_related("topic", "document").defer(
            "document__body", "document__html"
        )
        return Response(ITEMS_LISTING.of_query(request, self.asked, items, "position").as_json(_expecting))

    @operation(
        "add_training_items",
        "Add training items",
        {
            201: PolymorphicProxySerializer(
                "TrainingItemOrReport", [shapes.TrainingItem, Report], resource_type_field_name=None
            ),
            409: Problem,
        },
        "One item as JSON, or a file with one item a line: topic, docno, grade and reason, "
        "separated by tabs.",
        examples=[OpenApiExample("Item", shapes.TrainingItem.example, response_only=True)],
    )
    def post(self, request: Request, slug: str) -> Response:
        if not request.content_type.startswith("multipart/"):
            wish = self.body(request, shapes.TrainingItemIn)
            return Response(_expecting(training.add_item(campaign=self.campaign, **wish)), status=201)
        upload = self.body(request, FileIn)["file"]
        notices = Notices("items")
        records = read_training(upload, upload.name, max_bytes=size_limit(TRAINING_BYTES), notices=notices)
        items = training.add_items(campaign=self.campaign, records=records, file=upload.name)
        return report("training", upload.name, {"items": len(items)}, notices.rows())


def _expecting(item: TrainingItem) -> dict[str, Any]:
    return shapes.TrainingItem.of(item, topic=item.topic.number, docno=item.document.docno)


class TrainingItemView(OrganiserView):
    takes = {"POST": shapes.TrainingMoveIn}

    @operation("move_training_item", "Move a training item", shapes.TrainingItem)
    def post(self, request: Request, slug: str, item: int) -> Response:
        training.move_item(campaign=self.campaign, item=item, **self.body(request, shapes.TrainingMoveIn))
        return Response(_expecting(self.campaign.training_items.select_related("topic").get(id=item)))

    @operation(
        "remove_training_item",
        "Delete a training item",
        {204: None, 409: Problem},
        "Deletes the answers to it too.",
    )
    def delete(self, request: Request, slug: str, item: int) -> Response:
        training.remove_item(campaign=self.campaign, item=item)
        return Response(status=204)


class TrainingStandingView(OrganiserView):
    queries = {"GET": PageQuery}

    @operation(
        "list_training_standings", "List training results by assessor", list_shape(shapes.TrainingStanding)
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = training_attempts.training_of(campaign=self.campaign)
        return Response(STANDINGS_LISTING.of_rows(request, self.asked, rows).as_json(asdict))
