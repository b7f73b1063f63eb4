"""The leaderboard: score ranges and prediction intervals of all runs that take part, and the places that
remain possible. Two runs whose score ranges overlap are not put in an order."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.conf import settings
from django.utils.translation import gettext

from campaigns.core.database import consistent_reads
from campaigns.models import Campaign
from campaigns.participants.rules import rules_of
from campaigns.results.score_ranges import RunScoreRange, computed_of, score_ranges_of
from campaigns.results.topic_scope import judged_topics
from campaigns.stopping.prediction import is_too_wide, prediction_of

# Of equal scores, sums in another order may differ by so much.
NOISE = 1e-9


@dataclass(frozen=True)
class LeaderboardRow:
    """A run. `first` to `last`: its possible places, by score ranges alone. `expected`, `low`, `high`: the
    prediction and its interval, None where nothing is predicted or it is too early."""

    run: str
    team: str
    base: float
    residual: float
    first: int
    last: int
    expected: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def top(self) -> float:
        return self.base + self.residual


@dataclass(frozen=True)
class Leaderboard:
    """Means over the `topics` of `all_topics` that have a judgment. `as_of`: the judgments that the figures
    know."""

    measure: str
    as_of: int
    topics: int
    all_topics: int
    anonymous: bool
    published_at: datetime | None
    rows: list[LeaderboardRow]


def leaderboard_of(campaign: Campaign) -> Leaderboard:
    """As it stands now. Rows are in the order of the overview: by expected score, or where none is predicted
    by the middle of the score range. That claims nothing."""
    rules = rules_of(campaign)
    with consistent_reads():
        computed = computed_of(campaign=campaign)
        ranges = score_ranges_of(campaign=campaign, computed=computed, topics="judged")
        prediction = prediction_of(campaign=campaign, topics="judged")
        topics, every = len(judged_topics(campaign=campaign)), campaign.topics.count()
    predicted = {} if prediction is None or prediction.early else {run.id: run for run in prediction.runs}
    names = _labels(ranges) if rules.anonymous else {}
    rows: list[tuple[float, LeaderboardRow]] = []
    for run, first, last in zip(ranges, *_places(ranges), strict=True):
        name, team = names.get(run.id, run.run), "" if rules.anonymous else run.group
        known = predicted.get(run.id)
        # The prediction may know fewer judgments than the score range, which is certain.
        marks = (known.expected, known.low, known.high) if known else ()
        cut = [min(max(value, run.base), run.top) for value in marks]
        height = cut[0] if cut else (run.base + run.top) / 2
        if cut and is_too_wide(run.base, cut[1], cut[2], run.top):
            cut = []
        rows.append((-height, LeaderboardRow(name, team, run.base, run.residual, first, last, *cut)))
    rows.sort(key=lambda row: (row[0], row[1].run))
    return Leaderboard(
        campaign.measure,
        computed.applied,
        topics,
        every,
        rules.anonymous,
        rules.published_at,
        [row for _, row in rows],
    )


def _places(ranges: Sequence[RunScoreRange]) -> tuple[list[int], list[int]]:
    """The first and last place of each run that no pair of disjoint score ranges rules out."""
    base, top = (np.array([getattr(run, name) for run in ranges]) for name in ("base", "top"))
    ahead = len(ranges) - np.searchsorted(np.sort(base), top + NOISE, side="right")
    behind = np.searchsorted(np.sort(top), base - NOISE, side="left")
    return (1 + ahead).tolist(), (len(ranges) - behind).tolist()


def _labels(ranges: Sequence[RunScoreRange]) -> dict[int, str]:
    """By id, in an order that only the site's key knows: neither uploads nor scores give a name away."""

    def lot(run: RunScoreRange) -> str:
        message = f"leaderboard {run.id}".encode()
        return hmac.new(settings.SECRET_KEY.encode(), message, hashlib.sha256).hexdigest()

    return {
        run.id: gettext("System %(number)s") % {"number": number}
        for number, run in enumerate(sorted(ranges, key=lot), start=1)
    }
