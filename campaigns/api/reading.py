from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from django.http import StreamingHttpResponse
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import OrganiserView
from campaigns.formats.qrels import format_qrel
from campaigns.models import Campaign
from campaigns.services.health import status_of
from campaigns.services.intervals import intervals_of, summary_of
from campaigns.services.qrels import current_qrels


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
    """The qrels as they stand, streamed as TREC text; POST (below) loads qrels from elsewhere."""

    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        return qrels_response(self.campaign)


def qrels_response(campaign: Campaign) -> StreamingHttpResponse:
    return as_file(_lines(campaign), f"{campaign.slug}.qrels.txt")


def as_file(lines: Iterator[str], name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type="text/plain; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _lines(campaign: Campaign) -> Iterator[str]:
    for topic, docno, grade in current_qrels(campaign=campaign):
        yield format_qrel(topic, docno, grade)
