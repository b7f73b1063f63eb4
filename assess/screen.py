"""What the judging screen's scripts are given to start with."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from django.urls import reverse

from campaigns.core.wording import reason_said
from campaigns.judging.progress import history, progress_of
from campaigns.models import Campaign, Claim, Postponement, Topic, judgment

MOST_HISTORY = 1000


def screen_data(*, campaign: Campaign, topic: Topic, assessor: int) -> dict[str, Any]:
    said = history(topic=topic, assessor=assessor, limit=MOST_HISTORY)
    return {
        "assessor": assessor,
        "campaign": campaign.slug,
        "topic": topic.number,
        "title": topic.title,
        "revision": topic.revision,
        "api": reverse("api:campaign", args=[campaign.slug]),
        "worker": reverse("assess:worker"),
        "leave": reverse("assess:campaign", args=[campaign.slug]),
        "grades": grades(campaign),
        "reasons": {reason: reason_said(reason) for reason in judgment.REASONS},
        "progress": asdict(progress_of(campaign=campaign, topic=topic.id, assessor=assessor)),
        "history": said,
        "aside": set_aside(topic=topic, assessor=assessor, judged={row["docno"] for row in said}),
    }


def grades(campaign: Campaign) -> list[dict[str, Any]]:
    """The scale without its gains: what a grade is worth is the organiser's business."""
    return [
        {
            "grade": row["grade"],
            "label": row["label"],
            "key": row["key"],
            "relevant": campaign.is_relevant(row["grade"]),
        }
        for row in campaign.grades
    ]


def set_aside(*, topic: Topic, assessor: int, judged: Collection[str]) -> list[dict[str, Any]]:
    """What the assessor set aside; of what they had judged, that they were looking at it again."""
    rows = Postponement.objects.filter(topic=topic, assessor_id=assessor).order_by("created")
    return [
        {"docno": docno, "title": title, "revision": purpose == Claim.Purpose.FIRST and docno in judged}
        for docno, title, purpose in rows.values_list("document__docno", "document__title", "purpose")
    ]
