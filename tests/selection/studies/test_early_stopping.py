"""When replayed campaigns are decided: slow references on small random collections, and the edges."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.arrays import FloatArray
from selection.pool import build_topic_pool
from selection.simulation.prediction import Prediction, predict
from selection.simulation.replay import replay
from selection.specification import CampaignSpec
from selection.studies.early_stopping import (
    DECISIONS,
    SHARES,
    STOPPING_STUDIES,
    Look,
    StoppingReplay,
    drawn_campaign,
    first_looks,
    look_at,
    run_replay,
)
from selection.studies.interface import StudySettings, found_as_kept
from selection.studies.known_collection import KnownCollection
from tests.selection.studies.known_collections import known_collection, known_topic
from tests.selection.studies.random_collections import random_collection

STUDY = STOPPING_STUDIES["early-stopping"]


def slow_look(found: Prediction, true: FloatArray, judged: int, named: int) -> Look:
    runs = range(len(true))
    ten = sorted(runs, key=lambda run: (-found.expected[run], run))[:10]
    pairs = separated = wrong = 0
    for at, a in enumerate(ten):
        for b in ten[at + 1 :]:
            if abs(true[a] - true[b]) <= 1e-12:
                continue
            pairs += 1
            for better, worse in ((a, b), (b, a)):
                if found.better[better, worse] + 1e-9 >= 0.95 and not found.early:
                    separated += 1
                    wrong += bool(true[better] < true[worse])
    firsts = {run for run in runs if true[run] >= max(true) - 1e-12}
    best = sum(found.best[run] for run in firsts)
    other = max([found.best[run] for run in runs if run not in firsts], default=0.0)
    if found.early:
        best = other = 0.0
    return Look(judged, named, pairs, separated, wrong, float(best), float(other), slow_tau(found, true))


def slow_tau(found: Prediction, true: FloatArray) -> float:
    """Kendall's tau-b, pair by pair."""
    signs = [
        (np.sign(round(x[a] - x[b], 12)), np.sign(round(y[a] - y[b], 12)))
        for x, y in [(found.expected, true)]
        for a in range(len(true))
        for b in range(a)
    ]
    left, right = (sum(one[side] != 0 for one in signs) for side in (0, 1))
    return sum(one * other for one, other in signs) / (left * right) ** 0.5 if left and right else 0.0


def slow_scores(known: KnownCollection, trial: StoppingReplay) -> FloatArray:
    """RBP to depth 20, rank by rank."""
    setting = drawn_campaign(known, trial).setting
    scores = np.zeros(len(setting.runs))
    for place, run in enumerate(setting.runs):
        for topic in setting.topics:
            ranking = known.topics[topic].rankings[run]
            for rank, document in enumerate([] if ranking is None else ranking[:20].tolist()):
                gain = known.topics[topic].gains[document]
                scores[place] += 0.2 * 0.8**rank * (0 if np.isnan(gain) else gain)
    return scores / len(setting.topics)


@given(st.integers(0, 10**6), st.integers(2, 14), st.booleans())
def test_a_look_counts_pairs_and_wrong_ones_as_counted_one_by_one(seed: int, runs: int, early: bool) -> None:
    rng = np.random.default_rng(seed)
    # Few different values, so that runs tie.
    true, expected = rng.integers(0, 4, (2, runs)) / 10
    better = np.triu(rng.choice([0.0, 0.04, 0.06, 0.5, 0.96, 1.0], (runs, runs)), 1)
    better = (better + np.tril(1 - better.T, -1) + np.eye(runs) / 2).astype(np.float32)
    best = rng.dirichlet(np.full(runs, 0.1))
    found = Prediction(expected, expected, expected, best, better, early)
    assert asdict(look_at(found, true, 7, 5)) == pytest.approx(asdict(slow_look(found, true, 7, 5)))


@pytest.mark.parametrize(("method", "seed"), [("pooling", 0), ("C", 1), ("mtc", 2)])
def test_looks_are_those_of_replays_that_end_there(method: str, seed: int) -> None:
    known = random_collection(seed, runs=12, topics=3, named=0.6, missing=0.1)
    trial = StoppingReplay(method, seed)
    found = run_replay(known, trial)
    setting = drawn_campaign(known, trial).setting
    assert (len(setting.runs), len(setting.topics)) == (10, 2)
    every = np.ones(10, dtype=np.bool_)
    topics = [known.topics[topic] for topic in setting.topics]
    pools = [build_topic_pool([topic.rankings[run] for run in setting.runs], 0.8, every) for topic in topics]
    gains = [topic.gains[pool.documents] for topic, pool in zip(topics, pools, strict=True)]
    assert found["pool"] == found["deep"] == sum(map(len, pools))
    assert found["named"] == sum(int((~np.isnan(one)).sum()) for one in gains)
    true = slow_scores(known, trial)
    marks = sorted({max(1, round(share * found["pool"])) for share in SHARES})
    assert [look["judged"] for look in found["looks"]] == marks[: len(found["looks"])]
    for look in found["looks"][::4]:
        ended = replay(
            pools,
            gains,
            CampaignSpec(runs=10, p=0.8, method=method, scope="campaign", contributing=every, seed=seed),
            judgments=look["judged"],
        )
        [prediction] = predict(ended.state, seed=seed)
        slow = slow_look(prediction, true, look["judged"], int(ended.known.sum()))
        assert look == pytest.approx(asdict(slow))


def test_a_replay_ends_once_everything_is_decided() -> None:
    looks = [Look(**look) for look in run_replay(random_collection(1), StoppingReplay("C", 0))["looks"]]
    last = looks[-1]
    assert last.separated == last.pairs
    assert last.tau >= 0.9
    assert last.best >= 0.95
    assert all(np.isfinite(place) for place in first_looks(looks).values())
    assert any(not made(looks[-2]) for made in DECISIONS.values())


def rows_of(known: KnownCollection, *looks: list[Look], pool: int = 100) -> dict[str, dict[str, Any]]:
    """By decision, of one method whose replays looked so."""
    about = {"topics": 2, "pool": pool, "named": pool, "deep": 4 * pool}
    settings = StudySettings(trials=len(looks), methods=("C",))
    results = {
        trial: found_as_kept(about | {"looks": [asdict(look) for look in one]})
        for trial, one in zip(STUDY.trials(known, settings), looks, strict=True)
    }
    assert {one["decided"] for one in STUDY.points(known, settings, results)} <= {0, 0.25, 0.5, 0.75, 1}
    rows: Any = STUDY.rows(known, settings, results)
    return {row["decided"]: row for row in rows}


def test_rows_count_replays_statements_and_wrong_ones() -> None:
    known = random_collection(0)
    begin = Look(10, 8, 10, 8, 1, 0.3, 0.95, 0.5)
    most = Look(20, 12, 10, 9, 1, 0.96, 0.0, 0.92)
    every = Look(40, 20, 10, 10, 0, 1.0, 0.0, 1.0)
    never = Look(100, 30, 10, 8, 2, 0.5, 0.5, 0.5)
    rows = rows_of(known, [begin, most, every], [most, every], [every], [never])
    shares = {name: [row.get("25%"), row["median"], row.get("75%")] for name, row in rows.items()}
    assert shares == {
        "9 of 10 pairs": [0.2, 0.4, "never"],
        "all pairs": [0.4, 0.4, "never"],
        "best run": [0.2, 0.4, "never"],
        "τ of 0.9": [0.2, 0.4, "never"],
        "everything": [None, 1.0, None],
    }
    assert [row["replays"] for row in rows.values()] == [3, 3, 3, 3, 4]
    pairs = rows["9 of 10 pairs"]
    assert (pairs["stated"], pairs["wrong"]) == (9 + 9 + 10, 2)
    # The first replay names another run before the best one.
    assert (rows["best run"]["stated"], rows["best run"]["wrong"]) == (3, 1)
    assert "wrong" not in rows["τ of 0.9"]
    assert pairs["depth 100"] == pytest.approx(0.1)
    assert pairs["each topic"] == 20
    assert pairs["in qrels"] == pytest.approx(0.6)


def test_two_runs_of_one_topic_are_decided() -> None:
    first, second = [0, 1, 2, 3, 4], [5, 6, 7, 8, 9]
    known = known_collection([known_topic("1", [first, second], [1.0] * 5 + [0.0] * 5)])
    STUDY.check(known)
    looks = [Look(**look) for look in run_replay(known, StoppingReplay("A", 3))["looks"]]
    assert {look.pairs for look in looks} == {1}
    assert looks[-1].separates(1.0)
    assert looks[-1].wrong == 0


def test_runs_that_tie_leave_no_pair_and_no_order() -> None:
    known = known_collection([known_topic("1", [[0, 1, 2, 3]] * 3, [1.0, 0, 0, np.nan])])
    found = run_replay(known, StoppingReplay("C", 0))
    looks = [Look(**look) for look in found["looks"]]
    assert (looks[-1].judged, looks[-1].pairs, looks[-1].tau) == (4, 0, 0)
    # Whichever is named ties with the best.
    assert looks[-1].best == pytest.approx(1)
    assert looks[-1].other == 0
    decided = {name for name, place in first_looks(looks).items() if np.isfinite(place)}
    assert decided == {"best run"}
    assert rows_of(known, looks, looks)["all pairs"]["median"] == "never"
    assert "in qrels" not in rows_of(known, looks, looks)["all pairs"]


def test_nothing_is_stated_while_it_is_too_early() -> None:
    known = known_collection([known_topic("1", [[0, 1], [1, 2]], [1.0, 0, 0])])
    found = run_replay(known, StoppingReplay("C", 0))
    early = [look for look in found["looks"] if look["judged"] < 3]
    assert early
    assert all(look["best"] == look["other"] == look["separated"] == 0 for look in early)


def test_methods_and_seeds_are_the_trials() -> None:
    known = random_collection(0)
    trials = STUDY.trials(known, StudySettings(trials=2, seed=5, methods=("A", "random")))
    assert trials == [StoppingReplay(method, seed) for method in ("A", "random") for seed in (5, 6)]
    assert len(STUDY.trials(known, StudySettings())) == 60
    drawn = [drawn_campaign(known, trial).setting for trial in trials]
    assert drawn[0].topics == drawn[2].topics
    assert {len(one.topics) for one in drawn} == {3}


def test_a_campaign_has_half_of_the_runs_and_topics_within_bounds() -> None:
    for runs, topics, drawn in ((2, 1, (2, 1)), (14, 9, (10, 5)), (30, 50, (15, 25)), (100, 60, (40, 25))):
        known = known_collection([known_topic(str(n), [[0, 1]] * runs, [0.0, 1.0]) for n in range(topics)])
        setting = drawn_campaign(known, StoppingReplay("C", 0)).setting
        assert (len(setting.runs), len(setting.topics)) == drawn
