from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from selection.bounds import RunBounds
from selection.registry import METHODS
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.evaluation.measures.rbp import rbp_bounds
from tests.selection.reference.campaign import Rankings, pools_of, state_of

# Not those that read texts.
without_texts = [name for name, kind in METHODS.items() if not kind.unranked]
every_method = pytest.mark.parametrize("method", without_texts)
# Not those that draw lots.
every_method_with_a_settled_order = pytest.mark.parametrize(
    "method", [name for name in without_texts if name not in ("statap", "random", "strata")]
)
both_scopes = pytest.mark.parametrize("scope", ["campaign", "topic"])


def served(state: CampaignState) -> list[tuple[int, int]]:
    order = []
    while (choice := state.best()) is not None:
        order.append((choice.topic, int(state.pools[choice.topic].documents[choice.document])))
        state.judge(choice.topic, choice.document, 0.0)
    return order


@every_method_with_a_settled_order
@both_scopes
def test_ties_between_topics_go_to_the_earlier_topic(method: str, scope: Any) -> None:
    state = state_of([[[5, 6]], [[5, 6]], [[5, 6]]], "0.5", method, scope, [True])
    assert served(state) == [(0, 5), (1, 5), (2, 5), (0, 6), (1, 6), (2, 6)]


def test_pooling_s_ties_go_to_the_earlier_run_before_the_earlier_topic() -> None:
    state = state_of([[[1], [2]], [[3], [4]]], "0.5", "pooling", "campaign", [True, True])
    assert served(state) == [(0, 1), (1, 3), (0, 2), (1, 4)]


@every_method
@both_scopes
def test_runs_outside_the_pool_are_scored_and_choose_nothing(method: str, scope: Any) -> None:
    rankings = [[[1, 2], [9, 1, 8]]]
    state = state_of(rankings, "0.5", method, scope, [True, False])
    assert state.remaining(0) == 2
    assert sorted(served(state)) == [(0, 1), (0, 2)]
    assert state.residual[0].tolist() == [0.25, 0.75]
    outside = int(np.flatnonzero(state.pools[0].documents == 9)[0])
    assert state.judge(0, outside, 1.0).tolist() == [1]
    assert state.base[0].tolist() == [0.0, 0.5]
    state.judge(0, outside, None)
    assert state.best() is None
    assert state.remaining(0) == 0


@every_method
@both_scopes
def test_no_runs_outside_count_in_the_weights_of_others(method: str, scope: Any) -> None:
    alone = state_of([[[1, 2, 3], []]], "0.8", method, scope, [True, False])
    beside = state_of([[[1, 2, 3], [3, 2, 7]]], "0.8", method, scope, [True, False])
    assert served(alone) == served(beside)


def test_ids_that_end_alike_are_told_apart() -> None:
    rankings = [[[5, 5 + (1 << 16), 6], [5 + (1 << 17), 7]]]
    state = state_of(rankings, "0.5", "A", "campaign", [True, True])
    judged = np.array([7, 5 + (1 << 16)], dtype=np.int32)
    bounds = RunBounds(state.pools, 2, 0.5)
    bounds.score(
        0, [np.array(ranking, dtype=np.int32) for ranking in rankings[0]], judged, np.array([0.5, 1.0])
    )
    assert bounds.base.tolist() == [[0.25, 0.125]]
    assert bounds.residual.tolist() == [[0.75, 0.75]]


@every_method
@both_scopes
def test_a_campaign_without_documents(method: str, scope: Any) -> None:
    empty: list[Rankings] = [[[[], []]], []]
    for rankings in empty:
        state = state_of(rankings, "0.5", method, scope, [True, True])
        assert state.best() is None
        assert state.mean_bounds()[0].tolist() == [0.0, 0.0]
    state = state_of([[[], []], [[1], []]], "0.5", method, scope, [True, True])
    assert len(state.queue(0, 5).documents) == 0
    assert served(state) == [(1, 1)]
    assert [bounds.tolist() for bounds in state.mean_bounds()] == [[0.0, 0.0], [0.75, 1.0]]


def test_documents_whose_adaptive_weight_has_vanished_come_in_method_a_order() -> None:
    # 60 deep at p = 0.3, the residual's last digits are gone long before the list ends.
    state = state_of([[list(range(60))]], "0.3", "C", "topic", [True])
    assert [document for _, document in served(state)] == list(range(60))


@every_method
@both_scopes
def test_passing_over_and_closing(method: str, scope: Any) -> None:
    rankings = [[[1, 2, 3], [2, 4]], [[1, 2], [3]]]
    state = state_of(rankings, "0.8", method, scope, [True, True])
    first = state.best()
    assert first is not None
    base = state.residual.copy()
    state.pass_over(first.topic, first.document)
    assert (state.residual == base).all()
    second = state.best()
    assert second is not None
    assert (second.topic, second.document) != (first.topic, first.document)
    assert first.document not in state.queue(first.topic, 9).documents
    # Judged and taken back, it stays passed over, in a look ahead as well.
    state.judge(first.topic, first.document, 1.0)
    assert first.document not in state.queue(first.topic, 9, after=(first.document, None)).documents
    state.judge(first.topic, first.document, None)
    assert first.document not in state.queue(first.topic, 9).documents
    state.close(0)
    assert state.remaining(0) == 0
    assert {topic for topic, _ in served(state)} == {1}


def test_bounds_equal_those_of_an_evaluation_to_the_last_bit() -> None:
    rng = np.random.default_rng(4)
    rankings = [[rng.permutation(90)[:60].tolist() for _ in range(6)] for _ in range(3)]
    state = state_of(rankings, "0.9", "C", "campaign", [True] * 6)
    for _ in range(80):
        choice = state.best()
        assert choice is not None
        state.judge(choice.topic, choice.document, float(rng.random()))
    for topic, pool in enumerate(state.pools):
        by_id = np.full(90, np.nan)
        for place, document in enumerate(pool.documents):
            by_id[document] = np.nan if (gain := state.gain(topic, place)) is None else gain
        for run, ranking in enumerate(rankings[topic]):
            bounds = rbp_bounds(by_id[ranking], 0.9)
            assert (bounds.base, bounds.residual) == (state.base[topic, run], state.residual[topic, run])


def test_a_gain_given_again_counts_for_nothing() -> None:
    state = state_of([[[1, 2, 3]]], "0.8", "C", "campaign", [True], batch=2)
    assert len(state.judge(0, 0, 1.0)) == 1
    weights = state.queue(0, 5).weights.tolist()
    assert len(state.judge(0, 0, 1.0)) == 0
    assert len(state.judge(0, 1, None)) == 0
    assert state.queue(0, 5).weights.tolist() == weights
    state.judge(0, 1, 1.0)
    assert state.queue(0, 5).weights.tolist() != weights[1:]


@both_scopes
@pytest.mark.parametrize("batch", [2, 3])
def test_looking_ahead_knows_when_weights_are_made_anew(scope: Any, batch: int) -> None:
    rng = np.random.default_rng(8)
    rankings = [[rng.permutation(30)[:20].tolist() for _ in range(4)] for _ in range(2)]
    state = state_of(rankings, "0.8", "C", scope, [True] * 4, batch)
    made_anew = []
    for step in range(9):
        topic = step % 2
        before, document = state.queue(topic, 40), int(state.queue(topic, 40).documents[0])
        ahead = state.queue(topic, 40, after=(document, 1.0))
        state.judge(topic, document, 1.0)
        queue = state.queue(topic, 40)
        assert ahead.documents.tolist() == queue.documents.tolist()
        assert ahead.weights.tolist() == queue.weights.tolist()
        made_anew.append(before.weights[1:].tolist() != queue.weights.tolist())
    count = range(9) if scope == "campaign" else [step // 2 for step in range(9)]
    assert made_anew == [(acts + 1) % batch == 0 for acts in count]


def test_why_a_document() -> None:
    state = state_of([[[1, 2], [2, 1], [2]]], "0.5", "C", "campaign", [True, True, False])
    why = state.explain(0, 0)
    assert state.pools[0].documents[0] == 1
    assert (why.runs.tolist(), why.ranks.tolist()) == ([0, 1], [1, 2])
    assert why.shares.tolist() == [0.5 * 0.125, 0.25 * 0.125]
    assert why.weight == sum(why.shares)
    pooled = state_of([[[1, 2], [2, 1], [2]]], "0.5", "pooling", "campaign", [True, True, False])
    assert pooled.explain(0, 0).weight == 0.5


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "D"}, "no method is called 'D'"),
        ({"scope": "run"}, "neither"),
        ({"batch": 0}, "below 1"),
        ({"p": 1.0}, "not inside"),
        ({"runs": 3}, "contributing"),
        ({"runs": 1, "contributing": np.array([True])}, "names run 1"),
    ],
)
def test_what_a_state_refuses(changed: dict[str, Any], message: str) -> None:
    pools = pools_of([[[1, 2], [2]]], 0.5, [True, True])
    given = {"runs": 2, "p": 0.5, "method": "C", "scope": "topic", "contributing": np.array([True, True])}
    with pytest.raises(ValueError, match=message):
        CampaignState(pools, CampaignSpec(**{**given, **changed}))


def test_documents_and_gains_that_do_not_exist() -> None:
    state = state_of([[[1, 2]]], "0.5", "C", "topic", [True])
    for topic, document in [(0, 2), (0, -1), (1, 0), (-1, 0)]:
        with pytest.raises(IndexError):
            state.judge(topic, document, 1.0)
        with pytest.raises(IndexError):
            state.queue(topic, 5, after=(document, 1.0))
    for gain in (-0.5, 1.5, float("nan")):
        with pytest.raises(ValueError, match="outside"):
            state.judge(0, 0, gain)
    with pytest.raises(ValueError, match="limit"):
        state.queue(0, 0)
    with pytest.raises(IndexError):
        state.queue(1, 5)
    assert state.base.tolist() == [[0.0]]
