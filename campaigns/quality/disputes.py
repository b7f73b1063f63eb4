"""Documents on which people disagree: which there are, how much each weighs in the runs, what was decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Q
from numpy.typing import NDArray

from campaigns.log.current import (
    OF_PLACE,
    OF_PLACES,
    by_assessors,
    counting,
    latest_acts,
    made_by_assessors,
    place_parameters,
)
from campaigns.log.overlap import HAS_DECISION, HAS_DISAGREEMENT, places_where
from campaigns.models import Campaign, Document, Judgment, Topic
from campaigns.models.packed import DOCUMENT_IDS, unpack_ids

# Ranks that carry all but so much of a list's weight are read, and no more than so many of them.
NEGLIGIBLE, DEEPEST_RANK = 1e-6, 1000

# A document of a topic, by their ids.
DocumentPlace = tuple[int, int]


@dataclass(frozen=True)
class Dispute:
    """`grades`: what people gave, ascending, decisions left out; `own`: whether one of them is the reader's;
    `decided`: the grade of the decision that stands, `decision` its act."""

    place: DocumentPlace
    grades: tuple[int, ...]
    own: bool
    decided: int | None
    decision: Any

    @property
    def spread(self) -> int:
        return max(self.grades[-1], 0) - max(self.grades[0], 0)


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


def disputes_of(*, campaign: Campaign, reader: int | None = None) -> list[Dispute]:
    """Every document whose standing grades differ, or that were decided."""
    places = places_where(campaign=campaign, said=HAS_DISAGREEMENT | HAS_DECISION)
    return _read(campaign, reader, OF_PLACES, place_parameters(places)) if places else []


def dispute_of(*, campaign: Campaign, place: DocumentPlace, reader: int | None = None) -> Dispute | None:
    topic, document = place
    return next(iter(_read(campaign, reader, OF_PLACE, {"topic": topic, "document": document})), None)


def _read(campaign: Campaign, reader: int | None, where: str, given: dict[str, Any]) -> list[Dispute]:
    acts = latest_acts(by_assessors(counting(campaign, where)), columns="sequence, grade, adjudication, id")
    query = f"WITH {acts}{_GROUPED}"
    with connection.cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id, "reader": reader, **given})
        return [Dispute((row[0], row[1]), tuple(row[2]), *row[3:]) for row in cursor.fetchall()]


def adjudication_queue(*, campaign: Campaign, disputes: Collection[Dispute]) -> list[Dispute]:
    """Undecided disagreements that the reader may decide: the widest difference first, then the heaviest."""
    waiting = [row for row in disputes if row.decision is None and not row.own]
    _, weights = weights_in_runs(campaign=campaign, places={row.place for row in waiting})
    return sorted(waiting, key=lambda row: (-row.spread, -float(weights[row.place].sum()), row.place))


# One row a topic: thousands of rankings cost more to hand over one by one than to look through.
_HEADS = """
SELECT topic_id, array_agg(run_id ORDER BY run_id), array_agg(length(head) / %s ORDER BY run_id),
  string_agg(head, ''::bytea ORDER BY run_id)
FROM (SELECT topic_id, run_id, substr(documents, 1, %s) AS head
      FROM campaigns_ranking WHERE run_id = ANY(%s) AND topic_id = ANY(%s)) heads
GROUP BY topic_id
"""


def weights_in_runs(
    *, campaign: Campaign, places: Collection[DocumentPlace]
) -> tuple[list[int], dict[DocumentPlace, NDArray[np.float64]]]:
    """The runs that take part, and what each document weighs in each of them: (1 - p) p^(rank - 1)."""
    tags = campaign.runs.filter(withdrawn_at=None).order_by("id").values_list("id", flat=True)
    runs = {run: at for at, run in enumerate(tags)}
    wanted: defaultdict[int, list[int]] = defaultdict(list)
    for topic, document in places:
        wanted[topic].append(document)
    found: dict[DocumentPlace, NDArray[np.float64]] = {}
    depth = min(DEEPEST_RANK, ceil(log(NEGLIGIBLE) / log(campaign.p)))
    with connection.cursor() as cursor:
        size = DOCUMENT_IDS.itemsize
        cursor.execute(_HEADS, [size, size * depth, list(runs), list(wanted)])
        for topic, ranking, lengths, packed in cursor:
            documents = np.sort(wanted.pop(topic))
            own = _weights_of(documents, unpack_ids(packed), np.array(lengths), campaign.p)
            rows = np.zeros((len(documents), len(runs)))
            rows[:, [runs[run] for run in ranking]] = own
            found |= {(topic, document): row for document, row in zip(documents.tolist(), rows, strict=True)}
    # What no run ranks weighs nothing.
    found |= {(topic, document): np.zeros(len(runs)) for topic in wanted for document in wanted[topic]}
    return list(runs), found


def _weights_of(
    documents: NDArray[np.int64], ids: NDArray[np.int32], lengths: NDArray[np.int64], p: float
) -> NDArray[np.float64]:
    """(documents, lists): what each document, ascending, weighs in each of the lists, which lie behind one
    another in `ids`."""
    at = np.minimum(np.searchsorted(documents, ids), len(documents) - 1)
    there = np.flatnonzero(documents[at] == ids)
    ends = np.cumsum(lengths)
    of_list = np.searchsorted(ends, there, side="right")
    ranks = there - (ends - lengths)[of_list]
    weights = np.zeros((len(documents), len(lengths)))
    weights[at[there], of_list] = (1 - p) * p**ranks
    return weights


def document_place_of(*, campaign: Campaign, topic: str, docno: str) -> DocumentPlace | None:
    """None where the campaign has no such topic or the collection no such document."""
    if "\0" in topic + docno:
        return None
    number = Topic.objects.filter(campaign=campaign, number=topic).values_list("id", flat=True).first()
    documents = Document.objects.filter(collection_id=campaign.collection_id, docno=docno)
    document = documents.values_list("id", flat=True).first()
    return None if number is None or document is None else (number, document)


LATEST_DECISIONS = 10


@dataclass(frozen=True)
class DisputeCase:
    dispute: Dispute
    topic: Topic
    document: Document


@dataclass(frozen=True)
class Decision:
    """With names, since it is decided. `said`: who gave which grade before."""

    act: Judgment
    said: list[tuple[str, int]]


def case_of(dispute: Dispute) -> DisputeCase:
    topic, document = dispute.place
    found = Document.objects.select_related("collection").get(id=document)
    return DisputeCase(dispute, Topic.objects.get(id=topic), found)


def latest_decisions(*, campaign: Campaign, disputes: Iterable[Dispute]) -> list[Decision]:
    """The newest first."""
    ids = [row.decision for row in disputes if row.decision is not None]
    acts = Judgment.objects.filter(campaign=campaign, id__in=ids).select_related(
        "topic", "document", "assessor"
    )
    newest = list(acts.defer("document__body", "document__html").order_by("-sequence")[:LATEST_DECISIONS])
    said = _said(campaign, newest)
    return [Decision(act, sorted(said[act.topic_id, act.document_id].items())) for act in newest]


def _said(campaign: Campaign, acts: Sequence[Judgment]) -> dict[DocumentPlace, dict[str, int]]:
    """Everybody's standing grade of these documents, decisions left out."""
    of_these = Q(pk__in=[])
    for act in acts:
        of_these |= Q(topic_id=act.topic_id, document_id=act.document_id)
    rows = made_by_assessors(Judgment.objects.filter(of_these, campaign=campaign)).order_by("sequence")
    found: dict[DocumentPlace, dict[str, int]] = defaultdict(dict)
    values: Iterable[Any] = rows.values_list(
        "topic_id", "document_id", "assessor__username", "grade", "adjudication"
    )
    for topic, document, name, grade, adjudication in values:
        found[topic, document].pop(name, None)
        if grade is not None and not adjudication:
            found[topic, document][name] = grade
    return found
