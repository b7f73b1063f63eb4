"""Rows of the calibration table: how often statements of uncertainty came true on known collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from evaluation.arrays import FloatArray

Verdict = Literal["yes", "open", "no", "seen"]
# All collections together, in place of a collection's name.
POOLED = "all"


@dataclass(frozen=True, kw_only=True)
class IntervalFigures:
    """Means over cases of some intervals. `above`, `below`: the shares of true values beyond the interval;
    `width`: of the interval / the certain range; `score`: the interval score, as a share of that range, of
    which less is better (Gneiting and Raftery 2007, equation 43); `level`: the mean over campaigns of how far
    off the mean of all runs was."""

    above: float
    below: float
    width: float
    score: float
    level: float


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """One statement, tried on one collection.

    statement : such as "95% prediction interval"
    regime : the kind of campaign, such as "5 runs" or "20 judgments a topic"; "any" for all together
    nominal : the share of cases that the statement promises, in [0, 1]
    covered : the share of cases in which it was true, in [0, 1]
    by_campaign : the mean over campaigns of that share
    error : standard error of `covered`, by campaign: the cases of one campaign are much alike; of all
        collections together by family
    tolerance : by how much `covered` may miss `nominal` for the statement to be made
    at_least : whether more than nominal is as good
    collection, family : on what it was tried
    seen : whether a constant of the model was chosen with the collection
    stated : the share of cases in which the statement is made, in [0, 1]; the others count nowhere
    ratio : of forecasts of a number, the median of forecast / outcome
    interval : of intervals of scores
    """

    statement: str
    regime: str
    nominal: float
    covered: float
    by_campaign: float
    error: float
    cases: int
    campaigns: int
    tolerance: float
    at_least: bool
    collection: str
    family: str
    seen: bool
    stated: float = 1.0
    ratio: float | None = None
    interval: IntervalFigures | None = None

    @property
    def verdict(self) -> Verdict:
        """Verdict on the stated confidence: "open" if there are too few campaigns, "seen" if a constant was
        chosen with the collection and the coverage is reached."""
        gap = self.covered - self.nominal
        miss = max(-gap, 0.0 if self.at_least else gap) - self.tolerance
        if miss > 2 * self.error:
            return "no"
        if miss > 0 or not self.error <= self.tolerance:
            return "open"
        return "seen" if self.seen else "yes"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Origin of rows: the fields of `Coverage` of these names."""

    collection: str
    family: str
    seen: bool


def share_by_campaign(covered: Sequence[Sequence[bool]]) -> tuple[float, float]:
    """The share of true cases, and its standard error when whole campaigns are drawn again.

    Parameters
    ----------
    covered : sequence of sequences of bool
        By campaign, whether each of its cases was true; campaigns without cases do not count.

    Returns
    -------
    share, error : float
        NaN without any case; the error is NaN with fewer than two campaigns. Where all campaigns agree, it is
        that of as many single cases, two of them added to each side.

    References
    ----------
    The linearised variance of a ratio of sums over clusters (Cochran 1977, section 6.4); Agresti and Coull
    1998, section 3, where nothing varies.

    Examples
    --------
    >>> share, error = share_by_campaign([[True, True], [False, False], [True, False]])
    >>> share, round(error, 4)
    (0.5, 0.2887)
    >>> share, error = share_by_campaign([[True]] * 12)
    >>> share, round(error, 4)
    (1.0, 0.0827)
    """
    sums = np.array([[sum(cases), len(cases)] for cases in covered if len(cases)], dtype=np.float64)
    return _clustered(sums.reshape(-1, 2))


def _clustered(sums: FloatArray) -> tuple[float, float]:
    """Share and error, of true cases and cases of each cluster (clusters, 2)."""
    if not len(sums):
        return float("nan"), float("nan")
    hits, sizes = sums.T
    share = hits.sum() / sizes.sum()
    if len(sums) < 2:
        return float(share), float("nan")
    spread = ((hits - share * sizes) ** 2).sum() * len(sums) / (len(sums) - 1)
    error = np.sqrt(spread) / sizes.sum()
    if share in (0, 1):
        near = (share * len(sums) + 2) / (len(sums) + 4)
        error = np.sqrt(near * (1 - near) / (len(sums) + 4))
    return float(share), float(error)


def coverage_of(
    statement: str,
    cases: Sequence[Sequence[bool]],
    *,
    regime: str,
    nominal: float,
    tolerance: float,
    at_least: bool,
    trial: Trial,
) -> list[Coverage]:
    """The row of these cases, given by campaign; none without any case."""
    covered, error = share_by_campaign(cases)
    if np.isnan(covered):
        return []
    some = [of_campaign for of_campaign in cases if len(of_campaign)]
    return [
        Coverage(
            statement=statement,
            regime=regime,
            nominal=nominal,
            covered=covered,
            by_campaign=float(np.mean([np.mean(of_campaign) for of_campaign in some])),
            error=error,
            cases=sum(map(len, some)),
            campaigns=len(some),
            tolerance=tolerance,
            at_least=at_least,
            **vars(trial),
        )
    ]


def pooled(rows: Sequence[Coverage]) -> list[Coverage]:
    """Rows of all collections together, where a statement was tried on several.

    A figure is the mean over cases, or over campaigns, whichever it is within a collection; the ratio of
    forecasts is the median. The error is that of drawing whole families again, NaN for a single one.
    """
    groups: dict[tuple[str, str], list[Coverage]] = {}
    for row in rows:
        groups.setdefault((row.statement, row.regime), []).append(row)
    return [_pooled(group) for group in groups.values() if len(group) > 1]


def _pooled(rows: Sequence[Coverage]) -> Coverage:
    cases, campaigns = np.array([[row.cases, row.campaigns] for row in rows], dtype=np.float64).T
    families = sorted({row.family or row.collection for row in rows})
    place = [families.index(row.family or row.collection) for row in rows]
    hits = [row.covered * row.cases for row in rows]
    sums = np.column_stack([np.bincount(place, hits), np.bincount(place, cases)]).astype(np.float64)
    covered, error = _clustered(sums)
    ratios = [row.ratio for row in rows if row.ratio is not None]
    return replace(
        rows[0],
        nominal=float(np.average([row.nominal for row in rows], weights=cases)),
        covered=covered,
        by_campaign=float(np.average([row.by_campaign for row in rows], weights=campaigns)),
        error=error,
        cases=int(cases.sum()),
        campaigns=int(campaigns.sum()),
        collection=POOLED,
        family="",
        seen=any(row.seen for row in rows),
        stated=float(np.average([row.stated for row in rows], weights=cases)),
        ratio=float(np.median(ratios)) if ratios else None,
        interval=_pooled_figures(rows, cases, campaigns),
    )


def _pooled_figures(
    rows: Sequence[Coverage], cases: FloatArray, campaigns: FloatArray
) -> IntervalFigures | None:
    figures = [row.interval for row in rows if row.interval is not None]
    if len(figures) < len(rows):
        return None
    means = {
        name: float(np.average([getattr(one, name) for one in figures], weights=cases))
        for name in ("above", "below", "width", "score")
    }
    level = float(np.average([one.level for one in figures], weights=campaigns))
    return IntervalFigures(**means, level=level)
