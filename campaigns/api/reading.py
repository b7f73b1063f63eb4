from __future__ import annotations

from dataclasses import asdict

from django.http import StreamingHttpResponse
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import OrganiserView
from campaigns.api.downloads import download
from campaigns.api.parsers import flag_of
from campaigns.services.exports import EXPORTS
from campaigns.services.health import status_of
from campaigns.services.intervals import intervals_of, summary_of


class IntervalsView(OrganiserView):
    def get(self, request: Request, slug: str) -> Response:
        measure = request.query_params.get("measure", self.campaign.measure)
        if measure != self.campaign.measure:
            raise ValidationError({"measure": [f"live intervals are of {self.campaign.measure}"]})
        number = request.query_params.get("topic")
        topic = self.topic(number) if number else None
        rows = intervals_of(campaign=self.campaign, topic=topic)
        summary = summary_of(campaign=self.campaign)
        return Response({**summary, "topic": number or None, "runs": [asdict(row) for row in rows]})


class StatusView(OrganiserView):
    def get(self, request: Request, slug: str) -> Response:
        return Response(asdict(status_of(campaign=self.campaign)))


class QrelsView(OrganiserView):
    """The qrels as they stand, streamed as TREC text; POST (below) loads qrels from elsewhere. With
    pooled=true also what random samples are drawn from and nobody judged, as -1; `policy` says
    whose grade counts where people differ."""

    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        pooled = flag_of(request, "pooled", default=False)
        export = EXPORTS["qrels-pooled" if pooled else "qrels"]
        return download(self.campaign, export, policy=request.query_params.get("policy", ""))
