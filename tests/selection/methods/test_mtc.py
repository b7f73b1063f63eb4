"""MTC by its golden values, against its definition, and at its edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.methods.mtc import weights as mtc_weights
from selection.methods.mtc.belief import Belief
from selection.methods.mtc.options import MtcOptions
from selection.methods.mtc.ranked_pool import ranked_pool
from selection.methods.mtc.weights import spread
from selection.registry import check_options, make_method
from selection.rounding import round_significant
from selection.state import CampaignState
from tests.selection.reference.campaign import Rankings, campaigns, gains, pools_of
from tests.selection.reference.mtc import SlowMtc, mtc_options, mtc_state
from tests.selection.test_state_properties import draw_acts, seen

Campaign = tuple[Rankings, list[bool]]
OPPOSITE = [[[0, 1, 2], [2, 1, 0]]]
ordinary = settings(max_examples=60, deadline=None, derandomize=True)


def state_of(rankings: Rankings, runs: int, **options: Any) -> CampaignState:
    return mtc_state(rankings, [True] * runs, "0.8", MtcOptions(**options))


def served(state: CampaignState, topic: int = 0) -> dict[int, float]:
    """Weights by document id, in serving order."""
    queue = state.queue(topic, 100)
    ids = state.pools[topic].documents[queue.documents].tolist()
    return dict(zip(ids, queue.weights.tolist(), strict=True))


def index(state: CampaignState, document: int, topic: int = 0) -> int:
    return int(np.flatnonzero(state.pools[topic].documents == document)[0])


@pytest.mark.parametrize(("aggregate", "first"), [("range", 0.25), ("sum", 0.25), ("variance", 0.125)])
def test_golden_two_opposite_runs(aggregate: str, first: float) -> None:
    # Marginals differ by .75, 0, -.75; half of that, over an expected 1.5 relevant documents.
    state = state_of(OPPOSITE, 2, aggregate=aggregate)
    assert served(state) == pytest.approx({0: first, 2: first, 1: 0.0})


def test_golden_first_document_relevant() -> None:
    state = state_of(OPPOSITE, 2)
    state.judge(0, index(state, 0), 1.0)
    # Document 1: 1/2 + 1/2 + 1/6 against 1/2 + 1/4 + 1/3; document 2: 5/6 against 19/12; 2 relevant expected.
    assert served(state) == pytest.approx({2: 0.75 / 4, 1: 1 / 12 / 4})
    explained = state.explain(0, index(state, 2))
    assert dict(zip(explained.runs.tolist(), explained.shares.tolist(), strict=True)) == pytest.approx(
        {1: 19 / 12 / 4, 0: 5 / 6 / 4}
    )
    assert explained.weight == pytest.approx(explained.shares[0] - explained.shares[1])
    assert explained.ranks.tolist() == [1, 3]


def assert_agrees(state: CampaignState, slow: SlowMtc) -> None:
    for topic in range(len(state.pools)):
        queue, order = state.queue(topic, 50), slow.order(topic)
        assert queue.documents.tolist() == [place.document for place in order]
        assert queue.weights == pytest.approx([-float(place.lightness) for place in order], rel=1e-10)
        assert state.queue(topic, 2).documents.tolist() == queue.documents.tolist()[:2]
        assert state.remaining(topic) == len(order)
        for place in order[:2]:
            explained = state.explain(topic, place.document)
            assert explained.weight == pytest.approx(-float(place.lightness), rel=1e-10)
    best, expected = state.best(), slow.best()
    assert (best is None) == (expected is None)
    if best is not None and expected is not None:
        assert (best.topic, best.document) == (expected.topic, expected.document)


@pytest.mark.parametrize("summed_first", [1, 128])
@settings(max_examples=100, deadline=None, derandomize=True)
@given(campaigns(), st.sampled_from(["0.5", "0.8"]), st.data())
def test_every_step_against_the_definition(
    summed_first: int, campaign: Campaign, p: str, data: st.DataObject
) -> None:
    rankings, contributing = campaign
    options = data.draw(mtc_options(contributing))
    state = mtc_state(rankings, contributing, p, options)
    slow = SlowMtc(state, contributing, p, options)
    topics = [topic for topic, pool in enumerate(state.pools) if len(pool)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mtc_weights, "FIRST_SUMMED", summed_first)
        for _ in range(data.draw(st.integers(0, 10)) if topics else 0):
            topic = data.draw(st.sampled_from(topics))
            document = data.draw(st.integers(0, len(state.pools[topic]) - 1))
            kind = data.draw(st.sampled_from(["best", "judge", "judge", "withdraw", "pass", "close"]))
            if kind == "best" and (best := state.best()) is not None:
                topic, document = best.topic, best.document
            if kind in ("best", "judge"):
                gain = data.draw(gains)
                ahead = state.queue(topic, 50, after=(document, gain))
                state.judge(topic, document, gain)
                slow.gains[topic, document] = gain
                now = state.queue(topic, 50)
                assert (ahead.documents.tolist(), ahead.weights.tolist()) == (
                    now.documents.tolist(),
                    now.weights.tolist(),
                )
            elif kind == "withdraw":
                state.judge(topic, document, None)
                slow.gains.pop((topic, document), None)
            elif kind == "pass":
                state.pass_over(topic, document)
                slow.barred.add((topic, document))
            elif data.draw(st.booleans()):
                state.close(topic)
                slow.barred |= {(topic, d) for d in range(len(state.pools[topic]))}
            assert_agrees(state, slow)
    assert_agrees(state, slow)


@ordinary
@given(campaigns(), st.data())
def test_no_trace_of_the_order_and_of_what_was_taken_back(campaign: Campaign, data: st.DataObject) -> None:
    rankings, contributing = campaign
    options = data.draw(mtc_options(contributing))
    lived, rebuilt = (mtc_state(rankings, contributing, "0.8", options) for _ in range(2))
    lived.best()
    acts = draw_acts(data, lived, 20)
    for act in acts:
        lived.judge(*act)
    last = {(topic, document): gain for topic, document, gain in acts}
    for topic, document in data.draw(st.permutations(sorted(last))):
        rebuilt.judge(topic, document, last[topic, document])
    # States that are made now, of all judgments at once, and states that followed each.
    assert seen(lived) == seen(rebuilt)
    rebuilt.best()
    for topic, document, gain in data.draw(st.permutations(acts)):
        earlier = rebuilt.gain(topic, document)
        rebuilt.judge(topic, document, gain)
        rebuilt.judge(topic, document, earlier)
    assert seen(lived) == seen(rebuilt)


def random_rankings(seed: int, runs: int, documents: int, longest: int) -> Rankings:
    rng = np.random.default_rng(seed)
    return [[rng.permutation(documents)[: rng.integers(0, longest + 1)].tolist() for _ in range(runs)]]


@pytest.mark.parametrize("aggregate", ["range", "sum", "variance"])
@pytest.mark.parametrize("relevance", ["constant", "smoothed"])
def test_wide_and_narrow_documents(aggregate: Any, relevance: Any) -> None:
    # Some documents have more runs than are laid out in layers, some are ranked by all.
    options = MtcOptions(aggregate=aggregate, relevance=relevance)
    rankings = random_rankings(4, 14, 30, 28)
    rankings[0] = [[7, 3, *(d for d in ranking if d not in (3, 7))] for ranking in rankings[0]]
    state = mtc_state(rankings, [True] * 14, "0.8", options)
    slow = SlowMtc(state, [True] * 14, "0.8", options)
    rng = np.random.default_rng(1)
    for _ in range(10):
        assert_agrees(state, slow)
        choice = state.best()
        assert choice is not None
        gain = float(rng.integers(0, 2))
        state.judge(0, choice.document, gain)
        slow.gains[0, choice.document] = gain


def test_a_thousand_judgments_and_withdrawals_leave_every_bit() -> None:
    rankings = random_rankings(2, 20, 400, 300)
    lived, fresh = (state_of(rankings, 20, prior=0.3) for _ in range(2))
    rng, before = np.random.default_rng(3), seen(fresh)
    assert seen(lived) == before
    documents = rng.integers(0, len(lived.pools[0]), 1000).tolist()
    for document in documents:
        lived.judge(0, document, float(rng.integers(0, 2)) if rng.uniform() < 0.8 else None)
    for document in range(len(fresh.pools[0])):
        fresh.judge(0, document, lived.gain(0, document))
    assert seen(lived) == seen(fresh)
    for document in set(documents):
        lived.judge(0, document, None)
    assert seen(lived)[-4:] == before[-4:]


def test_what_was_judged_before_the_state_was_made_can_be_taken_back() -> None:
    rankings = random_rankings(6, 12, 40, 30)
    lived, never = (state_of(rankings, 12, prior=0.3) for _ in range(2))
    for document in range(10):
        lived.judge(0, document, float(document % 2))
    lived.best()
    for document in range(10):
        lived.judge(0, document, None)
    assert seen(lived) == seen(never)


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_sums_are_made_until_no_other_document_can_weigh_more(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mtc_weights, "FIRST_SUMMED", 1)
    rng = np.random.default_rng(8)
    pool = pools_of([[rng.permutation(60)[:55].tolist() for _ in range(20)]], 0.8, [True] * 20)[0]
    ranked = ranked_pool(pool, np.ones(20, dtype=np.bool_), None)
    misled = 0
    for _ in range(20):
        # A single run apart from the others has a bound far above the sum.
        effects = rng.choice([1.0, 1.3, 6.0], size=len(ranked.run), p=[0.7, 0.25, 0.05])
        weights = mtc_weights.MtcWeights(ranked, Belief(effects, 0.5, 1.0, 0), MtcOptions(aggregate="sum"))
        everything = np.arange(len(pool))
        order = np.lexsort((everything, -round_significant(weights.exact(everything))))
        found = weights.heaviest(np.zeros(len(pool), dtype=np.bool_), limit)
        assert found.documents.tolist() == order[:limit].tolist()
        bounds = spread("sum", ranked, effects).most
        misled += ranked.documents[bounds.argmax()] != order[0]
    assert misled > 5


@pytest.mark.parametrize("measure", ["AP", "RBP"])
def test_experts_against_the_definition(measure: str) -> None:
    options = MtcOptions(relevance="experts", measure=measure, depth=10)
    rankings = random_rankings(5, 4, 16, 14)
    state = mtc_state(rankings, [True, True, False, True], "0.8", options)
    slow = SlowMtc(state, [True, True, False, True], "0.8", options)
    for step in range(9):
        queue, order = state.queue(0, 50), slow.order(0)
        expected = {place.document: -float(place.lightness) for place in order}
        assert dict(zip(queue.documents.tolist(), queue.weights.tolist(), strict=True)) == pytest.approx(
            expected, rel=1e-6
        )
        document, gain = int(queue.documents[0]), float(step % 3 == 0)
        ahead = state.queue(0, 50, after=(document, gain))
        state.judge(0, document, gain)
        slow.gains[0, document] = gain
        assert ahead.weights.tolist() == state.queue(0, 50).weights.tolist()


def test_one_run_is_served_in_pool_order() -> None:
    state = state_of([[[4, 2, 9]]], 1)
    assert served(state) == {4: 0.0, 2: 0.0, 9: 0.0}
    assert list(served(state)) == [4, 2, 9]


@pytest.mark.parametrize("aggregate", ["range", "sum", "variance"])
def test_identical_runs_are_served_in_pool_order(aggregate: Any) -> None:
    state = state_of([[[4, 2, 9, 1, 7]] * 3], 3, aggregate=aggregate, prior=0.3)
    for gain in (1.0, 0.0, 1.0):
        assert list(served(state)) == state.pools[0].documents[state.queue(0, 9).documents].tolist()
        assert set(served(state).values()) == {0.0}
        choice = state.best()
        assert choice is not None
        state.judge(0, choice.document, gain)
    assert list(served(state)) == [1, 7]


def test_a_topic_without_runs_and_one_that_is_judged_to_the_end() -> None:
    state = state_of([[[], []], *OPPOSITE], 2)
    assert state.queue(0, 5).documents.tolist() == []
    assert state.remaining(0) == 0
    while (choice := state.best()) is not None:
        assert choice.topic == 1
        state.judge(1, choice.document, 1.0)
    assert state.remaining(1) == 0
    assert state.queue(1, 5).documents.tolist() == []


def test_documents_below_the_depth_come_last_in_pool_order() -> None:
    state = state_of([[[0, 1, 2, 3], [1, 4, 5, 0]]], 2, depth=1)
    weights = served(state)
    assert list(weights)[:2] == [1, 0]
    assert list(weights.values())[2:] == [0.0] * 4
    indices = state.queue(0, 9).documents.tolist()[2:]
    assert indices == sorted(indices)


def test_a_pair_takes_turns() -> None:
    rankings = [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]]
    state = state_of(rankings, 3, prior=0.2, first=0, second=1)
    # What is rather nonrelevant proves the first run better where it would help the second.
    assert next(iter(served(state))) == 4
    state.judge(0, index(state, 4), 0.0)
    assert next(iter(served(state))) == 0
    assert list(served(state).values())[-2:] == [0.0, 0.0]
    other = state_of(rankings, 3, prior=0.2, first=1, second=0)
    assert next(iter(served(other))) == 0


def test_runs_that_do_not_contribute_have_no_say() -> None:
    with_it = mtc_state([[[0, 1, 2], [2, 1, 0], [1, 5, 6]]], [True, True, False], "0.8", MtcOptions())
    without = state_of(OPPOSITE, 2)
    assert served(with_it) == served(without)


def test_relevant_documents_that_no_run_ranks_so_high_count_in_the_measure() -> None:
    state = state_of([[[0, 1, 2], [2, 1, 0]]], 2, depth=2)
    before = served(state)
    state.judge(0, index(state, 1), 0.0)
    assert before[0] == pytest.approx(0.5 * (1 + 0.25) / 1.5)
    # Two documents weigh still, neither of which is in both runs' first two.
    assert served(state)[0] == pytest.approx(0.5 * 1 / 1.0)


def test_a_prior_of_nothing_waits_for_a_relevant_document() -> None:
    state = state_of(OPPOSITE, 2, prior=0.0)
    assert set(served(state).values()) == {0.0}
    state.judge(0, index(state, 1), 1.0)
    assert served(state) == pytest.approx({0: 1 + 1 / 2 - (1 / 3 + 1 / 3), 2: 1 + 1 / 2 - (1 / 3 + 1 / 3)})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measure": "nDCG"}, "measure = 'nDCG'"),
        ({"measure": "P@0"}, "measure = 'P@0'"),
        ({"aggregate": "median"}, "aggregate = 'median'"),
        ({"relevance": "guess"}, "relevance = 'guess'"),
        ({"prior": "1.5"}, r"prior = 1.5 is outside \[0, 1\]"),
        ({"prior": "nan"}, "prior = nan"),
        ({"prior": "half"}, "prior = 'half' is not float"),
        ({"depth": 0}, "depth = 0 is below 1"),
        ({"first": 1}, "first = 1, second = None"),
        ({"first": -1, "second": 2}, "first = -1 is below 0"),
        ({"first": 2, "second": 2}, "the same run, 2"),
        ({"gamma": 1}, "gamma"),
    ],
)
def test_options_that_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_options("mtc", options)


def test_options_from_words() -> None:
    check_options("mtc", {"measure": "SDCG@100", "depth": "100", "first": "0", "second": "3", "prior": "0.1"})


@pytest.mark.parametrize(
    ("pair", "said"),
    [((0, 7), "second = 7, but there are 3 runs"), ((2, 0), "first = 2 is a run that does not contribute")],
)
def test_pairs_that_are_refused(pair: tuple[int, int], said: str) -> None:
    state = mtc_state([[[0], [1], [2]]], [True, True, False], "0.8", MtcOptions())
    with pytest.raises(ValueError, match=said):
        make_method("mtc", state._setting, {"first": pair[0], "second": pair[1]})
