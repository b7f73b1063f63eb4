"""Trials of the confidence in pairs, on campaigns whose outcome is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from selection.calibration.coverage import Trial, share_by_campaign
from selection.calibration.pair_trials import (
    BEST_RUNS,
    LAST_STAGE,
    METHODS,
    PairTrial,
    average_precision,
    draw_campaign,
    drawn_pair_trials,
    pair_coverage,
    pair_trial,
)
from selection.calibration.past_campaigns import PastTopic, TrialSetting
from tests.selection.reference.campaign import pools_of

RUNS, TOPICS, DOCUMENTS, DEPTH = 7, 6, 60, 15
EVERY = np.arange(RUNS), np.arange(TOPICS)


@pytest.fixture(scope="module")
def topics() -> list[PastTopic]:
    rng = np.random.default_rng(5)
    made = []
    for _ in range(TOPICS):
        relevant = rng.random(DOCUMENTS) < 0.25
        noise = [rng.normal(size=DOCUMENTS) * (0.3 + 0.2 * run) for run in range(RUNS)]
        rankings = [np.argsort(spread - relevant)[:DEPTH].astype(np.int32) for spread in noise]
        made.append(PastTopic(rankings, np.where(relevant, 1.0, np.nan)))
    return made


def test_average_precision_is_that_of_its_definition() -> None:
    lists = [[4, 2, 7], [7, 1], []]
    [pool] = pools_of([lists], 0.5, [True] * 3)
    relevant = np.isin(pool.documents, [4, 7])
    # Three are relevant; one is ranked by no run.
    expected = [(1 / 1 + 2 / 3) / 3, (1 / 1) / 3, 0]
    assert average_precision(pool, relevant, 3, 3) == pytest.approx(expected)
    assert average_precision(pool, np.zeros(len(pool), dtype=bool), 3, 0).tolist() == [0, 0, 0]


def test_campaigns_are_drawn_within_what_is_given(topics: list[PastTopic]) -> None:
    generator = np.random.default_rng(2)
    depths, methods = set(), set()
    for _ in range(40):
        campaign, depth = draw_campaign(generator, topics, EVERY)
        setting = campaign.setting
        assert 5 <= len(setting.runs) <= RUNS
        assert 5 <= len(setting.topics) <= TOPICS
        assert 1 <= setting.judged / len(setting.topics) <= 31
        assert max(pool.depth for pool in campaign.pools) == depth
        depths.add(depth)
        methods.add(setting.method)
    assert depths == {10, DEPTH}
    assert methods == set(METHODS)


def test_with_all_judged_every_statement_is_certain_and_true(topics: list[PastTopic]) -> None:
    campaign, depth = draw_campaign(np.random.default_rng(3), topics, EVERY)
    everything = sum(len(pool) for pool in campaign.pools)
    setting = replace(campaign.setting, judged=everything)
    trial = pair_trial(topics, replace(campaign, setting=setting), depth)
    assert trial is not None
    assert trial.stage == LAST_STAGE
    found = trial.statements(0.95, 1.0)
    assert found == [(1.0, True)] * trial.pairs
    assert trial.pairs > 0
    assert (
        pair_trial(topics, replace(campaign, setting=replace(setting, judged=everything + 1)), depth) is None
    )


def trial(confidence: list[list[float]], true: list[float], judged: int = 4) -> PairTrial:
    setting = TrialSetting((0, 1, 2), (0, 1), 0.8, "A", "topic", judged)
    scores = np.array(true)
    return PairTrial(setting, 10, np.array([2, 0]), np.array(confidence), scores, scores[::-1], scores)


def test_statements_are_those_of_the_best_runs_in_the_bin() -> None:
    # Rows and columns are runs 2 and 0.
    said = trial([[0.5, 0.96], [0.03, 0.5]], [0.3, 0.9, 0.2])
    assert said.statements(0.95, 1.0) == [(0.96, False)]
    assert said.statements(0.9, 0.95) == []
    assert said.pairs == 1
    alike = trial([[0.5, 0.96], [0.03, 0.5]], [0.2, 0.9, 0.2])
    assert (alike.statements(0.95, 1.0), alike.pairs) == ([], 0)


def test_coverage_counts_statements_by_bin_and_stage() -> None:
    right, wrong = [0.1, 0.9, 0.2], [0.3, 0.9, 0.2]
    trials = [
        trial([[0.5, 0.97], [0.0, 0.5]], right),
        trial([[0.5, 0.99], [0.0, 0.5]], wrong, judged=40),
        trial([[0.5, 0.85], [0.1, 0.5]], right),
    ]
    rows = pair_coverage(trials, Trial(collection="made", family="", seen=False))
    found = {(row.regime, row.statement): row for row in rows}
    top = found["any", "confidence by AP of 0.95 or more"]
    assert top.nominal == pytest.approx(0.98)
    assert (top.covered, top.cases, top.campaigns) == (0.5, 2, 2)
    assert top.error == share_by_campaign([[True], [False]])[1]
    assert top.verdict == "open"
    assert found["any", "confidence by AP of 0.8 to 0.9"].covered == 1
    assert found[LAST_STAGE, "confidence by AP of 0.95 or more"].covered == 0
    assert len(rows) == 5
    assert {row.collection for row in rows} == {"made"}


def test_trials_are_about_the_best_runs(topics: list[PastTopic]) -> None:
    trials = list(drawn_pair_trials(topics, EVERY, campaigns=3, seed=4))
    assert all(len(one.best) == min(BEST_RUNS, len(one.setting.runs)) for one in trials)


def test_a_single_run_has_no_pair(topics: list[PastTopic]) -> None:
    with pytest.raises(ValueError, match="a pair needs two runs"):
        next(drawn_pair_trials(topics, (EVERY[0][:1], EVERY[1]), campaigns=1, seed=0))
