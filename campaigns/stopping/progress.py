"""Effect of judging so far: mean residual and separated pairs over the judgments, as lines to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.models import Campaign
from campaigns.results.curves import residual_curves
from campaigns.stopping.prediction import TOP_RUNS, SeparatedPairs, prediction_of
from campaigns.stopping.standings import RunStanding, Standings

Points = Sequence[tuple[int, float]]
# More points than a small drawing can show make the page longer and nothing clearer.
MOST_POINTS = 40


@dataclass(frozen=True)
class RunProgress:
    """How one run's score range narrowed: an area in hundredths of the drawing. `low`, `high`, `expected`:
    the prediction now, as heights from the top; None where there is none."""

    row: RunStanding
    area: str
    low: float | None
    high: float | None
    expected: float | None


@dataclass(frozen=True)
class Progress:
    """Paths in hundredths of the drawing's width and height. `until`: the judgment at the right end; `now`:
    where the last judgment stands. `pairs`: how many there are; `over_all`, `over_judged`: separated now."""

    until: int
    now: float
    judged: int
    residual: float | None
    residual_path: str
    pairs: int
    over_all: int | None
    over_judged: int | None
    all_path: str
    judged_path: str
    runs: Sequence[RunProgress] = ()

    @property
    def residual_end(self) -> float:
        return 100 * (1 - (self.residual or 0.0))


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
        residual_path=_path(residuals, until, 1),
        pairs=pairs,
        over_all=history[0][-1].separated if history[0] else None,
        over_judged=history[1][-1].separated if history[1] else None,
        all_path=_path(_separated(history[0]), until, pairs),
        judged_path=_path(_separated(history[1]), until, pairs),
        runs=[_run_progress(row, curves.bounds[row.id]) for row in first],
    )


def _run_progress(row: RunStanding, bounds: Sequence[tuple[int, float, float]]) -> RunProgress:
    """The last judgment is at the right end."""
    until = max(bounds[-1][0], 1)
    every = -(-len(bounds) // MOST_POINTS)
    # Counted from the end, so that the present is among them.
    some = list(bounds[::-1][::every])[::-1]
    tops = [f"{100 * judged / until:.1f} {100 * (1 - top):.1f}" for judged, _, top in some]
    bases = [f"{100 * judged / until:.1f} {100 * (1 - base):.1f}" for judged, base, _ in some]
    area = "M" + "L".join([*tops, *bases[::-1]]) + "z" if len(some) > 1 else ""
    if row.too_early or row.low is None or row.high is None or row.expected is None:
        return RunProgress(row, area, None, None, None)
    return RunProgress(row, area, *(100 * (1 - value) for value in (row.low, row.high, row.expected)))


def _separated(past: Sequence[SeparatedPairs]) -> Points:
    return [(one.judged, float(one.separated)) for one in past]


def _path(points: Points, until: int, most: float) -> str:
    """It ends with a line of no length, which round caps draw as a dot: of one point nothing else is seen."""
    at = [f"{100 * x / until:.2f} {100 * (1 - y / (most or 1)):.2f}" for x, y in points]
    return "M" + "L".join(at) + "h0" if at else ""
