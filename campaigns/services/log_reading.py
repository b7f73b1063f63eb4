"""The judgment log as rows: every act ever made in a campaign, in order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from campaigns.models import Campaign, Judgment

# The log's columns as they are told, and where each comes from.
LOG = {
    "sequence": "sequence",
    "id": "id",
    "topic": "topic__number",
    "docno": "document__docno",
    "assessor": "assessor__username",
    "grade": "grade",
    "reason": "reason",
    "undo": "undo",
    "adjudication": "adjudication",
    "milliseconds": "milliseconds",
    "method": "method",
    "served_exactly": "served_exactly",
    "inclusion_probability": "inclusion_probability",
    "stale_claim": "stale_claim",
    "topic_revision": "topic_revision",
    "supersedes": "supersedes",
    "created": "created",
}


def acts_of(
    *,
    campaign: Campaign,
    topic: int | None = None,
    assessor: int | None = None,
    since: datetime | None = None,
) -> QuerySet[Judgment]:
    """In order; of one topic, of one person, made at a time or later."""
    rows = Judgment.objects.filter(campaign=campaign).order_by("sequence")
    if topic is not None:
        rows = rows.filter(topic=topic)
    if assessor is not None:
        rows = rows.filter(assessor=assessor)
    return rows if since is None else rows.filter(created__gte=since)


def told(acts: QuerySet[Judgment]) -> Iterator[dict[str, Any]]:
    for row in acts.values_list(*LOG.values()):
        yield dict(zip(LOG, row, strict=True))
