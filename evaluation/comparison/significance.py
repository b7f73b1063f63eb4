"""Paired tests over topics, many pairs of runs at once."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from scipy import stats

from evaluation.arrays import BoolArray, FloatArray
from evaluation.comparison.differences import check_differences
from evaluation.comparison.sign_flips import ENUMERATED, sign_flip_p_values

Test = Literal["wilcoxon", "t", "sign", "randomisation"]
TESTS: tuple[Test, ...] = get_args(Test)
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
            found = _t(rows, tails)
        elif test == "sign":
            found = _sign(rows, tails)
        elif test == "wilcoxon":
            found = _wilcoxon(rows, tails)
        else:
            found = sign_flip_p_values(rows, tails, seed, resamples)
        result[some] = np.clip(found, 0.0, 1.0)
    return result


def _alternative(tails: int) -> Literal["greater", "two-sided"]:
    return "greater" if tails == 1 else "two-sided"


def _t(rows: FloatArray, tails: int) -> FloatArray:
    constant = (rows == rows[:, :1]).all(axis=1)
    result = np.where(rows[:, 0] > 0, 0.0, 1.0 if tails == 1 else 0.0)
    if not constant.all():
        tested = stats.ttest_1samp(rows[~constant], 0.0, axis=1, alternative=_alternative(tails))
        result[~constant] = tested.pvalue
    return np.asarray(result)


def _sign(rows: FloatArray, tails: int) -> FloatArray:
    wins, losses = (rows > 0).sum(axis=1), (rows < 0).sum(axis=1)
    extreme = wins if tails == 1 else np.maximum(wins, losses)
    return np.asarray(tails * stats.binom.sf(extreme - 1, wins + losses, 0.5))


def _wilcoxon(rows: FloatArray, tails: int) -> FloatArray:
    sizes = np.where(rows == 0, np.nan, np.abs(rows))
    counts = (rows != 0).sum(axis=1)
    # NaN sorts last and equals nothing, so that zeros make no ties.
    ordered = np.sort(sizes, axis=1)
    tied: BoolArray = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    exact = ~tied & (counts <= EXACT_WILCOXON)
    enumerated = tied & (counts <= ENUMERATED)
    result = np.empty(len(rows))
    # Any: scipy renamed the second, and its stubs know the old name only.
    ways: tuple[tuple[BoolArray, Any], ...] = ((exact, "exact"), (~exact & ~enumerated, "asymptotic"))
    for chosen, method in ways:
        if chosen.any():
            tested = stats.wilcoxon(rows[chosen], axis=1, method=method, alternative=_alternative(tails))
            result[chosen] = tested.pvalue
    for place in np.flatnonzero(enumerated):
        values = rows[place][rows[place] != 0]
        ranks = np.sign(values) * stats.rankdata(np.abs(values))
        result[place] = sign_flip_p_values(ranks[None, :], tails)[0]
    return result
