"""Latest stopping advice of the worker, for pages and API."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import Any, Literal, get_args

import numpy as np
from django.utils.translation import gettext, gettext_noop

from campaigns.core.errors import Refusal
from campaigns.models import Advice, Campaign
from campaigns.predictions.prediction import TOP_RUNS
from campaigns.predictions.standings import RunStanding, Standings, standings_of
from campaigns.results.pairs import bases_against_projections
from campaigns.results.topic_scope import TopicScope, scope_counts
from campaigns.stopping.advice_content import (
    AdviceContent,
    AdvisedPair,
    DecisionBasis,
    PairIds,
    StoredForecast,
    Withheld,
    counted_seconds,
)
from evaluation.comparison.pair_decisions import by_score_ranges, top_is_distinct
from evaluation.comparison.pairs import Versus

# Why open pairs have no forecast.
NoForecast = Literal["", "judged_topics", "too_long"] | Withheld


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
    less the other's base, top or projection, a mean over `topic_count` topics: those of the scope, against
    the projection without those in which nothing of the other is judged. `confidence`: the predicted
    probability that `run` has the higher final score, 1 if that is decided. `forecast`: of an open pair,
    until it is decided. `ids`: of the runs.
    """

    run: str
    other: str
    decided: bool
    by: DecisionBasis
    difference: float | None
    confidence: float | None
    forecast: RemainingEffort | None = None
    ids: PairIds | None = None
    topic_count: int | None = None


@dataclass(frozen=True, kw_only=True)
class StoppingForecast(RemainingEffort):
    """Until the best run is distinct, or all pairs of the best are decided."""

    until: Literal["top", "pairs"]


@dataclass(frozen=True)
class StoppingAdvice:
    """`as_of`: of score ranges; `age`: judgments since the worker looked; `current`: whether that was at the
    campaign's present runs and settings. `left_out`: what would have taken too long; `no_forecast`: why open
    pairs have none. `next_pair`: until the prediction separates one of them; `one_best`: until one run has a
    P(best) of 95%. `predicted_age`: judgments since the pairs' confidence."""

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
    forecast_as_of: int | None = None
    no_forecast: NoForecast = ""
    next_pair: RemainingEffort | None = None
    one_best: RemainingEffort | None = None
    seconds_each: float | None = None
    predicted_age: int | None = None

    @property
    def counted_seconds(self) -> float | None:
        return counted_seconds(self.seconds_each)

    @property
    def decided(self) -> int:
        return sum(pair.decided for pair in self.pairs)

    @property
    def left_out_words(self) -> str:
        parts = ", ".join(gettext(_LEFT_OUT[part]) for part in self.left_out)
        return gettext("Left out, for it would take too long: %(parts)s.") % {"parts": parts} if parts else ""


_LEFT_OUT = {
    "difference": gettext_noop("pairs that only the bounds of their difference decide"),
    "confidence": gettext_noop("how sure open pairs are"),
    "certainty": gettext_noop("when open pairs are certainly separated"),
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
    """Stopping advice for the first runs of the overview. None before the first judgment and, over all
    topics, before the worker has computed it."""
    check_versus(versus)
    row = Advice.objects.filter(campaign=campaign).first()
    content = AdviceContent.from_json(row.content if row else {})
    if topics == "all" and (row is None or not content.judged):
        return None
    standings = standings_of(campaign=campaign, topics=topics)
    if topics == "judged":
        # Forecasts and decided differences are of means over all topics.
        row, content = None, AdviceContent(judged=standings.judged)
    if len(standings.rows) < 2 or not standings.judged:
        return None
    base, top = (np.array([getattr(run, name) for run in standings.rows]) for name in ("base", "top"))
    current = row is None or row.configuration == campaign.configuration
    chosen = sorted(standings.rows[:TOP_RUNS], key=lambda run: (-round(run.base, 12), run.id))
    return StoppingAdvice(
        as_of=standings.as_of,
        age=standings.length - (row.as_of if row else standings.as_of),
        current=current,
        judged=content.judged,
        best=content.best or chosen[0].run,
        distinct=content.distinct if row else top_is_distinct(base, top - base),
        rivals=content.rivals if row else int(np.count_nonzero(top >= base.max())) - 1,
        k=len(chosen),
        pairs=_pairs(
            standings,
            chosen,
            content if current else AdviceContent(),
            _differences(campaign, chosen, versus, topics),
        ),
        forecast=_total(content),
        left_out=list(content.left_out),
        forecast_as_of=row.as_of if row else None,
        no_forecast=_no_forecast(topics, content),
        next_pair=_remaining(content.next_pair, content),
        one_best=_remaining(content.one_best, content),
        seconds_each=content.seconds_each,
        predicted_age=None
        if standings.predicted_as_of is None
        else standings.length - standings.predicted_as_of,
    )


def separation_of(*, campaign: Campaign, runs: PairIds) -> RemainingEffort | None:
    """Judgments until the prediction separates two runs by their means over all topics; None unless that was
    forecast for the campaign's present runs and settings."""
    row = Advice.objects.filter(campaign=campaign, configuration=campaign.configuration).first()
    content = AdviceContent.from_json(row.content if row else {})
    one, other = runs
    forecast = content.separating.get((one, other)) or content.separating.get((other, one))
    return _remaining(forecast, content)


def _no_forecast(topics: TopicScope, content: AdviceContent) -> NoForecast:
    if topics == "judged":
        return "judged_topics"
    return content.withheld or ("too_long" if {"certainty", "forecast"} & {*content.left_out} else "")


# Of each run less each other one, None where there is none, and over how many topics.
_Differences = tuple[list[list[float | None]], list[list[int]]]


def _differences(
    campaign: Campaign, chosen: list[RunStanding], versus: str, topics: TopicScope
) -> _Differences:
    """A run that leads even the other's top or projection leads by more than its own base."""
    if versus == "projected":
        runs = [run.id for run in chosen]
        means, counts = bases_against_projections(campaign=campaign, runs=runs, scope=topics)
        return [[None if isnan(mean) else mean for mean in row] for row in means.tolist()], counts.tolist()
    count = getattr(scope_counts(campaign=campaign), topics)
    gaps = [[run.base - (other.top if versus == "top" else other.base) for other in chosen] for run in chosen]
    return [[*row] for row in gaps], [[count] * len(chosen) for _ in chosen]


def _pairs(
    standings: Standings, chosen: list[RunStanding], content: AdviceContent, differences: _Differences
) -> list[RunPair]:
    """Pairs of the chosen runs, by descending base."""
    base, top = (np.array([getattr(run, name) for run in chosen]) for name in ("base", "top"))
    surely = by_score_ranges(base, top - base).better
    stored = {content.ids(pair): pair for pair in content.pairs}
    ahead, counts = differences
    pairs = []
    for upper, lower in combinations(range(len(chosen)), 2):
        run, other = chosen[upper], chosen[lower]
        in_order = stored.get((run.id, other.id))
        asked = in_order or stored.get((other.id, run.id))
        prediction = standings.prediction
        confidence = None if prediction is None else prediction.confidence(run.id, other.id)
        # The worker reads the documents that both rank, and knows where they cancel.
        cancels = confidence == 1 or (in_order is not None and in_order.by == "difference")
        by: DecisionBasis = "intervals" if surely[upper, lower] else "difference" if cancels else ""
        pairs.append(
            RunPair(
                run.run,
                other.run,
                decided=by != "",
                by=by,
                difference=ahead[upper][lower],
                confidence=1.0 if by else confidence,
                forecast=_remaining(asked.forecast, content) if asked and not by else None,
                ids=(run.id, other.id),
                topic_count=counts[upper][lower],
            )
        )
    return pairs


def decided_pair(content: AdviceContent, pair: AdvisedPair) -> RunPair:
    """Pair as the worker stored it."""
    above, below = content.runs[pair.upper], content.runs[pair.lower]
    gap = above.base - below.base
    return RunPair(above.run, below.run, pair.by != "", pair.by, gap, 1.0, ids=content.ids(pair))


def _remaining(forecast: StoredForecast | None, content: AdviceContent) -> RemainingEffort | None:
    return None if forecast is None else RemainingEffort(**_effort(forecast, content.seconds_each))


def _total(content: AdviceContent) -> StoppingForecast | None:
    if content.forecast is None or not content.forecast.until:
        return None
    effort = _effort(content.forecast, content.seconds_each)
    return StoppingForecast(**effort, until=content.forecast.until)


def _effort(forecast: StoredForecast, seconds_each: float | None) -> dict[str, Any]:
    """The fields of `RemainingEffort`."""

    seconds = counted_seconds(seconds_each)

    def hours(judgments: int | None) -> float | None:
        return None if judgments is None or seconds is None else judgments * seconds / 3600

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
