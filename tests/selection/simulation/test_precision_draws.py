"""Drawn average precision against slow sums, and the confidence that long lists must not earn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.arrays import FloatArray
from selection.simulation.precision_draws import DrawnPrecision, PrecisionDraws
from selection.simulation.relevance.relevance_model import RelevanceRates
from selection.simulation.trimmed_topics import POOL_DEPTH, trimmed_setting, trimmed_topic
from selection.state import CampaignState
from tests.selection.reference.campaign import Rankings, campaigns, pools_of, state_of

DRAWS = 8
# Gains by document id, one dictionary a topic.
Known = list[dict[int, float]]


def judged_state(rankings: Rankings, known: Known) -> CampaignState:
    runs = len(rankings[0])
    state = state_of(rankings, "0.8", "A", "campaign", [True] * runs)
    for topic, pool in enumerate(state.pools):
        place = {document: index for index, document in enumerate(pool.documents.tolist())}
        for document, gain in known[topic].items():
            state.judge(topic, place[document], gain)
    return state


def precision_of(rankings: Rankings, known: Known, draws: int = DRAWS) -> DrawnPrecision:
    state = judged_state(rankings, known)
    return PrecisionDraws(state.setting, draws=draws).precision(np.arange(len(rankings[0])))


def smallest_case(short_first: bool, shared: bool, others_judged: bool) -> tuple[Rankings, Known]:
    """Ten topics; one run ranks ten documents, all judged relevant, the other 1000, of which five of the
    first ten are."""
    short = list(range(10))
    first = [*(range(5) if shared else range(100, 105)), *range(10_000, 10_005)]
    long = [*first, *range(20_000, 20_990)]
    known = dict.fromkeys(short, 1.0) | dict.fromkeys(first[:5], 1.0)
    known |= dict.fromkeys(first[5:], 0.0) if others_judged else {}
    return [[short, long] if short_first else [long, short]] * 10, [known] * 10


@pytest.mark.parametrize("short_first", [True, False])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("others_judged", [True, False])
def test_a_long_list_does_not_beat_a_short_one_by_its_length(
    short_first: bool, shared: bool, others_judged: bool
) -> None:
    found = precision_of(*smallest_case(short_first, shared, others_judged)).confidence()
    short, long = (0, 1) if short_first else (1, 0)
    assert found[long, short] < 0.1
    assert found[long, short] + found[short, long] <= 1


def known_gains(draw: st.DataObject, rankings: Rankings) -> Known:
    documents = [sorted(set().union(*topic)) for topic in rankings]
    return [
        draw.draw(st.dictionaries(st.sampled_from(of_topic), st.sampled_from([0.0, 1.0]), max_size=12))
        if of_topic
        else {}
        for of_topic in documents
    ]


@settings(max_examples=60, deadline=None)
@given(campaigns(), st.data())
def test_appended_documents_that_no_other_run_ranks_never_raise_confidence(
    campaign: tuple[Rankings, list[bool]], data: st.DataObject
) -> None:
    rankings, contributing = campaign
    runs = len(contributing)
    assume(runs > 1)
    known = known_gains(data, rankings)
    run = data.draw(st.integers(0, runs - 1))
    lengths = [data.draw(st.integers(0, 30)) for _ in rankings]
    fates = st.sampled_from(["unjudged", "not relevant", "either"])
    longer, judged = [], []
    for topic, length, gains in zip(rankings, lengths, known, strict=True):
        fate = data.draw(fates)
        new = list(range(1000, 1000 + length))
        longer.append([[*ranked, *new] if at == run else ranked for at, ranked in enumerate(topic)])
        refused = [one for one in new if fate == "not relevant" or (fate == "either" and one % 2)]
        judged.append(gains | dict.fromkeys(refused, 0.0))
    before = precision_of(rankings, known).confidence()
    after = precision_of(longer, judged).confidence()
    assert (after[run] <= before[run]).all()
    assert (after + after.T <= 1 + 1e-12).all()


def slow_precision(state: CampaignState, draws: int) -> tuple[FloatArray, FloatArray]:
    """Least and most, document by document; (draws, runs)."""
    setting, topics = trimmed_setting(state.setting)
    rates = RelevanceRates(setting)
    versions = [rates.drawn(np.random.default_rng((0, draw))) for draw in range(draws)]
    runs = setting.runs
    least, most = np.zeros((draws, runs)), np.zeros((draws, runs))
    for index, topic in enumerate(topics):
        chances = np.array([rates.probabilities(index, version) for version in versions])
        open_ = np.flatnonzero(np.isnan(topic.gains))
        hits = np.random.default_rng((0, draws, index)).random((draws, len(open_))) < chances[:, open_]
        for draw in range(draws):
            relevant = np.nan_to_num(topic.gains) > 0
            relevant[open_] = hits[draw]
            for run in range(runs):
                ranked = {
                    int(rank): document
                    for document in range(len(topic.pool))
                    for of, rank in zip(*topic.pool.occurrences(document), strict=True)
                    if of == run
                }
                found = [rank for rank in sorted(ranked) if relevant[ranked[rank]]]
                total = max(int(relevant.sum()), 1)
                sums = sum(place / rank for place, rank in enumerate(found, 1))
                least[draw, run] += sums / total
                last = int(topic.last[run])
                chance = chances[draw, ranked[last]] if last else 0.5
                above = float(len(found))
                for rank in topic.end_rank[topic.end_run == run].tolist():
                    odds = chance / (1 - chance) * max(last, 1) / rank
                    hit = odds / (1 + odds)
                    sums += hit / rank * (1 + above)
                    above += hit
                most[draw, run] += sums / total
    return least / len(topics), most / len(topics)


@settings(max_examples=15, deadline=None)
@given(campaigns(), st.data())
def test_precision_is_that_of_slow_sums(campaign: tuple[Rankings, list[bool]], data: st.DataObject) -> None:
    rankings, _ = campaign
    state = judged_state(rankings, known_gains(data, rankings))
    runs = np.array(data.draw(st.permutations(range(state.setting.runs))))
    least, most = slow_precision(state, 3)
    found = PrecisionDraws(state.setting, draws=3).precision(runs)
    np.testing.assert_allclose(found.least, least[:, runs], atol=1e-12)
    np.testing.assert_allclose(found.most, most[:, runs], atol=1e-12)


def test_with_all_judged_the_order_is_certain() -> None:
    rankings = [[[0, 1, 2], [2, 1, 0], [0, 1, 2]]] * 2
    found = precision_of(rankings, [{0: 1.0, 1: 0.0, 2: 0.0}] * 2)
    assert found.least.tolist() == [pytest.approx([1, 1 / 3, 1])] * DRAWS
    assert found.confidence().tolist() == [[0.5, 1, 0.5], [0, 0.5, 0], [0.5, 1, 0.5]]
    assert found.expected()[0, 1] == pytest.approx(2 / 3)
    assert found.deviation().max() == 0


def test_runs_that_are_alike_are_never_told_apart() -> None:
    rankings = [[[4, 3, 2, 1], [4, 3, 2, 1], [1, 2, 5, 6]]] * 3
    assert precision_of(rankings, [{4: 1.0}, {1: 0.0}, {}]).confidence()[0, 1] == 0.5


def test_unjudged_documents_that_every_run_ranks_deep_are_trimmed() -> None:
    deep = list(range(POOL_DEPTH + 20))
    [pool] = pools_of([[deep, deep]], 0.5, [True, True])
    gains = np.where(pool.documents == POOL_DEPTH + 5, 1.0, np.nan)
    found = trimmed_topic(pool, gains, 0.0, 2)
    assert sorted(found.pool.documents.tolist()) == [*range(POOL_DEPTH), POOL_DEPTH + 5]
    assert (len(found.end_run), found.last.tolist()) == (0, [POOL_DEPTH + 20] * 2)


def test_relevance_is_certain_for_the_judged_and_nothing_for_ends() -> None:
    state = judged_state([[[0, 1, 2, 3], [1, 0, 4]]], [{0: 1.0, 1: 0.0, 3: 0.0}])
    found = dict(
        zip(state.pools[0].documents.tolist(), PrecisionDraws(state.setting).relevance(0), strict=True)
    )
    assert found == {0: 1, 1: 0, 2: 0, 3: 0, 4: 0}
    state.judge(0, state.pools[0].documents.tolist().index(3), 1.0)
    found = dict(
        zip(state.pools[0].documents.tolist(), PrecisionDraws(state.setting).relevance(0), strict=True)
    )
    assert 0 < found[2] < 1
    # A share is of the unjudged alone.
    counted = PrecisionDraws(state.setting).relevance(0, 0.3)
    expected = [0.3 * p if document == 2 else p for document, p in found.items()]
    assert counted.tolist() == pytest.approx(expected)


def test_the_threshold_decides_what_is_relevant() -> None:
    setting = judged_state([[[0, 1], [1, 0]]], [{0: 0.5, 1: 1.0}]).setting
    both = PrecisionDraws(setting).precision(np.arange(2)).least[0]
    strict = PrecisionDraws(replace(setting, threshold=0.5)).precision(np.arange(2)).least[0]
    assert (both.tolist(), strict.tolist()) == ([1, 1], [0.5, 1])


def test_too_few_draws_are_refused() -> None:
    with pytest.raises(ValueError, match="draws = 1 is below 2"):
        PrecisionDraws(judged_state([[[0], [1]]], [{}]).setting, draws=1)
