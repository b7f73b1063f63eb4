"""Figures of invented campaigns, for tests that look at how they are laid out."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from campaigns.figures.convergence_figure import ConvergenceFigure, RunCurve
from campaigns.figures.drawings import Figure
from campaigns.figures.intervals import IntervalsFigure
from campaigns.figures.provenance import Provenance
from campaigns.figures.topic_residuals import OpenTopic, TopicsFigure
from campaigns.predictions.prediction import ScorePrediction, SeparatedPairs
from campaigns.predictions.standings import RunStanding, Standings
from campaigns.results.topic_scope import ScopeCounts, TopicScope

State = Literal["predicted", "leaders", "early", "none"]
# As participants write them: short, long, alike up to their end, and not in Latin letters.
TAGS = (
    "r",
    "UIUC_DMG_setrank_ret",
    "UIUC_DMG_setrank_re",
    "IRIT_marked_un_pair-with-feedback",
    "検索システム-run",
)
TITLE = "how long does coronavirus survive on different surfaces"


def provenance(scope: TopicScope = "all", *, topics: int = 30, judged: int = 18) -> Provenance:
    counts = ScopeCounts(topics, judged, judged, 0)
    return Provenance("trec-covid", 1, "RBP(p=0.8)", scope, counts, 5543, 5600)


def intervals_figure(
    runs: int, state: State = "predicted", *, top: int = 0, axis: tuple[float, float] = (0.0, 1.0)
) -> IntervalsFigure:
    rows = [_standing(place, runs, state) for place in range(runs)]
    prediction = None
    if state != "none":
        prediction = ScorePrediction(5543, 30, state == "early", (), np.zeros(0))
    standings = Standings("all", 5600, 5543, 5600, rows, prediction)
    return IntervalsFigure(provenance(), standings, top, axis)


def _standing(place: int, runs: int, state: State) -> RunStanding:
    expected = 0.8 - 0.7 * place / runs
    tag = f"{TAGS[place % len(TAGS)]}{place}"
    same = ("BBGhelani2",) if place in (0, 4) else ()
    row: dict[str, Any] = {
        "same": same,
        "id": place + 1,
        "run": tag,
        "group": "g",
        "late": False,
        "contributes": True,
    }
    row |= {"base": expected / 2, "top": min(expected + 0.2, 1.0)}
    if state in ("none", "early"):
        return RunStanding(**row)
    row |= {"expected": expected, "low": expected - 0.05, "high": expected + 0.05}
    row |= {"first": max(place - 2, 1), "last": place + 3}
    row |= {"leader": place < 18} if state == "leaders" else {"best": (0.71, 0.28, 0.009, 0)[min(place, 3)]}
    return RunStanding(**row)


def convergence_figure(
    runs: int, scope: TopicScope = "all", *, predicted: bool = True, top: int = 0
) -> ConvergenceFigure:
    """Both scopes end at nearly the same number of pairs."""
    judged = np.linspace(0, 5543, 100).astype(int).tolist()
    residuals = {
        name: [(at, float(np.exp(-at / slow))) for at in judged]
        for name, slow in (("all", 9000), ("judged", 8800))
    }
    pairs = {
        name: [SeparatedPairs(at, 45, 0, most * at // 5543) for at in judged[20::10]]
        for name, most in (("all", 26), ("judged", 27))
    }
    curves = [
        RunCurve(
            f"{TAGS[place % len(TAGS)]}{place}",
            judged,
            [0.6 * at / 5543 for at in judged],
            [1 - 0.1 * at / 5543 for at in judged],
        )
        for place in range(runs)
    ]
    return ConvergenceFigure(provenance(scope), residuals, pairs if predicted else {}, curves, runs, top)  # type: ignore[arg-type]


def topics_figure(topics: int, *, unjudged: int = 0) -> TopicsFigure:
    rows = [OpenTopic(str(300 + place), TITLE, 0, 1.0, 1.0, 1.0) for place in range(unjudged)]
    for place in range(unjudged, topics):
        mean = 0.9 - 0.7 * place / topics
        rows.append(
            OpenTopic(str(300 + place), TITLE[place % 20 :], 20, mean * 0.6, mean, min(1.3 * mean, 1))
        )
    return TopicsFigure(provenance(topics=topics, judged=topics - unjudged), rows, 143)


EVERY_FIGURE: dict[str, Figure] = {
    **{f"intervals of {runs} runs": intervals_figure(runs) for runs in (1, 3, 16, 30, 143)},
    "intervals of 60 runs": intervals_figure(143, top=60),
    **{
        f"intervals from {low} to {high}": intervals_figure(3, axis=(low, high))
        for low, high in ((0.3, 1.0), (0.5, 0.6))
    },
    **{f"intervals, {state}": intervals_figure(143, state) for state in ("leaders", "early", "none")},
    **{f"convergence of {runs} runs": convergence_figure(runs) for runs in (1, 3, 16, 143)},
    "convergence of 24 runs": convergence_figure(143, top=24),
    "convergence over judged topics": convergence_figure(16, "judged"),
    "convergence without predictions": convergence_figure(3, predicted=False),
    **{f"{topics} topics": topics_figure(topics) for topics in (1, 30, 50, 225, 300)},
    "30 topics, 12 not judged": topics_figure(30, unjudged=12),
    "225 topics, 205 not judged": topics_figure(225, unjudged=205),
    "no topic judged": topics_figure(5, unjudged=5),
}
