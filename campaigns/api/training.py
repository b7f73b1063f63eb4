"""Training: the organiser's items, and an assessor's way through them. An item says what is expected of it
only once it has been answered."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import CampaignView, OrganiserView
from campaigns.api.documents import document_json
from campaigns.api.parsers import BoundedJSONParser
from campaigns.api.scopes import JUDGES
from campaigns.api.serializers import TrainingAnswerIn, TrainingItemIn, TrainingMoveIn
from campaigns.api.uploads import UploadView, most, report
from campaigns.formats.limits import TOPICS_BYTES
from campaigns.formats.training import read_training
from campaigns.models import TrainingItem
from campaigns.services import attempts, training
from campaigns.services.attempts import Answer, Answered, Attempt


@dataclass(frozen=True)
class _Read:
    docno: str
    title: str
    body: str
    content_type: str
    url_template: str


def item_json(item: TrainingItem) -> dict[str, Any]:
    """An item as it is shown before it is answered."""
    document = item.document
    read = _Read(
        document.docno,
        document.title,
        document.body,
        document.content_type,
        document.collection.url_template,
    )
    topic = {name: getattr(item.topic, name) for name in ("number", "title", "description", "narrative")}
    return {"id": item.id, "topic": topic, "document": document_json(read)}


def answered_json(answered: Answered) -> dict[str, Any]:
    item = answered.item
    return {
        "item": item.id,
        "topic": item.topic.number,
        "docno": item.document.docno,
        "title": item.document.title,
        "grade": answered.grade,
        "expected": item.grade,
        "reason": item.reason,
        "agreed": answered.agreed,
    }


def attempt_json(attempt: Attempt) -> dict[str, Any]:
    return {
        "attempt": attempt.number,
        "items": attempt.items,
        "answered": len(attempt.answers),
        "agreed": attempt.agreed,
        "kappa": attempt.kappa,
        "finished": attempt.finished,
        "answers": [answered_json(answered) for answered in attempt.answers],
        "next": None if attempt.next is None else item_json(attempt.next),
    }


class TrainingView(CampaignView):
    """GET the attempt under way, `?again` a new one after a finished one; POST an answer."""

    needs = JUDGES

    def get(self, request: Request, slug: str) -> Response:
        again = "again" in request.query_params
        attempt = attempts.attempt_of(campaign=self.campaign, assessor=self.user.id, again=again)
        return Response(attempt_json(attempt))

    def post(self, request: Request, slug: str) -> Response:
        wish = TrainingAnswerIn(data=request.data)
        wish.is_valid(raise_exception=True)
        given = Answer(**wish.validated_data)
        answered, attempt, created = attempts.answer(
            campaign=self.campaign, assessor=self.user.id, given=given
        )
        body = {"answer": answered_json(answered), **attempt_json(attempt)}
        return Response(body, status=201 if created else 200)


class TrainingItemsView(UploadView):
    """GET all items; POST one as JSON, or a file of lines `topic docno grade reason` between tabs."""

    def get_parsers(self) -> list[BaseParser]:
        return [BoundedJSONParser(), MultiPartParser()]

    def get(self, request: Request, slug: str) -> Response:
        items = self.campaign.training_items.select_related("topic", "document").defer("document__body")
        return Response({"results": [_expecting(item) for item in items], "next": None})

    def post(self, request: Request, slug: str) -> Response:
        if not request.content_type.startswith("multipart/"):
            wish = TrainingItemIn(data=request.data)
            wish.is_valid(raise_exception=True)
            item = training.add_item(campaign=self.campaign, **wish.validated_data)
            return Response(_expecting(item), status=201)
        upload = self.file(request)
        records = read_training(upload.content, upload.name, max_bytes=most(TOPICS_BYTES))
        items = training.add_items(campaign=self.campaign, records=records, file=upload.name)
        return report("training", upload.name, {"items": len(items)})


def _expecting(item: TrainingItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "position": item.position,
        "topic": item.topic.number,
        "docno": item.document.docno,
        "grade": item.grade,
        "reason": item.reason,
    }


class TrainingItemView(OrganiserView):
    """POST moves an item by so many places, DELETE takes it out with the answers to it."""

    def post(self, request: Request, slug: str, item: int) -> Response:
        wish = TrainingMoveIn(data=request.data)
        wish.is_valid(raise_exception=True)
        training.move_item(campaign=self.campaign, item=item, **wish.validated_data)
        return Response(_expecting(self.campaign.training_items.select_related("topic").get(id=item)))

    def delete(self, request: Request, slug: str, item: int) -> Response:
        training.remove_item(campaign=self.campaign, item=item)
        return Response(status=204)


class TrainingStandingView(OrganiserView):
    """How everybody who has begun to train does."""

    def get(self, request: Request, slug: str) -> Response:
        rows = attempts.training_of(campaign=self.campaign)
        return Response({"results": [asdict(row) for row in rows], "next": None})
