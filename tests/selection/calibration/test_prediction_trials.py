"""Predictions tried on campaigns whose final scores are known."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.arrays import FloatArray
from selection.calibration.coverage import Trial
from selection.calibration.fitted_prior import fitted_coefficients
from selection.calibration.past_campaigns import PastTopic, TrialSetting, known_campaign
from selection.calibration.prediction_trials import (
    DEPTHS,
    MISS_COST,
    MOMENTS,
    PREDICTION_METHODS,
    draw_campaign,
    interval_coverage,
    predicted_campaigns,
    prediction_coverage,
)
from selection.simulation.planning import complete_scores

RUNS, TOPICS, DOCUMENTS = 8, 12, 120
AMONG = np.arange(RUNS), np.arange(TOPICS)


def past_topics(share: float = 0.3, seed: int = 3) -> list[PastTopic]:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(TOPICS):
        relevant = rng.random(DOCUMENTS) < share
        noise = [rng.normal(size=DOCUMENTS) * (0.4 + 0.1 * run) for run in range(RUNS)]
        rankings = [np.argsort(spread - relevant)[:60].astype(np.int32) for spread in noise]
        made.append(PastTopic(rankings, np.where(relevant, 1.0, np.nan)))
    return made


def test_drawn_campaigns_stay_within_what_is_given() -> None:
    generator, runs, topics = np.random.default_rng(1), np.array([1, 3, 4, 6, 7]), np.arange(2, 9)
    for _ in range(50):
        setting = draw_campaign(generator, runs, topics)
        assert set(setting.runs) <= set(runs.tolist())
        assert set(setting.topics) <= set(topics.tolist())
        assert setting.method in PREDICTION_METHODS
        assert setting.depth in DEPTHS
        assert setting.judged_each in MOMENTS
        if setting.begun is not None:
            assert set(setting.begun) <= set(range(len(setting.topics)))


def test_a_moment_judges_begun_topics_alone_and_cuts_the_lists() -> None:
    setting = TrialSetting((0, 1, 2), (0, 4, 5), 0.8, "A", "topic", 8, depth=5, begun=(2, 0))
    known = known_campaign(past_topics(), setting)
    assert known.pools.depth == 5
    state = known.moment()
    assert state is not None
    judged = [state.setting.judgments.judged_in(topic) for topic in range(3)]
    assert [len(one) for one in judged] == [4, 0, 4]
    for topic, gains in enumerate(judged):
        assert all(gain == known.gain(topic, document) for document, gain in gains.items())


def test_predictions_cover_in_a_world_like_those_of_the_model() -> None:
    made = list(predicted_campaigns(past_topics(), AMONG, campaigns=40, seed=5))
    rows = prediction_coverage(made, Trial(collection="made", family="", seen=False))
    whole = rows[0]
    assert whole.statement == "95% prediction interval of a run"
    assert whole.cases == sum(len(one.setting.runs) for one in made)
    assert whole.covered > 0.85
    surest = [row for row in rows if row.statement == "P(A > B) 0.95 or more"]
    assert surest[0].covered > 0.9
    for row in rows:
        assert 0 < row.nominal <= 1
        assert row.campaigns <= 40


def test_final_scores_and_cases_are_those_of_slow_counts() -> None:
    topics = past_topics()
    [one] = predicted_campaigns(topics, AMONG, campaigns=1, seed=2)
    known = known_campaign(topics, one.setting)
    final = complete_scores(known.pools, len(one.setting.runs), one.setting.p, known.gains)
    assert one.final == pytest.approx(final)
    right, stated = one.pairs(0.5, 1.01)
    slow = [
        (final[a] > final[b], one.prediction.better[a, b])
        for a in range(len(final))
        for b in range(len(final))
        if a != b and one.prediction.better[a, b] >= 0.5 and abs(final[a] - final[b]) > 1e-12
    ]
    assert list(zip(right, stated, strict=True)) == slow


def slow_score(topic: PastTopic, run: int, setting: TrialSetting) -> float:
    ranking, p = topic.rankings[run], setting.p
    assert ranking is not None
    gains = np.nan_to_num(topic.gains)
    return float((1 - p) * sum(gains[at] * p**rank for rank, at in enumerate(ranking[: setting.depth])))


def test_differences_held_are_those_of_slow_counts() -> None:
    topics = past_topics()
    [one] = predicted_campaigns(topics, AMONG, campaigns=1, seed=2)
    pairs = [(a, b) for a in range(len(one.final)) for b in range(a + 1, len(one.final))]

    def holds(ahead: FloatArray, final: FloatArray, a: int, b: int) -> bool:
        return bool(ahead[a, b] - 1e-6 <= final[a] - final[b] <= -ahead[b, a] + 1e-6)

    means = one.differences.means[0].astype(np.float64)
    assert one.mean_differences == [holds(means, one.final, *pair) for pair in pairs]
    expected = []
    for topic, index in enumerate(one.setting.topics):
        own = np.array([slow_score(topics[index], run, one.setting) for run in one.setting.runs])
        ahead = one.differences.topics[topic].astype(np.float64)
        watched = [pair for pair in pairs if max(pair) < len(one.differences.watched)]
        expected += [holds(ahead, own, *pair) for pair in watched if not np.isnan(ahead).any()]
    assert one.topic_differences == expected
    assert expected


def test_interval_figures_are_those_of_slow_counts() -> None:
    made = list(predicted_campaigns(past_topics(), AMONG, campaigns=8, seed=6))
    widths, scores, above, below = [], [], 0, 0
    for one in made:
        known = known_campaign(past_topics(), one.setting)
        state = known.moment()
        assert state is not None
        certain = state.residual.mean(axis=0)
        for low, high, true, room in zip(
            one.prediction.low, one.prediction.high, one.final, certain, strict=True
        ):
            missed = max(low - true, true - high, 0)
            widths.append((high - low) / room)
            scores.append((high - low + 2 / 0.05 * missed) / room)
            above, below = above + (true > high + 1e-9), below + (true < low - 1e-9)
    [row] = interval_coverage([one.whole for one in made], Trial(collection="made", family="", seen=False))
    assert pytest.approx(40) == MISS_COST
    assert row.interval is not None
    assert row.interval.width == pytest.approx(np.mean(widths))
    assert row.interval.score == pytest.approx(np.mean(scores))
    assert (row.interval.above, row.interval.below) == pytest.approx((above / row.cases, below / row.cases))
    assert row.covered == pytest.approx(1 - (above + below) / row.cases)


def test_places_and_leaders_are_those_of_slow_counts() -> None:
    for one in predicted_campaigns(past_topics(), AMONG, campaigns=6, seed=8):
        better, final = one.prediction.better, one.final
        for run, held in enumerate(one.places):
            ahead = sum(better[other, run] >= 0.95 for other in range(len(final)))
            behind = sum(better[run, other] >= 0.95 for other in range(len(final)))
            place = 1 + sum(final > final[run] + 1e-9)
            assert held == (ahead < place <= len(final) - behind)
        order = sorted(range(len(final)), key=lambda run: (-one.prediction.expected[run], run))
        shares = np.cumsum([one.prediction.best[run] for run in order])
        leaders = order[: 1 + sum(shares < 0.95 - 1e-9)]
        assert one.leaders_hold_best == any(final[run] >= final.max() - 1e-9 for run in leaders)


def test_condensed_topics_have_judged_documents_alone() -> None:
    topic = PastTopic([np.array([3, 0, 2]), None], np.array([0.0, 1.0, np.nan, 1.0]))
    ranking, missing = topic.condensed().rankings
    assert ranking is not None
    assert ranking.tolist() == [3, 0]
    assert missing is None


def test_the_same_seed_tries_the_same() -> None:
    one, other = (
        [
            found.prediction.low.tolist()
            for found in predicted_campaigns(past_topics(), AMONG, campaigns=3, seed=4)
        ]
        for _ in range(2)
    )
    assert one == other


def test_coefficients_are_fitted_to_one_collection() -> None:
    def level(share: float) -> float:
        means = fitted_coefficients(past_topics(share), AMONG, campaigns=6)
        # The logit of a document with the features of a usual one.
        return means[0] - means[2]

    assert level(0.5) > level(0.1) + 0.5
