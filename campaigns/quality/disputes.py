"""Documents on which people disagree: which there are, in which order they wait, what was decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Q

from campaigns.log.current import (
    OF_CAMPAIGN,
    OF_PLACES,
    by_assessors,
    counting,
    latest_acts,
    made_by_assessors,
    place_parameters,
)
from campaigns.log.overlap import APART, HAS_DECISION, HAS_DISAGREEMENT, places_where
from campaigns.models import Campaign, Document, Judgment, Topic
from campaigns.quality.dispute_weights import DocumentPlace, dispute_weights


@dataclass(frozen=True)
class Dispute:
    """`grades`: what people gave, ascending, decisions left out; `own`: whether one of them is the reader's;
    `decided`: the grade of the decision that stands, `decision` its act."""

    place: DocumentPlace
    grades: tuple[int, ...]
    own: bool
    decided: int | None
    decision: Any


_GROUPED = """,
grouped AS (
  SELECT topic_id, document_id,
    array_agg(grade ORDER BY grade) FILTER (WHERE NOT adjudication) AS grades,
    coalesce(bool_or(assessor_id = %(reader)s) FILTER (WHERE NOT adjudication), false) AS own,
    (array_agg(grade ORDER BY sequence DESC) FILTER (WHERE adjudication))[1] AS decided,
    (array_agg(id ORDER BY sequence DESC) FILTER (WHERE adjudication))[1] AS decision
  FROM latest WHERE grade IS NOT NULL GROUP BY topic_id, document_id)
SELECT * FROM grouped
WHERE cardinality(grades) > 0 AND (grades[1] <> grades[cardinality(grades)] OR decision IS NOT NULL)
"""


def dispute_of(*, campaign: Campaign, place: DocumentPlace, reader: int | None = None) -> Dispute | None:
    return next(iter(disputes_at(campaign=campaign, places=[place], reader=reader)), None)


def disputes_at(
    *, campaign: Campaign, places: Collection[DocumentPlace], reader: int | None = None
) -> list[Dispute]:
    """Disputes on these documents: their standing grades differ, or were decided between."""
    where = by_assessors(counting(campaign, OF_PLACES))
    query = f"WITH {latest_acts(where, columns='sequence, grade, adjudication, id')}{_GROUPED}"
    with connection.cursor() as cursor:
        parameters = {"campaign": campaign.id, "reader": reader, **place_parameters(places)}
        cursor.execute(query, parameters)
        return [Dispute((row[0], row[1]), tuple(row[2]), *row[3:]) for row in cursor.fetchall()]


_OWN = "SELECT topic_id, document_id FROM latest WHERE grade IS NOT NULL AND NOT adjudication"


def _own_places(campaign: Campaign, reader: int) -> set[DocumentPlace]:
    where = by_assessors(counting(campaign, f"{OF_CAMPAIGN} AND assessor_id = %(reader)s"))
    with connection.cursor() as cursor:
        cursor.execute(f"WITH {latest_acts(where)} {_OWN}", {"campaign": campaign.id, "reader": reader})
        return set(cursor.fetchall())


@dataclass(frozen=True)
class AdjudicationQueue:
    """`waiting`: what the reader may decide; `own`: how many undecided documents they judged themselves."""

    waiting: list[DocumentPlace]
    own: int


def adjudication_queue(*, campaign: Campaign, reader: int | None = None) -> AdjudicationQueue:
    """Undecided disagreements: the widest difference first, then the heaviest."""
    undecided = undecided_places(campaign=campaign)
    own = _own_places(campaign, reader) & set(undecided) if reader is not None else set()
    weights = dispute_weights(campaign=campaign, places=undecided)
    waiting = [place for place in undecided if place not in own]
    return AdjudicationQueue(
        sorted(waiting, key=lambda place: (-undecided[place], -weights.get(place, 0), place)), len(own)
    )


def undecided_places(*, campaign: Campaign, as_stored: bool = False) -> dict[DocumentPlace, int]:
    """Documents on which people differ without a decision, and how far apart they are; `as_stored`: as they
    were last counted."""
    places = places_where(campaign=campaign, mask=HAS_DISAGREEMENT, as_stored=as_stored)
    return {place: states // APART for place, (states, _) in places.items() if not states & HAS_DECISION}


def document_place_of(*, campaign: Campaign, topic: str, docno: str) -> DocumentPlace | None:
    """None where the campaign has no such topic or the collection no such document."""
    if "\0" in topic + docno:
        return None
    number = Topic.objects.filter(campaign=campaign, number=topic).values_list("id", flat=True).first()
    documents = Document.objects.filter(collection_id=campaign.collection_id, docno=docno)
    document = documents.values_list("id", flat=True).first()
    return None if number is None or document is None else (number, document)


LATEST_DECISIONS = 10
# Documents read at once, in search of the latest decisions.
LOOKED_THROUGH = 200


@dataclass(frozen=True)
class DisputeCase:
    dispute: Dispute
    topic: Topic
    document: Document


@dataclass(frozen=True)
class Decision:
    """With names, since it is decided. `grades`: who gave which grade before."""

    act: Judgment
    grades: list[tuple[str, int]]


def case_of(dispute: Dispute) -> DisputeCase:
    topic, document = dispute.place
    row = Document.objects.select_related("collection").get(id=document)
    return DisputeCase(dispute, Topic.objects.get(id=topic), row)


def latest_decisions(*, campaign: Campaign) -> list[Decision]:
    """The newest first."""
    newest = _newest_decisions(campaign)
    grades = _standing_grades(campaign, newest)
    return [Decision(act, sorted(grades[act.topic_id, act.document_id].items())) for act in newest]


def _newest_decisions(campaign: Campaign) -> list[Judgment]:
    """Others may judge a document after its decision. So decided documents are read, those with the latest
    act first, until no further one can have a newer decision."""
    decided = places_where(campaign=campaign, mask=HAS_DECISION)
    places = sorted(decided, key=lambda place: decided[place][1], reverse=True)
    acts = Judgment.objects.filter(campaign=campaign).select_related("topic", "document", "assessor")
    acts = acts.defer("document__body", "document__html").order_by("-sequence")
    newest: list[Judgment] = []
    for start in range(0, len(places), LOOKED_THROUGH):
        if len(newest) == LATEST_DECISIONS and newest[-1].sequence > decided[places[start]][1]:
            break
        disputes = disputes_at(campaign=campaign, places=places[start : start + LOOKED_THROUGH])
        ids = [act.id for act in newest] + [row.decision for row in disputes if row.decision is not None]
        newest = list(acts.filter(id__in=ids)[:LATEST_DECISIONS])
    return newest


def _standing_grades(campaign: Campaign, acts: Sequence[Judgment]) -> dict[DocumentPlace, dict[str, int]]:
    """Everybody's standing grade of these documents, decisions left out."""
    of_these = Q(pk__in=[])
    for act in acts:
        of_these |= Q(topic_id=act.topic_id, document_id=act.document_id)
    rows = made_by_assessors(Judgment.objects.filter(of_these, campaign=campaign)).order_by("sequence")
    grades: dict[DocumentPlace, dict[str, int]] = defaultdict(dict)
    values: Iterable[Any] = rows.values_list(
        "topic_id", "document_id", "assessor__username", "grade", "adjudication"
    )
    for topic, document, name, grade, adjudication in values:
        grades[topic, document].pop(name, None)
        if grade is not None and not adjudication:
            grades[topic, document][name] = grade
    return grades
