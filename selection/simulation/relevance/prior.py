"""Prior of the relevance model before a collection's first judgment, from a table of collections whose
relevance is known.

`collections.csv` has a row for each: its family; the coefficients that fit what its campaigns leave unjudged;
how these fits counted documents without a judgment in the qrels; which share of the runs' RBP weight
(p = 0.8) lies on such documents; and whether the model's other constants were chosen with it.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import scipy

from evaluation.arrays import FloatArray

TABLE = Path(__file__).with_name("collections.csv")
COEFFICIENTS = ("level", "opinion", "support", "consent", "standing")
# Effects of runs and topics are wider in the model than in the fits of the table, and the logit of a mean
# probability is nearer to 0 than the mean logit: sqrt((1 + 0.346 * 4.69) / (1 + 0.346 * 2)).
WIDER_EFFECTS = 1.25
# Few families may agree by chance.
LEAST_DEVIATION = 0.25
# A campaign differs from its site's usual one with so many times the variance of sites: one finished campaign
# counts for a third.
CAMPAIGN_VARIANCE = 2.0


@dataclass(frozen=True)
class TaughtCollection:
    """A row of the table. `coefficients`: in the order of `COEFFICIENTS`. `chosen`: whether the model's
    deviations of effects and shifts were chosen with this collection."""

    name: str
    family: str
    coefficients: tuple[float, ...]
    unjudged: str
    chosen: bool


@cache
def taught_collections() -> tuple[TaughtCollection, ...]:
    """The table's rows, in its order."""
    with TABLE.open(newline="") as rows:
        return tuple(
            TaughtCollection(
                row["collection"],
                row["family"],
                tuple(float(row[name]) for name in COEFFICIENTS),
                row["unjudged"],
                row["constants"] == "chosen",
            )
            for row in csv.DictReader(rows)
        )


def family_of(collection: str) -> str:
    """The family of a collection by its name, which begins with the family's; empty if it has none here.

    >>> family_of("trec-covid-r4"), family_of("trec-dl-2021"), family_of("my-own")
    ('trec-covid', 'trec-dl', '')
    """
    families = sorted({row.family for row in taught_collections()})
    return next((one for one in families if f"{collection}-".startswith(f"{one}-")), "")


@dataclass(frozen=True)
class Prior:
    """Normal priors of the model's coefficients, in the order of `COEFFICIENTS`. `freedom`: the degrees of
    freedom of the shifts that unjudged documents share, at least 1."""

    means: tuple[float, ...]
    deviations: tuple[float, ...]
    freedom: int


def prior_of(rows: Sequence[TaughtCollection]) -> Prior:
    """Expect of a new collection what families of collections showed.

    Families weigh equally, and the collections of a family share its weight. A deviation is that of the
    normal distribution whose 95% interval is Student's prediction interval for one more family.

    Parameters
    ----------
    rows : sequence of TaughtCollection
        Of at least two families.

    Raises
    ------
    ValueError
        With fewer families.

    References
    ----------
    The prediction interval of one more observation (Student 1908), with weighted moments.

    Examples
    --------
    >>> prior = prior_of(taught_collections())
    >>> [round(mean, 2) for mean in prior.means]
    [-1.66, -0.11, 1.04, 1.27, 0.52]
    """
    families = [row.family for row in rows]
    count = len(set(families))
    if count < 2:
        raise ValueError(f"a prior needs two families of collections, not {count}")
    weight = np.array([1 / families.count(family) for family in families]) / count
    table = np.array([row.coefficients for row in rows])
    mean = weight @ table
    spread = np.sqrt(count / (count - 1) * (weight @ (table - mean) ** 2))
    deviation = WIDER_EFFECTS * spread * _student(count)
    return Prior(
        _rounded(WIDER_EFFECTS * mean), _rounded(np.maximum(deviation, LEAST_DEVIATION)), max(count - 1, 1)
    )


def _student(families: int) -> float:
    """Factor by which the interval for one more family is wider than a normal one with known moments."""
    quantile = scipy.special.stdtrit(families - 1, 0.975) / scipy.special.ndtri(0.975)
    return float(quantile * np.sqrt(1 + 1 / families))


def _rounded(values: FloatArray) -> tuple[float, ...]:
    return tuple(values.round(3).tolist())


@cache
def usual_prior() -> Prior:
    """Prior from all rows of the table."""
    return prior_of(taught_collections())


def prior_without(families: Collection[str]) -> Prior:
    """Prior from the rows of other families than these."""
    return prior_of([row for row in taught_collections() if row.family not in families])


@dataclass(frozen=True)
class Experience:
    """Expectation before a campaign's first judgment, from collections and from a site's past campaigns.

    level, slope : unjudged documents were more often relevant than the model expected, by a logit of
        level + slope * support (see `RunSupport`)
    prior : of the coefficients; None stands for `usual_prior`
    campaigns : the finished campaigns that taught level and slope
    """

    level: float = 0.0
    slope: float = 0.0
    prior: Prior | None = None
    campaigns: int = 0

    @property
    def open_share(self) -> float:
        """The deviation that a further campaign's level and slope still have, as a share of that before any
        campaign, in (0, 1]."""
        variance = CAMPAIGN_VARIANCE + CAMPAIGN_VARIANCE / (self.campaigns + CAMPAIGN_VARIANCE)
        return float(np.sqrt(variance / (1 + CAMPAIGN_VARIANCE)))


NO_EXPERIENCE = Experience()
