from __future__ import annotations

from dataclasses import asdict

from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.access import OrganiserView
from campaigns.api.framework.words import RESULTS
from campaigns.api.shapes.base import file
from campaigns.api.shapes.results import Intervals, IntervalsQuery, QrelsQuery, StatusOut
from campaigns.computing.health import status_of
from campaigns.core.errors import Refused
from campaigns.exchange.downloads import download, if_changed
from campaigns.exchange.exports import EXPORTS
from campaigns.exchange.versions import of_intervals
from campaigns.results.intervals import computed_of, intervals_of, summary_of


class IntervalsView(OrganiserView):
    queries = {"GET": IntervalsQuery}

    @extend_schema(
        operation_id="get_intervals",
        summary="Every run's score, from base to top",
        tags=[RESULTS],
        responses={200: Intervals, 304: None},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        measure = self.asked.get("measure", self.campaign.measure)
        if measure != self.campaign.measure:
            detail = gettext("live intervals are of %(measure)s") % {"measure": self.campaign.measure}
            raise Refused("other_measure", detail, field="measure")
        number = self.asked.get("topic")
        topic = self.topic(number) if number else None

        def make() -> Response:
            computed = computed_of(campaign=self.campaign)
            rows = intervals_of(campaign=self.campaign, topic=topic, computed=computed)
            summary = summary_of(campaign=self.campaign, computed=computed)
            return Response({**summary, "topic": number or None, "runs": [vars(row) for row in rows]})

        return if_changed(request, of_intervals(self.campaign), make)


class StatusView(OrganiserView):
    @extend_schema(
        operation_id="get_status", summary="Whether all is well", tags=[RESULTS], responses=StatusOut
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(asdict(status_of(campaign=self.campaign)))


class QrelsView(OrganiserView):
    queries = {"GET": QrelsQuery}

    @extend_schema(
        operation_id="get_qrels",
        summary="The qrels as they stand",
        description="`policy` says whose grade counts where people differ.",
        tags=[RESULTS],
        responses={
            (200, "text/plain"): file(OpenApiTypes.STR, "401 0 LA010189-0001 1\n", "TREC qrels"),
            304: None,
        },
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        export = EXPORTS["qrels-pooled" if self.asked["pooled"] else "qrels"]
        return download(request, self.campaign, export, policy=self.asked["policy"])
