"""Stop tests that follow a campaign, against the same asked from nothing, and against its end."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.arrays import BoolArray
from evaluation.comparison.pair_decisions import by_differences, by_score_ranges
from evaluation.estimation.mtc import confidences
from evaluation.estimation.relevance import constant_relevance, smoothed_relevance
from selection.judgments import GainChange
from selection.simulation.calibrated_pairs import CalibratedPairs
from selection.simulation.replay import replay
from selection.specification import CampaignSpec
from selection.state import CampaignState
from selection.stopping.confidence import ConfidentPairs
from selection.stopping.tests import PairsDecided, SharedWeights, StopTest, TopDistinct, TopPairs
from tests.selection.reference.campaign import Rankings, campaigns, gains, persistences, pools_of, state_of

Campaign = tuple[Rankings, list[bool]]
TESTS: list[StopTest] = [
    TopDistinct(),
    TopPairs(2),
    TopPairs(2, bound="intervals"),
    PairsDecided(((1, 0),)),
    ConfidentPairs(0.6, k=2),
    ConfidentPairs(0.6, pairs=((1, 0),), relevance="smoothed"),
    ConfidentPairs(0.8, k=2, relevance="experts"),
    CalibratedPairs(0.6, k=2),
    CalibratedPairs(0.6, pairs=((1, 0),)),
]


def decided(state: CampaignState) -> BoolArray:
    every = np.arange(state.setting.runs)
    return by_differences(*state.mean_bounds(), SharedWeights(state.setting).among(every)).better


@settings(max_examples=20, deadline=None, derandomize=True)
@given(campaigns(), persistences, st.data())
def test_following_is_asking_anew(campaign: Campaign, p: str, data: st.DataObject) -> None:
    rankings, contributing = campaign
    assume(len(contributing) > 1)
    state = state_of(rankings, p, "A", "campaign", contributing)
    topics = [topic for topic, pool in enumerate(state.pools) if len(pool)]
    assume(topics)
    watches = [test.watch(state) for test in TESTS]
    for _ in range(data.draw(st.integers(1, 8))):
        topic = data.draw(st.sampled_from(topics))
        document = data.draw(st.integers(0, len(state.pools[topic]) - 1))
        act = GainChange(topic, document, state.gain(topic, document), data.draw(st.one_of(st.none(), gains)))
        state.judge(topic, document, act.after)
        for watch in watches:
            watch.judged(act)
        followed = [watch.passed() for watch in watches]
        assert followed == [test.watch(state).passed() for test in TESTS]
        ahead = state.copy()
        assert followed == [watch.moved(ahead).passed() for watch in watches]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(campaigns(), persistences, st.data())
def test_what_is_decided_stays_and_is_true_in_the_end(
    campaign: Campaign, p: str, data: st.DataObject
) -> None:
    rankings, contributing = campaign
    assume(len(contributing) > 1)
    state = state_of(rankings, p, "C", "campaign", contributing)
    before = decided(state)
    documents = [(topic, document) for topic, pool in enumerate(state.pools) for document in range(len(pool))]
    for topic, document in data.draw(st.permutations(documents)):
        state.judge(topic, document, data.draw(gains))
        now = decided(state)
        assert (now >= before).all()
        assert (now >= by_score_ranges(*state.mean_bounds()).better).all()
        before = now
    # All is judged, but what follows the rankings: the worse run may have all of it.
    base, residual = state.mean_bounds()
    better, worse = np.nonzero(before)
    assert (base[better] > (base + residual)[worse]).all()


@settings(max_examples=20, deadline=None, derandomize=True)
@given(campaigns(), st.data())
def test_shared_weights_come_back_to_the_last_bit(campaign: Campaign, data: st.DataObject) -> None:
    rankings, contributing = campaign
    state = state_of(rankings, "0.8", "A", "campaign", contributing)
    every = np.arange(len(contributing))
    kept = SharedWeights(state.setting)
    at_first = kept.among(every)
    acts = [GainChange(t, d, None, 1.0) for t, pool in enumerate(state.pools) for d in range(len(pool))]
    acts = data.draw(st.permutations(acts))
    other = kept.copy()
    for act in acts:
        other.judged(act)
        other.judged(GainChange(act.topic, act.document, 1.0, 0.5))
    assert other.among(every).tolist() == np.zeros_like(at_first).tolist()
    for act in reversed(acts):
        other.judged(GainChange(act.topic, act.document, 0.5, None))
    assert other.among(every).tolist() == kept.among(every).tolist() == at_first.tolist()
    some = every[::-1][:2]
    assert SharedWeights(state.setting, some).among(some).tolist() == kept.among(some).tolist()


@settings(max_examples=20, deadline=None, derandomize=True)
@given(campaigns(), persistences, st.data())
def test_shared_weights_are_sums_over_unjudged_documents(
    campaign: Campaign, p: str, data: st.DataObject
) -> None:
    """Against two loops over rankings, in fractions."""
    rankings, contributing = campaign
    state = state_of(rankings, p, "A", "campaign", contributing)
    runs = np.arange(len(contributing))
    weights = SharedWeights(state.setting)
    judged = set()
    for topic, pool in enumerate(state.pools):
        for document in data.draw(st.sets(st.integers(0, max(len(pool) - 1, 0)), max_size=len(pool))):
            weights.judged(GainChange(topic, document, None, 1.0))
            judged.add((topic, document))
    persistence = Fraction(p)
    expected = np.zeros((len(runs), len(runs)))
    for one, other in permutations(runs.tolist(), 2):
        shared = Fraction(0)
        for topic, pool in enumerate(state.pools):
            for document in range(len(pool)):
                if (topic, document) in judged:
                    continue
                found, ranks = pool.occurrences(document)
                rank_of = dict(zip(found.tolist(), ranks.tolist(), strict=True))
                if one in rank_of and other in rank_of:
                    shared += (1 - persistence) * persistence ** (max(rank_of[one], rank_of[other]) - 1)
        expected[one, other] = shared / max(len(state.pools), 1)
    assert weights.among(runs) == pytest.approx(expected, abs=1e-12)


# Run 0 finds what is relevant, run 1 does not; both share document 9.
CLEAR = [[[9, 1, 2, 3], [9, 4, 5, 6], [7, 8]]] * 3


@pytest.mark.parametrize("relevance", ["constant", "smoothed"])
def test_confidence_is_that_of_all_the_rankings(relevance: Any) -> None:
    state = state_of(CLEAR, "0.8", "A", "campaign", [True] * 3)
    for topic in range(2):
        for document, known in enumerate(state.pools[topic].documents.tolist()):
            if known != 9:
                state.judge(topic, document, float(known < 3))
    topics = []
    for topic, pool in enumerate(state.pools):
        place = {known: at for at, known in enumerate(pool.documents.tolist())}
        rankings = [np.array([place[known] for known in ranking]) for ranking in CLEAR[topic]]
        judged = state.setting.judgments.gains_of(topic)
        estimate = constant_relevance(judged) if relevance == "constant" else smoothed_relevance(judged)
        topics.append((rankings, estimate))
    expected = confidences(topics).confidence[0, 1]
    assert 0.6 < expected < 0.99999
    for least in (expected - 1e-6, expected + 1e-6):
        found = ConfidentPairs(least, pairs=((1, 0),), relevance=relevance).watch(state).passed()
        assert found == (least < expected)


def replayed(until: StopTest | None, **given: Any) -> Any:
    pools = pools_of(CLEAR, 0.5, [True] * 3)
    known = [(pool.documents < 4).astype(float) for pool in pools]
    everyone = np.ones(3, dtype=bool)
    spec = CampaignSpec(runs=3, p=0.5, method="A", scope="campaign", contributing=everyone)
    return replay(pools, known, spec, until=until, **{"judgments": 99} | given)


@pytest.mark.parametrize("test", TESTS)
def test_a_replay_ends_where_the_test_first_passes(test: StopTest) -> None:
    made = replayed(test)
    assert made.passed
    at = len(made.topics)
    assert 0 < at < 27
    assert not test.watch(replayed(None, judgments=at - 1).state).passed() or at == 1
    assert test.watch(made.state).passed()
    for every in (2, 5):
        assert len(replayed(test, test_every=every).topics) % every == 0


def test_a_test_that_does_not_pass_spends_the_budget() -> None:
    made = replayed(TopPairs(3), judgments=2)
    assert (made.passed, len(made.topics)) == (False, 2)
    assert replayed(None, judgments=2).passed is None
    # Asked once more when the budget is spent, also between two times.
    at = len(replayed(TopPairs(2)).topics)
    assert replayed(TopPairs(2), judgments=at, test_every=at + 1).passed


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (lambda: TopPairs(4), "top 4 of 3"),
        (lambda: TopPairs(2, bound="both"), "'both'"),  # type: ignore[arg-type]  # what is refused
        (lambda: PairsDecided(()), "no pairs"),
        (lambda: PairsDecided(((0, 0),)), r"\(0, 0\)"),
        (lambda: PairsDecided(((0, 3),)), r"\(0, 3\) is no pair of 3 runs"),
        (lambda: ConfidentPairs(0.5), "confidence = 0.5"),
        (lambda: ConfidentPairs(0.9, k=4), "top 4 of 3"),
        (lambda: ConfidentPairs(0.9, pairs=((-1, 0),)), r"\(-1, 0\)"),
        (lambda: ConfidentPairs(0.9, prior=1.5), "prior = 1.5"),
        (lambda: CalibratedPairs(1.0), "confidence = 1.0"),
        (lambda: CalibratedPairs(0.9, k=4), "top 4 of 3"),
        (lambda: CalibratedPairs(0.9, pairs=((-1, 0),)), r"\(-1, 0\)"),
        (lambda: ConfidentPairs(0.9, relevance="none"), "'none'"),  # type: ignore[arg-type]  # likewise
    ],
)
def test_what_is_refused(test: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replayed(test())


def test_a_single_run_has_nobody_to_be_told_from() -> None:
    state = state_of([[[1, 2]]], "0.8", "A", "campaign", [True])
    for test in (TopDistinct(), TopPairs(2), ConfidentPairs(0.9), CalibratedPairs(0.9)):
        with pytest.raises(ValueError, match="two runs, not 1"):
            test.watch(state)
    with pytest.raises(ValueError, match="test_every = 0"):
        replayed(TopDistinct(), test_every=0)
