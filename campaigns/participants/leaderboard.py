"""The leaderboard: all runs that take part, by the primary measure. By RBP at p it has score ranges,
prediction intervals and ranks, as the overview has them; by any other measure, what is measured."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

import numpy as np
from django.conf import settings
from django.utils.translation import gettext

from campaigns.core.database import consistent_reads
from campaigns.measurement.measured_rows import order_of, run_figures
from campaigns.measurement.measured_scores import (
    CALIBRATED,
    Estimate,
    MeasuredCampaign,
    MeasureScores,
    measured_of,
)
from campaigns.models import Campaign, HandIn
from campaigns.participants.rules import rules_of
from campaigns.predictions.prediction import NOISE, SEPARATED
from campaigns.predictions.standings import standings_of
from campaigns.results.score_ranges import RunScoreRange, computed_of, score_ranges_of
from campaigns.results.topic_scope import judged_topics
from selection.simulation.prediction import possible_places

# Of `expected`, `low` and `high`: final scores predicted by RBP, estimates by another measure, or neither.
BoardEstimate = Literal["predicted", "sampled", "expected", ""]


@dataclass(frozen=True)
class LeaderboardRow:
    """A run. `score`: unjudged documents are not relevant; `base` and `top`: certain bounds. `first` to
    `last`: its rank among distinct runs, as on the overview. `expected`, `low`, `high`: the estimate and its
    interval. None where there is none."""

    run: str
    team: str
    score: float | None = None
    base: float | None = None
    residual: float | None = None
    top: float | None = None
    first: int | None = None
    last: int | None = None
    expected: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Leaderboard:
    """Means over `topics` of `all_topics`: by RBP at p those that have a judgment, by another measure those
    in which it has a value. `as_of`: the length of the log that the figures know; `judged`: the judged
    documents."""

    measure: str
    estimate: BoardEstimate
    as_of: int
    judged: int
    topics: int
    all_topics: int
    anonymous: bool
    published_at: datetime | None
    rows: list[LeaderboardRow]

    @property
    def has_bounds(self) -> bool:
        return any(row.base is not None for row in self.rows)

    @property
    def has_intervals(self) -> bool:
        return any(row.low is not None for row in self.rows)


def leaderboard_of(campaign: Campaign) -> Leaderboard:
    rules = rules_of(campaign)
    with consistent_reads():
        measured = measured_of(campaign=campaign)
        sampled = measured.primary is not None and measured.primary.estimate("sampled") is not None
        # What a sample guarantees stands before what the prediction expects.
        if campaign.measure != campaign.rbp or sampled:
            return _measured_leaderboard(campaign, rules, measured)
        return _predicted_leaderboard(campaign, rules)


def _predicted_leaderboard(campaign: Campaign, rules: HandIn) -> Leaderboard:
    """Rows are in the order of the overview: by expected score, or, without a prediction, by the middle of
    the score range. That claims nothing."""
    computed = computed_of(campaign=campaign)
    ranges = score_ranges_of(campaign=campaign, computed=computed, topics="judged")
    standings = standings_of(campaign=campaign, topics="judged")
    topics, every = len(judged_topics(campaign=campaign)), campaign.topics.count()
    names = _labels(ranges) if rules.anonymous else {}
    order = {row.id: place for place, row in enumerate(standings.rows)}
    placed: list[tuple[int, LeaderboardRow]] = []
    for run in ranges:
        name, team = names.get(run.id, run.run), "" if rules.anonymous else run.group
        row = standings.of_run(run.id)
        ranks = (row.first, row.last) if row else (None, None)
        marks = (row.expected, row.low, row.high) if row and not row.too_early else ()
        scores = (run.base, run.base, run.residual, run.top)
        place = order[row.id] if row else len(order)
        placed.append((place, LeaderboardRow(name, team, *scores, *ranks, *marks)))
    rows = [row for _, row in sorted(placed, key=lambda pair: (pair[0], pair[1].run))]
    about = (computed.applied, computed.judged, topics, every)
    return Leaderboard(campaign.rbp, "predicted", *about, rules.anonymous, rules.published_at, rows)


def _measured_leaderboard(campaign: Campaign, rules: HandIn, measured: MeasuredCampaign) -> Leaderboard:
    """Rows are in the order of the best estimate, or of the score where there is none. Before anything is
    measured, runs stand in the order of their names."""
    ranges = sorted(score_ranges_of(campaign=campaign), key=lambda run: run.run)
    names = _labels(ranges) if rules.anonymous else {}
    measure = measured.primary
    best = measure.best_estimate if measure else None
    ranks = _ranks(measured, measure, best) if measure else {}
    rows = {}
    for run in ranges:
        row = LeaderboardRow(names.get(run.id, run.run), "" if rules.anonymous else run.group)
        if measure is not None and run.id in measured.place:
            figures: dict[str, Any] = run_figures(measure, measured.place[run.id]) | ranks.get(run.id, {})
            row = replace(row, **figures)
            if row.base is not None and row.top is not None:
                row = replace(row, residual=row.top - row.base)
        rows[run.id] = row
    order = [run for run in (order_of(measured, measure) if measure else rows) if run in rows]
    of_mean = best or measure
    return Leaderboard(
        campaign.measure,
        best.kind if best else "",
        measured.as_of,
        measured.content.judged,
        of_mean.topics if of_mean else 0,
        campaign.topics.count(),
        rules.anonymous,
        rules.published_at,
        [rows[run] for run in order],
    )


def _ranks(
    measured: MeasuredCampaign, measure: MeasureScores, best: Estimate | None
) -> dict[int, dict[str, Any]]:
    """Ranks of each run, `first` to `last`, that no separated pair rules out: one that is certain, by the
    interval of its difference, or by the model. Empty where nothing is stated about pairs."""
    stated = []
    if measure.has_bounds:
        base, top = (np.array(column, dtype=np.float64) for column in (measure.base, measure.top))
        stated.append(base[:, None] > top[None, :] + NOISE)
    pairs = {name: measured.matrix(measure, best, name) for name in best.pairs} if best else {}
    if CALIBRATED in pairs:
        stated.append(np.round(pairs[CALIBRATED], 4) >= SEPARATED)
    if "half_width" in pairs:
        stated.append(pairs["difference"] > pairs["half_width"])
    if not stated:
        return {}
    first, last = possible_places(np.logical_or.reduce(stated).astype(np.float64))
    return {
        run: {"first": int(first[place]), "last": int(last[place])} for run, place in measured.place.items()
    }


def _labels(ranges: Sequence[RunScoreRange]) -> dict[int, str]:
    """Anonymous names by id, in an order that only the site's key knows: neither uploads nor scores give a
    name away."""

    def lot(run: RunScoreRange) -> str:
        message = f"leaderboard {run.id}".encode()
        return hmac.new(settings.SECRET_KEY.encode(), message, hashlib.sha256).hexdigest()

    return {
        run.id: gettext("System %(number)s") % {"number": number}
        for number, run in enumerate(sorted(ranges, key=lot), start=1)
    }
