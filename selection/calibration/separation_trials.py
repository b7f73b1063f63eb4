"""Trials of when the next pair of the best runs is separated by prediction, on replayed campaigns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from evaluation.arrays import IntArray
from selection.calibration.coverage import Coverage, Trial, coverage_of
from selection.calibration.past_campaigns import KnownCampaign, PastTopic, TrialSetting, known_campaign
from selection.calibration.trials import ADVISED, TOLERANCE, ForecastOutcome, held_by_campaign, median_ratio
from selection.simulation.forecast import Forecast
from selection.simulation.prediction import Prediction, predict
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience
from selection.simulation.separation import BEST_RUNS, SEPARATED, marks_of, separation_forecast
from selection.simulation.topic_sample import TopicPopulation, of_topics
from selection.state import CampaignState

RUN_COUNTS, TOPIC_COUNTS = (5, 10, 20, 40), (10, 20, 40)
PERSISTENCE = 0.8
DEPTH = 100
METHOD = "C"
# Judgments a topic at the moment of the forecast.
MOMENTS = (3.0, 30.0)
HORIZON = 1000
# Every other campaign has all topics, and is predicted from a random sample of so many of them.
SAMPLED_SHARE = 0.5
# Settings without an open pair, one after the other, before it is given up.
SETTING_TRIES = 100


# What is forecast: of `SeparationForecast`.
EVENTS = {
    "pair": "the next pair is separated",
    "best": "one run is likely best",
    "each": "a given pair is separated",
}
# A forecast of the next pair or of the best run, or of one pair by its runs' indices.
Asked = str | tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class SeparationCase(ForecastOutcome):
    """Forecast of the judgments until an open pair of the best runs is separated, the first or a given one,
    or until one run is the best with `SEPARATED`."""

    forecast: Forecast
    setting: TrialSetting
    event: str


def separation_cases(
    topics: Sequence[PastTopic],
    among: tuple[IntArray, IntArray],
    *,
    campaigns: int,
    seed: int,
    experience: Experience = NO_EXPERIENCE,
    progress: Callable[[int], object] = lambda count: None,
) -> Iterator[SeparationCase]:
    """Cases of so many campaigns drawn among these runs and topics; the same seed gives the same cases. A
    campaign in which nothing is left to forecast is drawn again.

    ValueError if hardly any campaign has anything to forecast.
    """
    generator, count, vain = np.random.default_rng(seed), 0, 0
    while count < campaigns:
        setting = _draw_setting(generator, *among)
        if count % 2:
            setting = _sampled(generator, setting, among[1])
        known = known_campaign(topics, setting)
        cases = _cases(known, seed + count, experience)
        if not cases:
            vain += 1
            if vain > SETTING_TRIES + 10 * count:
                raise ValueError("these runs leave no pair open to forecast about")
            continue
        count += 1
        progress(count)
        yield from cases


def _draw_setting(generator: np.random.Generator, runs: IntArray, topics: IntArray) -> TrialSetting:
    chosen = generator.choice(runs, _size(generator, RUN_COUNTS, len(runs)), replace=False)
    asked = generator.choice(topics, _size(generator, TOPIC_COUNTS, len(topics)), replace=False)
    each = np.exp(generator.uniform(*np.log(MOMENTS)))
    places = tuple(sorted(chosen.tolist())), tuple(sorted(asked.tolist()))
    judged = int(np.ceil(each * len(asked)))
    return TrialSetting(*places, PERSISTENCE, METHOD, "campaign", judged, DEPTH)


def _sampled(generator: np.random.Generator, setting: TrialSetting, topics: IntArray) -> TrialSetting:
    """The setting with all topics, predicted from some; as many judgments a topic."""
    chosen = generator.choice(len(topics), max(round(len(topics) * SAMPLED_SHARE), 2), replace=False)
    judged = int(np.ceil(setting.judged_each * len(topics)))
    sampled = tuple(sorted(chosen.tolist()))
    return replace(setting, topics=tuple(sorted(topics.tolist())), judged=judged, sampled=sampled)


def _size(generator: np.random.Generator, sizes: Sequence[int], most: int) -> int:
    return int(generator.choice([size for size in sizes if size < most] or [most]))


def _cases(known: KnownCampaign, seed: int, experience: Experience) -> list[SeparationCase]:
    """None where there are not so many documents to judge, or nothing is open."""
    state = known.moment()
    if state is None:
        return []
    left = sum(map(state.setting.judgments.open_in, range(len(state.pools))))
    horizon = min(HORIZON, max(left, 1))
    part, population = _predicted_part(state, known.setting)
    separation = separation_forecast(
        part, horizon=horizon, seed=seed, experience=experience, population=population
    )
    if separation is None:
        return []
    forecasts: dict[Asked, Forecast] = dict(separation.pairs.items())
    if separation.pair is not None:
        forecasts["pair"] = separation.pair
    if separation.best is not None:
        forecasts["best"] = separation.best
    true = _true_numbers(known, state, set(forecasts), horizon, seed, experience) if forecasts else {}
    return [
        SeparationCase(
            setting=known.setting,
            forecast=one,
            true=true.get(event),
            event=event if isinstance(event, str) else "each",
        )
        for event, one in forecasts.items()
    ]


def _predicted_part(
    state: CampaignState, setting: TrialSetting
) -> tuple[CampaignState, TopicPopulation | None]:
    """The topics that are predicted, and the population that they are a sample of."""
    if setting.sampled is None:
        return state, None
    population = TopicPopulation(len(state.pools), *state.mean_bounds())
    return of_topics(state, setting.sampled, served=True), population


def _prediction(state: CampaignState, setting: TrialSetting, seed: int, experience: Experience) -> Prediction:
    part, population = _predicted_part(state, setting)
    populations = [] if population is None else [population]
    [prediction] = predict(part, seed=seed, experience=experience, populations=populations)
    return prediction


def _true_numbers(
    known: KnownCampaign,
    state: CampaignState,
    asked: set[Asked],
    horizon: int,
    seed: int,
    experience: Experience,
) -> dict[Asked, int]:
    """Judgments by the qrels, to the next mark, at each of which final scores are predicted."""
    now = _prediction(state, known.setting, seed, experience)
    best = np.argsort(-now.expected, kind="stable")[:BEST_RUNS].tolist()
    open_ = [pair for pair in combinations(best, 2) if not _is_separated(now, pair)]
    ahead, judged, numbers = state.copy(), 0, dict[Asked, int]()
    for mark in marks_of(horizon).tolist():
        while judged < mark and (choice := ahead.best()) is not None:
            document = choice.topic, choice.document
            ahead.judge(*document, known.gain(*document))
            judged += 1
        then = _prediction(ahead, known.setting, seed, experience)
        separated = [pair for pair in open_ if _is_separated(then, pair)]
        events: list[Asked] = [*separated, *(["pair"] if separated else [])]
        if then.best.max() >= SEPARATED:
            events.append("best")
        for event in events:
            numbers.setdefault(event, mark)
        if asked <= numbers.keys():
            break
    return numbers


def _is_separated(prediction: Prediction, pair: tuple[int, int]) -> bool:
    better = float(prediction.better[pair])
    return max(better, 1 - better) >= SEPARATED


def separation_coverage(cases: Sequence[SeparationCase], trial: Trial) -> list[Coverage]:
    """For each event, of cases in which it comes within the horizon, and of all; of campaigns predicted from
    a sample of topics by themselves. `stated`: the share whose median is within the horizon; `ratio`: the
    median of forecast / true number."""
    rows = []
    for (event, words), sampled in product(EVENTS.items(), (False, True)):
        asked = [c for c in cases if c.event == event and (c.setting.sampled is not None) == sampled]
        within = [case for case in asked if case.true is not None]
        suffix = ", from a sample of topics" if sampled else ""
        for regime, some in {f"within the horizon{suffix}": within, f"any{suffix}": asked}.items():
            for row in coverage_of(
                f"80% interval of the judgments until {words}",
                held_by_campaign(some),
                regime=regime,
                nominal=ADVISED,
                tolerance=TOLERANCE,
                at_least=True,
                trial=trial,
            ):
                stated = sum(case.forecast.median is not None for case in some) / len(some)
                rows.append(replace(row, stated=stated, ratio=median_ratio(some)))
    return rows
