"""The methods that choose topics, by name: Adaptive and its variants, iterative query prioritisation, random
topics, and an oracle (Hosseini and others 2012)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.name_suggestions import unknown_name
from selection.framework.options import NoOptions, make_options
from selection.randomness import lot
from selection.topics.measures import PUBLISHED, check_variance
from selection.topics.performance import TopicSetting, estimate, true_matrix
from selection.topics.subset import (
    FEWEST_RUNS,
    Covariances,
    GrowingSubset,
    PerformanceMatrix,
    best_subset,
    first_best,
)

Judged = Mapping[int, FloatArray]


@dataclass(frozen=True)
class TopicChoice:
    """A topic, and why it comes next; None where it was drawn.

    correlation : of its expected scores with the sum of all other topics', in [-1, 1]
    uncertainty : the mean variance of the runs' scores in it
    gamma : γ of the subset with it; expected : the correlation of means that this stands for
    votes : of how many groups of runs it was the choice; None where there is one group
    """

    topic: int
    correlation: float | None = None
    uncertainty: float | None = None
    gamma: float | None = None
    expected: float | None = None
    votes: int | None = None


class TopicMethod(ABC):
    @abstractmethod
    def following(
        self, chosen: Sequence[int], judged: Judged, barred: Collection[int] = ()
    ) -> Iterator[TopicChoice]:
        """The topics after those chosen, one by one, by what is judged; `barred` ones are not chosen."""

    def choose(self, chosen: Sequence[int], judged: Judged, count: int) -> list[TopicChoice]:
        """The next topics after those chosen: at most `count`, fewer where there are no more."""
        return list(islice(self.following(chosen, judged), count))


@dataclass(frozen=True)
class LearningOptions:
    """first : so many topics are drawn at random before anything is computed"""

    first: int = 1

    def __post_init__(self) -> None:
        if self.first < 1:
            raise ValueError(f"first = {self.first} is below 1")


@dataclass(frozen=True)
class AdaptiveOptions(LearningOptions):
    """variance : of AP and recall: "published" with R, the number of relevant documents, held at its
    expectation, or "delta" with R varying"""

    variance: str = PUBLISHED

    def __post_init__(self) -> None:
        super().__post_init__()
        check_variance(self.variance)


@dataclass(frozen=True)
class GroupOptions(AdaptiveOptions):
    """groups : how many random groups of runs vote; share : of the runs in each"""

    groups: int = 100
    share: float = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.groups <= 10_000:
            raise ValueError(f"groups = {self.groups} is outside [1, 10000]")
        if not 0 < self.share <= 1:
            raise ValueError(f"share = {self.share} is outside (0, 1]")
        if self.groups * self.share < 1:
            raise ValueError(f"{self.groups} groups of {self.share} of the runs cannot hold each run once")


@dataclass(frozen=True, eq=False)
class RandomTopics(TopicMethod):
    """In the order of lots that the topics' numbers draw."""

    setting: TopicSetting

    def following(
        self, chosen: Sequence[int], judged: Judged, barred: Collection[int] = ()
    ) -> Iterator[TopicChoice]:
        taken = {*chosen, *barred}
        order = np.argsort(_lots(self.setting), kind="stable").tolist()
        return (TopicChoice(topic) for topic in order if topic not in taken)


@dataclass(frozen=True, eq=False)
class AdaptiveMethod(TopicMethod):
    """The topic that adds most to γ, by scores that a classifier of the judged topics lets expect."""

    setting: TopicSetting
    options: LearningOptions = AdaptiveOptions()
    # Without probabilities: iterative query prioritisation.
    certain: bool = False

    def following(
        self, chosen: Sequence[int], judged: Judged, barred: Collection[int] = ()
    ) -> Iterator[TopicChoice]:
        before, out = list(chosen), sorted(set(barred) - set(chosen))
        drawn = self.options.first - len(chosen)
        if drawn > 0:
            for choice in islice(RandomTopics(self.setting).following(chosen, judged, out), drawn):
                yield choice
                before.append(choice.topic)
            if not judged:
                # The others are chosen once these are judged, if they were drawn to learn from.
                return
        there = len(self.setting.topics) - len(out)
        if len(before) == there:
            return
        matrices, lots = estimate(self.setting, judged, certain=self.certain), _lots(self.setting)
        while len(before) < there:
            choice = self._next(matrices, before, lots, out)
            yield choice
            before.append(choice.topic)

    def _next(
        self,
        matrices: Sequence[PerformanceMatrix],
        chosen: Sequence[int],
        lots: Sequence[float],
        out: Sequence[int],
    ) -> TopicChoice:
        growing = [_growing(matrix, chosen) for matrix in matrices]
        # γ has the measure's scale: only as correlations do those of several measures compare.
        values = np.mean(
            [one.gammas() / (_root(one) if len(growing) > 1 else 1.0) for one in growing], axis=0
        )
        values[out] = np.nan
        return _choice(growing[0], first_best(values, lots))


@dataclass(frozen=True, eq=False)
class GroupedAdaptiveMethod(AdaptiveMethod):
    """Random groups of runs choose a topic each, and most votes win, so that the topics suit runs that are
    not there yet."""

    options: GroupOptions = GroupOptions()

    def _next(
        self,
        matrices: Sequence[PerformanceMatrix],
        chosen: Sequence[int],
        lots: Sequence[float],
        out: Sequence[int],
    ) -> TopicChoice:
        matrix = matrices[0]
        votes = np.zeros(matrix.topics)
        sums = np.zeros(matrix.topics)
        for group in self._groups(len(chosen)):
            values = _growing(matrix.of_runs(group), chosen).gammas()
            values[out] = np.nan
            votes[first_best(values, lots)] += 1
            sums += values
        # Of topics with as many votes, the one with the higher mean γ.
        voted = np.where(votes == votes.max(), sums, np.nan)
        topic = first_best(voted, lots)
        growing = _growing(matrix, chosen)
        return TopicChoice(**{**asdict(_choice(growing, topic)), "votes": int(votes[topic])})

    def _groups(self, step: int) -> list[IntArray]:
        """Runs of each group; every run is in one at least."""
        runs, options = self.setting.runs, self.options
        size = min(runs, max(FEWEST_RUNS, round(options.share * runs)))
        generator = np.random.default_rng([self.setting.seed, step])
        groups: list[IntArray] = []
        while len(groups) < options.groups:
            shuffled = generator.permutation(runs)
            for start in range(0, runs, size):
                group = shuffled[start : start + size]
                others = generator.permutation(shuffled[:start])
                groups.append(np.concatenate([group, others[: size - len(group)]]))
        return groups[: options.groups]


@dataclass(frozen=True, eq=False)
class Oracle(TopicMethod):
    """The subset with the highest γ by complete judgments: what no method can know beforehand."""

    setting: TopicSetting

    def following(
        self, chosen: Sequence[int], judged: Judged, barred: Collection[int] = ()
    ) -> Iterator[TopicChoice]:
        choices = self.choose(chosen, judged, len(self.setting.topics))
        return (choice for choice in choices if choice.topic not in barred)

    def choose(self, chosen: Sequence[int], judged: Judged, count: int) -> list[TopicChoice]:
        if chosen:
            raise ValueError("the oracle chooses all topics at once, after none")
        missing = [number for place, number in enumerate(self.setting.numbers) if place not in judged]
        if missing:
            raise ValueError(f"the oracle needs judgments of every topic; {missing[0]} has none")
        matrix = true_matrix(self.setting, judged)
        size = min(count, matrix.topics)
        growing = GrowingSubset(Covariances(matrix))
        choices = []
        for topic in best_subset(matrix, size, np.random.default_rng(self.setting.seed)):
            choices.append(_choice(growing, topic))
            growing.add(topic)
        return choices


def _growing(matrix: PerformanceMatrix, chosen: Sequence[int]) -> GrowingSubset:
    return GrowingSubset(Covariances(matrix), chosen)


def _root(growing: GrowingSubset) -> float:
    total = growing.covariances.total
    return float(np.sqrt(total)) if total > 0 else 1.0


def _choice(growing: GrowingSubset, topic: int) -> TopicChoice:
    """With `topic` added to the subset, which stays as it is."""
    c = growing.covariances
    value = float(growing.gammas()[topic])
    return TopicChoice(
        topic,
        correlation=float(c.correlation_with_rest[topic]),
        uncertainty=float(c.uncertainty[topic]),
        gamma=value,
        expected=float(np.clip(value / np.sqrt(c.total), -1, 1)) if c.total > 0 else 0.0,
    )


def explain(matrix: PerformanceMatrix, order: Sequence[int]) -> list[TopicChoice]:
    """Explain each topic of an order: its worth at its turn, however the order came about.

    Parameters
    ----------
    matrix : PerformanceMatrix
    order : sequence of int
        Topics, without repeats.

    Returns
    -------
    list of TopicChoice
        In that order, each with γ of the subset that ends with it.

    Raises
    ------
    ValueError
        If a topic is not in the matrix, or twice in the order.

    Examples
    --------
    >>> scores = np.array([[0.1, 0.4], [0.2, 0.2], [0.6, 0.3]])
    >>> matrix = PerformanceMatrix(scores, np.zeros((3, 2)))
    >>> [round(choice.expected, 4) for choice in explain(matrix, [0, 1])]
    [0.9286, 1.0]
    """
    growing, choices = GrowingSubset(Covariances(matrix)), []
    for topic in order:
        if topic in range(matrix.topics):
            choices.append(_choice(growing, topic))
        growing.add(topic)
    return choices


def _lots(setting: TopicSetting) -> list[float]:
    return [lot("topic", setting.seed, number) for number in setting.numbers]


@dataclass(frozen=True)
class TopicMethodEntry:
    """`several`: whether all measures count, not the first alone. `complete`: needs every topic's
    judgments."""

    make: Callable[[TopicSetting, Any], TopicMethod]
    options: type[Any] = AdaptiveOptions
    several: bool = False
    complete: bool = False


def _first_measure(setting: TopicSetting) -> TopicSetting:
    return replace(setting, measures=setting.measures[:1])


def _adaptive(setting: TopicSetting, options: AdaptiveOptions) -> TopicMethod:
    varied = replace(setting, variance=options.variance)
    if isinstance(options, GroupOptions):
        return GroupedAdaptiveMethod(varied, options)
    return AdaptiveMethod(varied, options)


TOPIC_METHODS: dict[str, TopicMethodEntry] = {
    "adaptive": TopicMethodEntry(lambda setting, options: _adaptive(_first_measure(setting), options)),
    "adaptive+": TopicMethodEntry(
        lambda setting, options: _adaptive(_first_measure(setting), options), GroupOptions
    ),
    "adaptive*": TopicMethodEntry(_adaptive, several=True),
    "iqp": TopicMethodEntry(
        lambda setting, options: AdaptiveMethod(_first_measure(setting), options, certain=True),
        LearningOptions,
    ),
    "random-topics": TopicMethodEntry(lambda setting, _: RandomTopics(setting), NoOptions),
    "oracle": TopicMethodEntry(lambda setting, _: Oracle(_first_measure(setting)), NoOptions, complete=True),
}


def topic_method_entry(name: str) -> TopicMethodEntry:
    if name not in TOPIC_METHODS:
        raise ValueError(unknown_name("method that chooses topics", name, TOPIC_METHODS))
    return TOPIC_METHODS[name]


def check_topic_options(name: str, options: Mapping[str, object]) -> None:
    """Raise ValueError if the method is unknown or has no such option."""
    make_options(topic_method_entry(name).options, options, name)


def make_topic_method(
    name: str, setting: TopicSetting, options: Mapping[str, object] | None = None
) -> TopicMethod:
    entry = topic_method_entry(name)
    return entry.make(setting, make_options(entry.options, options or {}, name))


def order_topics(
    method: TopicMethod, judgments: Judged, count: int, *, at_once: int = 1
) -> list[TopicChoice]:
    """Choose topics one after the other, and judge each as it is chosen.

    Parameters
    ----------
    method : TopicMethod
    judgments : mapping of int to ndarray of float64, shape (documents,)
        What judging a topic finds: 1 relevant, 0 not, NaN not judged. A topic without an entry stays
        unjudged.
    count : int
        How many topics.
    at_once : int
        After so many topics the scores are estimated again (Hosseini and others 2012, section 9).

    Returns
    -------
    list of TopicChoice
    """
    if count < 1 or at_once < 1:
        raise ValueError(f"{count} topics, {at_once} at once: both are at least 1")
    if isinstance(method, Oracle):
        return method.choose([], judgments, count)
    order: list[TopicChoice] = []
    while len(order) < count:
        chosen = [choice.topic for choice in order]
        judged = {topic: judgments[topic] for topic in chosen if topic in judgments}
        choices = method.choose(chosen, judged, min(at_once, count - len(order)))
        if not choices:
            break
        order += choices
    return order
