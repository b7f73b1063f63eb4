"""Scores estimated from a random sample of judgments and corrected by a model, with guaranteed intervals.

Topics are strata: in each, documents are drawn with known probabilities, a model predicts the gain of every
document without having seen its own judgment, and the sample's errors correct what the model says. So the
estimate is unbiased whatever the model is worth, and only the width of the interval depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from evaluation.arrays import FloatArray, IntArray

# Prior of the model: the intercept's mean and standard deviation, and those of all other coefficients.
INTERCEPT, OTHERS = (-1.0, 2.0), (0.0, 1.0)
# Share of the variance as modelled, the rest as measured, and the least that the measured may scale it by.
MODELLED, SMALLEST_SCALE = 0.75, 0.25
# Predictions that a model is believed when it states the spread of its errors.
SPREAD_FROM, SPREAD_TO = 0.03, 0.97
FOLDS = 5
# Fewer documents of a topic, topics, judgments a topic and relevant documents say nothing yet; fewer topics
# (`LEAST_LIKE_THESE`) nothing of others like them.
LEAST_IN_TOPIC, LEAST_TOPICS, LEAST_A_TOPIC, LEAST_RELEVANT = 3, 8, 5.0, 10
LEAST_LIKE_THESE = 15
# Largest share of half an interval that doubt about an ideal may make up.
MOST_DOUBT = 0.2
MOST_STEPS, CONVERGED = 60, 1e-12


@dataclass(frozen=True, eq=False)
class SampledTopic:
    """One topic: the documents of its population, and the sample of them.

    weights : float64 (runs, documents), what a gain of 1 adds to each run's score
    features : float64 (documents, features), of the model, the first of them 1
    inclusion : float64 (documents,), in (0, 1], the probability with which each was drawn
    gains : float64 (documents,), in [0, 1], NaN for documents that are not in the sample
    exact : float64 (runs,), the part of each run's score that is known from documents outside the population
    """

    weights: FloatArray
    features: FloatArray
    inclusion: FloatArray
    gains: FloatArray
    exact: FloatArray | float = 0.0

    def __post_init__(self) -> None:
        known = self.gains[self.sampled]
        if ((known < 0) | (known > 1)).any():
            raise ValueError("a gain is outside [0, 1]")
        if not ((self.inclusion > 0) & (self.inclusion <= 1)).all():
            raise ValueError("a probability is outside (0, 1]")

    @property
    def sampled(self) -> IntArray:
        return np.flatnonzero(~np.isnan(self.gains))

    @property
    def is_complete(self) -> bool:
        """True if nothing of the population was left to chance."""
        return bool((self.inclusion == 1).all())


def rank_features(
    documents: IntArray, ranks: IntArray, number: int, runs: int, depth: int = 30
) -> FloatArray:
    """Describe documents by the ranks that runs give them, as features of the model.

    Parameters
    ----------
    documents, ranks : ndarray of int, shape (occurrences,)
        Where contributing runs rank which document; ranks from 1.
    number, runs : int
        How many documents and contributing runs there are.
    depth : int
        Ranks below it do not count.

    Returns
    -------
    ndarray of float64, shape (number, 3)
        1; the scaled logarithm of the mean RBP(0.8) weight; twice the root of the share of runs.
    """
    near = ranks <= depth
    weight = np.bincount(documents[near], 0.2 * 0.8 ** (ranks[near] - 1.0), minlength=number) / max(runs, 1)
    share = np.bincount(documents[near], minlength=number) / max(runs, 1)
    return np.column_stack([np.ones(number), (np.log(weight + 1e-5) + 7) / 2, 2 * np.sqrt(share)])


def fit_model(features: FloatArray, gains: FloatArray) -> FloatArray:
    """Coefficients of a logistic regression of gains on features, by penalised maximum likelihood.

    Parameters
    ----------
    features : ndarray of float64, shape (judgments, features)
        The first of them 1.
    gains : ndarray of float64, shape (judgments,)
        In [0, 1]; none at all gives the means of the prior.

    Returns
    -------
    ndarray of float64, shape (features,)
    """
    wide = features.shape[1] - 1
    mean = np.array([INTERCEPT[0], *[OTHERS[0]] * wide])
    precision = np.array([INTERCEPT[1], *[OTHERS[1]] * wide]) ** -2.0
    coefficients = mean.copy()
    for _ in range(MOST_STEPS):
        chance = scipy.special.expit(features @ coefficients)
        gradient = features.T @ (gains - chance) - precision * (coefficients - mean)
        curvature = (features.T * (chance * (1 - chance))) @ features + np.diag(precision)
        step = np.linalg.solve(curvature, gradient)
        # The prior keeps curvature away from 0; a long step from a flat place is cut.
        step *= min(1.0, 4.0 / max(float(np.abs(step).max()), 4.0))
        coefficients = coefficients + step
        if float(np.abs(step).max()) < CONVERGED:
            break
    return np.asarray(coefficients)


def topic_shift(logits: FloatArray, gains: FloatArray, present: FloatArray) -> FloatArray:
    """Difference between a topic and the model, for each row: the mode under a standard normal prior.

    logits, gains : float64 (documents,); present : float64 (rows, documents), 1 where a row counts one
    """
    shift = np.zeros(len(present))
    for _ in range(MOST_STEPS):
        chance = scipy.special.expit(logits + shift[:, None])
        gradient = (present * (gains - chance)).sum(axis=1) - shift
        step = gradient / ((present * chance * (1 - chance)).sum(axis=1) + 1)
        shift = shift + step
        if not len(step) or float(np.abs(step).max()) < CONVERGED:
            break
    return shift


@dataclass(frozen=True, eq=False)
class TopicEstimate:
    """One topic's corrected scores, and the covariances of the runs' errors, measured and modelled.

    scores : float64 (runs,); measured, modelled : float64 (runs, runs)
    """

    scores: FloatArray
    measured: FloatArray
    modelled: FloatArray


def corrected_topic(topic: SampledTopic, coefficients: FloatArray) -> TopicEstimate:
    """Estimate a topic's scores from its sample and a model that was fitted without it.

    Parameters
    ----------
    topic : SampledTopic
    coefficients : ndarray of float64, shape (features,)
        As by `fit_model`, on judgments of other topics.

    Returns
    -------
    TopicEstimate
        The difference estimator over all documents: predicted gains, and for those of the sample their
        error without their own judgment, divided by the probability. Corrected gains may leave [0, 1].

    References
    ----------
    Särndal, Swensson and Wretman 1992, Model assisted survey sampling, section 6.3.
    """
    labels, sample = corrected_labels(topic, coefficients), topic.sampled
    spread = left_to_chance(topic) * labels.believed * (1 - labels.believed)
    return TopicEstimate(
        topic.weights @ labels.corrected + topic.exact,
        measured_covariance(topic.weights[:, sample] * labels.errors, 1 - topic.inclusion[sample]),
        (topic.weights * spread) @ topic.weights.T,
    )


@dataclass(frozen=True, eq=False)
class CorrectedLabels:
    """One topic's gains as a model and the sample have them, (documents,) or (drawn,) by `sampled`.

    predicted : by the model; corrected : for documents of the sample, their own prediction and its error
    divided by the probability, and may leave [0, 1]; errors : (drawn,), these errors, so divided
    """

    predicted: FloatArray
    corrected: FloatArray
    errors: FloatArray

    @property
    def believed(self) -> FloatArray:
        """Predictions that are not surer than a model may be."""
        return np.clip(self.predicted, SPREAD_FROM, SPREAD_TO)


def corrected_labels(topic: SampledTopic, coefficients: FloatArray) -> CorrectedLabels:
    """Predict a topic's gains, and correct them by the sample; arguments as for `corrected_topic`."""
    logits, sample = topic.features @ coefficients, topic.sampled
    gains, inclusion = topic.gains[sample], topic.inclusion[sample]
    # The first row's topic shift knows all judgments, each other row's all but one.
    present = np.vstack([np.ones((1, len(sample))), 1 - np.eye(len(sample))])
    shifts = topic_shift(logits[sample], gains, present)
    predicted = scipy.special.expit(logits + shifts[0])
    own = scipy.special.expit(logits[sample] + shifts[1:])
    errors, corrected = (gains - own) / inclusion, predicted.copy()
    corrected[sample] = own + errors
    return CorrectedLabels(predicted, corrected, errors)


def left_to_chance(topic: SampledTopic) -> FloatArray:
    """Factor of each document's variance, (documents,): 0 where it was certain to be drawn."""
    return np.asarray((1 - topic.inclusion) / topic.inclusion)


def measured_covariance(errors: FloatArray, chance: FloatArray) -> FloatArray:
    """Covariances between runs, (runs, runs), of `errors` (runs, drawn), each left to chance so much."""
    drawn = chance > 0
    errors, chance = errors[:, drawn], chance[drawn]
    number = len(chance)
    if number > 1:
        errors = errors - (errors @ chance / chance.sum())[:, None]
    factor = number / (number - 1) if number > 1 else 1.0
    return np.asarray(factor * (errors * chance) @ errors.T)


@dataclass(frozen=True, eq=False)
class CorrectedScores:
    """Corrected scores of runs over topics, and what their intervals are made of.

    by_topic : float64 (topics, runs)
    measured, modelled : float64 (runs, runs), covariances of the runs' errors, summed over topics
    doubt : how far the scores depend on a number of relevant documents that no sample shows
    """

    by_topic: FloatArray
    measured: FloatArray
    modelled: FloatArray
    doubt: float = 0.0

    @property
    def scores(self) -> FloatArray:
        """Each run's mean over topics, (runs,)."""
        return np.asarray(self.by_topic.mean(axis=0))

    def half_widths(self, confidence: float = 0.95) -> FloatArray:
        """Half of each run's interval, (runs,): the score that judging everything would give lies within,
        with this confidence over draws of the sample; it says nothing of other topics."""
        return self._half(np.diag(self.measured), np.diag(self.modelled), confidence)

    def topic_half_widths(self, confidence: float = 0.95) -> FloatArray:
        """Half of each run's interval over topics like these, (runs,); NaN below `LEAST_LIKE_THESE`."""
        topics, runs = self.by_topic.shape
        if topics < LEAST_LIKE_THESE:
            return np.full(runs, np.nan)
        quantile = scipy.stats.t.ppf((1 + confidence) / 2, topics - 1)
        return np.asarray(quantile * self.by_topic.std(axis=0, ddof=1) / np.sqrt(topics))

    def pair_half_widths(self, confidence: float = 0.95) -> FloatArray:
        """Half of the interval of each pair's difference, (runs, runs), 0 on the diagonal."""
        return self._half(_of_differences(self.measured), _of_differences(self.modelled), confidence)

    def topic_pair_half_widths(self, confidence: float = 0.95) -> FloatArray:
        """Half of the interval of each pair's difference over topics like these, (runs, runs), 0 on the
        diagonal; NaN below `LEAST_LIKE_THESE`."""
        topics, runs = self.by_topic.shape
        if topics < LEAST_LIKE_THESE:
            return np.full((runs, runs), np.nan)
        covariance = np.atleast_2d(np.cov(self.by_topic.T)) / topics
        quantile = scipy.stats.t.ppf((1 + confidence) / 2, topics - 1)
        return np.asarray(quantile * np.sqrt(_of_differences(covariance)))

    def _half(self, measured: FloatArray, modelled: FloatArray, confidence: float) -> FloatArray:
        # The model knows where errors are large; all runs together know how large they are.
        total = modelled.sum()
        scale = max(measured.sum() / total, SMALLEST_SCALE) if total > 0 else 1.0
        variance = (MODELLED * scale * modelled + (1 - MODELLED) * measured) / len(self.by_topic) ** 2
        quantile = scipy.stats.t.ppf((1 + confidence) / 2, len(self.by_topic) - 1)
        return np.asarray(quantile * np.sqrt(np.maximum(variance, 0)))


def _of_differences(covariance: FloatArray) -> FloatArray:
    own = np.diag(covariance)
    # Products of matrices may differ in their last bits on either side of the diagonal.
    return np.asarray(np.maximum(own[:, None] + own[None, :] - (covariance + covariance.T), 0))


def corrected_scores(topics: Sequence[SampledTopic], folds: Sequence[int]) -> CorrectedScores:
    """Estimate all runs' scores from every topic's sample.

    Parameters
    ----------
    topics : sequence of SampledTopic
        At least two, of the same runs; those with fewer than `LEAST_IN_TOPIC` judgments are the caller's to
        leave out.
    folds : sequence of int
        Each topic's fold: its model is fitted on the samples of all other folds.

    Returns
    -------
    CorrectedScores

    Raises
    ------
    ValueError
        If there are fewer than two topics, or not as many folds.

    References
    ----------
    Angelopoulos et al. 2023 and Zrnic and Candès 2024 for cross-fitting and known probabilities; the scale
    of the interval is this project's.
    """
    if len(topics) < 2 or len(topics) != len(folds):
        raise ValueError(f"{len(topics)} topics, {len(folds)} folds")
    models = cross_fitted(topics, folds)
    return sum_estimates([corrected_topic(*pair) for pair in zip(topics, models, strict=True)])


def sum_estimates(estimates: Sequence[TopicEstimate]) -> CorrectedScores:
    """Scores over topics, which are drawn independently of each other."""
    return CorrectedScores(
        np.array([estimate.scores for estimate in estimates]),
        np.sum([estimate.measured for estimate in estimates], axis=0),
        np.sum([estimate.modelled for estimate in estimates], axis=0),
    )


def cross_fitted(topics: Sequence[SampledTopic], folds: Sequence[int]) -> list[FloatArray]:
    """Coefficients for each topic, fitted on the samples of all other folds."""
    models = {fold: _model_without(topics, folds, fold) for fold in set(folds)}
    return [models[fold] for fold in folds]


def _model_without(topics: Sequence[SampledTopic], folds: Sequence[int], fold: int) -> FloatArray:
    others = [topic for topic, own in zip(topics, folds, strict=True) if own != fold]
    wide = topics[0].features.shape[1]
    features = [np.zeros((0, wide)), *(topic.features[topic.sampled] for topic in others)]
    gains = [np.zeros(0), *(topic.gains[topic.sampled] for topic in others)]
    return fit_model(np.concatenate(features), np.concatenate(gains))


@dataclass(frozen=True)
class TooEarly:
    """First reason why samples are too small for an interval: there are `count` of them, not `needed`. Of
    the `ideal`, `count` is its doubt as a share of half the interval, and of the `depth`, how many times the
    variance is that of a sample drawn for the measure; `needed` is then the largest."""

    of: Literal["topics", "judgments", "relevant", "depth", "ideal"]
    count: float
    needed: float


def too_early(topics: Sequence[SampledTopic]) -> TooEarly | None:
    """Return why the samples are too small for an interval that holds; None if they are not."""
    if topics and all(topic.is_complete for topic in topics):
        return None
    gains = [topic.gains[topic.sampled] for topic in topics]
    return too_small(len(topics), sum(map(len, gains)), sum(int((each > 0).sum()) for each in gains))


def too_small(topics: int, judged: int, relevant: int) -> TooEarly | None:
    """Return what so many topics with judgments and relevant documents in all their samples are short of."""
    if topics < LEAST_TOPICS:
        return TooEarly("topics", topics, LEAST_TOPICS)
    if judged < LEAST_A_TOPIC * topics:
        return TooEarly("judgments", judged / topics, LEAST_A_TOPIC)
    return None if relevant >= LEAST_RELEVANT else TooEarly("relevant", relevant, LEAST_RELEVANT)


def doubted_ideal(scores: CorrectedScores) -> TooEarly | None:
    """Return why the intervals of scores would not hold that are divided by an ideal; None if they do."""
    half = float(scores.half_widths().mean())
    return (
        TooEarly("ideal", scores.doubt / half, MOST_DOUBT) if 0 < MOST_DOUBT * half < scores.doubt else None
    )
