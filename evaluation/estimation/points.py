"""Point estimates of a score that unjudged documents leave between base and base + residual, and the
background rate of relevance that some of them use (Ravana and Moffat 2010, section 3)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import fsum
from typing import TypeVar

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.gains import gains_of

# The rate of relevance among documents of which nothing is known: E in the paper.
BACKGROUND = 0.01
Values = TypeVar("Values", float, FloatArray)


@dataclass(frozen=True)
class Estimates:
    """The four estimates, each in [base, base + residual] up to the background rate."""

    simplistic: float
    background: float
    interpolated: float
    smoothed: float


def estimates(
    base: float, residual: float, background: float = BACKGROUND, trust: float | None = None
) -> Estimates:
    """Estimate a score from its bounds.

    Parameters
    ----------
    base, residual : float
        In [0, 1]: what the judged documents earned, and what the unjudged could add at most.
    background : float
        Expected gain of an unjudged document, in [0, 1].
    trust : float, optional
        The share of the interpolated estimate in the smoothed one, in [0, 1]: lambda in the paper. 1 - D
        if not given.

    Returns
    -------
    Estimates
        simplistic = B; background = B + E D; interpolated = B / (1 - D), or E at D = 1; smoothed = the
        mixture of the last two, which is B (1 + D) + E D**2 if no trust is given.

    Raises
    ------
    ValueError
        If an argument is outside [0, 1].

    References
    ----------
    Ravana and Moffat 2010, section 3. The background and smoothed forms are reconstructed from its
    prose.

    Examples
    --------
    >>> round(estimates(0.2, 0.3).interpolated, 6)
    0.285714
    """
    for name, value in {"base": base, "residual": residual}.items():
        _check(name, value)
    interpolated = background if residual == 1 else base / (1 - residual)
    return Estimates(*_each(base, residual, interpolated, background, trust))


def mean_estimates(
    base: FloatArray, residual: FloatArray, background: float = BACKGROUND, trust: float | None = None
) -> Estimates:
    """The means over topics of each topic's `estimates`.

    Parameters
    ----------
    base, residual : ndarray of float64, shape (topics,)
        In [0, 1]; at least one topic.
    background, trust
        As for `estimates`.

    Returns
    -------
    Estimates

    Raises
    ------
    ValueError
        If an argument is outside [0, 1].

    References
    ----------
    Ravana and Moffat 2010, section 4.

    Examples
    --------
    >>> round(mean_estimates(np.array([0.2, 0.0]), np.array([0.5, 1.0])).interpolated, 9)
    0.205
    """
    each = estimates_of_each(base, residual, background, trust)
    return Estimates(**{name: fsum(values) / len(values) for name, values in each.items()})


def estimates_of_each(
    base: FloatArray, residual: FloatArray, background: float = BACKGROUND, trust: float | None = None
) -> dict[str, FloatArray]:
    """The `estimates` of many scores at once, by the names of their fields.

    Parameters
    ----------
    base, residual : ndarray of float64, any equal shapes
        In [0, 1]; at least one score.
    background, trust
        As for `estimates`.

    Returns
    -------
    dict of str to ndarray of float64
        Arrays of the same shape.

    Raises
    ------
    ValueError
        If an argument is outside [0, 1].

    Examples
    --------
    >>> estimates_of_each(np.array([0.2, 0.0]), np.array([0.5, 1.0]))["interpolated"].tolist()
    [0.4, 0.01]
    """
    for name, values in {"base": base, "residual": residual}.items():
        _check(name, values.min())
        _check(name, values.max())
    interpolated = np.divide(base, 1 - residual, out=np.full(base.shape, background), where=residual < 1)
    columns = _each(base, residual, interpolated, background, trust)
    return {field.name: values for field, values in zip(fields(Estimates), columns, strict=True)}


def _each(
    base: Values, residual: Values, interpolated: Values, background: float, trust: float | None
) -> tuple[Values, Values, Values, Values]:
    _check("background", background)
    if trust is not None:
        _check("trust", trust)
    spread = base + background * residual
    # Multiplied out where it can be: at residuals near 1 the mixture loses digits.
    smoothed = (
        base * (1 + residual) + background * residual**2
        if trust is None
        else trust * interpolated + (1 - trust) * spread
    )
    return base, spread, interpolated, smoothed


def _check(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} = {value} is outside [0, 1]")


DEGREE = 3


@dataclass(frozen=True, eq=False)
class BackgroundRate:
    """`requests` (m,): how many runs asked for a document; `documents`, `rate` (m,): how many judged
    documents that many runs asked for, and the share of them that is relevant; `coefficients` (4,): the
    cubic through the rates, each weighted by its documents, constant term first; `unweighted_crossing`:
    where the cubic of least squares with equal weights meets the axis of no requests."""

    requests: IntArray
    documents: IntArray
    rate: FloatArray
    coefficients: FloatArray
    unweighted_crossing: float

    @property
    def crossing(self) -> float:
        """Value of the cubic at no requests. May lie outside [0, 1]."""
        return float(self.coefficients[0])

    @property
    def floor(self) -> float:
        """The rate among the least requested documents: of the fewest requests, and of the next ones
        until a relevant document is among them. 0 only if nothing is relevant."""
        documents, relevant = self.documents.cumsum(), (self.rate * self.documents).round().cumsum()
        first = int(np.argmax(relevant > 0))
        return float(relevant[first] / documents[first])

    @property
    def value(self) -> float:
        """The rate among documents that no run asked for, in [0, 1]: the crossing. Where it is below one
        relevant document among all that are judged, which is indistinguishable from none, it is the floor."""
        told_from_none = self.crossing * int(self.documents.sum()) >= 1
        return min(self.crossing, 1.0) if told_from_none else self.floor

    def fitted(self, requests: IntArray) -> FloatArray:
        return np.asarray(np.polynomial.polynomial.polyval(requests, self.coefficients))


def background_rate(requests: IntArray, gains: FloatArray) -> BackgroundRate:
    """Extrapolate the rate of relevance by the number of requesting runs to no requests at all.

    Parameters
    ----------
    requests : ndarray of int, shape (n,)
        For each pooled document, of all topics, how many runs have it in their top d; at least 1.
    gains : ndarray of float64, shape (n,)
        In [0, 1], NaN where not judged: such documents are left out. Relevant is a gain above 0.

    Returns
    -------
    BackgroundRate
        Its cubic is the least-squares fit to the rates, each weighted by its number of documents. The
        crossing with equal weights stands beside it.

    Raises
    ------
    ValueError
        If shapes differ, a request is below 1, or the judged documents have fewer than four different
        numbers of requests: no cubic is determined by them.

    References
    ----------
    Ravana and Moffat 2010, section 3 and Figure 1, where d is 100 and the crossing 0.043. The paper does
    not say whether it weights the rates. The weights and the floor are this project's choice: with equal
    weights, the few documents that nearly all runs ask for decide the crossing, and a cubic may cross
    below 0.

    Examples
    --------
    >>> requests = np.repeat([1, 2, 3, 4, 5], 10)
    >>> gains = np.concatenate([np.arange(10) < n for n in (1, 2, 3, 4, 5)]).astype(float)
    >>> abs(round(background_rate(requests, gains).crossing, 9))
    0.0
    """
    requests, gains = np.asarray(requests), gains_of(gains)
    if requests.shape != gains.shape or gains.ndim != 1:
        raise ValueError(f"requests has shape {requests.shape}, gains {gains.shape}")
    if (requests < 1).any():
        raise ValueError(f"{requests.min()} requests for a document of the pool")
    judged = ~np.isnan(gains)
    numbers, which = np.unique(requests[judged], return_inverse=True)
    if len(numbers) <= DEGREE:
        raise ValueError(f"{len(numbers)} different numbers of requests do not determine a cubic")
    documents = np.bincount(which)
    rate = np.bincount(which, gains[judged] > 0) / documents
    equal = _cubic(numbers, rate, np.ones(len(numbers)))
    return BackgroundRate(
        numbers, documents, rate, _cubic(numbers, rate, np.sqrt(documents)), float(equal[0])
    )


def _cubic(numbers: IntArray, rate: FloatArray, weights: FloatArray) -> FloatArray:
    fit = np.polynomial.Polynomial.fit(numbers, rate, DEGREE, w=weights).convert()
    coefficients = np.zeros(DEGREE + 1)
    coefficients[: len(fit.coef)] = fit.coef
    return coefficients
