"""The runs' expected scores in every topic, from the topics that are judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evaluation.arrays import FloatArray
from selection.topics.lists import TopicLists
from selection.topics.measures import PUBLISHED, UncertainMeasure, uncertain_measure
from selection.topics.relevance import TopicClassifier, train
from selection.topics.subset import FEWEST_RUNS, PerformanceMatrix


@dataclass(frozen=True, eq=False)
class TopicSetting:
    """Input of a method that chooses topics.

    topics : the lists of each, all of the same runs
    numbers : of each topic, its lasting identity: lots are drawn by it
    measures : names of measures; the first alone counts but for Adaptive*
    variance : of AP and recall, a name of `VARIANCES`
    """

    topics: Sequence[TopicLists]
    numbers: tuple[str, ...]
    measures: tuple[str, ...] = ("AP",)
    seed: int = 0
    variance: str = PUBLISHED
    # Of topics judged whole, whose scores stay the same from step to step.
    _judged: dict[int, tuple[FloatArray, FloatArray]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.topics) != len(self.numbers):
            raise ValueError(f"{len(self.topics)} topics with {len(self.numbers)} numbers")
        if not self.topics:
            raise ValueError("there are no topics to choose among")
        if len(set(self.numbers)) < len(self.numbers):
            raise ValueError("two topics have the same number")
        if not self.measures:
            raise ValueError("no measure is named")
        runs = {lists.runs for lists in self.topics}
        if len(runs) > 1 or min(runs) < FEWEST_RUNS:
            raise ValueError(f"{min(runs)} runs: topics are chosen with {FEWEST_RUNS} or more")
        self.computed_measures  # noqa: B018 — a wrong name is an error here, not at the first topic

    @cached_property
    def computed_measures(self) -> tuple[UncertainMeasure, ...]:
        return tuple(uncertain_measure(name, self.variance) for name in self.measures)

    @property
    def runs(self) -> int:
        return self.topics[0].runs

    def moments(self, topic: int, relevance: FloatArray) -> FloatArray:
        """Means and variances of the runs' scores by each measure, (measures, 2, runs)."""
        lists = self.topics[topic]
        return np.array([measure(lists, relevance) for measure in self.computed_measures])

    def judged_moments(self, topic: int, relevance: FloatArray) -> FloatArray:
        """`moments` of a topic that is judged whole, remembered for the next step."""
        before = self._judged.get(topic)
        if before is None or not np.array_equal(before[0], relevance):
            before = self._judged[topic] = relevance.copy(), self.moments(topic, relevance)
        return before[1]


def estimate(
    setting: TopicSetting, judged: Mapping[int, FloatArray], *, certain: bool = False
) -> list[PerformanceMatrix]:
    """The performance matrix of each measure, as the judgments so far let it expect.

    Parameters
    ----------
    setting : TopicSetting
    judged : mapping of int to ndarray of float64, shape (documents,)
        By topic, what was judged: 1 relevant, 0 not, NaN not judged.
    certain : bool
        Take every document for relevant or not, by the sign of the classifier's output, without variance,
        as iterative query prioritisation does.

    Returns
    -------
    list of PerformanceMatrix
        Unjudged documents have the classifier's probabilities. A topic that no run answers has
        scores of 0 without variance.

    References
    ----------
    Hosseini and others 2012, section 5.
    """
    past = past_scores(setting, judged)
    classifier = _classifier(setting, judged, past)
    means = np.zeros((len(setting.measures), setting.runs, len(setting.topics)))
    variances = np.zeros_like(means)
    for topic, lists in enumerate(setting.topics):
        known = judged.get(topic)
        if known is not None and not np.isnan(known).any():
            moments = setting.judged_moments(topic, known)
        else:
            moments = setting.moments(topic, _relevance(lists, known, classifier, past, certain))
        means[:, :, topic], variances[:, :, topic] = moments[:, 0], moments[:, 1]
    return [PerformanceMatrix(mean, variance) for mean, variance in zip(means, variances, strict=True)]


def true_matrix(setting: TopicSetting, judged: Mapping[int, FloatArray]) -> PerformanceMatrix:
    """Scores (runs, topics) of the first measure, where what is not judged is not relevant."""
    mean = np.zeros((setting.runs, len(setting.topics)))
    for topic, relevance in judged.items():
        mean[:, topic] = setting.judged_moments(topic, np.nan_to_num(relevance, nan=0.0))[0, 0]
    return PerformanceMatrix(mean, np.zeros_like(mean))


def past_scores(setting: TopicSetting, judged: Mapping[int, FloatArray]) -> FloatArray:
    """Each run's mean score over the judged topics, (runs,); 0 before there is one."""
    if not judged:
        return np.zeros(setting.runs)
    return np.asarray(true_matrix(setting, judged).mean[:, sorted(judged)].mean(axis=1))


def _classifier(
    setting: TopicSetting, judged: Mapping[int, FloatArray], past: FloatArray
) -> TopicClassifier | None:
    features, relevant = [], []
    for topic, relevance in sorted(judged.items()):
        known = ~np.isnan(relevance)
        if known.any():
            features.append(setting.topics[topic].features(past).of(known))
            relevant.append(relevance[known] > 0)
    return train(features, relevant) if features else None


# Of a document, before anything is judged.
UNKNOWN = 0.5


def _relevance(
    lists: TopicLists,
    judged: FloatArray | None,
    classifier: TopicClassifier | None,
    past: FloatArray,
    certain: bool,
) -> FloatArray:
    if classifier is None:
        expected = np.full(lists.documents, UNKNOWN)
    elif certain:
        expected = (classifier.output(lists, past) > 0).astype(np.float64)
    else:
        expected = classifier.probabilities(lists, past)
    return expected if judged is None else np.where(np.isnan(judged), expected, judged)
