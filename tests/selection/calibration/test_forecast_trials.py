"""Trying forecasts on campaigns whose outcome is known: against replays made slowly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from selection.calibration.past_campaigns import PastTopic, TrialSetting
from selection.calibration.trials import ForecastOutcome, drawn_cases, median_ratio, moment_of
from selection.simulation.forecast import NEVER, Forecast

RUNS, TOPICS = 4, 5


@pytest.fixture
def topics() -> list[PastTopic]:
    rng = np.random.default_rng(3)
    made = []
    for _ in range(TOPICS):
        relevant = rng.random(40) < 0.3
        noise = [rng.normal(size=40) * (0.4 + 0.3 * run) for run in range(RUNS)]
        rankings = [np.argsort(spread - relevant)[:8].astype(np.int32) for spread in noise]
        made.append(PastTopic(rankings, np.where(relevant, 1.0, np.nan)))
    return made


def setting(judged: int) -> TrialSetting:
    return TrialSetting(tuple(range(RUNS)), tuple(range(TOPICS)), 0.7, "A", "campaign", judged)


def slowly_decided(topics: list[PastTopic], judged: set[tuple[int, int]], one: int, other: int) -> bool:
    """By each document's least part in the difference, whichever of the two is ahead."""
    for first, second in ((one, other), (other, one)):
        least = 0.0
        for at, topic in enumerate(topics):
            lists = [np.asarray(topic.rankings[run]).tolist() for run in (first, second)]
            weight = [{d: 0.3 * 0.7**place for place, d in enumerate(ranked)} for ranked in lists]
            for document in weight[0].keys() | weight[1].keys():
                difference = weight[0].get(document, 0) - weight[1].get(document, 0)
                if (at, document) in judged:
                    least += difference * float(np.nan_to_num(topic.gains[document]))
                else:
                    least += min(difference, 0)
            least -= 0.7 ** len(lists[1])
        if least / TOPICS > 1e-12:
            return True
    return False


def test_the_true_number_is_that_of_a_slow_replay(topics: list[PastTopic]) -> None:
    moment = moment_of(topics, setting(20), np.random.default_rng(1))
    assert moment is not None
    ahead = moment.state.copy()
    judged = {
        (topic, int(ahead.pools[topic].documents[document]))
        for topic in range(TOPICS)
        for document in ahead.setting.judgments.judged_in(topic)
    }
    assert len(judged) == 20
    when: dict[tuple[int, int], int] = {}
    for made in range(1000):
        for pair in moment.pairs:
            if pair not in when and slowly_decided(topics, judged, *pair):
                when[pair] = made
        choice = ahead.best()
        if choice is None:
            break
        document = int(ahead.pools[choice.topic].documents[choice.document])
        judged.add((choice.topic, document))
        gain = float(np.nan_to_num(topics[choice.topic].gains[document]))
        ahead.judge(choice.topic, choice.document, gain)
    assert len(when) > 0
    assert moment.true.tolist() == [when.get(pair, NEVER) for pair in moment.pairs]
    assert min(when.values()) > 0


def test_no_case_where_nothing_is_open(topics: list[PastTopic]) -> None:
    same = [replace(topic, rankings=[topic.rankings[0]] * RUNS) for topic in topics]
    # Runs that are equal stay open; a campaign whose pool is used up has none to ask about.
    assert moment_of(same, setting(5), np.random.default_rng(1)) is not None
    assert moment_of(same, setting(1000), np.random.default_rng(1)) is None
    empty = [PastTopic([None, None], np.zeros(1))]
    cases = drawn_cases(empty, (np.arange(2), np.arange(1)), cases=4, draws=2, seed=1)
    with pytest.raises(ValueError, match="no pair open"):
        next(cases)


def test_the_same_seed_makes_the_same_cases(topics: list[PastTopic]) -> None:
    among = np.arange(RUNS), np.arange(TOPICS)
    progress_calls: list[int] = []
    made = []
    for seed in (1, 1, 2):
        made.append(
            list(drawn_cases(topics, among, cases=7, draws=3, seed=seed, progress=progress_calls.append))
        )
    assert made[0] == made[1] != made[2]
    assert [len(cases) for cases in made] == [7, 7, 7]
    assert progress_calls[-1] == 7
    for case in made[0]:
        assert set(case.pair) <= set(range(RUNS))


def test_sides_and_ratio_of_forecasts() -> None:
    def case(low: int | None, median: int | None, high: int | None, true: int | None) -> ForecastOutcome:
        return ForecastOutcome(forecast=Forecast(median, low, high, 100, 9, 0.5, 0.0), true=true)

    cases = [
        case(10, 20, 40, 10),
        case(10, 20, None, None),
        case(10, 20, 30, 5),
        case(10, 20, 30, None),
    ]
    assert [one.side for one in cases] == [0, 0, -1, 1]
    assert median_ratio(cases) == 3.0
    assert median_ratio(cases[1:2]) is None
