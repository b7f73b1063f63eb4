"""The studies of topic selection: their statistics by hand, and their tables on small campaigns."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from selection.studies.papers import topic_selection as study
from selection.studies.papers.interface import TrialMean, trial_mean
from selection.studies.papers.topic_selection import TOPIC_STUDIES, significant_pairs
from selection.studies.papers.topic_trials import KnownTopics, Subsets, TopicTrial, run_trial
from tests.selection.studies.papers.test_topic_trials import known_topics

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
    else:
        assert [row["subset"] for row in rows[:: len(rows) // 3]] == ["20%", "40%", "60%"]
        cells = [cell for row in rows for cell in row.values() if isinstance(cell, TrialMean)]
        assert len(cells) == len(rows) * {"topic-selection": 5, "topic-generalisation": 2}[name]
        assert all(-1 <= cell.mean <= 1 for cell in cells)
    assert rows == TOPIC_STUDIES[name].rows(known, dict(reversed(list(results.items()))))
    assert TOPIC_STUDIES[name].points(known, results)


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
