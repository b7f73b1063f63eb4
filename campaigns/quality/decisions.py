"""What the adjudication page reads: one document that waits to be decided, and what was decided last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from campaigns.models import Campaign, Document, Judgment, Topic
from campaigns.quality.disputes import Dispute, Place

LATEST_DECISIONS = 10


@dataclass(frozen=True)
class Case:
    dispute: Dispute
    topic: Topic
    document: Document


@dataclass(frozen=True)
class Decision:
    """With names, since it is decided. `said`: who gave which grade before."""

    act: Judgment
    said: list[tuple[str, int]]


def case_of(dispute: Dispute) -> Case:
    topic, document = dispute.place
    found = Document.objects.select_related("collection").get(id=document)
    return Case(dispute, Topic.objects.get(id=topic), found)


def latest_decisions(*, campaign: Campaign, disputes: Iterable[Dispute]) -> list[Decision]:
    """The newest first."""
    ids = [row.decision for row in disputes if row.decision is not None]
    acts = Judgment.objects.filter(campaign=campaign, id__in=ids).select_related(
        "topic", "document", "assessor"
    )
    newest = list(acts.defer("document__body").order_by("-sequence")[:LATEST_DECISIONS])
    said = _said(campaign, newest)
    return [Decision(act, sorted(said[act.topic_id, act.document_id].items())) for act in newest]


def _said(campaign: Campaign, acts: Sequence[Judgment]) -> dict[Place, dict[str, int]]:
    """Everybody's standing grade of these documents, decisions left out."""
    of_these = Q(pk__in=[])
    for act in acts:
        of_these |= Q(topic_id=act.topic_id, document_id=act.document_id)
    rows = Judgment.objects.filter(of_these, campaign=campaign).order_by("sequence")
    found: dict[Place, dict[str, int]] = defaultdict(dict)
    values: Iterable[Any] = rows.values_list(
        "topic_id", "document_id", "assessor__username", "grade", "adjudication"
    )
    for topic, document, name, grade, adjudication in values:
        found[topic, document].pop(name, None)
        if grade is not None and not adjudication:
            found[topic, document][name] = grade
    return found
