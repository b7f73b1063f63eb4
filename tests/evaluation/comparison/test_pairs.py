from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.comparison.pairs import Rule, ordered_pairs, pessimistic_verdicts, top_runs, verdicts
from evaluation.comparison.significance import Correction, adjust, p_values

RNG = np.random.default_rng(11)
BASE = RNG.uniform(0, 0.5, (5, 20)) + np.linspace(0.2, 0, 5)[:, None]
TOP = BASE + RNG.uniform(0, 0.1, BASE.shape)
PAIRS = ordered_pairs(top_runs(BASE.mean(axis=1), 1.0))


@pytest.mark.parametrize(("runs", "share", "kept"), [(129, 1 / 3, 43), (3, 0.5, 2), (4, 0.125, 1), (5, 1, 5)])
def test_how_many_runs_are_on_top(runs: int, share: float, kept: int) -> None:
    # 43 of TREC-8's 129 runs make the 903 pairs of Moffat, Webber and Zobel 2007, Table 5.
    assert len(top_runs(np.arange(runs) / runs, share)) == kept
    assert len(ordered_pairs(np.arange(kept))[0]) == kept * (kept - 1) // 2


def test_ties_keep_their_order_whatever_the_last_bit() -> None:
    assert top_runs(np.array([0.2, 0.3 - 0.1, 0.1, 0.2]), 1.0).tolist() == [0, 1, 3, 2]


def test_each_pair_by_hand() -> None:
    found = verdicts(BASE, TOP, *PAIRS, Rule(test="t"))
    for place, (a, b) in enumerate(zip(*PAIRS, strict=True)):
        p = p_values(BASE[a] - TOP[b], "t", 1)[0]
        assert found.p[place] == p
        assert found.significant[place] == (p < 0.05 and BASE[a].mean() > TOP[b].mean())
    assert found.fraction == found.significant.mean()


@given(st.integers(0, 2**32 - 1))
def test_a_harder_opponent_never_helps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base = rng.uniform(0, 0.6, (4, 12))
    top = base + rng.uniform(0, 0.2, base.shape)
    pairs = ordered_pairs(top_runs(base.mean(axis=1), 1.0))
    easy, hard = verdicts(base, base, *pairs, Rule()), verdicts(base, top, *pairs, Rule())
    assert (hard.difference <= easy.difference).all()
    assert (hard.p >= easy.p - 1e-12).all()


def test_two_tails_claim_nothing_for_a_pair_that_turned() -> None:
    base, top = np.array([[0.3] * 8, [0.2] * 8]), np.array([[0.3] * 8, [0.9] * 8])
    found = verdicts(base, top, np.array([0]), np.array([1]), Rule(tails=2))
    assert found.p[0] < 0.05
    assert not found.significant[0]


def test_intervals_that_overlap_say_nothing() -> None:
    base, top = np.array([[0.5, 0.1, 0.4], [0.1, 0.6, 0.3]]), np.array([[0.7, 0.2, 0.5], [0.3, 0.7, 0.6]])
    found = pessimistic_verdicts(base, top, np.array([0]), np.array([1]), Rule())
    assert found.difference[0] == pytest.approx((0.2 - 0.4 + 0.0) / 3)


def test_a_correction_only_takes_away() -> None:
    plain = verdicts(BASE, BASE, *PAIRS, Rule())
    for correction in ("holm", "bh"):
        corrected = verdicts(BASE, BASE, *PAIRS, Rule(correction=correction))
        assert (corrected.p >= plain.p).all()


def test_a_late_run_changes_no_pair() -> None:
    more = np.vstack([BASE, RNG.uniform(0, 1, 20)])
    assert (verdicts(more, more, *PAIRS, Rule()).p == verdicts(BASE, BASE, *PAIRS, Rule()).p).all()


def test_one_run_has_no_pairs() -> None:
    no_pair = ordered_pairs(np.array([0]))
    found = verdicts(BASE, BASE, *no_pair, Rule())
    assert np.isnan(found.fraction)


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match="alpha = 1"):
        Rule(alpha=1)
    with pytest.raises(ValueError, match=r"share = 0 is not inside \(0, 1\]"):
        top_runs(BASE.mean(axis=1), 0)
    with pytest.raises(ValueError, match=r"share = 0\.01 of 5 runs leaves no run"):
        top_runs(BASE.mean(axis=1), 0.01)
    with pytest.raises(ValueError, match="against"):
        verdicts(BASE, BASE[:, 1:], *PAIRS, Rule())
    with pytest.raises(ValueError, match="a top is below its base"):
        pessimistic_verdicts(TOP, BASE, *PAIRS, Rule())


@pytest.mark.parametrize("correction", ["none", "holm"])
@given(st.integers(0, 2**32 - 1))
def test_a_topic_without_a_value_is_left_out_of_its_pairs_alone(correction: Correction, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, against = rng.uniform(0, 1, (4, 9)), rng.uniform(0, 1, (4, 9))
    scores[rng.uniform(size=(4, 9)) < 0.2] = np.nan
    against[rng.uniform(size=(4, 9)) < 0.6] = np.nan
    pairs = ordered_pairs(np.arange(4))
    found = verdicts(scores, against, *pairs, Rule(test="t", correction=correction))
    alone = []
    for place, (a, b) in enumerate(zip(*pairs, strict=True)):
        gaps = [
            one - other
            for one, other in zip(scores[a], against[b], strict=True)
            if one - other == one - other
        ]
        assert found.topics[place] == len(gaps)
        assert np.isnan(found.difference[place]) == (not gaps)
        assert np.isnan(found.p[place]) == (len(gaps) < 2)
        if gaps:
            assert found.difference[place] == pytest.approx(np.mean(gaps))
        if len(gaps) > 1:
            alone.append(p_values(np.array(gaps), "t")[0])
    assert found.p[~np.isnan(found.p)] == pytest.approx(adjust(np.array(alone), correction))
    assert not found.significant[np.isnan(found.p)].any()
