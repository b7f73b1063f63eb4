"""Every run's bounds, from its rankings and the current grades.

This takes a fraction of the time that a copy needs to open its pools, in which each document has its place in
the queue.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.db import connection

from campaigns.collection.rankings import rankings_of
from campaigns.computing.arrays import CampaignArrays, refuse_outdated
from campaigns.log.current import UP_TO, current_grades
from campaigns.models import Campaign
from evaluation.arrays import FloatArray
from selection.bounds import RunBounds
from selection.pool import Ids


@dataclass(frozen=True, eq=False)
class CampaignScores:
    """Bounds of all runs, by the arrays' topics and runs, after the first `applied` acts of the log."""

    campaign: int
    arrays: CampaignArrays
    bounds: RunBounds
    applied: int
    judged: int
    relevant: int


def score(campaign: Campaign, arrays: CampaignArrays, *, applied: int) -> CampaignScores:
    """To the last bit what a copy that catches up to there has."""
    bounds = RunBounds(arrays.pools, len(arrays.runs), campaign.p)
    places = {topic: place for place, topic in enumerate(arrays.topics)}
    judged = relevant = 0
    begun: list[int] = []
    for topic, documents, gains in _judged(campaign, applied):
        judged += len(documents)
        relevant += int(np.count_nonzero(gains > campaign.threshold))
        if topic in places:
            bounds.score(places[topic], rankings_of(topic, arrays.runs), documents, gains)
            refuse_outdated(campaign.id, campaign.configuration)
            if len(documents):
                begun.append(places[topic])
    if campaign.unjudged_not_relevant:
        bounds = bounds.without_residual(begun)
    return CampaignScores(campaign.id, arrays, bounds, applied, judged, relevant)


_BY_TOPIC = """
SELECT topic_id, array_agg(document_id ORDER BY document_id), array_agg(grade ORDER BY document_id)
FROM current GROUP BY topic_id
"""


def _judged(campaign: Campaign, applied: int) -> Iterator[tuple[int, Ids, FloatArray]]:
    """Yield the documents that have a gain, topic by topic."""
    gain_of = {-2: 0.0, **{int(row["grade"]): float(row["gain"]) for row in campaign.grades}}
    query = f"WITH {current_grades(campaign, where=UP_TO)} {_BY_TOPIC}"
    with connection.cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id, "until": applied})
        for topic, documents, grades in cursor:
            gains = np.array([gain_of.get(grade, np.nan) for grade in grades], dtype=np.float64)
            known = ~np.isnan(gains)
            yield topic, np.array(documents, dtype=np.int32)[known], gains[known]
