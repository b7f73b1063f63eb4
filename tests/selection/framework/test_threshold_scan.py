"""The threshold scan against weighing every document, in pools of which it leaves most unread."""

from __future__ import annotations

import numpy as np
import pytest

import selection.methods.run_weighted
from evaluation.measures.weights import rank_weights
from selection.framework.interface import SelectionScope
from selection.pool import TopicPool, build_topic_pool
from selection.rounding import round_significant
from selection.specification import CampaignSpec
from selection.state import CampaignState

RUNS, TOPICS, DEPTH, P = 24, 4, 300, 0.9
CONTRIBUTING = np.arange(RUNS) % 5 > 0


@pytest.fixture(scope="module")
def pools() -> list[TopicPool]:
    rng = np.random.default_rng(11)
    made = []
    for _ in range(TOPICS):
        common = rng.standard_exponential(3000)
        scores = common * rng.uniform(0.3, 1.2, (RUNS, 1)) + rng.standard_normal((RUNS, 3000))
        made.append(build_topic_pool(list(np.argsort(-scores, axis=1)[:, :DEPTH]), P, CONTRIBUTING))
    return made


def weigh_all(state: CampaignState, method: str, scope: SelectionScope, topic: int) -> np.ndarray:
    """Rounded weights of the topic's whole pool, from `base` and `residual` alone."""
    pool = state.pools[topic]
    base, residual = state.base[topic], state.residual[topic]
    if scope == "campaign":
        base, residual = state.base.mean(axis=0), state.residual.mean(axis=0)
    factors = CONTRIBUTING * (residual if method == "B" else residual * (base + residual / 2) ** 3)
    parts = rank_weights(P, DEPTH)[pool.rank - 1] * factors[pool.run]
    weights = round_significant(np.add.reduceat(parts, pool.start[:-1]))
    judged = np.array([state.gain(topic, document) is not None for document in range(len(pool))])
    return np.where(judged | (pool.method_a == 0), -1.0, weights)


@pytest.mark.parametrize("scope", ["campaign", "topic"])
@pytest.mark.parametrize("method", ["B", "C"])
@pytest.mark.parametrize("listed", [4, 40, 512])
def test_every_choice_is_the_maximum(
    pools: list[TopicPool], method: str, scope: SelectionScope, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Short lists run out and are filled again all the time; that must not show.
    monkeypatch.setattr(selection.methods.run_weighted, "LISTED_PER_TOPIC", listed)
    monkeypatch.setattr(selection.methods.run_weighted, "LISTED_PER_CAMPAIGN", listed)
    rng = np.random.default_rng(3)
    state = CampaignState(
        pools,
        CampaignSpec(runs=RUNS, p=P, method=method, scope=scope, contributing=CONTRIBUTING),
    )
    for step in range(250):
        choice = state.best()
        assert choice is not None
        if step % 10 == 0:
            heaviest = [weigh_all(state, method, scope, topic).max() for topic in range(TOPICS)]
            assert choice.weight == pytest.approx(max(heaviest), rel=2e-11)
            weights = weigh_all(state, method, scope, choice.topic)
            queue = state.queue(choice.topic, 30)
            assert queue.documents[0] == choice.document
            expected = np.argsort(-weights, kind="stable")[:30]
            assert queue.weights == pytest.approx(weights[expected], rel=2e-11)
            assert queue.documents.tolist() == expected.tolist()
        state.judge(choice.topic, choice.document, float(rng.integers(0, 3)) / 2)
        if step % 7 == 0:
            # Revisions and withdrawals of anything, anywhere.
            topic, document = int(rng.integers(TOPICS)), int(rng.integers(200))
            state.judge(topic, document, (None, 0.0, 1.0)[int(rng.integers(3))])


@pytest.mark.parametrize("method", ["pooling", "A", "B", "C"])
@pytest.mark.parametrize("scope", ["campaign", "topic"])
def test_all_of_the_pool_comes_in_the_end_and_nothing_twice(
    pools: list[TopicPool], method: str, scope: SelectionScope
) -> None:
    few = [build_topic_pool([r[:40] for r in unpooled(pool)], P, CONTRIBUTING) for pool in pools[:2]]
    state = CampaignState(
        few,
        CampaignSpec(runs=RUNS, p=P, method=method, scope=scope, contributing=CONTRIBUTING),
    )
    seen = set()
    while (choice := state.best()) is not None:
        assert (choice.topic, choice.document) not in seen
        seen.add((choice.topic, choice.document))
        state.judge(choice.topic, choice.document, 1.0)
    assert len(seen) == sum(int((pool.method_a > 0).sum()) for pool in few)
    assert state.residual[:, CONTRIBUTING] == pytest.approx(P**40, abs=1e-12)


def unpooled(pool: TopicPool) -> list[np.ndarray]:
    document = np.repeat(pool.documents, np.diff(pool.start))
    by_run = [document[pool.run == run] for run in range(RUNS)]
    return [ids[np.argsort(pool.rank[pool.run == run])] for run, ids in enumerate(by_run)]
