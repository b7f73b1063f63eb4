from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.access import OrganiserView
from campaigns.api.framework.paging import Listing, Page
from campaigns.api.framework.words import RESULTS
from campaigns.api.shapes.results import MOST_QUEUED, PrioritiesQuery
from campaigns.api.shapes.results import Priorities as PrioritiesOut
from campaigns.exchange.downloads import if_changed
from campaigns.exchange.versions import of_priorities
from campaigns.results.queues import Alternative, Behind, Priorities, QueueRow, priorities_of

QUEUE = Listing[QueueRow]("queue", lambda row: row.position, most=MOST_QUEUED)


class PrioritiesView(OrganiserView):
    """A topic's queue, and why."""

    queries = {"GET": PrioritiesQuery}

    @extend_schema(
        operation_id="get_priorities",
        summary="A topic's queue, and why",
        tags=[RESULTS],
        responses={200: PrioritiesOut, 304: None},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        topic = self.topic(self.asked["topic"])

        def make() -> Response:
            found = priorities_of(campaign=self.campaign, topic=topic, limit=MOST_QUEUED)
            page = QUEUE.of_rows(request, self.asked, found.queue.rows)
            return Response(_told(topic.number, found, page))

        return if_changed(request, of_priorities(self.campaign, topic), make)


def _told(number: str, found: Priorities, page: Page[QueueRow]) -> dict[str, Any]:
    return {
        "topic": number,
        "method": found.queue.method,
        "as_of": found.queue.as_of,
        "configuration_current": found.queue.current,
        "remaining": found.queue.remaining,
        **page.told(lambda row: _queued(row, found.behind(row))),
        "alternatives": [_alternative(other) for other in found.alternatives],
    }


def _queued(row: QueueRow, behind: list[Behind]) -> dict[str, Any]:
    return {
        "docno": row.docno,
        "weight": row.weight,
        "position": row.position,
        "method": row.method,
        "inclusion": row.inclusion,
        "runs": [asdict(run) for run in behind],
    }


def _alternative(other: Alternative) -> dict[str, Any]:
    return {
        "method": other.method,
        "docno": other.docno or None,
        "weight": None if other.unavailable else other.weight,
        "unavailable": other.unavailable,
    }
