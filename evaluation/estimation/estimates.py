"""Point estimates of a score whose unjudged documents leave it between base and base + residual
(Ravana and Moffat 2010, section 3)."""

from __future__ import annotations

from dataclasses import dataclass

# The rate of relevance among documents of which nothing is known: E in the paper.
BACKGROUND = 0.01


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
    given = {"base": base, "residual": residual, "background": background, "trust": trust}
    for name, value in given.items():
        if value is not None and not 0 <= value <= 1:
            raise ValueError(f"{name} = {value} is outside [0, 1]")
    interpolated = background if residual == 1 else base / (1 - residual)
    spread = base + background * residual
    return Estimates(
        simplistic=base,
        background=spread,
        interpolated=interpolated,
        # Multiplied out where it can be: at residuals near 1 the mixture loses digits.
        smoothed=base * (1 + residual) + background * residual**2
        if trust is None
        else trust * interpolated + (1 - trust) * spread,
    )
