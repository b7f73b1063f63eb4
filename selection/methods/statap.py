"""statAP sampling: a few documents of each topic, drawn before any is judged, with known probabilities
(Carterette et al. 2008, section 2.2).

Documents are drawn without replacement, about in proportion to their prior (Stevens 1958). A topic's sample
is drawn once, and found again in a pool that has changed since.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.framework.interface import Setting, StatapSample
from selection.framework.topicwise import FixedOrder, FixedTopic, Topicwise
from selection.methods.serving_order import serving_places
from selection.pool import Ids, TopicPool
from selection.rounding import round_significant


def ap_prior(rank: IntArray, length: IntArray) -> FloatArray:
    """The probability that average precision gives each rank of a ranking.

    AP is a sum over pairs of ranks i, j of 1 / max(i, j), the pair of a rank with itself counted double;
    these weights, made to add up to 1, are a distribution over pairs, and this is that of one of the two:
    (1 + sum over j from r to Z of 1 / j) / 2Z.

    Parameters
    ----------
    rank, length : ndarray of int, shape (n,)
        r, from 1, and Z, the number of documents in the same ranking.

    Returns
    -------
    ndarray of float64, shape (n,)
        Falling with the rank; over all ranks of one ranking, the sum is 1.

    References
    ----------
    Aslam, Pavlu and Yilmaz 2006; the prior of statAP in Carterette et al. 2008, section 2.2.

    Examples
    --------
    >>> ap_prior(np.array([1, 2]), np.array([2, 2])).tolist()
    [0.625, 0.375]
    """
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, length.max(initial=0) + 1))])
    return np.asarray((1.0 + harmonic[length] - harmonic[rank - 1]) / (2.0 * np.maximum(length, 1)))


def prior_shares(pool: TopicPool, contributing: BoolArray) -> FloatArray:
    """Addition of each occurrence of a document in a run to the document's prior, (entries,) as in the pool.

    A document's prior is the mean of `ap_prior` over the contributing runs that rank the topic at all, 0
    where one does not rank the document; all documents' add up to 1, or to 0 without such a run.
    """
    lengths = np.bincount(pool.run, minlength=len(contributing))
    runs = int(np.count_nonzero(contributing & (lengths > 0)))
    shares = ap_prior(pool.rank.astype(np.int64), lengths[pool.run])
    return np.asarray(np.where(contributing[pool.run], shares, 0.0) / max(runs, 1))


def document_prior(pool: TopicPool, contributing: BoolArray) -> FloatArray:
    """`prior_shares` summed by document, (n,) by pool index."""
    of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
    return np.bincount(of, prior_shares(pool, contributing), minlength=len(pool)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Buckets:
    """Documents by prior descending, in buckets of as many as are to be drawn.

    Buckets are drawn with replacement, as often as the sample has documents, in proportion to their mass;
    one that was hit k times gives k of its documents, any k alike. Only the last bucket may be short, and
    then gives all it has if it is hit more often: the sample is smaller then.

    order : int64 (n,), the documents whose prior is above 0, by prior descending
    size : int, of the buckets and of the sample
    mass : float64 (buckets,), sum 1
    """

    order: IntArray
    size: int
    mass: FloatArray

    @property
    def bucket(self) -> IntArray:
        """Bucket of each place of `order`, (n,)."""
        return np.arange(len(self.order)) // self.size

    @property
    def sizes(self) -> IntArray:
        return np.bincount(self.bucket, minlength=len(self.mass))

    def inclusion(self) -> FloatArray:
        """The probability that each place of `order` is drawn, (n,), in (0, 1]."""
        chances = self.mass.copy()
        if self._short:
            chances[-1] = _expected(self.size, self._short, self._last).sum() / self._short
        return np.minimum(chances, 1.0)[self.bucket]

    def joint(self) -> FloatArray:
        """The probability that two documents are both drawn, (buckets, buckets) by where they are; on the
        diagonal that of two different ones of the same bucket, 0 if it has but one."""
        m, short = self.size, self._short
        chances = (m - 1) / m * np.outer(self.mass, self.mass)
        np.fill_diagonal(chances, self.mass**2 if m > 1 else 0.0)
        if short:
            # Given one hit elsewhere, the other m - 1 fall as before.
            chances[-1, :-1] = self.mass[:-1] * _expected(m - 1, short, self._last).sum() / short
            chances[:-1, -1] = chances[-1, :-1]
            pairs = 2 * np.arange(short) @ _expected(m, short, self._last)
            chances[-1, -1] = pairs / (short * (short - 1)) if short > 1 else 0.0
        return np.minimum(chances, 1.0)

    def draw(self, generator: np.random.Generator) -> IntArray:
        """Places of `order`, in random order."""
        if not len(self.order):
            return np.zeros(0, dtype=np.int64)
        hits = np.minimum(generator.multinomial(self.size, self.mass), self.sizes)
        drawn = [
            bucket * self.size + generator.choice(self.sizes[bucket], hits[bucket], replace=False)
            for bucket in np.flatnonzero(hits)
        ]
        return generator.permutation(np.concatenate(drawn))

    @property
    def _short(self) -> int:
        """Number of documents in the last bucket, 0 if it is full."""
        return len(self.order) % self.size

    @property
    def _last(self) -> float:
        return float(self.mass[-1])


def stevens(prior: FloatArray, size: int) -> Buckets:
    """Lay out the buckets for a sample.

    Parameters
    ----------
    prior : ndarray of float64, shape (n,)
        Not negative; need not add up to 1. Compared at 12 significant digits, ties by index. A document
        with prior 0 is never drawn.
    size : int
        How many draws are made, at least 1. If there are no more documents, all are drawn for certain.

    Returns
    -------
    Buckets

    Raises
    ------
    ValueError
        If size < 1, or a prior is negative or not finite.

    References
    ----------
    Stevens 1958; Carterette et al. 2008, section 2.2.

    Examples
    --------
    >>> buckets = stevens(np.array([0.1, 0.2, 0.3, 0.4]), 2)
    >>> buckets.order.tolist(), buckets.inclusion().round(6).tolist()
    ([3, 2, 1, 0], [0.7, 0.7, 0.3, 0.3])
    """
    prior = np.asarray(prior, dtype=np.float64)
    if size < 1:
        raise ValueError(f"size = {size} is below 1")
    wrong = ~np.isfinite(prior) | (prior < 0)
    if wrong.any():
        raise ValueError(f"prior {prior[wrong][0]} is negative or not finite")
    order = np.argsort(-round_significant(prior), kind="stable")[: np.count_nonzero(prior)]
    if not len(order):
        return Buckets(order, size, np.zeros(0))
    mass = np.add.reduceat(prior[order], np.arange(0, len(order), size))
    return Buckets(order, size, mass / mass.sum())


def _expected(draws: int, most: int, chance: float) -> FloatArray:
    """The probabilities that there are more than 0, 1, ..., most - 1 hits, (most,): their sum is the mean
    number of hits, counted up to `most`."""
    return np.asarray(scipy.special.bdtrc(np.arange(most), draws, chance), dtype=np.float64)


def sample_of(setting: Setting, topic: int, size: int) -> StatapSample:
    """The sample given with the setting, else one drawn from the topic's pool: always the same for the same
    seed, topic and runs. Empty if no run that contributes ranks the topic."""
    given = setting.samples.get(topic)
    if given is not None:
        return given
    pool = setting.pools[topic]
    buckets = stevens(document_prior(pool, setting.contributing), size)
    places = buckets.draw(setting.generator(topic, "statap"))
    bucket = buckets.bucket[places]
    return StatapSample(
        pool.documents[buckets.order[places]],
        buckets.inclusion()[places],
        bucket,
        buckets.mass[bucket],
        size,
    )


def places_of(drawn: StatapSample, pool: TopicPool) -> tuple[IntArray, IntArray]:
    """Documents of the sample that the pool still holds: their indices in the sample and their places in the
    pool."""
    by_id = np.argsort(pool.documents)
    at = np.searchsorted(pool.documents, drawn.documents, sorter=by_id)
    held = np.flatnonzero(at < len(pool))
    place = by_id[at[held]]
    same = pool.documents[place] == drawn.documents[held]
    return held[same], place[same]


JUDGED_OTHERWISE, JUDGED_AS_SAMPLED, JUDGED_AS_BOTH = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Prels:
    """Reason and probability of judging each judged document.

    methods : int64 (n,), the number that prels files use: `JUDGED_OTHERWISE`, `JUDGED_AS_SAMPLED` or
        `JUDGED_AS_BOTH`

    inclusion : float64 (n,), in (0, 1], the sample's probabilities; 1 outside the sample
    """

    methods: IntArray
    inclusion: FloatArray


def prels_of(judged: Ids, drawn: StatapSample | None, otherwise: Ids) -> Prels:
    """Prels of judged documents (n,), given by id as those in the sample are.

    `otherwise`: those that would have been judged without the sample, such as MTC's. One that is in the
    sample, too, is `JUDGED_AS_BOTH`: its judgment did not depend on the draw, and estimates count it as
    certain. One that is in neither must have been judged for another reason.
    """
    if drawn is None:
        return Prels(np.zeros(len(judged), dtype=np.int64), np.ones(len(judged)))
    by_id = np.argsort(drawn.documents)
    place = np.searchsorted(drawn.documents, judged, sorter=by_id)
    sampled = np.isin(judged, drawn.documents)
    inclusion = np.ones(len(judged))
    inclusion[sampled] = drawn.inclusion[by_id[place[sampled]]]
    methods = np.where(
        sampled, np.where(np.isin(judged, otherwise), JUDGED_AS_BOTH, JUDGED_AS_SAMPLED), JUDGED_OTHERWISE
    )
    return Prels(methods, inclusion)


@dataclass(frozen=True)
class StatapOptions:
    """size : how many documents of each topic are drawn"""

    size: int = 40

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size = {self.size} is below 1")


class Statap(Topicwise):
    """Serves each topic's sample and nothing else; what is judged otherwise does not change it.

    The order is random, so that the documents judged of a topic broken off midway are again a sample, if
    with smaller probabilities than those given. Topics are served in rounds.
    """

    def __init__(self, setting: Setting, options: StatapOptions) -> None:
        self._size = options.size
        super().__init__(setting, self._make, rounds=True)

    def drawn(self, topic: int) -> StatapSample:
        return self._ordered(self._setting, topic)

    def _make(self, setting: Setting, topic: int) -> FixedTopic:
        return FixedTopic(setting, topic, statap_order(setting, topic, self._ordered(setting, topic)))

    def _ordered(self, setting: Setting, topic: int) -> StatapSample:
        """The sample in serving order; one drawn before keeps its own."""
        drawn = sample_of(setting, topic, self._size)
        if setting.serving_order != "docno" or topic in setting.samples:
            return drawn
        held, places = places_of(drawn, setting.pools[topic])
        order = held[serving_places(setting, topic, places)]
        return replace(
            drawn,
            documents=drawn.documents[order],
            inclusion=drawn.inclusion[order],
            bucket=drawn.bucket[order],
            mass=drawn.mass[order],
        )


def statap_order(setting: Setting, topic: int, drawn: StatapSample) -> FixedOrder:
    """A document weighs the share of the sample that is left when its turn comes. A run's share is its part
    of the prior by which the document was drawn, not of the weight.

    Documents of the sample that no run ranks any longer are not to be had.
    """
    pool = setting.pools[topic]
    which, places = places_of(drawn, pool)
    left = (len(drawn.documents) - which) / max(len(drawn.documents), 1)
    shares = prior_shares(pool, setting.contributing)
    return FixedOrder(places, round_significant(np.asarray(left)), drawn.inclusion[which], shares)
