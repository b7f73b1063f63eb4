"""The leaderboard: score ranges, prediction intervals and ranks of all runs that take part, as the overview
has them."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext

from campaigns.core.database import consistent_reads
from campaigns.models import Campaign
from campaigns.participants.rules import rules_of
from campaigns.predictions.standings import standings_of
from campaigns.results.score_ranges import RunScoreRange, computed_of, score_ranges_of
from campaigns.results.topic_scope import judged_topics


@dataclass(frozen=True)
class LeaderboardRow:
    """A run. `first` to `last`: its rank among distinct runs, as on the overview. `expected`, `low`, `high`:
    the prediction and its interval. None where the overview shows none."""

    run: str
    team: str
    base: float
    residual: float
    first: int | None = None
    last: int | None = None
    expected: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def top(self) -> float:
        return self.base + self.residual


@dataclass(frozen=True)
class Leaderboard:
    """Means over the `topics` of `all_topics` that have a judgment. `as_of`: the length of the log that the
    figures know; `judged`: the judged documents."""

    measure: str
    as_of: int
    judged: int
    topics: int
    all_topics: int
    anonymous: bool
    published_at: datetime | None
    rows: list[LeaderboardRow]


def leaderboard_of(campaign: Campaign) -> Leaderboard:
    """Current leaderboard. Rows are in the order of the overview: by expected score, or, without a
    prediction, by the middle of the score range. That claims nothing."""
    rules = rules_of(campaign)
    with consistent_reads():
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
        place = order[row.id] if row else len(order)
        placed.append((place, LeaderboardRow(name, team, run.base, run.residual, *ranks, *marks)))
    rows = [row for _, row in sorted(placed, key=lambda pair: (pair[0], pair[1].run))]
    about = (campaign.rbp, computed.applied, computed.judged, topics, every)
    return Leaderboard(*about, rules.anonymous, rules.published_at, rows)


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
