"""Probes against their definition, beside the method without them; their share; that they are uniform."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import chain
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from selection.framework.interface import PROBE, Queue, SelectionScope
from selection.methods.probes import MOST_PROBES, PROBE_DEPTH, ProbedMethod, topic_probes
from selection.registry import METHODS, check_options
from selection.state import CampaignState, MethodSpec
from tests.selection.reference.adaptive import Campaign, acts, some_gains
from tests.selection.reference.campaign import Rankings, campaigns, pools_of, scopes
from tests.selection.reference.statap import splitmix
from tests.selection.test_state_properties import seen

SAMPLING_OR_READING = {"statap", "mtc+statap", "random", "cal"}
PROBED = sorted(set(METHODS) - SAMPLING_OR_READING)
SHARES = ["0.05", "0.1", "0.25", "0.3"]
Acting = Callable[[CampaignState], object]
Rows = list[tuple[int, float, str]]


def probed(
    campaign: Campaign,
    share: str | float,
    *,
    method: str = "C",
    scope: SelectionScope = "campaign",
    seed: int = 0,
    batch: int = 1,
    origin: int = 0,
) -> CampaignState:
    rankings, contributing = campaign
    return CampaignState(
        pools_of(rankings, 0.8, contributing),
        runs=len(contributing),
        p=0.8,
        method=method,
        scope=scope,
        contributing=np.array(contributing),
        options={"probe_share": share},
        seed=seed,
        batch=batch,
        origin=origin,
    )


def one_topic(*rankings: list[int]) -> Campaign:
    return [list(rankings)], [True] * len(rankings)


class Twins:
    """A campaign with probes and the same without, and what the one must serve according to the other."""

    def __init__(self, campaign: Campaign, share: str, method: str, scope: SelectionScope, seed: int) -> None:
        def made(of: str) -> CampaignState:
            return probed(campaign, of, method=method, scope=scope, seed=seed)

        self.campaign, self.share, self.method, self.made = campaign, Fraction(share), method, made
        self.state, self.plain = made(share), made("0")
        self.done: list[Acting] = []

    def act(self, what: Acting) -> None:
        self.done.append(what)
        what(self.state)
        what(self.plain)

    def expected(self, topic: int, plain: CampaignState) -> Rows:
        """The whole queue, from the plain one."""
        rankings, contributing = self.campaign
        generator = self.state.setting.generator(topic, PROBE)
        numbers_from = int(generator.integers(2**64, dtype=np.uint64))
        start = Fraction(int(generator.integers(2**53)), 2**53)
        proposed = zip(rankings[topic], contributing, strict=True)
        high = set(chain(*(ranking[:PROBE_DEPTH] for ranking, counts in proposed if counts)))
        own = whole(plain, plain.queue(topic, 999), topic)
        judged = len(plain.setting.judgments.judged_in(topic))
        rows: Rows = []
        for n in range(judged, judged + len(own)):
            left = [row for row in own if row[0] not in {document for document, *_ in rows}]
            probes = sorted(
                (document for document, *_ in left if document in high),
                key=lambda document: -splitmix(document, numbers_from),
            )
            due = floor((n + 1) * self.share + start) > floor(n * self.share + start)
            rows.append((probes[0], left[0][1], PROBE) if due and probes else (*left[0][:2], self.method))
        return rows

    def check(self) -> None:
        best, plain = self.state.best(), self.plain.best()
        assert (best is None) == (plain is None)
        for topic in range(len(self.state.pools)):
            queue, expected = self.state.queue(topic, 999), self.expected(topic, self.plain)
            assert whole(self.state, queue, topic) == expected
            assert queue.inclusion is None
            assert self.state.remaining(topic) == self.plain.remaining(topic) == len(expected)
            if best is not None and plain is not None and best.topic == topic:
                first = (int(queue.documents[0]), float(queue.weights[0]))
                assert (best.topic, best.document, best.weight) == (plain.topic, *first)
            for limit in (1, 3):
                assert whole(self.state, self.state.queue(topic, limit), topic) == expected[:limit]
            self.check_explanations(topic, queue)

    def check_explanations(self, topic: int, queue: Queue) -> None:
        for document, weight, source in zip(
            queue.documents.tolist(), queue.weights.tolist(), queue.sources or (), strict=True
        ):
            why = self.state.explain(topic, document)
            assert why.weight == pytest.approx(weight, rel=1e-11)
            assert why.source == (PROBE if source == PROBE else "")
            assert source != PROBE or not why.shares.any()


def whole(state: CampaignState, queue: Queue, topic: int) -> Rows:
    documents = state.pools[topic].documents[queue.documents].tolist()
    return list(zip(documents, queue.weights.tolist(), queue.sources or [""] * len(documents), strict=True))


@settings(max_examples=120, deadline=None, derandomize=True)
@given(campaigns(), st.sampled_from(PROBED), scopes, st.sampled_from(SHARES), st.integers(0, 50), st.data())
def test_probes_take_turns_of_the_method_as_defined(
    campaign: Campaign, method: str, scope: SelectionScope, share: str, seed: int, data: st.DataObject
) -> None:
    twins = Twins(campaign, share, method, scope, seed)
    twins.check()
    topics = [topic for topic, pool in enumerate(twins.state.pools) if len(pool)]
    for _ in range(data.draw(st.integers(1, 10)) if topics else 0):
        kind, topic = data.draw(acts), data.draw(st.sampled_from(topics))
        document = data.draw(st.integers(0, len(twins.state.pools[topic]) - 1))
        if kind == "best":
            if (choice := twins.state.best()) is None:
                continue
            topic, document = choice.topic, choice.document
        gain = None if kind == "withdraw" else data.draw(some_gains)
        ahead = twins.state.queue(topic, 999, after=(document, gain))
        before = twins.state.gain(topic, document)
        if kind == "pass over":
            twins.act(lambda state, at=(topic, document): state.pass_over(*at))  # type: ignore[misc]
        elif kind == "close":
            twins.act(lambda state, topic=topic: state.close(topic))  # type: ignore[misc]
        else:
            twins.act(lambda state, act=(topic, document, gain): state.judge(*act))  # type: ignore[misc]
            if gain is not None or before is not None:
                found = twins.state.queue(topic, 999)
                assert whole(twins.state, ahead, topic) == whole(twins.state, found, topic)
        twins.check()
    assert seen(twins.state.copy()) == seen(twins.state)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(campaigns(), st.sampled_from(PROBED), scopes, st.sampled_from(SHARES), st.data())
def test_order_of_judgments_leaves_no_trace(
    campaign: Campaign, method: str, scope: SelectionScope, share: str, data: st.DataObject
) -> None:
    lived = probed(campaign, share, method=method, scope=scope)
    while (choice := lived.best()) is not None and data.draw(st.booleans()):
        lived.judge(choice.topic, choice.document, data.draw(some_gains))
    known = [
        (topic, document, gain)
        for topic in range(len(lived.pools))
        for document, gain in lived.setting.judgments.judged_in(topic).items()
    ]
    rebuilt = probed(campaign, share, method=method, scope=scope)
    for act in data.draw(st.permutations(known)):
        rebuilt.judge(*act)
    assert seen(rebuilt) == seen(lived)


def judge_by_queue(state: CampaignState, judgments: int, topic: int = 0) -> list[str]:
    """Who served each."""
    served = []
    for _ in range(judgments):
        queue = state.queue(topic, 1)
        state.judge(topic, int(queue.documents[0]), 0.0)
        served.append((queue.sources or ("",))[0])
    return served


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.floats(1e-6, MOST_PROBES), st.integers(0, 2**31), st.sampled_from(["pooling", "A", "maxmean"]))
def test_probes_among_the_first_judgments_are_their_share(share: float, seed: int, method: str) -> None:
    state = probed(one_topic(list(range(20)), list(range(20, 40))), share, method=method, seed=seed)
    served = judge_by_queue(state, 40)
    for n in range(1, 41):
        assert abs(served[:n].count(PROBE) - n * share) < 1


def test_each_judgment_is_a_probe_with_the_probability_of_the_share() -> None:
    campaign = one_topic(list(range(20)))
    made = [judge_by_queue(probed(campaign, 0.2, method="A", seed=seed), 5) for seed in range(1000)]
    counts = [sum(served[n] == PROBE for served in made) for n in range(5)]
    # Five judgments with a share of a fifth: one probe, wherever it falls.
    assert sum(counts) == 1000
    assert chisquare(counts).pvalue > 0.001


def test_every_open_document_is_equally_likely_to_be_probed() -> None:
    campaign, counts = one_topic([3, 14, 15, 92, 65, 35], [89, 79]), dict.fromkeys(range(8), 0)
    for seed in range(4000):
        state = probed(campaign, 0.25, method="A", seed=seed)
        # Method A asks for two documents whatever the seed; the first probe after them is of the other six.
        for document in (0, 1):
            state.judge(0, document, 0.0)
        queue = state.queue(0, 8)
        assert queue.sources is not None
        counts[int(queue.documents[queue.sources.index(PROBE)])] += queue.sources.index(PROBE) == 0
    assert counts[0] == counts[1] == 0
    assert sum(counts.values()) > 800
    assert chisquare([counts[document] for document in range(2, 8)]).pvalue > 0.001


def test_probes_are_high_in_a_contributing_run() -> None:
    deep, others = list(range(100)), list(range(100, 130))
    rankings, contributing = [[deep, others]], [True, False]
    state = probed((rankings, contributing), 0.3, method="A")
    served = [row[0] for row in whole(state, state.queue(0, 999), 0) if row[2] == PROBE]
    assert served
    assert set(served) <= set(deep[:PROBE_DEPTH])
    # When none is left, the method goes on by itself.
    assert state.remaining(0) == len(state.queue(0, 999).documents) == 100


def test_a_late_run_and_a_copy_leave_probes_in_their_order() -> None:
    first, late = list(range(0, 40, 2)), list(range(39, 19, -1))

    def probes(*rankings: list[int], origin: int = 0) -> list[int]:
        setting = probed(one_topic(*rankings), 0.3, origin=origin).setting
        order = topic_probes(setting, 0, 0.3).order
        return [int(document) - origin for document in setting.pools[0].documents[order]]

    early = probes(first, [])
    assert sorted(early) == first
    both = probes(first, late)
    assert sorted(both) == sorted({*first, *late})
    assert [document for document in both if document in first] == early
    assert probes([document + 500 for document in first], [], origin=500) == early


@pytest.mark.parametrize("method", PROBED)
def test_without_a_share_the_method_is_itself(method: str) -> None:
    campaign: tuple[Rankings, list[bool]] = ([[[1, 2, 3], [3, 4]]], [True, True])
    state = probed(campaign, 0, method=method)
    assert not isinstance(state._method, ProbedMethod)
    assert state.queue(0, 9).sources is None
    assert isinstance(probed(campaign, 0.1, method=method)._method, ProbedMethod)


@pytest.mark.parametrize("method", sorted(SAMPLING_OR_READING))
def test_samples_and_readers_take_no_probes(method: str) -> None:
    with pytest.raises(ValueError, match=f"method {method.replace('+', '.')} has no option 'probe_share'"):
        check_options(method, {"probe_share": 0.1})


@pytest.mark.parametrize("method", PROBED)
@pytest.mark.parametrize("share", ["-0.1", "0.31", "nan", "a fifth"])
def test_refuses_a_share_outside_its_range(method: str, share: str) -> None:
    with pytest.raises(ValueError, match=f"probe_share = '?{share}"):
        check_options(method, {"probe_share": share})


def test_topics_of_the_same_method_are_weighed_together() -> None:
    """An option left to its default says the same as one that names it."""
    rankings, contributing = [[[1, 2, 3]], [[4, 5, 6]]], np.array([True])
    settings = {"runs": 1, "p": 0.8, "method": "A", "contributing": contributing, "scope": "campaign"}
    named = {1: MethodSpec("A", {"probe_share": 0.0})}
    state = CampaignState(pools_of(rankings, 0.8, [True]), topic_methods=named, **settings)  # type: ignore[arg-type]
    assert type(state._method) is type(probed((rankings, [True]), 0, method="A")._method)


@pytest.mark.parametrize("method", PROBED)
@pytest.mark.parametrize("scope", ["campaign", "topic"])
def test_a_replay_judges_each_document_once(method: str, scope: SelectionScope) -> None:
    rng = np.random.default_rng(5)
    rankings = [[rng.permutation(60)[:35].tolist() for _ in range(3)] for _ in range(3)]
    state = probed((rankings, [True, True, False]), 0.3, method=method, scope=scope)
    left = [len(set(chain(*topic[:2]))) for topic in rankings]
    assert [state.remaining(topic) for topic in range(3)] == left
    ahead = state.copy()
    while (choice := ahead.best()) is not None:
        assert ahead.gain(choice.topic, choice.document) is None
        ahead.judge(choice.topic, choice.document, float(rng.integers(2)))
        left[choice.topic] -= 1
        assert ahead.remaining(choice.topic) == left[choice.topic]
    assert left == [0, 0, 0]
    assert sum(len(state.setting.judgments.judged_in(topic)) for topic in range(3)) == 0


@pytest.mark.parametrize("batch", [2, 5])
@pytest.mark.parametrize("scope", ["campaign", "topic"])
def test_within_a_batch_the_methods_weights_stay(batch: int, scope: SelectionScope) -> None:
    rng = np.random.default_rng(6)
    campaign: Campaign = [[rng.permutation(40)[:25].tolist() for _ in range(4)]], [True] * 4
    state = probed(campaign, 0.3, scope=scope, batch=batch)
    for step in range(1, 16):
        before = state.queue(0, 99)
        first = int(before.documents[0])
        ahead = state.queue(0, 99, after=(first, 1.0))
        state.judge(0, first, 1.0)
        queue = state.queue(0, 99)
        assert whole(state, ahead, 0) == whole(state, queue, 0)
        own = {document: weight for document, weight, by in whole(state, before, 0) if by != PROBE}
        now = {document: weight for document, weight, by in whole(state, queue, 0) if by != PROBE}
        same = all(own[document] == now[document] for document in own.keys() & now.keys())
        assert same is (step % batch != 0)
