"""Computation of stopping advice from a worker's copy of the campaign, and its storage."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from django.db import transaction

from campaigns.computing.live import LiveCampaign
from campaigns.core.background import run_at_low_priority
from campaigns.core.measured import is_measured
from campaigns.log.current import stretches_by_assessors
from campaigns.models import Advice, Judgment, Run
from campaigns.models.judgment import COPIED
from campaigns.predictions.decided_pairs import (
    advised_runs,
    is_large,
    predicted_runs,
    reads_documents,
    try_background_lock,
)
from campaigns.predictions.experience import site_experience
from campaigns.predictions.predicted_topics import predicted_topics
from campaigns.scoring.pair_probabilities import decided_by_difference
from campaigns.stopping import verdicts
from campaigns.stopping.advice_content import AdviceContent, AdvisedPair, AdvisedRun, StoredForecast
from evaluation.arrays import IntArray
from evaluation.comparison.pair_decisions import (
    by_score_ranges,
    top_is_distinct,
)
from selection.simulation.forecast import Forecast, forecast
from selection.simulation.relevance.judged_relevance import JudgedRelevance
from selection.simulation.separation import separation_forecast
from selection.simulation.topic_sample import of_topics
from selection.state import CampaignState
from selection.stopping.tests import StopTest, TopDistinct, TopPairs

EXPENSIVE = ("difference", "confidence", "certainty", "forecast")

# Futures simulated for a forecast. They look as far ahead as there is time for: each look tries twice as
# far as the last one if that was too near and quick, half as far if it took too long.
FORECAST_DRAWS = 20
FIRST_HORIZON = 200
HORIZONS = range(50, 20_001)
FORECAST_SECONDS = 12.0
# How far ahead the next decision of the prediction is looked for: as many judgments as the shortest horizon
# takes in all draws, in a single simulation.
MOST_AHEAD = HORIZONS[0] * FORECAST_DRAWS
# The judgments whose times make the median, and how few are too few.
LATEST_TIMES, LEAST_TIMES = 2000, 10


def compute_advice(live: LiveCampaign, horizon: int = FIRST_HORIZON) -> AdviceContent:
    base, residual = live.scores.bounds.means()
    projected = live.scores.bounds.projections()
    tags = dict(Run.objects.filter(id__in=live.arrays.runs).values_list("id", "tag"))
    names = [tags[run] for run in live.arrays.runs]
    among = live.arrays.taking_part
    here = np.array(among, dtype=np.int64)
    best = names[here[base[here].argmax()]] if len(here) else ""
    if len(here) < 2 or not live.judged:
        return AdviceContent(judged=live.judged, best=best)
    chosen = advised_runs(live)
    large, distinct = is_large(live), top_is_distinct(base[here], residual[here])
    highest = float(base[here].max())
    pairs = _pairs(live.state if large else live.scored_state, chosen, large)
    left_out = _left_out(live, large)
    content = AdviceContent(
        judged=live.judged,
        best=best,
        distinct=distinct,
        rivals=int(np.count_nonzero((base + residual)[here] >= highest)) - 1,
        runs=tuple(
            AdvisedRun(
                live.arrays.runs[run], names[run], *(float(of[run]) for of in (base, residual, projected))
            )
            for run in chosen
        ),
        pairs=tuple(pairs),
        left_out=tuple(part for part in EXPENSIVE if part in left_out),
    )
    if "forecast" in left_out or (distinct and all(pair.by for pair in pairs)):
        return content
    if live.assumes_not_relevant:
        return replace(content, withheld="unjudged_not_relevant")
    relevance = JudgedRelevance.of(live.state.setting)
    if relevance.one_sided and not relevance.few:
        return replace(content, withheld=relevance.one_sided)
    if not relevance.one_sided:
        content = _with_separation(content, live, large)
    if large:
        return content
    test = TopPairs(len(chosen), among=among) if distinct else TopDistinct(among)
    return _with_forecast(content, live, test, chosen.tolist(), horizon)


def _left_out(live: LiveCampaign, large: bool) -> set[str]:
    """Parts that take too long; of large campaigns, a sample of topics gives what predictions say."""
    slow = {"forecast"} if reads_documents(live) else set()
    if not large:
        return slow
    return {"difference", "certainty"} | slow if predicted_runs(live) else set(EXPENSIVE)


def _with_separation(content: AdviceContent, live: LiveCampaign, large: bool) -> AdviceContent:
    """With a forecast of what the prediction decides next; of a large campaign, from the sample of topics
    that predicts it."""
    state, population = live.state, None
    if large:
        part = predicted_topics(live)
        if part is None:
            return content
        state = of_topics(live.state, [part.topics[at] for at in part.scopes[0]], served=True)
        population = part.populations[0]
    times = len(live.arrays.topics) / max(len(state.pools), 1)
    left = sum(map(state.setting.judgments.open_in, range(len(state.pools))))
    experience, _ = site_experience(other_than=live.campaign_id)
    compared = np.array(predicted_runs(live) or live.arrays.taking_part, dtype=np.int64)
    ahead = run_at_low_priority(
        separation_forecast,
        state,
        horizon=int(min(MOST_AHEAD, max(left, 1)) * times),
        seed=live.seed,
        experience=experience,
        compared=compared,
        population=population,
    )
    if ahead is None:
        return content
    pair, best = (None if one is None else _stored(one) for one in (ahead.pair, ahead.best))
    ids = live.arrays.runs
    return replace(
        content,
        next_pair=pair,
        one_best=best,
        separating={(ids[one], ids[other]): _stored(until) for (one, other), until in ahead.pairs.items()},
        seconds_each=judgment_times(live.campaign_id).seconds,
    )


def _with_forecast(
    content: AdviceContent, live: LiveCampaign, test: StopTest, chosen: list[int], horizon: int
) -> AdviceContent:
    """With a forecast of the test, and of each open pair."""
    left = sum(map(live.state.setting.judgments.open_in, range(len(live.state.pools))))
    horizon = min(horizon, max(left, 1))
    began = time.monotonic()
    every = 1 if horizon <= FIRST_HORIZON else 5
    open_ = [pair for pair in content.pairs if not pair.by]
    asked = tuple((chosen[pair.upper], chosen[pair.lower]) for pair in open_)
    experience, _ = site_experience(other_than=live.campaign_id)
    # Every pool is in memory: the pairs were looked at before.
    of_test, *of_pairs = run_at_low_priority(
        forecast,
        live.state,
        [test],
        pairs=asked,
        horizon=horizon,
        draws=FORECAST_DRAWS,
        test_every=every,
        seed=live.seed,
        experience=experience,
    )
    took = time.monotonic() - began
    stored = {pair: _stored(one) for pair, one in zip(open_, of_pairs, strict=True)}
    near = horizon < left and any(one.median is None for one in (of_test, *of_pairs))
    further = horizon * 2 if near and took < FORECAST_SECONDS / 2 else horizon
    further = horizon // 2 if took > FORECAST_SECONDS else further
    further = min(further, HORIZONS[-1])
    return replace(
        content,
        pairs=tuple(replace(pair, forecast=stored.get(pair)) for pair in content.pairs),
        forecast=replace(_stored(of_test), until="top" if isinstance(test, TopDistinct) else "pairs"),
        next_horizon=max(further, HORIZONS[0]),
        further=further > horizon,
        seconds_each=judgment_times(live.campaign_id).seconds,
    )


def _stored(until: Forecast) -> StoredForecast:
    return StoredForecast(until.median, until.low, until.high, until.horizon, never=until.exhausted > 0.5)


@dataclass(frozen=True)
class JudgmentTimes:
    """Times of the latest judgments by assessors: the median, None unless that of most is known, of at least
    `LEAST_TIMES`; the number with a known time; and the number of judgments."""

    seconds: float | None
    timed: int
    judgments: int


def judgment_times(campaign: int) -> JudgmentTimes:
    latest: list[int | None] = []
    rows = Judgment.objects.filter(campaign_id=campaign, grade__isnull=False).exclude(method=COPIED)
    for stretch in stretches_by_assessors(campaign):
        of_stretch = rows.filter(sequence__range=stretch).order_by("-sequence")
        times = of_stretch.values_list("milliseconds", flat=True)
        latest += times[: LATEST_TIMES - len(latest)]
        if len(latest) == LATEST_TIMES:
            break
    took = [time for time in latest if time is not None]
    enough = len(took) >= LEAST_TIMES and is_measured(len(took), len(latest))
    return JudgmentTimes(float(np.median(took)) / 1000 if enough else None, len(took), len(latest))


def _pairs(state: CampaignState, chosen: IntArray, large: bool) -> list[AdvisedPair]:
    """Pairs by places among the chosen; forecasts are still to come."""
    base, residual = (means[chosen] for means in state.mean_bounds())
    surely = by_score_ranges(base, residual).better
    better = surely if large else decided_by_difference(state, chosen)
    return [
        AdvisedPair(
            upper,
            lower,
            "intervals" if surely[upper, lower] else "difference" if better[upper, lower] else "",
        )
        for upper, lower in combinations(range(len(chosen)), 2)
    ]


def write_advice(live: LiveCampaign) -> None:
    """Put down what the judgments up to now say, over what those before said. Nothing happens while
    another process does as much, for any campaign."""
    with try_background_lock() as alone:
        if not alone:
            return
        last = Advice.objects.filter(campaign=live.campaign_id).first()
        before = AdviceContent.from_json(last.content if last else {})
        began = time.monotonic()
        content = compute_advice(live, before.next_horizon or FIRST_HORIZON)
        seconds = time.monotonic() - began
        news = verdicts.news(before, content)
        content = replace(content, seconds=seconds, announced=news.announced)
        rows = {"content": content.to_json(), "as_of": live.applied, "configuration": live.configuration}
        with transaction.atomic():
            advice, _ = Advice.objects.update_or_create(campaign_id=live.campaign_id, defaults=rows)
            verdicts.publish_news(campaign=advice.campaign, news=news, content=content, as_of=live.applied)
