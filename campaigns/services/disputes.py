"""Documents on which people differ: which there are, and how much each weighs in the runs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import ceil, log
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import BinaryField
from django.db.models.functions import Substr
from numpy.typing import NDArray

from campaigns.arrays import DOCUMENT_IDS, unpack_ids
from campaigns.models import Campaign, Document, Ranking, Topic
from campaigns.policies import LATEST

# Ranks that carry all but so much of a list's weight are read, and no more than so many of them.
NEGLIGIBLE, DEEPEST = 1e-6, 1000

# A document of a topic, by their ids.
Place = tuple[int, int]


@dataclass(frozen=True)
class Dispute:
    """`grades`: what people gave, ascending, decisions left out; `own`: whether one of them is the reader's;
    `decided`: the grade of the decision that stands, `decision` its act."""

    place: Place
    grades: tuple[int, ...]
    own: bool
    decided: int | None
    decision: Any

    @property
    def spread(self) -> int:
        return max(self.grades[-1], 0) - max(self.grades[0], 0)


_GROUPED = """
grouped AS (
  SELECT topic_id, document_id,
    array_agg(grade ORDER BY grade) FILTER (WHERE NOT adjudication) AS grades,
    coalesce(bool_or(assessor_id = %s) FILTER (WHERE NOT adjudication), false) AS own,
    (array_agg(grade ORDER BY sequence DESC) FILTER (WHERE adjudication))[1] AS decided,
    (array_agg(id ORDER BY sequence DESC) FILTER (WHERE adjudication))[1] AS decision
  FROM latest WHERE grade IS NOT NULL GROUP BY topic_id, document_id)
SELECT * FROM grouped
WHERE cardinality(grades) > 0 AND (grades[1] <> grades[cardinality(grades)] OR decision IS NOT NULL)
"""
_CAMPAIGN = "campaign_id = %s"
_DISPUTES = LATEST + _GROUPED
_ONE = LATEST.replace(_CAMPAIGN, f"{_CAMPAIGN} AND topic_id = %s AND document_id = %s") + _GROUPED


def disputes_of(*, campaign: Campaign, reader: int | None = None) -> list[Dispute]:
    """Every document whose standing grades differ, or that somebody has decided."""
    return _read(_DISPUTES, campaign.id, reader)


def dispute_of(*, campaign: Campaign, place: Place, reader: int | None = None) -> Dispute | None:
    return next(iter(_read(_ONE, campaign.id, *place, reader)), None)


def _read(query: str, *given: int | None) -> list[Dispute]:
    with connection.cursor() as cursor:
        cursor.execute(query, given)
        return [Dispute((row[0], row[1]), tuple(row[2]), *row[3:]) for row in cursor.fetchall()]


def queue_of(*, campaign: Campaign, disputes: Collection[Dispute]) -> list[Dispute]:
    """What the reader may decide and nobody has: the widest difference first, then what weighs most."""
    waiting = [row for row in disputes if row.decision is None and not row.own]
    _, weights = weights_in_runs(campaign=campaign, places={row.place for row in waiting})
    return sorted(waiting, key=lambda row: (-row.spread, -float(weights[row.place].sum()), row.place))


def weights_in_runs(
    *, campaign: Campaign, places: Collection[Place]
) -> tuple[list[int], dict[Place, NDArray[np.float64]]]:
    """The runs that take part, and what each document weighs in each of them: (1 - p) p^(rank - 1)."""
    tags = campaign.runs.filter(withdrawn_at=None).order_by("id").values_list("id", flat=True)
    runs = {run: at for at, run in enumerate(tags)}
    found = {place: np.zeros(len(runs)) for place in places}
    wanted: dict[int, list[int]] = {}
    for topic, document in places:
        wanted.setdefault(topic, []).append(document)
    depth = min(DEEPEST, ceil(log(NEGLIGIBLE) / log(campaign.p)))
    head = Substr("documents", 1, DOCUMENT_IDS.itemsize * depth, output_field=BinaryField())
    rows = Ranking.objects.filter(run__in=runs, topic__in=wanted).annotate(head=head)
    for topic, run, packed in rows.values_list("topic_id", "run_id", "head").iterator():
        ids = unpack_ids(packed)
        for rank in np.flatnonzero(np.isin(ids, wanted[topic])).tolist():
            found[topic, int(ids[rank])][runs[run]] = (1 - campaign.p) * campaign.p**rank
    return list(runs), found


def place_of(*, campaign: Campaign, topic: str, docno: str) -> Place | None:
    """None where the campaign has no such topic or the collection no such document."""
    if "\0" in topic + docno:
        return None
    number = Topic.objects.filter(campaign=campaign, number=topic).values_list("id", flat=True).first()
    documents = Document.objects.filter(collection_id=campaign.collection_id, docno=docno)
    document = documents.values_list("id", flat=True).first()
    return None if number is None or document is None else (number, document)
