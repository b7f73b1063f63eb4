"""The assessor's endpoints. Their replies never carry runs, ranks, weights, methods or other people's
grades."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import CampaignView
from campaigns.api.documents import document_json
from campaigns.api.scopes import ASSESSES, JUDGES
from campaigns.api.serializers import JudgmentIn, LaterIn, PlaceIn
from campaigns.services import judging, progress, serving
from campaigns.services.acts import Act
from campaigns.services.claims import Served
from campaigns.services.progress import progress_of

MOST_HISTORY = 1000


def served_json(served: Served | None, *, shown: str = "") -> dict[str, Any] | None:
    """What is served; without its text if that is what the screen shows already."""
    if served is None:
        return None
    claim = {
        "docno": served.docno,
        "expires_at": served.expires_at,
        "revising": served.revising,
        "revision": served.revision,
    }
    if served.docno == shown:
        return {"docno": served.docno, "claim": claim}
    return {"docno": served.docno, "document": document_json(served), "claim": claim}


class NextView(CampaignView):
    needs = JUDGES

    def get(self, request: Request, slug: str) -> Response:
        number = request.query_params.get("topic")
        if number is None:
            raise ValidationError({"topic": ["say which topic: ?topic=NUMBER"]})
        topic = self.topic(number)
        docno = request.query_params.get("docno")
        if docno is None:
            served = serving.next_document(campaign=self.campaign, topic=topic, assessor=self.user.id)
        else:
            served = serving.bring_back(
                campaign=self.campaign, topic=topic, docno=docno, assessor=self.user.id
            )
        if served is None:
            return Response(status=204, headers={"Topic-Closed": "true"} if topic.closed_at else None)
        progress = progress_of(campaign=self.campaign, topic=topic.id, assessor=self.user.id)
        return Response({**(served_json(served) or {}), "progress": asdict(progress)})


class JudgmentsView(CampaignView):
    needs = ASSESSES

    def post(self, request: Request, slug: str) -> Response:
        wish = JudgmentIn(data=request.data)
        wish.is_valid(raise_exception=True)
        act = Act(**wish.validated_data)
        recorded = judging.record(campaign=self.campaign, assessor=self.user.id, act=act)
        return Response(_recorded_json(recorded, act.shown), status=201 if recorded.created else 200)

    def get(self, request: Request, slug: str) -> Response:
        number = request.query_params.get("topic")
        if number is None:
            raise ValidationError({"topic": ["say which topic: ?topic=NUMBER"]})
        rows = progress.history(topic=self.topic(number), assessor=self.user.id, limit=MOST_HISTORY)
        return Response({"results": rows, "next": None})


def _recorded_json(recorded: judging.Recorded, shown: str) -> dict[str, Any]:
    judgment = recorded.judgment
    return {
        "judgment": {
            "id": judgment.id,
            "topic": recorded.topic,
            "docno": recorded.docno,
            "grade": judgment.grade,
            "reason": judgment.reason,
            "undo": judgment.undo,
            "revision": recorded.revision,
            "created": judgment.created,
        },
        "progress": asdict(recorded.progress),
        "next": served_json(recorded.next, shown=shown),
    }


class LaterView(CampaignView):
    needs = JUDGES

    def post(self, request: Request, slug: str) -> Response:
        wish = LaterIn(data=request.data)
        wish.is_valid(raise_exception=True)
        topic = self.topic(wish.validated_data["topic"])
        shown = wish.validated_data.get("shown", "")
        served = serving.postpone(
            campaign=self.campaign,
            topic=topic,
            docno=wish.validated_data["docno"],
            assessor=self.user.id,
            shown=shown,
        )
        progress = progress_of(campaign=self.campaign, topic=topic.id, assessor=self.user.id)
        return Response({"progress": asdict(progress), "next": served_json(served, shown=shown)})


class ClaimsView(CampaignView):
    needs = JUDGES

    def post(self, request: Request, slug: str) -> Response:
        wish = PlaceIn(data=request.data)
        wish.is_valid(raise_exception=True)
        topic = self.topic(wish.validated_data["topic"])
        until = serving.renew(topic=topic, docno=wish.validated_data["docno"], assessor=self.user.id)
        return Response({"expires_at": until})
