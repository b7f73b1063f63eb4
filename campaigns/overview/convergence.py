"""Effect of judging so far: mean residual and separated pairs over the judgments, as lines to draw."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from campaigns.models import Campaign
from campaigns.predictions.prediction import TOP_RUNS, SeparatedPairs, prediction_of
from campaigns.predictions.standings import RunStanding, Standings
from campaigns.results.curves import far_starts, residual_curves, stretches

Points = Sequence[tuple[int, float]]
# More points than a small drawing can show make the page longer and nothing clearer.
MOST_POINTS = 40


@dataclass(frozen=True)
class RunProgress:
    """Narrowing of one run's score range: an area in hundredths of the drawing. `low`, `high`, `expected`:
    the current prediction, as heights from the top; None where there is none."""

    row: RunStanding
    area: str
    low: float | None
    high: float | None
    expected: float | None


@dataclass(frozen=True)
class ProgressCurve:
    """Paths in hundredths of the drawing's width and height: a line with gaps where nothing was measured, and
    the points that nothing joins."""

    line: str
    dots: str


@dataclass(frozen=True)
class Progress:
    """`until`: the judgment at the right end; `now`:
    where the last judgment stands. `pairs`: how many there are; `over_all`, `over_judged`: separated now."""

    until: int
    now: float
    judged: int
    residual: float | None
    residuals: ProgressCurve
    pairs: int
    over_all: int | None
    over_judged: int | None
    all_topics: ProgressCurve
    judged_topics: ProgressCurve
    runs: Sequence[RunProgress] = ()


def progress_of(*, campaign: Campaign, standings: Standings) -> Progress:
    first = standings.rows[:TOP_RUNS]
    curves = residual_curves(campaign=campaign, runs=[row.id for row in first])
    residuals = curves.residual
    every = prediction_of(campaign=campaign)
    judged = prediction_of(campaign=campaign, topics="judged")
    history = [one.history if one else () for one in (every, judged)]
    until = max(campaign.budget or 0, standings.judged, 1)
    pairs = max((one.pairs for past in history for one in past), default=0)
    return Progress(
        until=until,
        now=100 * standings.judged / until,
        judged=standings.judged,
        residual=residuals[-1][1] if len(residuals) > 1 else None,
        residuals=_curve(residuals, curves.starts, until, 1),
        pairs=pairs,
        over_all=history[0][-1].separated if history[0] else None,
        over_judged=history[1][-1].separated if history[1] else None,
        all_topics=_pairs_curve(history[0], curves.starts, until, pairs),
        judged_topics=_pairs_curve(history[1], curves.starts, until, pairs),
        runs=[_run_progress(row, curves.bounds[row.id], curves.starts) for row in first],
    )


Bounds = Sequence[tuple[int, float, float]]


def _run_progress(row: RunStanding, bounds: Bounds, starts: AbstractSet[int]) -> RunProgress:
    """The last judgment is at the right end."""
    until = max(bounds[-1][0], 1)
    every = -(-len(bounds) // MOST_POINTS)
    drawn = stretches(bounds, starts) if len(bounds) > 1 else []
    area = "".join(_area(part, every, until) for part in drawn)
    if row.too_early or row.low is None or row.high is None or row.expected is None:
        return RunProgress(row, area, None, None, None)
    return RunProgress(row, area, *(100 * (1 - value) for value in (row.low, row.high, row.expected)))


def _area(bounds: Bounds, every: int, until: int) -> str:
    """Every so many points, the ends among them; of one point a line from top to base."""
    some = [bounds[0], *bounds[::-1][: len(bounds) - 1 : every][::-1]]
    tops = [f"{100 * judged / until:.1f} {100 * (1 - top):.1f}" for judged, _, top in some]
    bases = [f"{100 * judged / until:.1f} {100 * (1 - base):.1f}" for judged, base, _ in some]
    return "M" + "L".join([*tops, *bases[::-1]]) + "z"


def _pairs_curve(
    past: Sequence[SeparatedPairs], starts: AbstractSet[int], until: int, most: float
) -> ProgressCurve:
    points = [(one.judged, float(one.separated)) for one in past]
    return _curve(points, starts | far_starts([judged for judged, _ in points]), until, most)


def _curve(points: Points, starts: AbstractSet[int], until: int, most: float) -> ProgressCurve:
    line, dots = "", ""
    for part in stretches(points, starts):
        at = [f"{100 * x / until:.2f} {100 * (1 - y / (most or 1)):.2f}" for x, y in part]
        if len(at) > 1:
            line += "M" + "L".join(at)
        else:
            # A line of no length, which round caps draw as a dot.
            dots += f"M{at[0]}h0"
    return ProgressCurve(line, dots)
