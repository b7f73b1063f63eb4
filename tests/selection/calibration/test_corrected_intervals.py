"""Trials of intervals from random samples, on topics that were made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from selection.calibration.corrected_intervals import (
    BEFORE,
    MEASURES,
    SAMPLE_SIZES,
    SampledAgain,
    sampled_again,
    sampled_again_coverage,
)
from selection.calibration.coverage import Trial
from selection.calibration.past_campaigns import PastTopic

RUNS, TOPICS, DOCUMENTS, DRAWS = 5, 16, 80, 12
AMONG = np.arange(RUNS), np.arange(TOPICS)
TRIAL = Trial(collection="made up", family="", seen=False)


@pytest.fixture(scope="module")
def topics() -> list[PastTopic]:
    rng = np.random.default_rng(3)
    made = []
    for _ in range(TOPICS):
        relevant = rng.random(DOCUMENTS) < 0.3
        noise = [rng.normal(size=DOCUMENTS) for _ in range(RUNS)]
        rankings = [np.argsort(spread - relevant)[:60].astype(np.int32) for spread in noise]
        made.append(PastTopic([*rankings[:-1], None], np.where(relevant, 1.0, np.nan)))
    return made


@pytest.fixture(scope="module")
def draws(topics: list[PastTopic]) -> list[list[SampledAgain]]:
    return list(sampled_again(topics, AMONG, campaigns=DRAWS, seed=1))


def test_each_draw_tries_every_size(draws: list[list[SampledAgain]]) -> None:
    for drawn in draws:
        plain = [one.size for one in drawn if not one.after and not one.redrawn]
        assert plain == [size for size in SAMPLE_SIZES for _ in MEASURES]
        assert [one.size for one in drawn if one.after] == [BEFORE]
        stated = [one for one in drawn if one.stated]
        assert all(one.stated or one.measure == "nDCG@10" for one in drawn)
        assert all(one.runs.shape == (RUNS,) for one in stated)
        assert all(one.pairs.shape == (RUNS * (RUNS - 1) // 2,) for one in stated if not one.redrawn)


def test_samples_hold_what_they_promise(draws: list[list[SampledAgain]]) -> None:
    stated = [one for drawn in draws for one in drawn if one.stated]
    for name in {one.measure for one in stated}:
        by = [one for one in stated if one.measure == name]
        assert np.mean([one.runs.mean() for one in by]) > 0.9
        assert np.mean([one.pairs.mean() for one in by if not one.redrawn]) > 0.9


def test_the_same_seed_draws_the_same(topics: list[PastTopic], draws: list[list[SampledAgain]]) -> None:
    [again] = sampled_again(topics, AMONG, campaigns=1, seed=1)
    for one, other in zip(again, draws[0], strict=True):
        assert one.runs.tolist() == other.runs.tolist()
        assert one.pairs.tolist() == other.pairs.tolist()


def test_every_statement_has_its_rows(draws: list[list[SampledAgain]]) -> None:
    rows = sampled_again_coverage(draws, TRIAL)
    regimes = [
        f"{by}{size} judgments a topic"
        for size in SAMPLE_SIZES
        for by in ("", "P@10, ", "DCG@10, ", "nDCG@10, ")
    ]
    regimes.append(f"{BEFORE} by Method C, then {BEFORE} judgments a topic")
    by_statement: dict[str, list[str]] = {}
    for row in rows:
        by_statement.setdefault(row.statement, []).append(row.regime)
    assert by_statement == {
        "95% sampling interval of a run": regimes,
        "95% sampling interval, worst tenth of runs": regimes,
        "95% sampling interval of a difference": regimes,
        "Pairs decided by a sample": regimes,
        "95% interval of a run for topics like these": ["30 topics drawn again, 10 judgments a topic"],
    }
    whole, worst = rows[0], next(row for row in rows if "worst" in row.statement)
    assert whole.cases == RUNS * DRAWS
    # The worst is one of five runs, tried on the second half.
    assert worst.cases == DRAWS // 2


def test_the_worst_runs_are_chosen_on_other_draws() -> None:
    base = SampledAgain(5, after=False, redrawn=False, runs=np.array([True, True]), pairs=np.array([True]),
                        right=np.array([True]))  # fmt: skip
    missed = replace(base, runs=np.array([False, True]))
    rows = sampled_again_coverage([[missed], [missed], [base], [base]], TRIAL)
    assert {row.statement: row.covered for row in rows} == {
        "95% sampling interval of a run": 0.75,
        "95% sampling interval, worst tenth of runs": 1.0,
        "95% sampling interval of a difference": 1.0,
        "Pairs decided by a sample": 1.0,
    }
