"""Trials of predictions over topics like these, on topics that were made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from selection.calibration.coverage import Trial
from selection.calibration.like_these_trials import (
    LIKE_THESE,
    TopicsLikeThese,
    like_these_coverage,
    redrawn_campaigns,
)
from selection.calibration.past_campaigns import PastTopic

RUNS, TOPICS, DOCUMENTS = 5, 8, 40
AMONG = np.arange(RUNS), np.arange(TOPICS)
TRIAL = Trial(collection="made up", family="", seen=False)


@pytest.fixture(scope="module")
def campaigns() -> list[TopicsLikeThese]:
    rng = np.random.default_rng(2)
    topics = [
        PastTopic(
            [rng.permutation(DOCUMENTS).astype(np.int32) for _ in range(RUNS)],
            (rng.random(DOCUMENTS) < 0.3).astype(np.float64),
        )
        for _ in range(TOPICS)
    ]
    return list(redrawn_campaigns(topics, AMONG, campaigns=4, seed=3))


def test_truth_is_the_mean_of_all_topics(campaigns: list[TopicsLikeThese]) -> None:
    for one in campaigns:
        assert one.topics == LIKE_THESE
        assert one.final.shape == one.prediction.expected.shape
        assert ((one.final > 0) & (one.final < 1)).all()


def test_intervals_hold_where_the_difference_is_smaller(campaigns: list[TopicsLikeThese]) -> None:
    one = campaigns[0]
    prediction = replace(one.prediction, early=False, like_these=np.eye(RUNS) * 0.01**2)
    near = np.array([0.0, 0.02, -0.02, 0.021, -0.3])
    moved = replace(one, prediction=prediction, final=prediction.expected + near)
    # The quantile for 30 topics is 2.045.
    assert moved.covered.tolist() == [True, True, True, False, False]
    assert not len(replace(moved, prediction=replace(prediction, early=True)).covered)
    rows = like_these_coverage([moved, replace(moved, prediction=replace(prediction, early=True))], TRIAL)
    [row] = rows
    assert (row.covered, row.stated, row.cases, row.campaigns) == (0.6, 0.5, 5, 1)
    assert row.statement == "95% prediction interval of a run over topics like these"
