"""Every choice and every weight, against selection from its definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.framework.interface import SelectionScope
from selection.state import CampaignState
from tests.selection.reference.campaign import (
    Rankings,
    SlowCampaign,
    campaigns,
    gains,
    methods,
    persistences,
    scopes,
    state_of,
)


def assert_queue_agrees(state: CampaignState, slow: SlowCampaign, topic: int) -> None:
    queue, order = state.queue(topic, 50), slow.order(topic)
    assert state.pools[topic].documents[queue.documents].tolist() == [row.document for row in order]
    assert queue.weights == pytest.approx([-float(row.lightness) for row in order], rel=2e-11)
    assert state.remaining(topic) == len(order)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(campaigns(), persistences, methods, scopes, st.data())
def test_best_and_queue_at_every_step(
    campaign: tuple[Rankings, list[bool]], p: str, method: str, scope: SelectionScope, data: st.DataObject
) -> None:
    rankings, contributing = campaign
    state, slow = (
        state_of(rankings, p, method, scope, contributing),
        SlowCampaign(rankings, p, method, scope, contributing),
    )
    while (expected := slow.best()) is not None:
        for topic in range(len(rankings)):
            assert_queue_agrees(state, slow, topic)
        choice = state.best()
        assert choice is not None
        document = int(state.pools[choice.topic].documents[choice.document])
        assert (choice.topic, document) == (expected.topic, expected.document)
        gain = data.draw(gains)
        state.judge(choice.topic, choice.document, gain)
        slow.gains[choice.topic, document] = Fraction(gain)
    assert state.best() is None


class BlindCampaign(SlowCampaign):
    """Weighs a topic's documents as if nothing of the topic were judged."""

    def factors(self, topic: int) -> list[Fraction]:
        gains, self.gains = self.gains, {key: gain for key, gain in self.gains.items() if key[0] != topic}
        try:
            return super().factors(topic)
        finally:
            self.gains = gains


@settings(max_examples=40, deadline=None, derandomize=True)
@given(campaigns(), persistences, st.sampled_from(["B", "C"]), scopes, st.data())
def test_between_topics_a_topic_learns_from_the_others_alone(
    campaign: tuple[Rankings, list[bool]], p: str, method: str, scope: SelectionScope, data: st.DataObject
) -> None:
    rankings, contributing = campaign
    state = state_of(rankings, p, method, scope, contributing, options={"between_topics": True})
    slow = BlindCampaign(rankings, p, method, scope, contributing)
    while (expected := slow.best()) is not None:
        for topic in range(len(rankings)):
            assert_queue_agrees(state, slow, topic)
        choice = state.best()
        assert choice is not None
        document = int(state.pools[choice.topic].documents[choice.document])
        assert (choice.topic, document) == (expected.topic, expected.document)
        gain = data.draw(gains)
        before = state.queue(choice.topic, 50).documents
        foreseen = state.queue(choice.topic, 50, after=(choice.document, gain)).documents.tolist()
        state.judge(choice.topic, choice.document, gain)
        # The judgment leaves the order of its own topic as it is.
        assert foreseen == state.queue(choice.topic, 50).documents.tolist()
        assert foreseen == [each for each in before.tolist() if each != choice.document]
        slow.gains[choice.topic, document] = Fraction(gain)
    assert state.best() is None


@settings(max_examples=40, deadline=None, derandomize=True)
@given(campaigns(), persistences, scopes, st.data())
def test_bounds_after_any_acts(
    campaign: tuple[Rankings, list[bool]], p: str, scope: SelectionScope, data: st.DataObject
) -> None:
    rankings, contributing = campaign
    state, slow = (
        state_of(rankings, p, "C", scope, contributing),
        SlowCampaign(rankings, p, "C", scope, contributing),
    )
    open_topics = [topic for topic, pool in enumerate(state.pools) if len(pool)]
    for _ in range(data.draw(st.integers(0, 12)) if open_topics else 0):
        topic = data.draw(st.sampled_from(open_topics))
        document = data.draw(st.integers(0, len(state.pools[topic]) - 1))
        gain = data.draw(st.one_of(st.none(), gains))
        state.judge(topic, document, gain)
        slow.gains.pop((topic, int(state.pools[topic].documents[document])), None)
        if gain is not None:
            slow.gains[topic, int(state.pools[topic].documents[document])] = Fraction(gain)
    for topic in range(len(rankings)):
        expected = np.array([[float(v) for v in slow.bounds(topic, run)] for run in range(slow.runs)])
        assert state.base[topic] == pytest.approx(expected[:, 0], abs=1e-14)
        assert state.residual[topic] == pytest.approx(expected[:, 1], abs=1e-14)
        assert_queue_agrees(state, slow, topic)
    base, residual = state.mean_bounds()
    assert base == pytest.approx(state.base.mean(axis=0), abs=1e-14)
    assert residual == pytest.approx(state.residual.mean(axis=0), abs=1e-14)
