"""The studies of topic selection: their statistics by hand, and their tables on small campaigns."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from selection.studies.interface import StudySettings, TrialMean, trial_mean
from selection.studies.topics import topic_selection as study
from selection.studies.topics.topic_selection import TOPIC_STUDIES, paper_study, significant_pairs
from selection.studies.topics.topic_trials import KnownTopics, Subsets, TopicTrial, run_trial
from selection.topics.measures import VARIANCES
from selection.topics.methods import make_topic_method
from selection.topics.performance import TopicSetting
from tests.selection.studies.random_collections import random_collection
from tests.selection.studies.topics.test_topic_trials import known_topics

EVERY = tuple(range(7))


def results_of(name: str, known: KnownTopics, count: int = 3) -> Mapping[TopicTrial, Subsets]:
    return {trial: run_trial(known, trial) for trial in TOPIC_STUDIES[name].trials(known, count, 0)}


def test_interval_of_a_mean_is_students() -> None:
    found = trial_mean(np.array([0.5, 0.7, 0.9]))
    low, high = scipy.stats.t.interval(0.95, 2, 0.7, 0.2 / np.sqrt(3))
    assert found.trials == 3
    assert found.mean == pytest.approx(0.7)
    assert found.half_width == pytest.approx((high - low) / 2, abs=1e-4)


def test_significant_pairs_are_those_of_the_t_test() -> None:
    scores = known_topics(5).scores("AP")
    better, worse = significant_pairs(scores)
    found = set(zip(better.tolist(), worse.tolist(), strict=True))
    expected = set()
    for one, other in combinations(range(len(scores)), 2):
        if scipy.stats.ttest_rel(scores[one], scores[other]).pvalue < 0.05:
            expected.add((one, other) if scores[one].mean() > scores[other].mean() else (other, one))
    assert found == expected
    assert found


def test_all_topics_agree_with_themselves() -> None:
    scores = known_topics(6).scores("AP")
    assert study._tau(scores, EVERY) == pytest.approx(1)
    assert study._pearson(scores, EVERY) == pytest.approx(1)
    assert study._tau_of_pairs(scores, EVERY, significant_pairs(scores)) == 1
    first, second = significant_pairs(scores)
    assert study._tau_of_pairs(scores, EVERY, (second, first)) == -1


@pytest.mark.parametrize("name", TOPIC_STUDIES)
def test_tables_have_their_rows_and_columns(name: str) -> None:
    known = known_topics(7)
    results = results_of(name, known)
    rows = TOPIC_STUDIES[name].rows(known, results)
    if name == "initialisation":
        assert [row["topics"] for row in rows] == [1, 2, 3, 4, 5, 6]
        assert all(row["lowest"] <= row["mean"] <= row["highest"] for row in rows)  # type: ignore[operator]
    elif name == "metric-transfer":
        assert [row["selection"] for row in rows] == [
            "P@10",
            "P@100",
            "R@100",
            "AP",
            "adaptive*",
            "random-topics",
        ]
        for measure in ("P@10", "P@100", "R@100", "AP"):
            own = next(row for row in rows if row["selection"] == measure)[measure]
            assert own == TrialMean(0.0, 0.0, 3)
    elif name == "topics-needed":
        named = [(row["measure"], row["method"]) for row in rows]
        assert named == [(m, of) for m in ("P@100", "AP") for of in ("random-topics", "adaptive")]
    else:
        if name == "topics-at-once":
            assert [row["at a time"] for row in rows] == ["random-topics", "1"]
        else:
            assert [row["subset"] for row in rows[:: len(rows) // 3]] == ["20%", "40%", "60%"]
        cells = [cell for row in rows for cell in row.values() if isinstance(cell, TrialMean)]
        columns = {"topic-generalisation": 2, "topics-at-once": 3}.get(name, 5)
        assert len(cells) == len(rows) * columns
        assert all(-1 <= cell.mean <= 1 for cell in cells)
    assert rows == TOPIC_STUDIES[name].rows(known, dict(reversed(list(results.items()))))
    assert TOPIC_STUDIES[name].points(known, results)


def test_topics_needed_are_the_fewest_whose_mean_tau_is_high_enough() -> None:
    known = known_topics(7)
    results = results_of("topics-needed", known)
    row = next(
        row
        for row in TOPIC_STUDIES["topics-needed"].rows(known, results)
        if (row["measure"], row["method"]) == ("AP", "adaptive")
    )
    orders = [
        found[-1]
        for trial, found in results.items()
        if (trial.method, trial.measures) == ("adaptive", ("AP",))
    ]
    scores, all_topics = known.scores("AP"), known.scores("AP").mean(axis=1)
    for wanted in (0.7, 0.8, 0.9):
        for size in range(1, 5):
            taus = [
                scipy.stats.kendalltau(all_topics, scores[:, order[:size]].mean(axis=1)).statistic
                for order in orders
            ]
            if np.mean(taus) >= wanted:
                cost = [sum(known.lists[topic].documents for topic in order[:size]) for order in orders]
                assert row[f"topics, τ {wanted}"] == size
                assert row[f"judgments, τ {wanted}"] == round(np.mean(cost))
                break
        else:
            assert (row[f"topics, τ {wanted}"], row[f"judgments, τ {wanted}"]) == ("over 4", "–")


def test_several_at_a_time_are_drawn_first_and_learnt_from_together() -> None:
    known = known_topics(9, topics=14)
    results = results_of("topics-at-once", known)
    one, five = (results[trial][-1] for trial in results if trial.method == "adaptive" and trial.seed == 1)
    drawn = next(
        found[-1] for trial, found in results.items() if (trial.method, trial.seed) == ("random-topics", 1)
    )
    assert (one[0], five[:5]) == (drawn[0], drawn[:5])
    setting = TopicSetting(known.lists, known.numbers, ("AP",), 1)
    judged = {topic: known.relevance[topic] for topic in five[:5]}
    following = make_topic_method("adaptive", setting).choose(five[:5], judged, 3)
    assert [choice.topic for choice in following] == list(five[5:8])


def test_only_trials_that_read_a_variance_name_it() -> None:
    collection = random_collection(3, runs=8)
    for name, made in TOPIC_STUDIES.items():
        kernel = paper_study(made)
        found = {
            variance: kernel.trials(collection, StudySettings(trials=2, variance=variance))
            for variance in VARIANCES
        }
        named = [trial for trial in found["delta"] if trial.variance == "delta"]
        assert bool(named) == ("variance" in kernel.uses) == (name != "initialisation")
        assert all(trial.method.startswith("adaptive") for trial in named)
        shared = set(found["delta"]) & set(found["published"])
        assert shared == {trial for trial in found["delta"] if not trial.variance}


def test_newcomers_alone_are_ordered_by_a_generalisation() -> None:
    """Their τ is 1 with all topics; that of the others would be too, so half of the topics tell."""
    known = known_topics(8)
    new = known.newcomers(4)
    trial = TopicTrial("adaptive", ("AP",), 4, (1, 1, 2, 3, 4, 4), new)
    results = {trial: run_trial(known, trial)}
    (found,) = study._generalisation_values(known, results, 3, "adaptive", "AP")
    scores = known.scores("AP")[list(new)]
    expected = scipy.stats.kendalltau(scores.mean(axis=1), scores[:, list(results[trial][3])].mean(axis=1))
    assert found == pytest.approx(expected.statistic)


def test_marks_are_of_intervals_that_do_not_touch() -> None:
    low, high = TrialMean(0.5, 0.1, 9), TrialMean(0.8, 0.1, 9)
    assert study._marked(high, low).marked
    assert not study._marked(low, high).marked
    assert not study._marked(TrialMean(0.65, 0.1, 9), low).marked
