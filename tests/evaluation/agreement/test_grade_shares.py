from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.special import logit

from evaluation.agreement.grade_shares import compare_grade_shares, compare_topic_shares
from evaluation.agreement.kappa import cohen_kappa
from evaluation.agreement.kappa_over_time import kappa_change, pooled_kappa
from evaluation.arrays import FloatArray

# Admissions to six departments of Berkeley, 1973 (Bickel, Hammel and O'Connell 1975): admitted, rejected.
MEN = np.array([[512, 313], [353, 207], [120, 205], [138, 279], [53, 138], [22, 351]])
WOMEN = np.array([[89, 19], [17, 8], [202, 391], [131, 244], [94, 299], [24, 317]])


def test_the_berkeley_admissions_as_r_has_them() -> None:
    """mantelhaen.test(UCBAdmissions, correct = FALSE) gives 1.5246, p = 0.2169."""
    found = compare_grade_shares(MEN, WOMEN)
    assert found is not None
    assert stats.chi2.isf(found.p, 1) == pytest.approx(1.5246, abs=5e-5)
    assert found.p == pytest.approx(0.2169, abs=5e-5)
    assert found.difference.low < 0 < found.difference.high


def test_the_p_value_is_that_of_permutations_within_strata() -> None:
    own = np.array([[6, 3, 1], [4, 4, 4], [9, 2, 1]])
    others = np.array([[12, 14, 8], [5, 16, 19], [11, 9, 10]])
    found = compare_grade_shares(own, others)
    assert found is not None
    rng = np.random.default_rng(1)
    columns, taken = own + others, own.sum(axis=1)
    draws = np.stack(
        [
            rng.multivariate_hypergeometric(column, count, size=20_000)
            for column, count in zip(columns, taken, strict=True)
        ]
    ).sum(axis=0)
    expected = (taken[:, None] / columns.sum(axis=1)[:, None] * columns).sum(axis=0)
    spread = np.linalg.pinv(np.cov(draws.T))
    distance = np.einsum("ij,jk,ik->i", draws - expected, spread, draws - expected)
    apart = own.sum(axis=0) - expected
    assert found.p == pytest.approx(float((distance >= apart @ spread @ apart).mean()), abs=0.01)


def test_topics_may_differ_as_they_like() -> None:
    """Alike in each topic, far apart in the sum: Simpson's paradox is no finding."""
    own = np.array([[90, 10], [2, 18]])
    others = np.array([[18, 2], [10, 90]])
    found = compare_grade_shares(own, others)
    assert found is not None
    assert found.p > 0.9
    assert abs(found.difference.value) < 0.01


def test_intervals_cover_the_true_difference() -> None:
    """Small strata whose shares vary; each side of 200 has a share 0.15 above the other's."""
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(200):
        share = rng.uniform(0.1, 0.7, 20)
        mine, theirs = rng.binomial(8, share + 0.15), rng.binomial(20, share)
        found = compare_grade_shares(np.c_[8 - mine, mine], np.c_[20 - theirs, theirs])
        assert found is not None
        true = -0.15 if found.grade == 0 else 0.15
        covered += found.difference.low <= true <= found.difference.high
    # Bonferroni's correction for two grades widens them to 97.5%.
    assert 188 <= covered <= 200


@pytest.mark.parametrize("rows", [[(3, 1, 5, 2)], [(3, 1, 5, 2), (2, 2, 1, 3), (4, 1, 6, 6)]])
def test_interval_has_the_variance_of_sato_and_others(rows: list[tuple[int, int, int, int]]) -> None:
    """Stratum by stratum, with few documents: the variance in units of documents is small, too."""
    counts = np.array(rows)
    found = compare_grade_shares(counts[:, :2], counts[:, 2:], confidence=0.5)
    assert found is not None
    weight = gap = p = q = 0.0
    for row in rows:
        x, y = row[found.grade], row[2 + found.grade]
        n1, n2 = sum(row[:2]), sum(row[2:])
        total = n1 + n2
        weight += n1 * n2 / total
        gap += (x * n2 - y * n1) / total
        p += (n1**2 * y - n2**2 * x + n1 * n2 * (n2 - n1) / 2) / total**2
        q += (x * (n2 - y) + y * (n1 - x)) / (2 * total)
    difference = gap / weight
    reach = stats.norm.isf(0.25 / 2) * np.sqrt(difference * p + q) / weight
    interval = found.difference
    assert (interval.value, interval.low, interval.high) == pytest.approx(
        (difference, difference - reach, difference + reach)
    )


def test_what_has_nothing_to_compare_is_none() -> None:
    assert compare_grade_shares(np.array([[3, 4]]), np.array([[0, 0]])) is None
    assert compare_grade_shares(np.array([[3, 0]]), np.array([[5, 0]])) is None
    assert compare_grade_shares(np.zeros((0, 2)), np.zeros((0, 2))) is None


@pytest.mark.parametrize(
    ("own", "others", "confidence", "words"),
    [
        ([[1, 2]], [[1, 2, 3]], 0.95, "same strata"),
        ([[1, -2]], [[1, 2]], 0.95, "negative"),
        ([[1, 2]], [[1, 2]], 1.0, "confidence"),
    ],
)
def test_wrong_counts_are_refused(
    own: list[list[int]], others: list[list[int]], confidence: float, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        compare_grade_shares(np.array(own), np.array(others), confidence=confidence)


def test_pooled_kappa_of_one_other_is_cohens() -> None:
    rng = np.random.default_rng(2)
    own = rng.integers(0, 3, 60)
    others = np.where(rng.random(60) < 0.6, own, rng.integers(0, 3, 60))
    found, cohen = pooled_kappa(own, others, np.arange(60)), cohen_kappa(own, others)
    assert found.value == pytest.approx(cohen.value)
    assert (found.low, found.high) == pytest.approx((cohen.low, cohen.high))


def test_documents_are_drawn_with_all_their_pairs() -> None:
    own, others = np.array([0, 1, 0, 1] * 5), np.array([0, 1, 1, 0] * 5)
    once = pooled_kappa(own, others, np.arange(20))
    thrice = pooled_kappa(np.repeat(own, 3), np.repeat(others, 3), np.repeat(np.arange(20), 3))
    assert (thrice.value, thrice.low, thrice.high) == pytest.approx((once.value, once.low, once.high))


def test_a_fall_is_found_and_chance_is_not() -> None:
    rng = np.random.default_rng(3)
    own = rng.integers(0, 2, 200)
    falls = np.where(np.arange(200) < 100, own, rng.integers(0, 2, 200))
    early, late, change = kappa_change(own, falls, np.arange(200))
    assert early == 1.0
    assert abs(late) < 0.25
    assert change.high < 0
    steady = np.where(rng.random(200) < 0.7, own, 1 - own)
    *_, change = kappa_change(own, steady, np.arange(200))
    assert change.low < 0 < change.high


def test_shapes_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        pooled_kappa(np.array([0, 1]), np.array([0]), np.array([0, 1]))


@given(
    own=arrays(np.float64, st.tuples(st.just(1), st.just(3)), elements=st.integers(0, 40).map(float)),
    others=arrays(
        np.float64, st.tuples(st.integers(2, 12), st.just(3)), elements=st.integers(0, 40).map(float)
    ),
)
def test_one_topic_is_compared_as_by_students_test_of_two_samples(
    own: FloatArray, others: FloatArray
) -> None:
    assume(own.sum() and (others.sum(axis=1) > 0).all())
    found = compare_topic_shares(own, others)
    reference = []
    for grade in range(3):
        one, rest = (
            [np.log((row[grade] + 0.5) / (row.sum() - row[grade] + 0.5)) for row in rows]
            for rows in (own, others)
        )
        if np.std(rest) > 0:
            reference.append(float(stats.ttest_ind(one, rest).pvalue))
    if not reference:
        assert found is None
        return
    assert found is not None
    assert found.p == pytest.approx(min(min(reference) * len(reference), 1.0), rel=1e-6, abs=1e-12)
    assert 0 <= found.others.low <= found.others.value <= found.others.high <= 1


def test_topic_shares_of_two_topics_halve_the_variance_of_one() -> None:
    others = np.array([[10.0, 30.0], [20.0, 20.0], [30.0, 10.0], [15.0, 25.0]])
    one = compare_topic_shares(np.array([[39.0, 1.0]]), others)
    two = compare_topic_shares(np.array([[39.0, 1.0], [39.0, 1.0]]), others)
    assert one is not None
    assert two is not None
    assert (one.own, two.own) == (0.975, 0.975)
    assert two.p < one.p
    reach = [float(np.diff(logit([found.others.low, found.others.high]))[0]) for found in (one, two)]
    assert reach[0] / reach[1] == pytest.approx(np.sqrt((1 + 1 / 4) / (1 / 2 + 1 / 4)))


def test_topic_shares_need_topics_and_refuse_wrong_counts() -> None:
    others = np.array([[1.0, 3.0], [2.0, 2.0]])
    assert compare_topic_shares(np.zeros((0, 2)), others) is None
    assert compare_topic_shares(others[:1], others[:1]) is None
    assert compare_topic_shares(others[:1], np.array([[2.0, 2.0], [2.0, 2.0]])) is None
    for own, rest, said in (
        (np.ones((1, 3)), others, "not of the same grades"),
        (np.ones((1, 3, 2)), np.ones((2, 3)), "not of the same grades"),
        (np.ones((2, 3)), np.ones((2, 3, 1)), "not of the same grades"),
        (np.ones(3), np.ones((2, 3)), "not of the same grades"),
        (np.array([[-1.0, 2.0]]), others, "negative"),
        (np.zeros((1, 2)), others, "no documents"),
    ):
        with pytest.raises(ValueError, match=said):
            compare_topic_shares(own, rest)
    with pytest.raises(ValueError, match="confidence"):
        compare_topic_shares(others, others, confidence=1.0)
