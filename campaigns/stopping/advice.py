"""What the worker last computed about stopping, as pages and API show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from django.utils.translation import gettext, gettext_noop

from campaigns.core.errors import Refusal
from campaigns.log.judgments import length_of
from campaigns.models import Advice, Campaign
from campaigns.results.score_ranges import computed_of, score_ranges_of
from campaigns.results.topic_scope import TopicScope
from campaigns.stopping.content import (
    AdviceContent,
    AdvisedPair,
    AdvisedRun,
    DecisionBasis,
    PairIds,
    StoredForecast,
)
from campaigns.stopping.prediction import TOP_RUNS, ScorePrediction, prediction_of
from evaluation.comparison.pair_decisions import by_score_ranges, leaders, top_is_distinct
from evaluation.comparison.pairs import Versus

# What the other run's base is replaced by: a run that leads even then leads by more than its own base.
_HELD_AGAINST: dict[str, Callable[[AdvisedRun], float]] = {
    "base": lambda run: run.base,
    "top": lambda run: run.base + run.residual,
    "projected": lambda run: run.projected,
}


@dataclass(frozen=True)
class RemainingEffort:
    """Judgments still to come, and hours of assessing: the median of simulated futures, and the interval
    that holds 80 % of them; None: not within `horizon` judgments, hours also where too few judgments have
    a time. `never`: in most futures it does not come though all is judged that the method serves."""

    median: int | None
    low: int | None
    high: int | None
    horizon: int
    never: bool
    hours: float | None = None
    hours_low: float | None = None
    hours_high: float | None = None


@dataclass(frozen=True)
class RunPair:
    """Two of the best runs, the one of higher base first.

    `decided`: whatever the unjudged documents turn out to be, `run` stays above `other`; `by` says what
    shows it: their intervals, or only the bounds of their difference. `difference`: the first one's base
    less the other's base, top or projection. `confidence`: the predicted probability that `run` has the
    higher final score, 1 if that is decided. `forecast`: of an open pair, until it is decided. `ids`: of the
    runs.
    """

    run: str
    other: str
    decided: bool
    by: DecisionBasis
    difference: float
    confidence: float | None
    forecast: RemainingEffort | None = None
    ids: PairIds | None = None


@dataclass(frozen=True, kw_only=True)
class StoppingForecast(RemainingEffort):
    """Until the best run is distinct, or all pairs of the best are decided."""

    until: Literal["top", "pairs"]


@dataclass(frozen=True)
class StoppingAdvice:
    """`age`: judgments since; `current`: whether it is of the campaign's present runs and settings.
    `left_out`: what would have taken too long. `predicted_age`: judgments since the pairs' confidence."""

    as_of: int
    age: int
    current: bool
    judged: int
    best: str
    distinct: bool
    rivals: int
    k: int
    pairs: list[RunPair]
    forecast: StoppingForecast | None
    left_out: list[str]
    seconds_each: float | None = None
    predicted_age: int | None = None

    @property
    def decided(self) -> int:
        return sum(pair.decided for pair in self.pairs)

    @property
    def next_apart(self) -> list[RunPair]:
        """Open pairs with a forecast, the soonest first; then those that take longer than was looked ahead,
        or for ever."""
        told = [(pair, pair.forecast) for pair in self.pairs if pair.forecast is not None]
        told.sort(key=lambda of: (of[1].never, of[1].median is None, of[1].median or 0, -of[0].difference))
        return [pair for pair, _ in told]

    @property
    def left_out_words(self) -> str:
        said = ", ".join(gettext(_LEFT_OUT[part]) for part in self.left_out)
        return gettext("Left out, for it would take too long: %(parts)s.") % {"parts": said} if said else ""


_LEFT_OUT = {
    "difference": gettext_noop("pairs that only the bounds of their difference decide"),
    "confidence": gettext_noop("how sure open pairs are"),
    "forecast": gettext_noop("how many judgments are still to come"),
}


def check_versus(versus: str) -> str:
    if versus not in get_args(Versus):
        raise Refusal(
            "unknown_comparison",
            gettext("versus is base, top or projected, not %(versus)s") % {"versus": versus},
            field="versus",
        )
    return versus


def stopping_advice_of(
    *, campaign: Campaign, versus: str = "base", topics: TopicScope = "all"
) -> StoppingAdvice | None:
    """None before the first judgment, or before the worker has looked at it. Over judged topics,
    what score ranges and prediction decide, without forecasts."""
    check_versus(versus)
    if topics == "judged":
        return _judged_advice(campaign, versus)
    row = Advice.objects.filter(campaign=campaign).first()
    content = AdviceContent.from_json(row.content if row else {})
    if row is None or not content.judged:
        return None
    length = length_of(campaign=campaign)
    prediction = prediction_of(campaign=campaign)
    current = row.configuration == campaign.configuration
    return StoppingAdvice(
        as_of=row.as_of,
        age=length - row.as_of,
        current=current,
        judged=content.judged,
        best=content.best,
        distinct=content.distinct,
        rivals=content.rivals,
        k=len(content.runs),
        pairs=[
            _pair(content, versus, pair, _confidence(content, pair, prediction, current=current))
            for pair in content.pairs
        ],
        forecast=_total(content),
        left_out=list(content.left_out),
        seconds_each=content.seconds_each,
        predicted_age=None if prediction is None else length - prediction.as_of,
    )


def _judged_advice(campaign: Campaign, versus: str) -> StoppingAdvice | None:
    ranges = score_ranges_of(campaign=campaign, topics="judged")
    computed = computed_of(campaign=campaign)
    if len(ranges) < 2 or not computed.judged:
        return None
    base, residual = (np.array([getattr(run, name) for run in ranges]) for name in ("base", "residual"))
    chosen = leaders(base, min(TOP_RUNS, len(ranges)))
    surely = by_score_ranges(base[chosen], residual[chosen]).better
    prediction = prediction_of(campaign=campaign, topics="judged")
    content = AdviceContent(
        judged=computed.judged,
        runs=tuple(
            AdvisedRun(run.id, run.run, run.base, run.residual, run.projected)
            for run in (ranges[at] for at in chosen)
        ),
    )
    pairs = [
        AdvisedPair(upper, lower, "intervals" if surely[upper, lower] else "")
        for upper, lower in combinations(range(len(chosen)), 2)
    ]
    length = length_of(campaign=campaign)
    return StoppingAdvice(
        as_of=computed.applied,
        age=length - computed.applied,
        current=computed.configuration == campaign.configuration,
        judged=computed.judged,
        best=content.runs[0].run,
        distinct=top_is_distinct(base, residual),
        rivals=int(np.count_nonzero(base + residual >= base[chosen[0]])) - 1,
        k=len(chosen),
        pairs=[
            _pair(content, versus, pair, _confidence(content, pair, prediction, current=True))
            for pair in (_decided_by_prediction(content, one, prediction) for one in pairs)
        ],
        forecast=None,
        left_out=[],
        predicted_age=None if prediction is None else length - prediction.as_of,
    )


def _decided_by_prediction(
    content: AdviceContent, pair: AdvisedPair, prediction: ScorePrediction | None
) -> AdvisedPair:
    """The worker reads the documents that both rank, and its prediction is certain where they cancel."""
    ids = content.ids(pair)
    sure = prediction is not None and ids is not None and prediction.confidence(*ids) == 1
    return replace(pair, by=pair.by or "difference") if sure else pair


def _confidence(
    content: AdviceContent, pair: AdvisedPair, prediction: ScorePrediction | None, *, current: bool
) -> float | None:
    """A certain verdict outweighs any prediction."""
    ids = content.ids(pair)
    if pair.by:
        return 1.0 if current else None
    return None if prediction is None or ids is None else prediction.confidence(*ids)


def _pair(content: AdviceContent, versus: str, pair: AdvisedPair, confidence: float | None) -> RunPair:
    above, below = content.runs[pair.upper], content.runs[pair.lower]
    effort = None
    if pair.forecast is not None:
        effort = RemainingEffort(**_effort(pair.forecast, content.seconds_each))
    return RunPair(
        above.run,
        below.run,
        decided=pair.by != "",
        by=pair.by,
        difference=above.base - _HELD_AGAINST[versus](below),
        confidence=confidence,
        forecast=effort,
        ids=content.ids(pair),
    )


def _total(content: AdviceContent) -> StoppingForecast | None:
    if content.forecast is None or not content.forecast.until:
        return None
    effort = _effort(content.forecast, content.seconds_each)
    return StoppingForecast(**effort, until=content.forecast.until)


def _effort(forecast: StoredForecast, seconds_each: float | None) -> dict[str, Any]:
    """The fields of `RemainingEffort`."""

    def hours(judgments: int | None) -> float | None:
        return None if judgments is None or seconds_each is None else judgments * seconds_each / 3600

    return {
        "median": forecast.median,
        "low": forecast.low,
        "high": forecast.high,
        "horizon": forecast.horizon,
        "never": forecast.never,
        "hours": hours(forecast.median),
        "hours_low": hours(forecast.low),
        "hours_high": hours(forecast.high),
    }
