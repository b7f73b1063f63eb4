"""Trials of predictions on replayed campaigns, whose final scores are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.simulation.planning import complete_scores, complete_topic_scores
from selection.simulation.prediction import EARLY, NOMINAL, PredictedDifferences, Prediction, predict
from selection.simulation.relevance_model import NO_EXPERIENCE, Experience
from selection.studies.coverage import Coverage, coverage_of
from selection.studies.past_campaigns import PastTopic, TrialSetting, known_campaign

PREDICTION_METHODS = ("A", "C", "pooling", "maxmean")
RUN_COUNTS, TOPIC_COUNTS = (5, 10, 20, 40), (5, 10, 20, 40, 80)
DEPTHS = (10, 50, 200, 1000)
PERSISTENCE_VALUES = (0.5, 0.8, 0.9, 0.95)
# Shares of the topics that are begun; half of the campaigns judge all topics in the method's order.
BEGUN = (0.2, 0.5, 0.8, 1.0)
MOMENTS = (1.0, 30.0)
TOLERANCE, REGIME_TOLERANCE = 0.03, 0.07
# Runs whose differences are tried in each topic.
WATCHED_RUNS = 10
# What is stated, from and below.
Bins = tuple[tuple[float, float], ...]
PAIR_BINS: Bins = ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01))
BEST_BINS: Bins = ((0.0, 0.05), (0.05, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.01))


@dataclass(frozen=True, eq=False)
class PredictedCampaign:
    """`final`: the true scores (runs,); `final_topics`: in each topic, (topics, runs)."""

    setting: TrialSetting
    found: Prediction
    differences: PredictedDifferences
    final: FloatArray
    final_topics: FloatArray

    @property
    def covered(self) -> BoolArray:
        """(runs,), whether the interval holds the true score."""
        low, high = self.found.low - 1e-9, self.found.high + 1e-9
        return np.asarray((low <= self.final) & (self.final <= high))

    @property
    def mean_differences(self) -> list[bool]:
        """Of each pair of runs, whether the interval of the difference of their means holds the true one."""
        return _hold(self.differences.means[0], self.final)

    @property
    def topic_differences(self) -> list[bool]:
        """Of each pair of the watched runs, in each topic with a prediction, whether the interval does."""
        watched = self.differences.watched
        return [
            held
            for ahead, final in zip(self.differences.topics, self.final_topics, strict=True)
            if not np.isnan(ahead).any()
            for held in _hold(ahead, final[watched])
        ]

    def pairs(self, least: float, below: float) -> tuple[list[bool], list[float]]:
        """Of pairs with a stated probability in the bin, whether the likelier run is better, and what was
        stated; runs that are equal in truth make no pair."""
        gap = np.subtract.outer(self.final, self.final)
        stated = (self.found.better >= least) & (self.found.better < below) & (np.abs(gap) > 1e-12)
        return (gap[stated] > 0).tolist(), self.found.better[stated].tolist()

    def firsts(self, least: float, below: float) -> tuple[list[bool], list[float]]:
        """Of runs whose stated probability of being the best is in the bin, whether they are, and that."""
        stated = (self.found.best >= least) & (self.found.best < below)
        is_best = self.final >= self.final.max() - 1e-12
        return is_best[stated].tolist(), self.found.best[stated].tolist()


def _hold(ahead: NDArray[np.float32], final: FloatArray) -> list[bool]:
    """Of `ahead` (runs, runs), low ends of row less column, and true scores (runs,)."""
    one, other = np.triu_indices(len(final), 1)
    gap = final[one] - final[other]
    # The intervals are of single precision.
    holds = (ahead[one, other] - 1e-6 <= gap) & (gap <= -ahead[other, one] + 1e-6)
    return [bool(one) for one in holds]


def draw_campaign(generator: np.random.Generator, runs: IntArray, topics: IntArray) -> TrialSetting:
    """At random; of runs and topics, only those given."""
    chosen = generator.choice(runs, _size(generator, RUN_COUNTS, len(runs)), replace=False)
    asked = generator.choice(topics, _size(generator, TOPIC_COUNTS, len(topics)), replace=False)
    each, begun = np.exp(generator.uniform(*np.log(MOMENTS))), None
    if generator.random() < 0.5:
        count = max(round(float(generator.choice(BEGUN)) * len(asked)), 1)
        begun = tuple(generator.permutation(len(asked))[:count].tolist())
    return TrialSetting(
        tuple(sorted(chosen.tolist())),
        tuple(sorted(asked.tolist())),
        float(generator.choice(PERSISTENCE_VALUES)),
        str(generator.choice(PREDICTION_METHODS)),
        "campaign" if begun is None else "topic",
        round(each * len(asked if begun is None else begun)),
        int(generator.choice(DEPTHS)),
        begun,
    )


def _size(generator: np.random.Generator, sizes: Sequence[int], most: int) -> int:
    return int(generator.choice([size for size in sizes if size < most] + [most]))


def predicted_campaigns(
    topics: Sequence[PastTopic],
    among: tuple[IntArray, IntArray],
    *,
    campaigns: int,
    seed: int,
    experience: Experience = NO_EXPERIENCE,
    probe_share: float = 0.0,
    progress: Callable[[int], object] = lambda made: None,
) -> Iterator[PredictedCampaign]:
    """So many campaigns drawn among these runs and topics; the same seed, the same campaigns, whatever share
    of their judgments are probes. One that has fewer documents than judgments to make is drawn again."""
    generator, made = np.random.default_rng(seed), 0
    while made < campaigns:
        setting = replace(draw_campaign(generator, *among), probe_share=probe_share, seed=seed + made)
        known = known_campaign(topics, setting)
        state = known.moment()
        if state is None:
            continue
        runs = len(setting.runs)
        differences = PredictedDifferences(np.arange(min(runs, WATCHED_RUNS)), len(setting.topics))
        [found] = predict(state, seed=seed + made, experience=experience, differences=differences)
        final = complete_scores(known.pools, runs, setting.p, known.gains)
        final_topics = np.array(complete_topic_scores(known.pools, runs, setting.p, known.gains))
        made += 1
        progress(made)
        yield PredictedCampaign(setting, found, differences, final, final_topics)


def prediction_coverage(
    made: Sequence[PredictedCampaign], *, collection: str, held_out: str
) -> list[Coverage]:
    """Rows for intervals, of all campaigns and by kind; for pairs; and for the best run."""
    about = {"collection": collection, "held_out": held_out}
    rows = []
    for regime, belongs in REGIMES.items():
        cases = [one.covered.tolist() for one in made if belongs(one)]
        whole = regime == ANY_REGIME
        rows += coverage_of(
            "95% prediction interval of a run",
            cases,
            regime=regime,
            nominal=NOMINAL,
            tolerance=TOLERANCE if whole else REGIME_TOLERANCE,
            at_least=not whole,
            **about,
        )
    said = [one for one in made if not one.found.early]
    for name, held in (
        ("95% prediction interval of a difference", [one.mean_differences for one in said]),
        ("95% prediction interval of a difference in one topic", [one.topic_differences for one in said]),
    ):
        rows += coverage_of(
            name,
            held,
            regime=ANY_REGIME,
            nominal=NOMINAL,
            tolerance=TOLERANCE,
            at_least=False,
            **about,
        )
    for name, bins, cases_in in (
        ("P(A > B)", PAIR_BINS, PredictedCampaign.pairs),
        ("P(best)", BEST_BINS, PredictedCampaign.firsts),
    ):
        for least, below in bins:
            found = [cases_in(one, least, below) for one in said]
            stated = [value for _, values in found for value in values]
            rows += coverage_of(
                f"{name} {least:g} or more" if below > 1 else f"{name} {least:g} to {below:g}",
                [right for right, _ in found],
                regime=ANY_REGIME,
                nominal=float(np.mean(stated)) if stated else float("nan"),
                tolerance=TOLERANCE,
                # Of a probability below one half, more than stated is no better.
                at_least=least >= 0.5,
                **about,
            )
    return rows


ANY_REGIME = "any"
Regime = Callable[[PredictedCampaign], bool]


def _counted(what: Callable[[TrialSetting], float], least: float, most: float) -> Regime:
    return lambda one: least <= what(one.setting) <= most


def _valued(name: str, value: object) -> Regime:
    return lambda one: getattr(one.setting, name) == value


def _runs(setting: TrialSetting) -> float:
    return len(setting.runs)


def _topics(setting: TrialSetting) -> float:
    return len(setting.topics)


def _judged(setting: TrialSetting) -> float:
    return setting.judged_each


REGIMES: dict[str, Regime] = {
    ANY_REGIME: lambda one: True,
    "5 runs": _counted(_runs, 5, 5),
    "10 to 20 runs": _counted(_runs, 10, 20),
    "40 runs or more": _counted(_runs, 40, np.inf),
    "5 topics": _counted(_topics, 5, 5),
    "10 to 20 topics": _counted(_topics, 10, 20),
    "40 topics or more": _counted(_topics, 40, np.inf),
    **{f"lists of {depth}": _valued("depth", depth) for depth in DEPTHS},
    **{f"p = {p:g}": _valued("p", p) for p in PERSISTENCE_VALUES},
    **{f"judged by {method}": _valued("method", method) for method in PREDICTION_METHODS},
    "under 3 judgments a topic": _counted(_judged, 0, np.nextafter(EARLY, 0)),
    "3 to 10 judgments a topic": _counted(_judged, EARLY, 10),
    "over 10 judgments a topic": _counted(_judged, np.nextafter(10, 11), np.inf),
    "some topics not begun": lambda one: (
        len(one.setting.begun or one.setting.topics) < len(one.setting.topics)
    ),
}
