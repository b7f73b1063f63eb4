"""Worked examples: "2008" is Moffat and Zobel, "2010" Ravana and Moffat."""

import numpy as np
import pytest

from evaluation.measures.bounds import depth_for_accuracy
from evaluation.measures.cumulated_gain import dcg, discounts, q_measure
from evaluation.measures.incomplete_judgments import inferred_ap
from evaluation.measures.precision import average_precision, average_precision_of_retrieved, sum_of_precisions
from evaluation.names import parse_measure
from tests.evaluation.measures.rbp import rbp_bounds

NAN = float("nan")


def relevant_at(*ranks: int, depth: int) -> np.ndarray:
    gains = np.zeros(depth)
    gains[np.array(ranks) - 1] = 1.0
    return gains


@pytest.mark.parametrize(("relevant", "score"), [(5, 0.63155), (6, 0.52629), (7, 0.45111)])
def test_average_precision_of_the_2008_ranking(relevant: int, score: float) -> None:
    ranking = relevant_at(1, 2, 6, 11, 17, depth=20)
    assert average_precision(ranking, relevant) == pytest.approx(score, abs=5e-6)
    assert sum_of_precisions(ranking) == pytest.approx(score * relevant, abs=5e-5)
    assert average_precision_of_retrieved(ranking) == pytest.approx(0.63155, abs=5e-6)


def test_average_precision_falls_when_a_third_relevant_document_is_found_2008() -> None:
    before = np.r_[1.0, NAN, NAN, 1.0, np.full(6, NAN), 0.0]
    after = np.r_[before[:10], 1.0]
    assert average_precision(before, 2) == pytest.approx(0.75)
    assert average_precision(after, 3) == pytest.approx(0.5909, abs=5e-5)


@pytest.mark.parametrize(
    ("base", "constant", "name"), [(2.0, 21.7885, "SDCG@100"), (None, 20.9387, "SDCG(log2(i+1))@100")]
)
def test_sdcg_constant_at_100_2010(base: float | None, constant: float, name: str) -> None:
    assert discounts(100, base).sum() == pytest.approx(constant, abs=5e-5)
    assert dcg(np.ones(100), 100, base) == pytest.approx(constant, abs=5e-5)
    assert parse_measure(name).score(np.ones(150), np.ones(150)).score == pytest.approx(1.0)


@pytest.mark.parametrize(("base", "constant"), [(2.0, 123.9912), (None, 123.0915)])
def test_sdcg_constant_at_1000_2010(base: float | None, constant: float) -> None:
    assert discounts(1000, base).sum() == pytest.approx(constant, abs=5e-5)


@pytest.mark.parametrize(("p", "depth"), [(0.5, 14), (0.8, 42), (0.95, 180)])
def test_depth_for_an_accuracy_of_1e_4_2008(p: float, depth: int) -> None:
    assert depth_for_accuracy(p, 1e-4) == depth
    # The printed approximation, from ln p = p - 1, asks for more ranks.
    assert int(9.21 / (1 - p)) == {0.5: 18, 0.8: 46, 0.95: 184}[p] > depth
    assert rbp_bounds(np.zeros(depth), p).residual <= 1e-4 < rbp_bounds(np.zeros(depth - 1), p).residual


def test_most_that_five_relevant_documents_can_earn_2008() -> None:
    assert rbp_bounds(np.r_[np.ones(5), np.zeros(995)], 0.95).base == pytest.approx(0.2262, abs=5e-5)


def test_q_measure_in_binary_form_2008() -> None:
    ranking = relevant_at(1, 2, 6, 11, 17, depth=20)
    expected = (2 / 2 + 4 / 4 + 6 / (6 + 5) + 8 / (11 + 5) + 10 / (17 + 5)) / 5
    assert q_measure(ranking, np.r_[np.ones(5), np.zeros(9)]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "score"),
    {
        "RR": 1 / 3,
        "RR2": 1 / 5,
        "RR(damping=2)": 1 / 5,
        "P@5": 2 / 5,
        "P@10": 2 / 10,
        "Rprec": 1 / 4,
        "Success@2": 0.0,
        "Success@3": 1.0,
        "R@3": 1 / 4,
        "AP*": (1 / 3 + 2 / 5) / 2,
        "AP@3": 1 / 12,
        "Bpref": (1 / 2 + 1 / 2) / 4,
        "Bpref(k=10)": (1 / 2 + 1 / 2) / 4,
    }.items(),
)
def test_by_hand(name: str, score: float) -> None:
    ranked = np.array([0.0, NAN, 1.0, NAN, 0.5])
    judged = np.array([1.0, 0.5, 1.0, 0.5, 0.0, 0.0])
    assert parse_measure(name).score(ranked, judged).score == pytest.approx(score)


def test_inferred_average_precision_of_ten_documents() -> None:
    """a x c d e x f b g x; a, d, f relevant; c, g not; b, e, h in the pool and not judged."""
    ranked = np.array([1, NAN, 0, 1, NAN, NAN, 1, NAN, 0, NAN])
    pooled = np.array([letter != "x" for letter in "axcdexfbgx"])
    assert inferred_ap(ranked, pooled, 3) == pytest.approx(0.674603, abs=5e-7)
    with pytest.raises(ValueError, match="judged and not pooled"):
        inferred_ap(ranked, ~pooled, 3)


def test_column_totals_of_table_1_2008() -> None:
    """What each relevant document adds to the precision at its own and at all later relevant ranks."""
    ranks = [1, 2, 6, 11, 17]
    sums = [float(sum_of_precisions(relevant_at(*ranks[i:], depth=20))) for i in range(len(ranks))]
    totals = -np.diff([*sums, 0.0])
    assert totals == pytest.approx([1.8164, 0.8164, 0.3164, 0.1497, 0.0588], abs=5e-5)
