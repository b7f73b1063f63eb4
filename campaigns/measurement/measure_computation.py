"""All runs scored by the campaign's measures, and stored."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

import numpy as np
from django.db import transaction
from django.db.models import IntegerField, Sum
from django.db.models.functions import Length

from campaigns.configuration.measures import measures_of
from campaigns.core.background import run_at_low_priority
from campaigns.core.database import consistent_reads
from campaigns.log import events
from campaigns.log.judgments import length_of
from campaigns.measurement.measured_scores import (
    CALIBRATED,
    PROVED,
    PUBLISHED,
    Column,
    Estimate,
    MeasuredContent,
    MeasureScores,
    column,
    matrix_name,
    pack_matrices,
)
from campaigns.measurement.sampled_scores import STAT_AP, sampled_estimate, sampled_pairs
from campaigns.measurement.stored_collection import StoredCollection, stored_collection
from campaigns.models import Campaign, Measured, Ranking
from campaigns.models.packed import DOCUMENT_IDS, RUN_IDS, pack
from campaigns.scoring.judged_collection import JudgedCollection
from campaigns.scoring.measured_rankings import Relevance
from campaigns.scoring.pair_confidences import precision_matrices
from campaigns.scoring.sampled_weights import is_estimable
from campaigns.scoring.score_tables import ScoreRow, score_runs
from evaluation.arrays import FloatArray
from evaluation.estimation.worst_case import proved_pairs
from evaluation.measure import Measure
from evaluation.names import parse_measure

# Places in rankings that are read into memory at once, 4 bytes each.
MOST_RANKED = 20_000_000
# The estimate of average precision by the calibrated model.
EXPECTED_AP = "EAP(calibrated)"
# Among so many runs of the highest expected average precision, pairs may be proved.
MOST_PROVED = 10
# What a statAP sample estimates, by the measure that it is an estimate of.
_SAMPLED = {"AP": STAT_AP, "P": "statPC", "Rprec": "statRprec", "nDCG": "statNDCG"}


def write_measured(campaign: Campaign) -> None:
    """Store the scores of the judgments up to now, and publish that they are there."""
    began = time.monotonic()
    with consistent_reads():
        campaign.refresh_from_db()
        as_of = length_of(campaign=campaign)
        stored = None if is_too_large(campaign) else stored_collection(campaign)
    if stored is None:
        scored = _Scored(MeasuredContent(reason="too_large"))
    elif not stored.runs or not stored.collection.judged:
        scored = _Scored(MeasuredContent(reason="empty"))
    else:
        scored = run_at_low_priority(_scored, campaign, stored)
    content = replace(scored.content, seconds=time.monotonic() - began)
    event = {"measure": campaign.measure, "as_of": as_of, "reason": content.reason}
    with transaction.atomic():
        Measured.objects.update_or_create(
            campaign=campaign,
            defaults={
                "content": content.to_json(),
                "runs": pack(() if stored is None else stored.runs, RUN_IDS),
                "pairs": pack_matrices(scored.matrices),
                "as_of": as_of,
                "configuration": campaign.configuration,
            },
        )
        events.publish(campaign=campaign.id, events=[("measured", event)])


def is_too_large(campaign: Campaign) -> bool:
    length = Length("documents", output_field=IntegerField())
    total = Ranking.objects.filter(run__campaign=campaign).aggregate(total=Sum(length))["total"] or 0
    return total > MOST_RANKED * DOCUMENT_IDS.itemsize


@dataclass(frozen=True, eq=False)
class _Scored:
    content: MeasuredContent
    matrices: Sequence[FloatArray] = field(default_factory=list)


def _scored(campaign: Campaign, stored: StoredCollection) -> _Scored:
    measures = measures_of(campaign)
    by_statap = stored.drawn_by(sample=False)
    estimators = {measure.name: _estimators(measure, by_statap) for measure in measures}
    asked = {one.name: one for measure in measures for one in (measure, *estimators[measure.name])}
    relevance = Relevance().fit(by_statap, stored.grading) if EXPECTED_AP in asked else Relevance()
    table = score_runs(by_statap, list(asked.values()), stored.grading, relevance=relevance)
    rows: dict[str, list[ScoreRow]] = {}
    for row in table.means:
        rows.setdefault(row.measure, []).append(row)
    scored: list[MeasureScores] = []
    matrices: dict[str, FloatArray] = {}
    for measure, name in zip(measures, campaign.measure_names, strict=True):
        plain = _measure_scores(name, rows[measure.name], campaign)
        estimates = [_of_rows(one, rows[one.name], stored, relevance) for one in estimators[measure.name]]
        if stored.sampled and is_estimable(measure):
            estimates.insert(0, sampled_estimate(measure, plain, stored, campaign.p))
        for estimate, pairs in estimates:
            matrices |= {matrix_name(name, estimate.by, of): matrix for of, matrix in pairs.items()}
        scored.append(replace(plain, estimates=tuple(estimate for estimate, _ in estimates)))
    content = MeasuredContent(tuple(scored), tuple(matrices), stored.collection.judged)
    return _Scored(content, list(matrices.values()))


def _estimators(measure: Measure, collection: JudgedCollection) -> list[Measure]:
    """Estimates of the measure that these judgments allow: from a statAP sample, then by the model."""
    base, at, cut = measure.name.partition("@")
    estimators = []
    if base in _SAMPLED and any(topic.drawn for topic in collection.topics):
        estimators.append(parse_measure(f"{_SAMPLED[base]}{at}{cut}"))
    if measure.name == "AP":
        estimators.append(parse_measure(EXPECTED_AP))
    return estimators


def _measure_scores(name: str, rows: Sequence[ScoreRow], campaign: Campaign) -> MeasureScores:
    bounds = [row.scored.bounds for row in rows]
    known = [one for one in bounds if one is not None]
    base: Column = ()
    top: Column = ()
    if len(known) == len(rows):
        base = column([one.base for one in known])
        top = base if campaign.unjudged_not_relevant else column([one.top for one in known])
    score = column([row.scored.score for row in rows])
    return MeasureScores(name, rows[0].measure, _topics(rows[0]), score, base, top)


def _of_rows(
    measure: Measure, rows: Sequence[ScoreRow], stored: StoredCollection, relevance: Relevance
) -> tuple[Estimate, dict[str, FloatArray]]:
    score = column([row.scored.score for row in rows])
    if measure.name == EXPECTED_AP:
        pairs = _confidence_matrices(stored, relevance)
        pairs |= {PROVED: _proved(stored, np.array([row.scored.score for row in rows]))}
        return Estimate("expected", EXPECTED_AP, _topics(rows[0]), score, pairs=tuple(pairs)), pairs
    low, high = (column([getattr(row.scored, end) for row in rows]) for end in ("low", "high"))
    estimate = Estimate("sampled", measure.name, _topics(rows[0]), score, low, high)
    return sampled_pairs(estimate, stored) if measure.name == STAT_AP else (estimate, {})


def _confidence_matrices(stored: StoredCollection, relevance: Relevance) -> dict[str, FloatArray]:
    """The probability that the row's run has the higher mean AP, by the calibrated model, where a value and
    its mirror leave something open, and as published."""
    runs = np.arange(len(stored.runs))
    if len(runs) < 2:
        return {}
    both = precision_matrices(stored.collection, runs, stored.grading, relevance)
    return {CALIBRATED: both.drawn.confidence(), PUBLISHED: both.published.confidence}


def _proved(stored: StoredCollection, expected: FloatArray) -> FloatArray:
    """1 where no unjudged document can reverse that the row's run has the higher mean AP."""
    first = np.argsort(-expected, kind="stable")[:MOST_PROVED]
    topics = []
    for topic in stored.collection.topics:
        gains = topic.gains(stored.grading)
        topics.append((topic.rankings, np.where(np.isnan(gains), np.nan, gains > 0)))
    return proved_pairs(topics, first).astype(np.float64)


def _topics(row: ScoreRow) -> int:
    return sum(isfinite(cell.score) for cell in row.averaged)
