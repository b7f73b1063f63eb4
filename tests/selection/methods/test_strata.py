"""Method `strata`: its strata and draws, every beginning of its order, late runs, and what is estimated."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.estimation.strata import StratifiedPool
from selection.methods.random import random_numbers
from selection.methods.strata import StrataOptions, draw_strata, judged_shares, parse_strata
from selection.registry import make_method
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.adaptive import Campaign
from tests.selection.reference.campaign import Rankings, campaigns, pools_of


def state_of(
    rankings: Rankings, strata: str, contributing: list[bool] | None = None, seed: int = 0
) -> CampaignState:
    contributing = contributing or [True] * len(rankings[0])
    return CampaignState(
        pools_of(rankings, 0.8, contributing),
        CampaignSpec(
            runs=len(contributing),
            p=0.8,
            method="strata",
            scope="campaign",
            contributing=np.array(contributing),
            options={"strata": strata},
            seed=seed,
        ),
    )


def served(state: CampaignState, topic: int = 0) -> list[int]:
    return [int(document) for document in state.pools[topic].documents[state.queue(topic, 999).documents]]


@settings(max_examples=80, deadline=None, derandomize=True)
@given(campaigns(), st.sampled_from(["1:1,3:0.5", "2:0.4", "1:0.5,2:1,9:0.1"]), st.integers(0, 9))
def test_the_draw_follows_its_definition(campaign: Campaign, strata: str, seed: int) -> None:
    rankings, contributing = campaign
    state = state_of(rankings, strata, contributing, seed)
    for topic, pool in enumerate(state.pools):
        best: dict[int, int] = {}
        for run, ranking in enumerate(rankings[topic]):
            for rank, document in enumerate(ranking or [], 1):
                if contributing[run]:
                    best[document] = min(rank, best.get(document, 999))
        start = int(state.setting.generator(topic, "strata").integers(2**64, dtype=np.uint64))
        number = {d: float(random_numbers(np.array([d], dtype=np.int32), start)[0]) for d in best}
        above = 0
        turns: list[tuple[float, int, float]] = []
        expected: dict[int, int] = {}
        for place, part in enumerate(strata.split(",")):
            depth, rate = int(part.split(":")[0]), float(part.split(":")[1])
            inside = sorted((d for d, rank in best.items() if above < rank <= depth), key=number.__getitem__)
            count = ceil(rate * len(inside) - 1e-9)
            turns += [(number[d] * len(inside) / count, d, count / len(inside)) for d in inside[:count]]
            expected |= dict.fromkeys(inside, place)
            above = depth
        turns.sort()
        queue = state.queue(topic, 999)
        assert served(state, topic) == [document for _, document, _ in turns]
        assert queue.inclusion == pytest.approx([chance for *_, chance in turns])
        assert (np.diff(queue.weights) < 0).all()
        drawn = draw_strata(state.setting, topic, StrataOptions(strata))
        found = dict(zip(pool.documents.tolist(), drawn.strata.tolist(), strict=True))
        assert found == {d: expected.get(d, -1) for d in found}


def test_late_runs_reuse_the_numbers() -> None:
    early = [[[*range(40)], [*range(10, 50)]]]
    late = [[*early[0], [*range(60, 100)]]]
    drawn = [set(served(state_of(rankings, "5:1,40:0.5"))) for rankings in (early, late)]
    # Of the first runs' documents, most are drawn again; a fresh draw would have half of them.
    assert len(drawn[0] & drawn[1]) > 0.85 * len(drawn[0])


RUNS = [[[*range(12)], [*range(11, -1, -1)][:6], [3, 14, 15, 7]]]
GAINS = {document: float(document % 3 == 0) for document in range(16)}


def estimate(seed: int, judged: int) -> tuple[float, float]:
    """Relevant documents as estimated by strata and by probabilities, when so many are judged in order."""
    state = state_of(RUNS, "1:1,12:0.5", seed=seed)
    pool, drawn = state.pools[0], draw_strata(state.setting, 0, StrataOptions("1:1,12:0.5"))
    gains = np.full(len(pool), np.nan)
    for place in drawn.order.documents[:judged]:
        gains[place] = GAINS[int(pool.documents[place])]
    seen = ~np.isnan(gains)
    shares = judged_shares(drawn.strata, seen, np.zeros(len(pool), dtype=np.bool_))
    return StratifiedPool(drawn.strata, gains).relevant, float((gains[seen] / shares[seen]).sum())


@pytest.mark.parametrize("judged", [99, 7])
def test_estimates_are_unbiased_over_draws_and_beginnings(judged: int) -> None:
    pooled = {document for run in RUNS[0] for document in run}
    true = sum(GAINS[document] for document in pooled)
    found = np.array([estimate(seed, judged) for seed in range(3000)])
    assert found[:, 0] == pytest.approx(found[:, 1])
    error = found[:, 0].std() / len(found) ** 0.5
    # A beginning without a document of the first stratum estimates nothing there: rare with seven.
    assert abs(found[:, 0].mean() - true) < 3.5 * error


def test_what_was_judged_otherwise_is_no_part_of_the_shares() -> None:
    strata = np.array([0, 0, 1, 1, 1, 1, -1])
    judged = np.array([True, True, True, True, False, False, True])
    otherwise = np.array([False, False, True, False, False, False, False])
    shares = judged_shares(strata, judged, otherwise)
    assert shares.tolist() == pytest.approx([1, 1, 1, 1 / 3, 1 / 3, 1 / 3, 0])
    assert judged_shares(np.array([-1, -1]), judged[:2], otherwise[:2]).tolist() == [0, 0]
    assert judged_shares(np.zeros(0, dtype=int), judged[:0], otherwise[:0]).tolist() == []


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("", "'' is not a depth and a rate, such as 100:0.1"),
        ("10", "'10' is not a depth and a rate"),
        ("10:1,20:x", "'20:x' is not a depth and a rate"),
        ("0:1", "depth 0 is below 1"),
        ("10:1,10:0.5", "depth 10 is not below depth 10"),
        ("10:0", r"rate 0 is outside \(0, 1\]"),
        ("10:1.5", "rate 1.5 is outside"),
        ("10:nan", "rate nan is outside"),
    ],
)
def test_wrong_strata_are_refused(wrong: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        StrataOptions(wrong)


def test_strata_are_read_with_spaces_and_exact_rates() -> None:
    assert [(one.depth, one.rate) for one in parse_strata("10:1, 100:0.1")] == [(10, 1.0), (100, 0.1)]
    # 0.1 of 30 documents are 3, though 30 * 0.1 is above 3 as a float.
    assert len(served(state_of([[[*range(30)]]], "30:0.1"))) == 3
    empty = state_of([[[], []]], "10:1")
    assert served(empty) == []
    assert make_method("strata", empty.setting).best() is None
