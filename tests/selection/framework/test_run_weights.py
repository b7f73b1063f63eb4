"""Weights of runs: the sums that define them, and the methods that count runs by them."""

from __future__ import annotations

from itertools import combinations
from typing import Any, get_args

import numpy as np
import pytest

from selection.framework.run_weights import (
    MOST_COMPARED,
    RunWeightKind,
    RunWeightOptions,
    RunWeights,
    run_similarities,
)
from selection.methods.mtc.options import Aggregate
from selection.methods.mtc.ranked_pool import ranked_pool
from selection.methods.mtc.weights import spread
from selection.pool import Pools, TopicPool, build_topic_pool
from selection.specification import CampaignSpec
from selection.state import CampaignState

RUNS, TOPICS, P = 5, 4, 0.8
TEAMS = np.array([0, 1, 0, 2, 0])
KINDS: tuple[RunWeightKind, ...] = get_args(RunWeightKind)


def rankings(seed: int, runs: int = RUNS, topics: int = TOPICS) -> list[list[np.ndarray | None]]:
    """Run 2 ranks as run 0 but for a few ranks; run 3 misses the first topic."""
    rng = np.random.default_rng(seed)
    made: list[list[np.ndarray | None]] = []
    for topic in range(topics):
        lists: list[np.ndarray | None] = [rng.permutation(25)[:12] for _ in range(runs)]
        assert lists[0] is not None
        near = lists[0].copy()
        near[[4, 9]] = near[[9, 4]]
        lists[2] = near
        if topic == 0:
            lists[3] = None
        made.append(lists)
    return made


def pools_of(lists: list[list[np.ndarray | None]], contributing: np.ndarray) -> list[TopicPool]:
    return [build_topic_pool(one, P, contributing) for one in lists]


def state_of(seed: int, method: str, contributing: np.ndarray | None = None, **options: Any) -> CampaignState:
    part = np.ones(RUNS, dtype=bool) if contributing is None else contributing
    spec = CampaignSpec(
        runs=RUNS, p=P, method=method, scope="campaign", contributing=part, groups=TEAMS, options=options
    )
    return CampaignState(pools_of(rankings(seed), part), spec)


def slow_similarity(one: list[np.ndarray | None], other: list[np.ndarray | None]) -> float:
    """Of two runs' lists by topic; of the first 21 ranks, behind which 1% of the weight is left."""

    def weights(ranked: np.ndarray | None) -> dict[int, float]:
        docs = [] if ranked is None else ranked.tolist()
        return {d: (1 - P) * P**rank for rank, d in enumerate(docs[:21])}

    lesser = total = 0.0
    for mine, theirs in zip(map(weights, one), map(weights, other), strict=True):
        lesser += sum(min(mine[d], theirs[d]) for d in mine.keys() & theirs.keys())
        total += sum(mine.values()) + sum(theirs.values())
    return 2 * lesser / total


@pytest.mark.parametrize("seed", range(3))
def test_similarity_is_the_overlap_of_rank_weights(seed: int) -> None:
    lists = rankings(seed)
    found = run_similarities(pools_of(lists, np.ones(RUNS, dtype=bool)), RUNS, P)
    assert (found == found.T).all()
    for one, other in combinations(range(RUNS), 2):
        slow = slow_similarity([of[one] for of in lists], [of[other] for of in lists])
        assert found[one, other] == pytest.approx(slow)
    assert (found.diagonal() == 1).all()
    assert found[0, 2] > 0.9


def test_weights_count_contributing_runs_only() -> None:
    contributing = np.array([True, True, True, True, False])
    pools = Pools.of(pools_of(rankings(1), contributing))
    weights = RunWeights(pools, P, contributing, TEAMS)
    assert weights.of("equal").tolist() == [1] * RUNS
    assert weights.of("team").tolist() == [0.5, 1, 0.5, 1, 1]
    similar = run_similarities(list(pools), RUNS, P)
    assert weights.of("similarity")[:4] == pytest.approx(1 / similar[:4, :4].sum(axis=1))
    assert RunWeights(pools, P, contributing).of("team").tolist() == [1] * RUNS


def test_identical_runs_share_one_weight() -> None:
    lists: list[list[np.ndarray | None]] = [[np.arange(9), np.arange(9), np.arange(9, 18)]]
    three = np.ones(3, dtype=bool)
    pools = Pools.of([build_topic_pool(one, P, three) for one in lists])
    assert RunWeights(pools, P, three).of("similarity") == pytest.approx([0.5, 0.5, 1])
    nothing = Pools.of([build_topic_pool([None, None], P, np.ones(2, dtype=bool))])
    assert RunWeights(nothing, P, np.ones(2, dtype=bool)).of("similarity").tolist() == [1, 1]


def test_many_topics_are_compared_by_a_part() -> None:
    lists = [[np.arange(3), np.arange(3)]] * (MOST_COMPARED + 20)
    both, read = np.ones(2, dtype=bool), set[int]()

    def load(topic: int) -> TopicPool:
        read.add(topic)
        return build_topic_pool(lists[topic], P, both)

    pools = Pools(load, [3] * len(lists), 3)
    assert RunWeights(pools, P, both).of("similarity") == pytest.approx([0.5, 0.5])
    assert len(read) == MOST_COMPARED


def test_unknown_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="run_weights = 'none' is none of equal, team, similarity"):
        RunWeightOptions(run_weights="none")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ValueError, match="groups has shape"):
        CampaignSpec(
            runs=2, p=P, method="A", scope="topic", contributing=np.ones(2, dtype=bool), groups=np.arange(3)
        )


def slow_order(state: CampaignState, topic: int, factors: np.ndarray) -> list[int]:
    """Pool indices by the sum over runs of rank weight times factor."""
    pool = state.pools[topic]
    weight = []
    for document in range(len(pool)):
        runs, ranks = pool.occurrences(document)
        weight.append(sum((1 - P) * P ** (k - 1) * factors[r] for r, k in zip(runs, ranks, strict=True)))
    return sorted(range(len(pool)), key=lambda document: (-round(weight[document], 10), document))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["A", "B", "C"])
def test_queues_follow_the_weighted_sums(method: str, kind: RunWeightKind) -> None:
    contributing = np.array([True, True, True, True, False])
    state = state_of(2, method, contributing, run_weights=kind)
    weights = state.setting.run_weights.of(kind) * contributing
    for step in range(20):
        base, residual = state.mean_bounds()
        factors = {"A": 1.0, "B": residual, "C": residual * (base + residual / 2) ** 3}[method] * weights
        for topic in range(TOPICS):
            open_ = [d for d in slow_order(state, topic, factors) if state.gain(topic, d) is None]
            ranked = [d for d in open_ if contributing[state.pools[topic].occurrences(d)[0]].any()]
            assert state.queue(topic, 30).documents.tolist() == ranked
        choice = state.best()
        assert choice is not None
        explained = state.explain(choice.topic, choice.document)
        assert explained.weight == pytest.approx(choice.weight) == pytest.approx(explained.shares.sum())
        state.judge(choice.topic, choice.document, float(step % 3 == 0))


@pytest.mark.parametrize("method", ["A", "B", "C", "mtc"])
def test_copies_of_a_run_gain_nothing(method: str) -> None:
    """The first documents weigh as much as in the campaign without copies."""
    options: dict[str, Any] = {"aggregate": "sum"} if method == "mtc" else {}

    def first(copies: int, kind: RunWeightKind) -> tuple[list[set[int]], np.ndarray]:
        lists = [[of[0], of[1], *[of[4]] * copies] for of in rankings(5)]
        part = np.ones(2 + copies, dtype=bool)
        spec = CampaignSpec(
            runs=len(part),
            p=P,
            method=method,
            scope="campaign",
            contributing=part,
            groups=np.minimum(np.arange(len(part)), 2),
            options=options | {"run_weights": kind},
        )
        state = CampaignState(pools_of(lists, part), spec)
        queues = [state.queue(topic, 6) for topic in range(TOPICS)]
        served = [pool.documents[queue.documents] for pool, queue in zip(state.pools, queues, strict=True)]
        return [set(ids.tolist()) for ids in served], np.array([queue.weights for queue in queues])

    def shared(one: list[set[int]], other: list[set[int]]) -> int:
        return sum(len(a & b) for a, b in zip(one, other, strict=True))

    alone, outvoted = first(1, "equal"), first(3, "equal")
    assert shared(alone[0], outvoted[0]) < 6 * TOPICS
    # At equal weights, the pool's order serves, which counts copies.
    assert first(3, "team")[1] == pytest.approx(alone[1])
    assert shared(alone[0], first(3, "similarity")[0]) >= shared(alone[0], outvoted[0])


@pytest.mark.parametrize("aggregate", get_args(Aggregate))
@pytest.mark.parametrize("seed", range(4))
def test_mtc_counts_pairs_by_both_weights(aggregate: Aggregate, seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = np.array([True, True, True, True, seed % 2 == 0])
    # The first documents are ranked by all.
    lists = [[np.r_[0:3, 3 + rng.permutation(9)[:5]] for _ in range(RUNS)]]
    [pool] = pools_of(lists, part)
    ranked = ranked_pool(pool, part, None)
    effects = rng.integers(0, 4, len(ranked.run)).astype(float)
    weights = rng.uniform(0.1, 1, RUNS)
    found = spread(aggregate, ranked, effects, weights)
    places = np.arange(len(ranked.documents))
    exact = found.exact(places)
    assert (found.most >= exact - 1e-12).all()
    for place, document in enumerate(ranked.documents.tolist()):
        of = np.zeros(RUNS)
        entries = ranked.entries(document)
        of[ranked.run[entries]] = effects[entries]
        pairs = [
            (weights[a] * weights[b], abs(of[a] - of[b]))
            for a, b in combinations(np.flatnonzero(part).tolist(), 2)
        ]
        slow = {
            "range": max(apart for _, apart in pairs),
            "sum": sum(both * apart for both, apart in pairs),
            "variance": sum(both * apart**2 for both, apart in pairs),
        }
        assert exact[place] == pytest.approx(slow[aggregate], abs=1e-9)


@pytest.mark.parametrize("aggregate", ["sum", "variance"])
def test_equal_weights_are_those_without(aggregate: Aggregate) -> None:
    part = np.ones(RUNS, dtype=bool)
    [pool] = pools_of(rankings(3)[1:2], part)
    ranked = ranked_pool(pool, part, None)
    effects = np.random.default_rng(3).uniform(0, 1, len(ranked.run))
    places = np.arange(len(ranked.documents))
    plain, weighted = (spread(aggregate, ranked, effects, one).exact(places) for one in (None, np.ones(RUNS)))
    assert weighted == pytest.approx(plain)
