from __future__ import annotations

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.documents import document_json
from campaigns.api.framework.access import CampaignView
from campaigns.api.framework.scopes import JUDGES
from campaigns.api.framework.words import JUDGING
from campaigns.api.shapes.judging import Ahead, AheadQuery
from campaigns.api.shapes.problems import Problem
from campaigns.judging.prefetch import look_ahead
from campaigns.judging.progress import progress_of


class AheadView(CampaignView):
    """What may follow the document on the assessor's screen, kept for them meanwhile."""

    needs = JUDGES
    queries = {"GET": AheadQuery}

    @extend_schema(
        operation_id="look_ahead",
        summary="What may come next",
        tags=[JUDGING],
        responses={200: Ahead, 409: Problem},
    )
    def get(self, request: Request, slug: str) -> Response:
        topic = self.topic(self.asked["topic"])
        ahead = look_ahead(
            campaign=self.campaign,
            topic=topic,
            docno=self.asked["docno"],
            assessor=self.user.id,
            have=frozenset(self.asked.get("have", ())),
        )
        progress = progress_of(campaign=self.campaign, topic=topic.id, assessor=self.user.id)
        return Response(
            {
                "docno": self.asked["docno"],
                "next": ahead.next,
                "exact": ahead.exact,
                "reserve": ahead.reserve,
                "documents": [document_json(document) for document in ahead.documents],
                "more": ahead.more,
                "expires_at": ahead.expires_at,
                "progress": asdict(progress),
            }
        )
