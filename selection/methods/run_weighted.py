"""Methods whose weight is a sum over runs of rank weight times a factor that the run's bounds give."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.weights import rank_weights
from selection.bounds import Shift
from selection.framework.interface import Explanation, NextDocument, Queue, Setting, make_explanation
from selection.framework.run_weights import RunWeightOptions
from selection.framework.threshold import Shortlist, WeighedDocuments, fill, gather
from selection.judgments import GainChange
from selection.rounding import round_significant


class BestByTopic:
    """Each topic's best document, remembered until something of the topic changes."""

    def __init__(self, topics: int, served: Iterable[int]) -> None:
        self.unknown = set(served)
        self._document: IntArray = np.zeros(topics, dtype=np.int64)
        # Negative where the topic has no document left.
        self._weight: FloatArray = np.full(topics, -1.0)
        self._method_a: FloatArray = np.zeros(topics)

    def note(self, topic: int, documents: WeighedDocuments) -> None:
        self.unknown.discard(topic)
        if not len(documents.document):
            self._weight[topic] = -1.0
            return
        self._document[topic] = documents.document[0]
        self._weight[topic], self._method_a[topic] = documents.weight[0], documents.method_a[0]

    def best(self) -> NextDocument | None:
        heaviest = self._weight.max(initial=-1.0)
        if heaviest < 0:
            return None
        tied = np.flatnonzero(self._weight == heaviest)
        topic = int(tied[self._method_a[tied].argmax()])
        return NextDocument(topic, int(self._document[topic]), float(heaviest))


Factor = Callable[[FloatArray, FloatArray], FloatArray]

LISTED_PER_TOPIC = 512
LISTED_PER_CAMPAIGN = 2048
# Topics whose lists are kept; others are filled again when they are asked for.
LISTS = 256
POWERS = (1, 2, 3)


@dataclass(frozen=True)
class FeedbackOptions(RunWeightOptions):
    """between_topics : whether judgments of other topics alone change a topic's order"""

    between_topics: bool = False


@dataclass(frozen=True)
class MidpointOptions(FeedbackOptions):
    """power : of the base estimate in the factor, 1, 2 or 3; Method C is defined with 3"""

    power: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.power not in POWERS:
            raise ValueError(f"power = {self.power} is not 1, 2 or 3")


def residual_factor(base: FloatArray, residual: FloatArray) -> FloatArray:
    """Method B (Moffat, Webber and Zobel 2007, section 3): r."""
    return residual


def midpoint_factor(base: FloatArray, residual: FloatArray, power: int = 3) -> FloatArray:
    """Method C (Moffat, Webber and Zobel 2007, section 4): r (base + r / 2)**power.

    The paper tried increasing powers, and found the cube better than the square and the estimate itself.
    """
    middle = base + 0.5 * residual
    raised = middle
    for _ in range(power - 1):
        raised = raised * middle
    return np.asarray(residual * raised)


class RunWeighted:
    """Greedy choice by adaptive weights; exact, by threshold scan.

    In campaign scope a factor comes from the run's means over all topics, in topic scope from its
    bounds on the document's topic. Factors are computed again after every `batch` acts: of the campaign,
    or of the topic. Where all factors of a document are 0, Method A's weight orders it.
    A run's factor is multiplied by its weight among the others (`RunWeights`).

    With `between_topics`, a topic's factors come from bounds in which nothing of the topic is judged (Moffat,
    Webber and Zobel 2007, section 1: each query is judged without feedback, and the evaluation is adaptive).
    """

    def __init__(self, setting: Setting, factor: Factor, options: FeedbackOptions | None = None) -> None:
        options = options or FeedbackOptions()
        self._setting, self._factor, self._between = setting, factor, options.between_topics
        self._run_weights = setting.run_weights.of(options.run_weights) * setting.contributing
        self._share = np.concatenate([[0.0], rank_weights(setting.p, setting.pools.depth)])
        self._by_topic = setting.scope == "topic" or self._between
        units = len(setting.pools) if self._by_topic else 1
        fresh = (self._fresh(topic) for topic in range(units))
        self._factors = self._others() if self._between else list(fresh)
        self._acts = [0] * units
        self._lists: OrderedDict[int, Shortlist] = OrderedDict()
        self._campaign_list: Shortlist | None = None
        self._tops = BestByTopic(len(setting.pools), setting.topics)

    def judged(self, act: GainChange) -> None:
        # Between topics, a judgment of one changes the factors of all others.
        unit = 0 if self._between else self._unit(act.topic)
        self._acts[unit] += 1
        self._tops.unknown.add(act.topic)
        if self._acts[unit] % self._setting.batch == 0:
            if self._between:
                self._factors = self._others()
                self._tops.unknown.update(self._setting.topics)
            else:
                self._factors[unit] = self._fresh(act.topic)
        if act.after is None:
            # These were filled while the document was out.
            self._lists.pop(act.topic, None)
            self._campaign_list = None

    def best(self) -> NextDocument | None:
        if not self._setting.topics:
            return None
        if not self._by_topic:
            return _first(self._heaviest(None, 1, self._factors[0]))
        while True:
            for topic in sorted(self._tops.unknown):
                self._tops.note(topic, self._heaviest(topic, 1, self._factors[topic]))
            best = self._tops.best()
            # It may have been passed over since, or its topic closed.
            if best is None or not self._setting.judgments.is_out(best.topic, best.document):
                return best
            self._tops.unknown.add(best.topic)

    def queue(self, topic: int, limit: int, after: GainChange | None) -> Queue:
        factors = self._factors_after(topic, after)
        if after is None:
            heaviest = self._heaviest(topic, limit, factors)
        elif after.before is not None and after.after is None:
            heaviest = self._heaviest(topic, limit, factors)
            if not self._setting.judgments.is_barred(topic, after.document):
                heaviest = self._with(heaviest, topic, after.document, factors)
        else:
            place = self._setting.judgments.place(topic, after.document)
            heaviest = self._heaviest(topic, limit, factors, without=place)
        return Queue(heaviest.document[:limit], heaviest.weight[:limit])

    def remaining(self, topic: int) -> int:
        return self._setting.judgments.open_in(topic)

    def explain(self, topic: int, document: int) -> Explanation:
        runs, ranks = self._setting.pools[topic].occurrences(document)
        shares = self._share[ranks] * self._factors[self._unit(topic)][runs]
        return make_explanation(self._setting, runs, ranks, shares, float(round_significant(shares.sum())))

    def _heaviest(
        self, topic: int | None, limit: int, factors: FloatArray, without: int = -1
    ) -> WeighedDocuments:
        """Heaviest documents of one topic, or of the campaign (None)."""
        pools, judgments = self._setting.pools, self._setting.judgments
        shortlist = self._campaign_list if topic is None else self._lists.get(topic)
        topics = self._setting.topics if topic is None else (topic,)
        want = max(LISTED_PER_CAMPAIGN if topic is None else LISTED_PER_TOPIC, 2 * limit + 1)
        while True:
            if shortlist is not None:
                best = shortlist.heaviest(factors, limit, judgments.out, without)
                if best is not None:
                    return best
            shortlist = fill(pools, judgments, self._share, factors, topics, want)
            if topic is None:
                self._campaign_list = shortlist
            else:
                self._keep(topic, shortlist)
            want *= 2

    def _keep(self, topic: int, filled: Shortlist) -> None:
        self._lists[topic] = filled
        self._lists.move_to_end(topic)
        while len(self._lists) > LISTS:
            self._lists.popitem(last=False)

    def _with(
        self, documents: WeighedDocuments, topic: int, document: int, factors: FloatArray
    ) -> WeighedDocuments:
        """The same with a document that is out now and would not be."""
        pool, at = self._setting.pools[topic], np.array([document])
        weight = round_significant(gather(pool, at, self._share).weights(factors, 0, 1))
        method_a = round_significant(pool.method_a[at])
        return documents.merged(WeighedDocuments(np.array([topic]), at, weight, method_a))

    def _unit(self, topic: int) -> int:
        return topic if self._by_topic else 0

    def _factors_after(self, topic: int, after: GainChange | None) -> FloatArray:
        unit = self._unit(topic)
        if after is None or after.before == after.after or self._between:
            return self._factors[unit]
        if (self._acts[unit] + 1) % self._setting.batch:
            return self._factors[unit]
        at = self._setting.pools[topic].occurrences(after.document)
        return self._fresh(topic, self._setting.bounds.shift(topic, at, after.before, after.after))

    def _others(self) -> list[FloatArray]:
        """Factors (runs,) of each topic, from bounds in which nothing of it is judged."""
        base, residual = self._setting.bounds.means_of_others()
        if self._setting.scope == "topic":
            base, residual = np.zeros_like(base), np.ones_like(residual)
        return list(self._factor(base, residual) * self._run_weights)

    def _fresh(self, topic: int, shift: Shift | None = None) -> FloatArray:
        bounds = self._setting.bounds
        base, residual = bounds.of_topic(topic, shift) if self._by_topic else bounds.means(shift)
        return self._factor(base, residual) * self._run_weights


def _first(documents: WeighedDocuments) -> NextDocument | None:
    if not len(documents.document):
        return None
    return NextDocument(int(documents.topic[0]), int(documents.document[0]), float(documents.weight[0]))


def method_b(setting: Setting, options: FeedbackOptions) -> RunWeighted:
    return RunWeighted(setting, residual_factor, options)


def method_c(setting: Setting, options: MidpointOptions) -> RunWeighted:
    return RunWeighted(setting, partial(midpoint_factor, power=options.power), options)
