"""The assessor's endpoint of notes and marked passages."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.scopes import JUDGES
from campaigns.api.framework.views import CampaignView
from campaigns.api.framework.words import JUDGING_TAG
from campaigns.api.shapes.base import Problem
from campaigns.api.shapes.judging.annotations import AnnotationIn, AnnotationOut
from campaigns.judging.notes import AnnotationRequest, annotate

operation = Operations(JUDGING_TAG)


class AnnotationsView(CampaignView):
    needs = JUDGES
    takes = {"POST": AnnotationIn}

    @operation(
        "annotate",
        "Store a note and marked passages",
        {200: AnnotationOut, 201: AnnotationOut, 409: Problem},
        "Note and passages replace your earlier ones on the document; the log keeps all. Offsets "
        "count Unicode code points of the document’s plain text: `body` of a plain text, otherwise the text "
        "of the HTML in `rendered`, without tags. 200: stored before.",
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, AnnotationIn)
        spans = [(passage["start"], passage["end"]) for passage in wish.pop("passages")]
        row, created = annotate(
            campaign=self.campaign, assessor=self.user.id, request=AnnotationRequest(**wish, spans=spans)
        )
        answer = {
            name: getattr(row, name) for name in ("id", "note", "passages", "created", "document_revision")
        }
        named = {"topic": wish["topic"], "docno": wish["docno"]}
        return Response({**answer, **named}, status=201 if created else 200)
