from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import OrganiserView
from campaigns.services.priorities import Priorities, priorities_of

MOST = 256
USUAL = 20


class PrioritiesView(OrganiserView):
    """A topic's queue, and why."""

    def get(self, request: Request, slug: str) -> Response:
        number = request.query_params.get("topic")
        if not number:
            raise ValidationError({"topic": ["say of which topic"]})
        topic = self.topic(number)
        limit = _limit(request.query_params.get("limit", str(USUAL)))
        found = priorities_of(campaign=self.campaign, topic=topic, limit=limit)
        return Response(_body(number, found))


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise ValidationError({"limit": [f"a whole number from 1 to {MOST}, not “{text[:40]}”"]})
    return min(int(text), MOST)


def _body(number: str, found: Priorities) -> dict[str, Any]:
    queue = [
        {
            "docno": row.docno,
            "weight": row.weight,
            "position": row.position,
            "method": row.method,
            "inclusion": row.inclusion,
            "runs": [asdict(run) for run in behind],
        }
        for row, behind in zip(found.queue.rows, found.behind, strict=True)
    ]
    alternatives = [
        {
            "method": other.method,
            "docno": other.docno or None,
            "weight": None if other.unavailable else other.weight,
            "unavailable": other.unavailable,
        }
        for other in found.alternatives
    ]
    return {
        "topic": number,
        "method": found.queue.method,
        "as_of": found.queue.as_of,
        "configuration_current": found.queue.current,
        "remaining": found.queue.remaining,
        "queue": queue,
        "alternatives": alternatives,
    }
