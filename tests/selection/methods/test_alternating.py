"""MTC and statAP side by side: what each would do alone. Neither knows the judgments of the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.methods.alternation import AlternatingMethod, AlternatingOptions, arm_of
from selection.pool import TopicPool
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.adaptive import Both, Campaign, Order, SlowTopic, follow
from tests.selection.reference.campaign import Rankings, campaigns, pools_of
from tests.selection.reference.statap import SlowAlternation

Relevance = Callable[[int], float]
mtc_options = st.sampled_from(
    [{}, {"aggregate": "variance", "relevance": "smoothed"}, {"measure": "RBP", "aggregate": "sum"}]
)


def alternating(
    rankings: Rankings,
    contributing: list[bool] | None = None,
    pools: list[TopicPool] | None = None,
    seed: int = 0,
    **options: object,
) -> CampaignState:
    contributing = contributing or [True] * len(rankings[0])
    return CampaignState(
        pools or pools_of(rankings, 0.8, contributing),
        CampaignSpec(
            runs=len(contributing),
            p=0.8,
            method="mtc+statap",
            scope="topic",
            contributing=np.array(contributing),
            options=options,
            seed=seed,
        ),
    )


def sample_of(state: CampaignState, topic: int = 0) -> list[int]:
    drawn = state.sample(topic)
    return [] if drawn is None else drawn.documents.tolist()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(campaigns(), st.integers(1, 6), mtc_options, st.integers(0, 5), st.data())
def test_follows_its_definition(
    campaign: Campaign, size: int, given: dict[str, Any], seed: int, data: st.DataObject
) -> None:
    rankings, contributing = campaign

    def make(pools: list[TopicPool]) -> CampaignState:
        return alternating(rankings, contributing, pools, seed, size=size, **given)

    fresh = make(pools_of(rankings, 0.8, contributing))
    slow = [SlowAlternation(sample_of(fresh, topic), given) for topic in range(len(rankings))]

    def order_of(topic: SlowTopic) -> Order:
        return slow[topic.number].order_of(topic)

    both = Both(rankings, contributing, "topic", order_of, make)
    follow(both, data)
    for topic, one in enumerate(both.slow):
        queue = both.state.queue(topic, 99)
        assert queue.sources == tuple(source for _, _, source in slow[topic].turns(one))
        for place, weight in zip(queue.documents.tolist(), queue.weights.tolist(), strict=True):
            assert both.state.explain(topic, place).weight == weight


def realistic(seed: int) -> Rankings:
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=120)
    return [[np.argsort(-quality - rng.normal(size=120))[:40].tolist() for _ in range(6)]]


class Played:
    """A topic judged from the queue's head. `served`: documents by source; `asked`: MTC's judged documents,
    in the order in which it came to them."""

    def __init__(self, state: CampaignState, relevance: Relevance, judgments: int, size: int = 12) -> None:
        self.state, method = state, AlternatingMethod(state.setting, AlternatingOptions(size=size))
        self.served: dict[str, list[int]] = {"mtc": [], "statap": []}
        self.asked: list[int] = []
        self.sources: list[str] = []
        for _ in range(judgments):
            queue = method.queue(0, 1, None)
            assert queue.sources is not None
            place, (source,) = int(queue.documents[0]), queue.sources
            assert state.queue(0, 1).documents.tolist() == [place]
            self.served[source].append(self.id_of(place))
            self.sources.append(source)
            state.judge(0, place, relevance(self.id_of(place)))
            found = {self.id_of(document) for document in method.asked_by_mtc(0)}
            assert found >= set(self.asked)
            self.asked += sorted(found - set(self.asked))

    def id_of(self, place: int) -> int:
        return int(self.state.pools[0].documents[place])


def base(document: int) -> float:
    return float(document % 3 == 0)


@pytest.mark.parametrize("seed", range(8))
def test_mtc_does_not_know_what_statap_alone_was_told(seed: int) -> None:
    rankings = realistic(seed)
    first = Played(alternating(rankings, seed=seed, size=12), base, 22)
    hidden = set(first.served["statap"]) - set(first.asked)
    assert len(hidden) > 5
    second = Played(
        alternating(rankings, seed=seed, size=12),
        lambda document: 1 - base(document) if document in hidden else base(document),
        22,
    )
    assert second.asked == first.asked
    assert second.served == first.served
    # The judgments given to MTC do make a difference to it.
    seen = set(first.asked[:3])
    third = Played(
        alternating(rankings, seed=seed, size=12),
        lambda document: 1 - base(document) if document in seen else base(document),
        22,
    )
    assert third.asked[:1] == first.asked[:1]
    assert third.asked != first.asked


@pytest.mark.parametrize("seed", range(4))
def test_statap_does_not_know_what_mtc_alone_was_told(seed: int) -> None:
    rankings = realistic(seed)
    state = alternating(rankings, seed=seed, size=12)
    sample = sample_of(state)
    for relevance in (base, lambda document: base(document) if document in sample else 1 - base(document)):
        played = Played(alternating(rankings, seed=seed, size=12), relevance, 22)
        assert sample_of(played.state) == sample
        given = set(played.served["mtc"]) | set(played.served["statap"])
        # Down its order, without a gap, and without those that MTC had got judged before.
        judged = [document for document in sample if document in given]
        count = len(played.served["statap"])
        assert [d for d in sample if d in played.served["statap"]] == played.served["statap"]
        assert set(sample[: len(judged)]) >= set(played.served["statap"])
        assert count <= len(judged)


def test_they_take_turns() -> None:
    played = Played(alternating(realistic(1), size=12), base, 16)
    counts = {"mtc": 0, "statap": 0}
    for k, source in enumerate(played.sources[:4]):
        assert source == ("mtc", "statap")[k % 2], counts
    assert abs(len(played.served["mtc"]) - len(played.served["statap"])) <= 4


def test_a_document_of_both_is_served_once_and_mtc_goes_on_when_the_sample_is_done() -> None:
    state = alternating(realistic(2), size=12)
    size = len(state.pools[0])
    assert state.remaining(0) == size
    played = Played(state, base, size)
    everything = played.served["mtc"] + played.served["statap"]
    assert len(everything) == len(set(everything)) == size
    assert set(played.sources[-20:]) == {"mtc"}
    assert set(sample_of(state)) - set(played.served["statap"]) != set()
    assert state.best() is None
    assert len(played.asked) == size


def test_what_statap_got_judged_mtc_is_told_when_it_comes_to_it() -> None:
    # All are in the sample, so everything is served once and given twice.
    state = alternating(realistic(4), size=200)
    sample, ids = sample_of(state), state.pools[0].documents.tolist()
    alone = CampaignState(
        list(state.pools),
        CampaignSpec(runs=6, p=0.8, method="mtc", scope="topic", contributing=np.ones(6, dtype=np.bool_)),
    )
    for document in sample[:25]:
        state.judge(0, ids.index(document), base(document))
    while (choice := alone.best()) is not None and ids[choice.document] in sample[:25]:
        alone.judge(0, choice.document, base(ids[choice.document]))
    assert choice is not None
    queue = state.queue(0, 1)
    assert (queue.documents.tolist(), queue.sources) == ([choice.document], ("mtc",))


def test_probabilities_go_with_the_sample_whoever_serves_it() -> None:
    state = alternating(realistic(3), size=12)
    drawn, queue = state.sample(0), state.queue(0, 99)
    assert drawn is not None
    assert queue.inclusion is not None
    chances = dict(zip(drawn.documents.tolist(), drawn.inclusion.tolist(), strict=True))
    documents = state.pools[0].documents[queue.documents].tolist()
    for document, inclusion in zip(documents, queue.inclusion.tolist(), strict=True):
        assert inclusion == chances[document] if document in chances else np.isnan(inclusion)


def test_random_arms_serve_a_third_of_the_topics_each() -> None:
    rankings: Rankings = [[[1, 2, 3, 4], [3, 5, 1]]] * 300
    state = alternating(rankings, size=2, arms="random", seed=5)
    arms = [arm_of(state.setting, topic, AlternatingOptions(arms="random")) for topic in range(300)]
    assert {arm: arms.count(arm) > 75 for arm in arms} == {"mtc": True, "statap": True, "both": True}
    for topic, arm in list(enumerate(arms))[:30]:
        queue = state.queue(topic, 99)
        assert queue.sources is not None
        assert queue.inclusion is not None
        assert set(queue.sources) == ({"mtc", "statap"} if arm == "both" else {arm})
        assert state.remaining(topic) == (len(sample_of(state, topic)) if arm == "statap" else 5)
        assert len(queue.documents) == state.remaining(topic)
        assert (state.sample(topic) is None) == (arm == "mtc")
        assert np.isnan(queue.inclusion).all() == (arm == "mtc")


def test_random_arms_hang_on_the_seed() -> None:
    def arms(seed: int) -> list[str]:
        state = alternating([[[1]]] * 40, seed=seed, arms="random")
        return [arm_of(state.setting, topic, AlternatingOptions(arms="random")) for topic in range(40)]

    assert arms(1) == arms(1) != arms(2)


def test_what_mtc_chose_where_it_serves_alone_or_not_at_all() -> None:
    state = alternating([[[1, 2, 3]]] * 12, arms="random", size=2)
    method = AlternatingMethod(state.setting, AlternatingOptions(arms="random", size=2))
    for topic in range(12):
        state.judge(topic, 1, 1.0)
        arm = arm_of(state.setting, topic, AlternatingOptions(arms="random"))
        if arm != "both":
            assert method.asked_by_mtc(topic) == ((1,) if arm == "mtc" else ())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 0}, "size = 0"),
        ({"arms": "some"}, "arms = 'some' is none of both, random"),
        ({"prior": 2.0}, "prior = 2.0"),
        ({"first": 0, "second": 7}, "second = 7, but there are 2 runs"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        alternating([[[1], [2]]], **options)


def test_one_run_serves_all_its_documents_and_a_topic_without_runs_none() -> None:
    state = alternating([[[4, 2, 9]], [[]]], size=2)
    assert state.remaining(1) == len(state.queue(1, 9).documents) == 0
    order = []
    while (choice := state.best()) is not None:
        order.append(int(state.pools[0].documents[choice.document]))
        state.judge(0, choice.document, 0.0)
    assert sorted(order) == [2, 4, 9]
