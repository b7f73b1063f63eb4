"""Mean average precision of runs when the relevance of unjudged documents is drawn at random, and from it
the confidence that one run has the higher mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from evaluation.arrays import FloatArray, IntArray
from selection.cache import LruCache
from selection.framework.interface import Setting
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience
from selection.simulation.relevance.relevance_model import DrawnEffects, RelevanceRates
from selection.simulation.trimmed_topics import TrimmedTopic, trimmed_setting

DRAWS = 60
# Of Student's t, in place of the normal distribution, and a factor on the deviations: draws of the model know
# nothing of where it is wrong. Both were chosen on the first halves of past collections.
DEGREES, WIDENING = 5, 1.1
# EAP(calibrated) counts unjudged documents by this share of their probabilities, as it then orders runs most
# like full judgments do, on the same halves. A share of 1 is the expectation, of 0 plain average precision.
CAUTION = 0.3
# Probabilities that are at hand, 8 bytes each.
MOST_CHANCES = 10_000_000
# Differences that rounding could make.
NO_DIFFERENCE = 1e-12
# Of a run's first document, where the run's whole list is its end.
EVEN = 0.5


@dataclass(frozen=True, eq=False)
class DrawnPrecision:
    """Mean average precision of some runs, in draws of what the unjudged documents are.

    least : float64 (draws, runs), nothing in the end of a list being relevant (`TrimmedTopic`)
    most : float64 (draws, runs), the run's own end counted as far as it may be relevant
    """

    least: FloatArray
    most: FloatArray

    def expected(self) -> FloatArray:
        """float64 (runs, runs), the mean difference, row minus column, without ends."""
        mean = self.least.mean(axis=0)
        return np.asarray(mean[:, None] - mean[None, :])

    def deviation(self) -> FloatArray:
        """float64 (runs, runs), the standard deviation of the differences, without ends."""
        return _deviation(self.least[:, :, None] - self.least[:, None, :])

    def confidence(self) -> FloatArray:
        """The lower confidence that the row's run has a higher mean average precision than the column's.

        Returns
        -------
        ndarray of float64, shape (runs, runs)
            P(T < mean / deviation / `WIDENING`) of the row's `least` minus the column's `least`, or minus
            its `most` where that makes it less; T has Student's t distribution with `DEGREES`. Without
            deviation 1, 1/2 or 0 by the sign. A value and its mirror add up to 1 at most: what they leave is
            open. The diagonal is 1/2.

        References
        ----------
        After Carterette, Allan and Sitaraman 2006, section 4; draws, ends and t are this project's choice.

        Examples
        --------
        >>> certain = np.array([[0.5, 0.25], [0.5, 0.25]])
        >>> DrawnPrecision(certain, certain).confidence().tolist()
        [[0.5, 1.0], [0.0, 0.5]]
        """
        without = _confidence(self.least[:, :, None] - self.least[:, None, :])
        lower = np.minimum(without, _confidence(self.least[:, :, None] - self.most[:, None, :]))
        np.fill_diagonal(lower, 0.5)
        return lower


def _confidence(difference: FloatArray) -> FloatArray:
    """(runs, runs), that a difference (draws, runs, runs) is above 0."""
    mean, deviation = difference.mean(axis=0), _deviation(difference)
    mean = np.where(np.abs(mean) < NO_DIFFERENCE, 0.0, mean)
    ratio = np.divide(mean, WIDENING * deviation, out=np.zeros_like(mean), where=deviation > 0)
    return np.asarray(np.where(deviation > 0, scipy.special.stdtr(DEGREES, ratio), np.heaviside(mean, 0.5)))


def _deviation(values: FloatArray) -> FloatArray:
    """Over draws; 0 for what rounding could make."""
    deviations = values.std(axis=0, ddof=1)
    return np.asarray(np.where(deviations > NO_DIFFERENCE, deviations, 0.0))


class PrecisionDraws:
    """Versions of `RelevanceRates`, fitted to the judgments of the moment.

    Parameters
    ----------
    setting : Setting
        Its pools and judgments are read now; it is not changed.
    draws : int
        At least 2.
    seed : int
        The same seed and judgments, the same draws.
    experience : Experience
        What finished campaigns showed.
    """

    def __init__(
        self,
        setting: Setting,
        *,
        draws: int = DRAWS,
        seed: int = 0,
        experience: Experience = NO_EXPERIENCE,
    ) -> None:
        if draws < 2:
            raise ValueError(f"draws = {draws} is below 2")
        self._threshold, self._seed = setting.threshold, seed
        self._sizes = [len(pool) for pool in setting.pools]
        fitted, self._topics = trimmed_setting(setting)
        self._rates = RelevanceRates(fitted, experience)
        self._versions: list[DrawnEffects] = [
            self._rates.drawn(np.random.default_rng((seed, draw))) for draw in range(draws)
        ]
        # Expectations read them before confidences do.
        self._chances = LruCache(self._probabilities, lambda _, chances: chances.size, MOST_CHANCES)

    def relevance(self, topic: int, share: float = 1.0) -> FloatArray:
        """The mean probability of each document of the topic, times `share` for the unjudged.

        Returns
        -------
        ndarray of float64, shape (documents,)
            By index in the topic's whole pool, in [0, 1]: 0 or 1 for the judged, 0 for what is trimmed.
        """
        trimmed = self._topics[topic]
        means = np.zeros(self._sizes[topic])
        known = trimmed.gains > self._threshold
        means[trimmed.place] = np.where(
            np.isnan(trimmed.gains), share * self._chances[topic].mean(axis=0), known
        )
        return means

    def precision(self, runs: IntArray, progress: Callable[[], object] = lambda: None) -> DrawnPrecision:
        """Mean average precision of these runs, by index; topics without relevant documents count 0.

        `progress` is called after each topic.
        """
        shape = len(self._versions), len(runs)
        least, most = np.zeros(shape), np.zeros(shape)
        for index, topic in enumerate(self._topics):
            probabilities = self._chances[index]
            relevant = self._drawn(index, probabilities)
            # With nothing relevant elsewhere, an end has all that there is.
            total = np.maximum(relevant.sum(axis=1), 1)[:, None]
            lists = _Lists(topic, relevant, runs)
            least += lists.sums / total
            most += (lists.sums + _of_ends(topic, probabilities, lists.relevant, runs)) / total
            progress()
        count = max(len(self._topics), 1)
        return DrawnPrecision(least / count, most / count)

    def _probabilities(self, topic: int) -> FloatArray:
        """(draws, documents) of the trimmed topic."""
        return self._rates.probabilities_by_version(topic, self._versions)

    def _drawn(self, index: int, probabilities: FloatArray) -> FloatArray:
        """1 or 0 for each document (draws, documents); every draw has the same for the judged."""
        topic = self._topics[index]
        open_ = np.isnan(topic.gains)
        relevant = np.tile((topic.gains > self._threshold).astype(np.float64), (len(probabilities), 1))
        generator = np.random.default_rng((self._seed, len(self._versions), index))
        chance = probabilities[:, open_]
        relevant[:, open_] = generator.random(chance.shape) < chance
        return relevant


class _Lists:
    """The runs' lists without their ends, in all draws: `sums` (draws, runs), of precisions at relevant
    documents, and `found` (draws, runs), how many there are."""

    def __init__(self, topic: TrimmedTopic, relevant: FloatArray, runs: IntArray) -> None:
        pool = topic.pool
        of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
        counts = (relevant.max(axis=0, initial=0.0) > 0)[of]
        place = _places(pool.run, runs)
        at = np.flatnonzero(counts & (place >= 0))
        at = at[np.lexsort((pool.rank[at], place[at]))]
        run, rank, hits = place[at], pool.rank[at].astype(np.float64), relevant[:, of[at]]
        before = np.zeros((hits.shape[0], hits.shape[1] + 1))
        hits.cumsum(axis=1, out=before[:, 1:])
        begin = np.searchsorted(run, np.arange(len(runs) + 1))
        self.relevant = before[:, begin[1:]] - before[:, begin[:-1]]
        precision = before[:, 1:]
        precision -= np.repeat(before[:, begin[:-1]], np.diff(begin), axis=1)
        precision *= hits / rank
        self.sums = _summed(precision, begin)


def _summed(values: FloatArray, begin: IntArray) -> FloatArray:
    """Sums of columns from each begin to the next; equal values have equal sums, to the last bit."""
    some = np.flatnonzero(np.diff(begin))
    sums = np.zeros((len(values), len(begin) - 1))
    if len(some):
        sums[:, some] = np.add.reduceat(values, begin[some], axis=1)
    return sums


def _of_ends(topic: TrimmedTopic, probabilities: FloatArray, count: FloatArray, runs: IntArray) -> FloatArray:
    """(draws, runs): by how much each run's end is expected to raise its sum of precisions.

    The odds of relevance are those of the run's last document before its end, and fall as 1 / rank.
    """
    pool = topic.pool
    of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
    is_last = np.flatnonzero(pool.rank == topic.last[pool.run])
    document = dict(zip(pool.run[is_last].tolist(), of[is_last].tolist(), strict=True))
    begin = np.searchsorted(topic.end_run, np.arange(len(topic.last) + 1))
    gained = np.zeros((len(probabilities), len(runs)))
    # Run by run, so that the end of one leaves no trace of rounding in another.
    for place, run in enumerate(runs.tolist()):
        rank = topic.end_rank[begin[run] : begin[run + 1]].astype(np.float64)
        if len(rank):
            chance = probabilities[:, document[run]] if run in document else np.array([EVEN])
            # The odds over one more than them; a chance of 1 has no finite odds.
            weight = np.outer(chance, max(topic.last[run], 1) / rank)
            hits = weight / (1 - chance[:, None] + weight)
            above = count[:, place, None] + hits.cumsum(axis=1) - hits
            gained[:, place] = (hits / rank * (1 + above)).sum(axis=1)
    return gained


def _places(run: IntArray, runs: IntArray) -> IntArray:
    """Place of each element of `run` in `runs`, -1 where it is missing."""
    place = np.full(int(max(run.max(initial=-1), runs.max(initial=-1))) + 1, -1)
    place[runs] = np.arange(len(runs))
    return place[run]
