"""Rows of the calibration table: how often statements of uncertainty came true on data kept apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Verdict = Literal["yes", "open", "no"]


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """One statement, tried on one collection.

    statement : such as "95% prediction interval"
    regime : the kind of campaign, such as "5 runs" or "20 judgments a topic"; "any" for all together
    nominal : the share of cases that the statement promises, in [0, 1]
    covered : the share of cases in which it was true, in [0, 1]
    error : standard error of `covered`, by campaign: the cases of one campaign are much alike
    tolerance : how far `covered` may be from `nominal` for the statement to be made
    at_least : whether more than nominal is as good
    collection, held_out : on what it was tried, and what kept it apart from what it was tuned on
    stated : the share of cases in which the statement is made, in [0, 1]; the others count nowhere
    ratio : of forecasts of a number, the median of forecast / outcome
    """

    statement: str
    regime: str
    nominal: float
    covered: float
    error: float
    cases: int
    campaigns: int
    tolerance: float
    at_least: bool
    collection: str
    held_out: str
    stated: float = 1.0
    ratio: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether the statement is as sure as it says; "open" where a miss may be chance: two standard
        errors, or a single campaign."""
        gap = self.covered - self.nominal
        miss = max(-gap, 0.0 if self.at_least else gap) - self.tolerance
        if miss <= 0:
            return "yes"
        return "no" if miss > 2 * self.error else "open"


def share_by_campaign(covered: Sequence[Sequence[bool]]) -> tuple[float, float]:
    """The share of true cases, and its standard error when whole campaigns are drawn again.

    Parameters
    ----------
    covered : sequence of sequences of bool
        By campaign, whether each of its cases was true; campaigns without cases do not count.

    Returns
    -------
    share, error : float
        NaN without any case; the error is NaN with fewer than two campaigns.

    References
    ----------
    The linearised variance of a ratio of sums over clusters (Cochran 1977, section 6.4).

    Examples
    --------
    >>> share, error = share_by_campaign([[True, True], [False, False], [True, False]])
    >>> share, round(error, 4)
    (0.5, 0.2887)
    """
    sums = np.array([[sum(cases), len(cases)] for cases in covered if len(cases)], dtype=np.float64)
    if not len(sums):
        return float("nan"), float("nan")
    hits, sizes = sums.T
    share = hits.sum() / sizes.sum()
    if len(sums) < 2:
        return float(share), float("nan")
    spread = ((hits - share * sizes) ** 2).sum() * len(sums) / (len(sums) - 1)
    return float(share), float(np.sqrt(spread) / sizes.sum())


def coverage_of(
    statement: str,
    cases: Sequence[Sequence[bool]],
    *,
    regime: str,
    nominal: float,
    tolerance: float,
    at_least: bool,
    collection: str,
    held_out: str,
) -> list[Coverage]:
    """The row of these cases, given by campaign; none without any case."""
    covered, error = share_by_campaign(cases)
    if np.isnan(covered):
        return []
    return [
        Coverage(
            statement=statement,
            regime=regime,
            nominal=nominal,
            covered=covered,
            error=error,
            cases=sum(map(len, cases)),
            campaigns=sum(1 for of_campaign in cases if len(of_campaign)),
            tolerance=tolerance,
            at_least=at_least,
            collection=collection,
            held_out=held_out,
        )
    ]
