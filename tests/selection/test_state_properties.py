"""What holds of any campaign, whatever is judged, revised and taken back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.bounds import RunBounds
from selection.framework.interface import SelectionScope
from selection.state import CampaignState
from tests.selection.reference.campaign import (
    Rankings,
    campaigns,
    gains,
    methods,
    persistences,
    scopes,
    state_of,
)

Acts = list[tuple[int, int, float | None]]
Campaign = tuple[Rankings, list[bool]]
ordinary = settings(max_examples=60, deadline=None, derandomize=True)


def draw_acts(data: st.DataObject, state: CampaignState, most: int = 12) -> Acts:
    topics = [topic for topic, pool in enumerate(state.pools) if len(pool)]
    acts: Acts = []
    for _ in range(data.draw(st.integers(0, most)) if topics else 0):
        topic = data.draw(st.sampled_from(topics))
        document = data.draw(st.integers(0, len(state.pools[topic]) - 1))
        acts.append((topic, document, data.draw(st.one_of(st.none(), gains, st.floats(0, 1)))))
    return acts


def seen(state: CampaignState) -> list[bytes]:
    """Everything that can be seen of a state, to the last bit."""
    parts = [state.base, state.residual, *state.mean_bounds()]
    for topic in range(len(state.pools)):
        queue = state.queue(topic, 100)
        parts += [queue.documents.astype(np.int64), queue.weights, np.array(state.remaining(topic))]
    best = state.best()
    parts.append(np.array([] if best is None else [best.topic, best.document, best.weight]))
    return [part.tobytes() for part in parts]


@ordinary
@given(campaigns(), persistences, methods, scopes, st.data())
def test_the_order_of_judgments_and_what_was_taken_back_leave_no_trace(
    campaign: Campaign, p: str, method: str, scope: SelectionScope, data: st.DataObject
) -> None:
    lived = state_of(campaign[0], p, method, scope, campaign[1])
    acts = draw_acts(data, lived)
    for act in acts:
        lived.judge(*act)
    last = {(topic, document): gain for topic, document, gain in acts}
    rebuilt = state_of(campaign[0], p, method, scope, campaign[1])
    for topic, document in data.draw(st.permutations(sorted(last))):
        rebuilt.judge(topic, document, last[topic, document])
    assert seen(lived) == seen(rebuilt)


@ordinary
@given(campaigns(), persistences, st.data())
def test_bounds_straight_from_the_rankings_are_the_same(
    campaign: Campaign, p: str, data: st.DataObject
) -> None:
    rankings, contributing = campaign
    state = state_of(rankings, p, "A", "campaign", contributing)
    known: list[dict[int, float]] = [{} for _ in rankings]
    for topic, document, gain in draw_acts(data, state, most=20):
        state.judge(topic, document, gain)
        known[topic].pop(int(state.pools[topic].documents[document]), None)
        if gain is not None:
            known[topic][int(state.pools[topic].documents[document])] = gain
    bounds = RunBounds(state.pools, len(contributing), float(p))
    for topic, lists in enumerate(rankings):
        judged = np.array(sorted(known[topic]), dtype=np.int32)
        of_judged = np.array([known[topic][document] for document in judged.tolist()])
        arrays = [np.array(ranking, dtype=np.int32) if ranking else None for ranking in lists]
        bounds.score(topic, arrays, judged, of_judged)
    found = [bounds.base, bounds.residual, *bounds.means()]
    expected = [state.base, state.residual, *state.mean_bounds()]
    assert [part.tobytes() for part in found] == [part.tobytes() for part in expected]


@ordinary
@given(campaigns(), persistences, scopes, st.data())
def test_judging_raises_base_lowers_residual_and_keeps_their_sum_below_one(
    campaign: Campaign, p: str, scope: SelectionScope, data: st.DataObject
) -> None:
    state = state_of(campaign[0], p, "C", scope, campaign[1])
    for topic, document, gain in draw_acts(data, state):
        if gain is None or state.gain(topic, document) is not None:
            continue
        base, residual = state.base.copy(), state.residual.copy()
        touched = state.judge(topic, document, gain)
        assert (state.base >= base).all()
        assert (state.residual <= residual).all()
        assert (state.base + state.residual <= base + residual).all()
        assert (state.residual >= 0).all()
        moved = np.flatnonzero((state.residual != residual).any(axis=0))
        assert set(moved) <= set(touched.tolist())


@ordinary
@given(campaigns(), persistences, methods, scopes, st.data())
def test_judging_and_taking_back_restores_every_bit(
    campaign: Campaign, p: str, method: str, scope: SelectionScope, data: st.DataObject
) -> None:
    state = state_of(campaign[0], p, method, scope, campaign[1])
    for act in draw_acts(data, state):
        state.judge(*act)
    for topic, document, gain in draw_acts(data, state, 4):
        before, earlier = seen(state), state.gain(topic, document)
        state.judge(topic, document, gain)
        state.judge(topic, document, earlier)
        assert seen(state) == before


@ordinary
@given(campaigns(), persistences, methods, scopes, st.integers(1, 4), st.data())
def test_looking_ahead_equals_judging_and_changes_nothing(
    campaign: Campaign, p: str, method: str, scope: SelectionScope, batch: int, data: st.DataObject
) -> None:
    state = state_of(campaign[0], p, method, scope, campaign[1], batch)
    for act in draw_acts(data, state):
        state.judge(*act)
    for topic, document, gain in draw_acts(data, state, 3):
        before, judged = seen(state), state.gain(topic, document) is not None
        ahead = state.queue(topic, 100, after=(document, gain))
        assert seen(state) == before
        if gain is None and not judged:
            queue = state.queue(topic, 100)
            left = queue.documents != document
            expected = (queue.documents[left].tolist(), queue.weights[left].tolist())
        else:
            state.judge(topic, document, gain)
            queue = state.queue(topic, 100)
            expected = (queue.documents.tolist(), queue.weights.tolist())
        assert (ahead.documents.tolist(), ahead.weights.tolist()) == expected


@ordinary
@given(campaigns(), persistences, st.data())
def test_another_run_changes_no_run_s_bounds(campaign: Campaign, p: str, data: st.DataObject) -> None:
    rankings, contributing = campaign
    state = state_of(rankings, p, "C", "campaign", contributing)
    extra = data.draw(st.lists(st.integers(0, 20), max_size=6, unique=True))
    wider = state_of([[*topic, extra] for topic in rankings], p, "C", "campaign", [*contributing, True])
    for topic, document, gain in draw_acts(data, state):
        state.judge(topic, document, gain)
        name = state.pools[topic].documents[document]
        place = int(np.flatnonzero(wider.pools[topic].documents == name)[0])
        wider.judge(topic, place, gain)
    assert (wider.base[:, :-1] == state.base).all()
    assert (wider.residual[:, :-1] == state.residual).all()


@ordinary
@given(campaigns(), persistences, methods, scopes, st.data())
def test_a_shorter_queue_is_the_beginning_of_a_longer_one(
    campaign: Campaign, p: str, method: str, scope: SelectionScope, data: st.DataObject
) -> None:
    state = state_of(campaign[0], p, method, scope, campaign[1])
    for act in draw_acts(data, state):
        state.judge(*act)
    for topic in range(len(state.pools)):
        whole = state.queue(topic, 100)
        for limit in (1, 2, 5):
            part = state.queue(topic, limit)
            assert part.documents.tolist() == whole.documents[:limit].tolist()
            assert part.weights.tolist() == whole.weights[:limit].tolist()
        for place, document in enumerate(whole.documents[:3].tolist()):
            assert state.explain(topic, document).weight == pytest.approx(whole.weights[place], rel=1e-12)


@ordinary
@given(campaigns(), persistences, methods, scopes, st.data())
def test_unjudged_documents_as_not_relevant_are_as_if_each_were_judged(
    campaign: Campaign, p: str, method: str, scope: SelectionScope, data: st.DataObject
) -> None:
    state = state_of(campaign[0], p, method, scope, campaign[1])
    for act in draw_acts(data, state):
        state.judge(*act)
    before = seen(state)
    topics = data.draw(st.sets(st.integers(0, len(state.pools) - 1)) if len(state.pools) else st.just(set()))
    assumed, slow = state.assuming_not_relevant(topics), state.copy()
    for topic in topics:
        for document in range(len(state.pools[topic])):
            if slow.gain(topic, document) is None:
                slow.judge(topic, document, 0.0)
    assert seen(state) == before
    assert assumed.base.tolist() == slow.base.tolist()
    for topic in range(len(state.pools)):
        if topic not in topics:
            assert assumed.residual[topic].tolist() == state.residual[topic].tolist()
            continue
        # Ranks below a list's end are open to `slow`.
        assert not assumed.residual[topic].any()
        assert assumed.setting.judgments.judged_in(topic) == slow.setting.judgments.judged_in(topic)
        assert assumed.setting.judgments.open_in(topic) == 0
    means = assumed.residual.mean(axis=0) if len(state.pools) else 0.0
    np.testing.assert_allclose(assumed.mean_bounds()[1], means, atol=1e-12)
