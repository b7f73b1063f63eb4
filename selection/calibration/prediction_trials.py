"""Trials of predictions on replayed campaigns, whose final scores are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.calibration.coverage import Coverage, IntervalFigures, Trial, coverage_of
from selection.calibration.past_campaigns import PastTopic, TrialSetting, known_campaign
from selection.simulation.planning import complete_topic_scores
from selection.simulation.prediction import (
    NOMINAL,
    OF_LEADERS,
    SEPARATED,
    PredictedDifferences,
    Prediction,
    count_leaders,
    possible_places,
    predict,
)
from selection.simulation.relevance.judged_relevance import JudgedRelevance
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience

PREDICTION_METHODS = ("A", "B", "C", "pooling", "maxmean", "mtf", "hedge", "mtc", "statap")
RUN_COUNTS, TOPIC_COUNTS = (5, 10, 20, 40), (5, 10, 20, 40, 80)
DEPTHS = (10, 50, 200, 1000)
PERSISTENCE_VALUES = (0.5, 0.8, 0.9, 0.95)
# Shares of the topics that are begun; half of the campaigns judge all topics in the method's order.
BEGUN = (0.2, 0.5, 0.8, 1.0)
# Judgments for each begun topic.
MOMENTS = (1, 3, 10, 30)
# MTC weighs every pair of documents and runs again after each judgment: of more runs it is not tried.
MOST_RUNS = {"mtc": 40}
TOLERANCE = 0.03
# Runs whose differences are tried in each topic.
WATCHED_RUNS = 10
# In so large a field the overview names leaders.
MANY_RUNS = 40
# The interval score adds what is missed, so many times: 2 / 0.05 (see `IntervalFigures`).
MISS_COST = 2 / (1 - NOMINAL)
# Certain ranges and scores that are equal but for arithmetic.
ROUNDING = 1e-9
# What is stated, from and below.
Bins = tuple[tuple[float, float], ...]
PAIR_BINS: Bins = ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01))
BEST_BINS: Bins = ((0.0, 0.05), (0.05, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.01))


@dataclass(frozen=True, eq=False)
class PredictedMeans:
    """A prediction of means over some topics, and what is true: `certain`, the width of the certain range;
    `final`, the true scores; each (runs,)."""

    prediction: Prediction
    certain: FloatArray
    final: FloatArray

    @property
    def covered(self) -> BoolArray:
        """(runs,), whether the interval holds the true score."""
        return self._missed() <= ROUNDING

    @property
    def above(self) -> BoolArray:
        """(runs,), whether the true score is above the interval."""
        return np.asarray(self.final > self.prediction.high + ROUNDING)

    def scores(self) -> tuple[FloatArray, FloatArray]:
        """Widths and interval scores as shares of the certain range, of runs that have one."""
        open_ = self.certain > ROUNDING
        width = (self.prediction.high - self.prediction.low)[open_] / self.certain[open_]
        return width, width + MISS_COST * self._missed()[open_] / self.certain[open_]

    @property
    def level_error(self) -> float:
        """Error of the mean of all runs."""
        return abs(float((self.prediction.expected - self.final).mean()))

    def _missed(self) -> FloatArray:
        return np.maximum(np.maximum(self.prediction.low - self.final, self.final - self.prediction.high), 0)


@dataclass(frozen=True, eq=False)
class PredictedCampaign:
    """`whole`: over all topics; `judged`: over the judged ones; `final_topics`: true scores in each topic,
    (topics, runs)."""

    setting: TrialSetting
    whole: PredictedMeans
    judged: PredictedMeans
    differences: PredictedDifferences
    final_topics: FloatArray

    @property
    def prediction(self) -> Prediction:
        return self.whole.prediction

    @property
    def final(self) -> FloatArray:
        return self.whole.final

    @property
    def mean_differences(self) -> list[bool]:
        """For each pair of runs: true if the interval of the difference of their means holds the true
        difference."""
        return _hold(self.differences.means[0], self.final)

    @property
    def topic_differences(self) -> list[bool]:
        """For each pair of the watched runs, in each topic with a prediction: true if the interval holds the
        difference."""
        watched = self.differences.watched
        return [
            held
            for ahead, final in zip(self.differences.topics, self.final_topics, strict=True)
            if not np.isnan(ahead).any()
            for held in _hold(ahead, final[watched])
        ]

    @property
    def places(self) -> list[bool]:
        """For each run: true if its true place is among the possible ones."""
        first, last = possible_places(self.prediction.better)
        true = 1 + (self.final[:, None] < self.final - ROUNDING).sum(axis=1)
        return [bool(one) for one in (first <= true) & (true <= last)]

    @property
    def leaders_hold_best(self) -> bool:
        """True if a best run is among the leaders."""
        is_best = self.final >= self.final.max() - ROUNDING
        order = np.argsort(-self.prediction.expected, kind="stable")
        return bool(is_best[order[: count_leaders(self.prediction.best[order])]].any())

    def pairs(self, least: float, below: float) -> tuple[list[bool], list[float]]:
        """For pairs with a stated probability in the bin: true if the likelier run is better, and the stated
        probability. Runs that are equal in truth make no pair."""
        gap = np.subtract.outer(self.final, self.final)
        stated = (self.prediction.better >= least) & (self.prediction.better < below) & (np.abs(gap) > 1e-12)
        return (gap[stated] > 0).tolist(), self.prediction.better[stated].tolist()

    def firsts(self, least: float, below: float) -> tuple[list[bool], list[float]]:
        """For runs whose stated probability of being the best is in the bin: true if they are the best, and
        the probability."""
        stated = (self.prediction.best >= least) & (self.prediction.best < below)
        is_best = self.final >= self.final.max() - 1e-12
        return is_best[stated].tolist(), self.prediction.best[stated].tolist()


def _hold(ahead: NDArray[np.float32], final: FloatArray) -> list[bool]:
    """For each pair: true if the interval holds the true difference. `ahead` (runs, runs): low ends of row
    less column; `final` (runs,): true scores."""
    one, other = np.triu_indices(len(final), 1)
    gap = final[one] - final[other]
    # The intervals are of single precision.
    holds = (ahead[one, other] - 1e-6 <= gap) & (gap <= -ahead[other, one] + 1e-6)
    return [bool(one) for one in holds]


def draw_campaign(generator: np.random.Generator, runs: IntArray, topics: IntArray) -> TrialSetting:
    """At random; of runs and topics, only those given."""
    method = str(generator.choice(PREDICTION_METHODS))
    most = min(len(runs), MOST_RUNS.get(method, len(runs)))
    chosen = generator.choice(runs, _size(generator, RUN_COUNTS, most), replace=False)
    asked = generator.choice(topics, _size(generator, TOPIC_COUNTS, len(topics)), replace=False)
    each, begun = int(generator.choice(MOMENTS)), None
    if generator.random() < 0.5:
        count = max(round(float(generator.choice(BEGUN)) * len(asked)), 1)
        begun = tuple(generator.permutation(len(asked))[:count].tolist())
    return TrialSetting(
        tuple(sorted(chosen.tolist())),
        tuple(sorted(asked.tolist())),
        float(generator.choice(PERSISTENCE_VALUES)),
        method,
        "campaign" if begun is None else "topic",
        each * len(asked if begun is None else begun),
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
    anchors: int = 0,
    progress: Callable[[int], object] = lambda count: None,
) -> Iterator[PredictedCampaign]:
    """So many campaigns drawn among these runs and topics; the same seed, the same campaigns, however many
    anchors are judged beside. One that has fewer documents than judgments to make, or
    judgments of one kind alone, is drawn again."""
    generator, count = np.random.default_rng(seed), 0
    while count < campaigns:
        setting = replace(draw_campaign(generator, *among), anchors=anchors, seed=seed + count)
        one = _predicted(topics, setting, experience)
        if one is None:
            continue
        count += 1
        progress(count)
        yield one


def _predicted(
    topics: Sequence[PastTopic], setting: TrialSetting, experience: Experience
) -> PredictedCampaign | None:
    known = known_campaign(topics, setting)
    state = known.moment()
    if state is None or JudgedRelevance.of(state.setting).one_sided:
        return None
    known.judge_anchors(state)
    runs, number = len(setting.runs), len(setting.topics)
    judged = [topic for topic in range(number) if state.setting.judgments.judged_in(topic)]
    differences = PredictedDifferences(np.arange(min(runs, WATCHED_RUNS)), number)
    scopes = [list(range(number)), judged]
    both = predict(state, seed=setting.seed, scopes=scopes, experience=experience, differences=differences)
    final = np.array(complete_topic_scores(known.pools, runs, setting.p, known.gains))
    whole, begun = (
        PredictedMeans(one, state.residual[scope].mean(axis=0), final[scope].mean(axis=0))
        for one, scope in zip(both, scopes, strict=True)
    )
    return PredictedCampaign(setting, whole, begun, differences, final)


RUN_INTERVAL = "95% prediction interval of a run"


def prediction_coverage(campaigns: Sequence[PredictedCampaign], trial: Trial) -> list[Coverage]:
    """Rows for intervals, of all campaigns and by kind; for pairs; and for places and the best run."""
    rows = []
    for regime, belongs in REGIMES.items():
        rows += interval_coverage([one.whole for one in campaigns if belongs(one)], trial, regime=regime)
    judged = interval_coverage([one.judged for one in campaigns], trial)
    rows += [replace(row, statement=f"{RUN_INTERVAL} over judged topics") for row in judged]
    stated = [one for one in campaigns if not one.prediction.early]
    return rows + _set_coverage(stated, trial) + _probability_coverage(stated, trial)


def interval_coverage(
    means: Sequence[PredictedMeans], trial: Trial, *, regime: str = "any"
) -> list[Coverage]:
    """The row of the runs' intervals; none without campaigns."""
    rows = _at_least(RUN_INTERVAL, [one.covered.tolist() for one in means], trial, regime=regime)
    if not rows:
        return []
    covered = np.concatenate([one.covered for one in means])
    above = np.concatenate([one.above for one in means])
    width, score = (np.concatenate(column) for column in zip(*(one.scores() for one in means), strict=True))
    figures = IntervalFigures(
        above=float(above.mean()),
        below=float((~covered & ~above).mean()),
        width=float(width.mean()),
        score=float(score.mean()),
        level=float(np.mean([one.level_error for one in means])),
    )
    return [replace(row, interval=figures) for row in rows]


def _at_least(
    statement: str, cases: Sequence[Sequence[bool]], trial: Trial, *, regime: str = "any"
) -> list[Coverage]:
    return coverage_of(
        statement, cases, regime=regime, nominal=NOMINAL, tolerance=TOLERANCE, at_least=True, trial=trial
    )


def _set_coverage(campaigns: Sequence[PredictedCampaign], trial: Trial) -> list[Coverage]:
    """Coverage of differences, places and leaders."""
    rows = []
    for name, held in (
        ("95% prediction interval of a difference", [one.mean_differences for one in campaigns]),
        (
            "95% prediction interval of a difference in one topic",
            [one.topic_differences for one in campaigns],
        ),
        ("places that no separated pair rules out", [one.places for one in campaigns]),
    ):
        rows += _at_least(name, held, trial)
    leaders = f"leaders, who share {OF_LEADERS:.0%} of P(best)"
    for regime, some in {
        "any": campaigns,
        f"over {MANY_RUNS} runs": [one for one in campaigns if len(one.setting.runs) > MANY_RUNS],
    }.items():
        rows += _at_least(leaders, [[one.leaders_hold_best] for one in some], trial, regime=regime)
    return rows


def _probability_coverage(campaigns: Sequence[PredictedCampaign], trial: Trial) -> list[Coverage]:
    """Coverage of P(A > B) and P(best), by stated probability. `stated` of the surest pairs: their share in
    the open pairs."""
    rows = []
    for name, bins, cases_in in (
        ("P(A > B)", PAIR_BINS, PredictedCampaign.pairs),
        ("P(best)", BEST_BINS, PredictedCampaign.firsts),
    ):
        for least, below in bins:
            cases = [cases_in(one, least, below) for one in campaigns]
            stated = [value for _, values in cases for value in values]
            rows += coverage_of(
                f"{name} {least:g} or more" if below > 1 else f"{name} {least:g} to {below:g}",
                [right for right, _ in cases],
                regime="any",
                nominal=float(np.mean(stated)) if stated else float("nan"),
                tolerance=TOLERANCE,
                # Of a probability below one half, more than stated is no better.
                at_least=least >= 0.5,
                trial=trial,
            )
    surest, share = f"P(A > B) {PAIR_BINS[-1][0]:g} or more", _decided_share(campaigns)
    return [replace(row, stated=share) if row.statement == surest else row for row in rows]


def _decided_share(campaigns: Sequence[PredictedCampaign]) -> float:
    """Share of separated pairs among those that some draws leave open; 1 without any."""
    better = [one.prediction.better[np.triu_indices(len(one.final), 1)] for one in campaigns]
    every = np.concatenate([np.zeros(0), *better])
    open_ = every[(every > 0) & (every < 1)]
    return float((np.maximum(open_, 1 - open_) >= SEPARATED).mean()) if len(open_) else 1.0


Regime = Callable[[PredictedCampaign], bool]


def _counted(what: Callable[[TrialSetting], float], least: float, most: float) -> Regime:
    return lambda one: least <= what(one.setting) <= most


def _valued(name: str, value: object) -> Regime:
    return lambda one: getattr(one.setting, name) == value


def _runs(setting: TrialSetting) -> float:
    return len(setting.runs)


def _topics(setting: TrialSetting) -> float:
    return len(setting.topics)


REGIMES: dict[str, Regime] = {
    "any": lambda one: True,
    "5 runs": _counted(_runs, 5, 5),
    "10 to 20 runs": _counted(_runs, 10, 20),
    "21 to 40 runs": _counted(_runs, 21, 40),
    "over 40 runs": _counted(_runs, 41, np.inf),
    "5 topics": _counted(_topics, 5, 5),
    "10 to 20 topics": _counted(_topics, 10, 20),
    "over 20 topics": _counted(_topics, 21, np.inf),
    **{f"lists of {depth}": _valued("depth", depth) for depth in DEPTHS},
    **{f"p = {p:g}": _valued("p", p) for p in PERSISTENCE_VALUES},
    **{f"judged by {method}": _valued("method", method) for method in PREDICTION_METHODS},
    **{f"judgments a topic: {each}": _valued("judged_each", each) for each in MOMENTS},
    "some topics not begun": lambda one: (
        len(one.setting.begun or one.setting.topics) < len(one.setting.topics)
    ),
}
