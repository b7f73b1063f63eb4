"""Paired significance tests over topics, of many pairs of runs at once, and corrections for their number."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import scipy

from evaluation.arrays import BoolArray, FloatArray

Test = Literal["wilcoxon", "t", "sign", "randomisation"]
TESTS: tuple[Test, ...] = get_args(Test)
# Scores such as 0.3 - 0.1 and 0.2 differ in their last bit only; tests on ranks must see them as tied.
DECIMALS = 12
# Beyond this many differences the exact distribution of Wilcoxon's statistic is as good as normal.
EXACT_WILCOXON = 50


def p_values(
    differences: FloatArray, test: Test = "wilcoxon", tails: int = 1, seed: int = 0, resamples: int = 10_000
) -> FloatArray:
    """Test each pair's differences against 0.

    Parameters
    ----------
    differences : ndarray of float64, shape (pairs, topics)
        Score of the first run minus that of the second. Rounded to 12 decimals, so that what is tied on
        paper is tied here.
    test : {"wilcoxon", "t", "sign", "randomisation"}
        Wilcoxon drops zeros; it is exact up to 50 untied and up to 13 tied differences, and the normal
        approximation with its correction for ties (none for continuity) beyond.
    tails : {1, 2}
        1: is the first run better? 2: do the two differ?
    seed, resamples : int
        For the randomisation test with more than 13 topics.

    Returns
    -------
    ndarray of float64, shape (pairs,)
        In [0, 1]. Where all differences are 0, 1. Where they are all equal and not 0, t is infinite.

    Raises
    ------
    ValueError
        If a difference is not finite, there are no topics (for t: fewer than 2), or `test` or `tails`
        is none of those above.

    References
    ----------
    Wilcoxon 1945; Moffat, Webber and Zobel 2007, Table 5; Smucker, Allan and Carterette 2007.

    Examples
    --------
    >>> p_values(np.array([[0.1, 0.2, 0.3, 0.4, 0.5]]), "wilcoxon", tails=1)
    array([0.03125])
    """
    if test not in TESTS:
        raise ValueError(f"no test is called {test!r}; there are {', '.join(TESTS)}")
    if tails not in (1, 2):
        raise ValueError(f"tails = {tails} is neither 1 nor 2")
    rows = check_differences(differences, at_least=2 if test == "t" else 1)
    result = np.ones(len(rows))
    some = (rows != 0).any(axis=1)
    if some.any():
        rows = rows[some]
        if test == "t":
            values = _t(rows, tails)
        elif test == "sign":
            values = _sign(rows, tails)
        elif test == "wilcoxon":
            values = _wilcoxon(rows, tails)
        else:
            values = sign_flip_p_values(rows, tails, seed, resamples)
        result[some] = np.clip(values, 0.0, 1.0)
    return result


def check_differences(differences: FloatArray, at_least: int = 1) -> FloatArray:
    """Differences (pairs, topics), rounded to 12 decimals; one pair may be given as (topics,).

    Raises ValueError if there are fewer topics than `at_least`, or a value is not finite.
    """
    rows = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    if rows.ndim != 2:
        raise ValueError(f"differences has {rows.ndim} dimensions, not 2")
    if rows.shape[1] < at_least:
        raise ValueError(f"the test needs at least {at_least} topics, got {rows.shape[1]}")
    if not np.isfinite(rows).all():
        raise ValueError(f"a difference is {rows[~np.isfinite(rows)][0]}")
    return np.asarray(np.round(rows, DECIMALS) + 0.0)


def _alternative(tails: int) -> Literal["greater", "two-sided"]:
    return "greater" if tails == 1 else "two-sided"


def _t(rows: FloatArray, tails: int) -> FloatArray:
    constant = (rows == rows[:, :1]).all(axis=1)
    result = np.where(rows[:, 0] > 0, 0.0, 1.0 if tails == 1 else 0.0)
    if not constant.all():
        tested = scipy.stats.ttest_1samp(rows[~constant], 0.0, axis=1, alternative=_alternative(tails))
        result[~constant] = tested.pvalue
    return np.asarray(result)


def _sign(rows: FloatArray, tails: int) -> FloatArray:
    wins, losses = (rows > 0).sum(axis=1), (rows < 0).sum(axis=1)
    extreme = wins if tails == 1 else np.maximum(wins, losses)
    return np.asarray(tails * scipy.stats.binom.sf(extreme - 1, wins + losses, 0.5))


def _wilcoxon(rows: FloatArray, tails: int) -> FloatArray:
    sizes = np.where(rows == 0, np.nan, np.abs(rows))
    counts = (rows != 0).sum(axis=1)
    # NaN sorts last and equals nothing, so that zeros make no ties.
    ordered = np.sort(sizes, axis=1)
    tied: BoolArray = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    exact = ~tied & (counts <= EXACT_WILCOXON)
    enumerated = tied & (counts <= MOST_ENUMERATED)
    result = np.empty(len(rows))
    # Any: scipy renamed the second, and its stubs know the old name only.
    ways: tuple[tuple[BoolArray, Any], ...] = ((exact, "exact"), (~exact & ~enumerated, "asymptotic"))
    for chosen, method in ways:
        if chosen.any():
            tested = scipy.stats.wilcoxon(
                rows[chosen], axis=1, method=method, alternative=_alternative(tails)
            )
            result[chosen] = tested.pvalue
    for place in np.flatnonzero(enumerated):
        values = rows[place][rows[place] != 0]
        ranks = np.sign(values) * scipy.stats.rankdata(np.abs(values))
        result[place] = sign_flip_p_values(ranks[None, :], tails)[0]
    return result


# All sign vectors of up to this many topics are enumerated: 2**13 are fewer than the usual sample.
MOST_ENUMERATED = 13
BLOCK_ROWS = 256


def sign_flip_p_values(rows: FloatArray, tails: int, seed: int = 0, resamples: int = 10_000) -> FloatArray:
    """P values by random signs: how often the sum of a row reaches its own sum (or its size, with two tails).

    Parameters
    ----------
    rows : ndarray of float64, shape (pairs, topics)
        Differences, or signed ranks of them.
    tails : int
        1: the sum is large; 2: the sum is far from 0.
    seed, resamples : int
        With more than 13 topics, `resamples` sign vectors are drawn, the same for every row, and the
        observed one counts as one more; otherwise all are enumerated and the value is exact.

    Returns
    -------
    ndarray of float64, shape (pairs,)

    References
    ----------
    Fisher 1935, section 21; Smucker, Allan and Carterette 2007, section 2.1.

    Examples
    --------
    >>> sign_flip_p_values(np.array([[1.0, 2.0, 3.0]]), tails=1)
    array([0.125])
    """
    topics = rows.shape[1]
    exact = topics <= MOST_ENUMERATED
    signs = _all_signs(topics) if exact else _drawn_signs(topics, seed, resamples)
    result = np.empty(len(rows))
    for first in range(0, len(rows), BLOCK_ROWS):
        block = rows[first : first + BLOCK_ROWS]
        sums, observed = signs @ block.T, block.sum(axis=1)
        if tails == 2:
            sums, observed = np.abs(sums), np.abs(observed)
        # Sums that are equal on paper may differ in their last bits.
        reached = (sums >= observed - 1e-12 * np.abs(block).sum(axis=1)).sum(axis=0)
        result[first : first + BLOCK_ROWS] = (
            reached / len(signs) if exact else (reached + 1) / (len(signs) + 1)
        )
    return result


def _all_signs(topics: int) -> FloatArray:
    codes = np.arange(2**topics)[:, None] >> np.arange(topics)
    return np.asarray(1.0 - 2.0 * (codes & 1), dtype=np.float64)


def _drawn_signs(topics: int, seed: int, resamples: int) -> FloatArray:
    if resamples < 1:
        raise ValueError(f"resamples = {resamples} is below 1")
    rng = np.random.default_rng(seed)
    return 1.0 - 2.0 * rng.integers(0, 2, size=(resamples, topics)).astype(np.float64)


Correction = Literal["none", "holm", "bh"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def adjust(p: FloatArray, correction: Correction) -> FloatArray:
    """p-values to compare with alpha as they are, after a correction for their number.

    Parameters
    ----------
    p : ndarray of float64, shape (tests,)
        In [0, 1].
    correction : {"none", "holm", "bh"}
        Holm bounds the chance of any false claim; Benjamini-Hochberg (bh) the expected share of false
        claims among those made.

    Returns
    -------
    ndarray of float64, shape (tests,)
        Never below `p`, at most 1.

    Raises
    ------
    ValueError
        If a value is outside [0, 1] or `correction` is none of those above.

    References
    ----------
    Holm 1979; Benjamini and Hochberg 1995.

    Examples
    --------
    >>> adjust(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p, dtype=np.float64)
    if correction not in CORRECTIONS:
        raise ValueError(f"no correction is called {correction!r}; there are {', '.join(CORRECTIONS)}")
    if p.ndim != 1:
        raise ValueError(f"p has {p.ndim} dimensions, not 1")
    wrong = ~((p >= 0) & (p <= 1))
    if wrong.any():
        raise ValueError(f"p = {p[wrong][0]} is outside [0, 1]")
    if correction == "none" or not len(p):
        return p
    if correction == "bh":
        return np.asarray(scipy.stats.false_discovery_control(p, method="bh"))
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
