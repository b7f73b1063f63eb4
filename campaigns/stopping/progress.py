"""What judging has bought so far: mean residual and separated pairs over the judgments, as lines to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.models import Campaign
from campaigns.results.curves import mean_residual_curve
from campaigns.stopping.prediction import SeparatedPairs, prediction_of
from campaigns.stopping.standings import Standings

Points = Sequence[tuple[int, float]]


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

    @property
    def residual_end(self) -> float:
        return 100 * (1 - (self.residual or 0.0))


def progress_of(*, campaign: Campaign, standings: Standings) -> Progress:
    residuals = mean_residual_curve(campaign=campaign)
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
    )


def _separated(past: Sequence[SeparatedPairs]) -> Points:
    return [(one.judged, float(one.separated)) for one in past]


def _path(points: Points, until: int, most: float) -> str:
    """From one point no line follows."""
    if len(points) < 2:
        return ""
    return "M" + "L".join(f"{100 * x / until:.2f} {100 * (1 - y / (most or 1)):.2f}" for x, y in points)
