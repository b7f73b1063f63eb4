"""Trials of the confidence in pairs of runs on replayed campaigns whose true order is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.mtc import topic_moments
from selection.calibration.coverage import Coverage, Trial, coverage_of
from selection.calibration.past_campaigns import (
    MOMENTS,
    KnownCampaign,
    PastTopic,
    TrialSetting,
    known_campaign,
)
from selection.pool import TopicPool
from selection.simulation.precision_draws import CAUTION, NO_DIFFERENCE, PrecisionDraws
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience
from selection.stopping.confidence import judged_rankings

BEST_RUNS = 10
METHODS = ("A", "C", "pooling", "mtc")
# The most each size may be; those beyond what there is stand for all there are.
RUN_COUNTS = (5, 10, 20, 40, 1000)
TOPIC_COUNTS = (5, 10, 20, 50, 1000)
LIST_DEPTHS = (10, 50, 200, 1000)
PERSISTENCE = 0.8
# Lower ends of the bins of stated confidence, and the end of the last.
BINS = (0.8, 0.9, 0.95, 1.0)
TOLERANCE = 0.03
JUDGING_STAGES = {"up to 3 judgments a topic": 3.0, "3 to 10 judgments a topic": 10.0}
LAST_STAGE = "over 10 judgments a topic"


@dataclass(frozen=True, eq=False)
class PairTrial:
    """One campaign at one moment, its best runs by expected average precision.

    confidence : float64 (runs, runs), that the row's run has the higher mean average precision
    expected, plain, true : float64 (runs,) of all runs, mean average precision as expected, with unjudged
        documents as not relevant, and with all judgments
    best : int (k,), the runs that `confidence` is about
    """

    setting: TrialSetting
    depth: int
    best: IntArray
    confidence: FloatArray
    expected: FloatArray
    plain: FloatArray
    true: FloatArray

    @property
    def stage(self) -> str:
        each = self.setting.judged / len(self.setting.topics)
        return next((name for name, most in JUDGING_STAGES.items() if each <= most), LAST_STAGE)

    def statements(self, low: float, high: float) -> list[tuple[float, bool]]:
        """Stated confidences in [low, high), or up to 1, and if each statement was true. Pairs that are equal
        in truth do not count."""
        true = self.true[self.best]
        differ = np.abs(true[:, None] - true[None, :]) > NO_DIFFERENCE
        stated = differ & (self.confidence >= low) & ((self.confidence < high) | (high >= 1))
        return [(float(self.confidence[a, b]), bool(true[a] > true[b])) for a, b in np.argwhere(stated)]

    @property
    def pairs(self) -> int:
        """Number of pairs that differ in truth."""
        true = self.true[self.best]
        return int((np.abs(true[:, None] - true[None, :]) > NO_DIFFERENCE).sum()) // 2


def draw_campaign(
    generator: np.random.Generator, topics: Sequence[PastTopic], among: tuple[IntArray, IntArray]
) -> tuple[KnownCampaign, int]:
    """A campaign at random among these runs and topics, and the depth at which its lists are cut."""
    runs, numbers = among
    chosen = generator.choice(runs, generator.choice(_sizes(RUN_COUNTS, len(runs))), replace=False)
    asked = generator.choice(numbers, generator.choice(_sizes(TOPIC_COUNTS, len(numbers))), replace=False)
    each = np.exp(generator.uniform(*np.log(MOMENTS)))
    deepest = max(len(one) for number in asked for one in topics[number].rankings if one is not None)
    depth = int(generator.choice(_sizes(LIST_DEPTHS, deepest)))
    setting = TrialSetting(
        tuple(sorted(chosen.tolist())),
        tuple(sorted(asked.tolist())),
        PERSISTENCE,
        str(generator.choice(METHODS)),
        "campaign" if generator.random() < 0.5 else "topic",
        round(each * len(asked)),
    )
    return known_campaign([_cut(topic, depth) for topic in topics], setting), depth


def _sizes(sizes: Sequence[int], most: int) -> list[int]:
    return sorted({min(size, most) for size in sizes})


def _cut(topic: PastTopic, depth: int) -> PastTopic:
    return replace(topic, rankings=[None if one is None else one[:depth] for one in topic.rankings])


def pair_trial(
    topics: Sequence[PastTopic],
    campaign: KnownCampaign,
    depth: int,
    experience: Experience = NO_EXPERIENCE,
) -> PairTrial | None:
    """None where the campaign has fewer documents than judgments to make."""
    state = campaign.moment()
    if state is None:
        return None
    setting = campaign.setting
    runs, number = len(setting.runs), len(setting.topics)
    plain, true = np.zeros(runs), np.zeros(runs)
    for index, (pool, gains) in enumerate(zip(campaign.pools, campaign.truth, strict=True)):
        judged = np.nan_to_num(state.setting.judgments.gains_of(index)) > 0
        plain += average_precision(pool, judged, runs, int(judged.sum())) / number
        relevant = int((np.nan_to_num(topics[setting.topics[index]].gains) > 0).sum())
        true += average_precision(pool, gains > 0, runs, relevant) / number
    lists = [judged_rankings(state.setting, topic, tuple(range(runs))) for topic in range(number)]
    draws = PrecisionDraws(state.setting, experience=experience)
    confidence = draws.precision(np.arange(runs)).confidence()
    # Every document of the pool is ranked, so both count them alike.
    each = [
        topic_moments(rankings, draws.relevance(topic, CAUTION)) for topic, (rankings, _) in enumerate(lists)
    ]
    expected = np.mean([moments.ap for moments in each], axis=0)
    best = np.argsort(-expected, kind="stable")[:BEST_RUNS]
    return PairTrial(setting, depth, best, confidence[np.ix_(best, best)], expected, plain, true)


def average_precision(pool: TopicPool, relevant: BoolArray, runs: int, total: int) -> FloatArray:
    """float64 (runs,) of lists in full; `relevant` (documents,) by pool index; `total`, relevant documents
    there are. 0 without any."""
    of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
    order = np.lexsort((pool.rank, pool.run))
    run, rank = pool.run[order].astype(np.int64), pool.rank[order].astype(np.float64)
    hits = np.asarray(relevant, dtype=np.float64)[of[order]]
    before = np.concatenate([[0.0], hits.cumsum()])
    above = before[1:] - before[np.searchsorted(run, np.arange(runs))][run]
    return np.asarray(np.bincount(run, hits * above / rank, runs) / max(total, 1))


def drawn_pair_trials(
    topics: Sequence[PastTopic],
    among: tuple[IntArray, IntArray],
    *,
    campaigns: int,
    seed: int,
    experience: Experience = NO_EXPERIENCE,
    progress: Callable[[int], object] = lambda count: None,
) -> Iterator[PairTrial]:
    """Draw so many campaigns among these runs and topics; the same seed draws the same campaigns.

    ValueError if there are fewer than two runs.
    """
    if len(among[0]) < 2:
        raise ValueError("a pair needs two runs")
    generator, count = np.random.default_rng(seed), 0
    while count < campaigns:
        trial = pair_trial(topics, *draw_campaign(generator, topics, among), experience)
        if trial is not None:
            count += 1
            progress(count)
            yield trial


def pair_coverage(trials: Sequence[PairTrial], trial: Trial) -> list[Coverage]:
    """Rows of the confidence that one run has the higher mean average precision.

    For each bin of stated confidence, of any campaign and by judgments a topic; nominal is the mean stated
    confidence. Bins without a statement are left out.
    """
    regimes: dict[str, Sequence[PairTrial]] = {"any": trials}
    for name in (*JUDGING_STAGES, LAST_STAGE):
        regimes[name] = [one for one in trials if one.stage == name]
    return [
        row
        for regime, of_regime in regimes.items()
        for low, high in pairwise(BINS)
        for row in _rows(of_regime, low, high, regime, trial)
    ]


def _rows(trials: Sequence[PairTrial], low: float, high: float, regime: str, trial: Trial) -> list[Coverage]:
    by_trial = [one.statements(low, high) for one in trials]
    stated = [confidence for statements in by_trial for confidence, _ in statements]
    return coverage_of(
        f"confidence by AP of {low:g} or more" if high >= 1 else f"confidence by AP of {low:g} to {high:g}",
        [[true for _, true in statements] for statements in by_trial],
        regime=regime,
        nominal=float(np.mean(stated)) if stated else low,
        tolerance=TOLERANCE,
        # A lower confidence leaves room for the ends of lists.
        at_least=True,
        trial=trial,
    )
