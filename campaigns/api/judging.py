"""The assessor's endpoints. Their replies never carry runs, ranks, weights, methods or other people's
grades."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.batches import judgment_json, outcomes_of
from campaigns.api.documents import document_json
from campaigns.api.framework.access import CampaignView
from campaigns.api.framework.scopes import JUDGES
from campaigns.api.framework.words import JUDGING
from campaigns.api.log import LogView
from campaigns.api.shapes.base import EachAlone, one_or_several
from campaigns.api.shapes.judging import (
    JudgmentIn,
    LaterIn,
    Next,
    NextQuery,
    Outcomes,
    PlaceIn,
    Postponed,
    Recorded,
    Renewed,
)
from campaigns.api.shapes.problems import Problem
from campaigns.judging import record, serving
from campaigns.judging.lookup import Act
from campaigns.judging.progress import progress_of
from campaigns.judging.queues import Served
from campaigns.judging.record import MOST


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
    queries = {"GET": NextQuery}

    @extend_schema(
        operation_id="next_document",
        summary="The next document",
        description="Nobody else is given it meanwhile. 204: nothing is left, or the topic is closed.",
        tags=[JUDGING],
        responses={200: Next, 204: None, 409: Problem},
    )
    def get(self, request: Request, slug: str) -> Response:
        topic = self.topic(self.asked["topic"])
        docno = self.asked.get("docno")
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


class JudgmentsView(LogView):
    """POST judges, GET reads back."""

    takes = {"POST": one_or_several("JudgmentsIn", JudgmentIn, EachAlone(child=JudgmentIn(), most=MOST))}

    @extend_schema(
        operation_id="judge",
        summary="Judge documents",
        description="Or revise or take back what you said of them. One by itself: the answer brings the next "
        "document; 200: the same act was recorded before. Up to 1,000 in a list: each has the outcome that "
        "it would have had alone, in the order sent, and nothing is served.",
        tags=[JUDGING],
        responses={200: one_or_several("Judged", Recorded, Outcomes), 201: Recorded, 409: Problem},
        examples=[
            OpenApiExample("One", JudgmentIn.example, request_only=True),
            OpenApiExample("Several", [JudgmentIn.example], request_only=True),
            OpenApiExample("One", Recorded.example, response_only=True),
            OpenApiExample("Several", Outcomes.example, response_only=True, status_codes=["200"]),
        ],
    )
    def post(self, request: Request, slug: str) -> Response:
        if isinstance(request.data, list):
            outcomes = outcomes_of(campaign=self.campaign, assessor=self.user.id, rows=request.data)
            return Response({"results": outcomes})
        act = Act(**self.body(request, JudgmentIn))
        recorded = record.record(campaign=self.campaign, assessor=self.user.id, act=act)
        return Response(_recorded_json(recorded, act.shown), status=201 if recorded.created else 200)


def _recorded_json(recorded: record.Recorded, shown: str) -> dict[str, Any]:
    return {
        "judgment": judgment_json(recorded),
        "progress": asdict(recorded.progress),
        "next": served_json(recorded.next, shown=shown),
    }


class LaterView(CampaignView):
    needs = JUDGES
    takes = {"POST": LaterIn}

    @extend_schema(
        operation_id="set_aside",
        summary="Set a document aside",
        description="It comes again when nothing else is left.",
        tags=[JUDGING],
        responses={200: Postponed, 409: Problem},
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, LaterIn)
        topic, shown = self.topic(wish["topic"]), wish.get("shown", "")
        served = serving.postpone(
            campaign=self.campaign,
            topic=topic,
            docno=wish["docno"],
            assessor=self.user.id,
            shown=shown,
        )
        progress = progress_of(campaign=self.campaign, topic=topic.id, assessor=self.user.id)
        return Response({"progress": asdict(progress), "next": served_json(served, shown=shown)})


class ClaimsView(CampaignView):
    needs = JUDGES
    takes = {"POST": PlaceIn}

    @extend_schema(
        operation_id="renew_claim",
        summary="Keep a document for longer",
        tags=[JUDGING],
        responses=Renewed,
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, PlaceIn)
        topic = self.topic(wish["topic"])
        until = serving.renew(topic=topic, docno=wish["docno"], assessor=self.user.id)
        return Response({"expires_at": until})
