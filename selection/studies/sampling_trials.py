"""Trials of the Million Query Track's two methods: documents judged by MTC or sampled for statAP, and the
average precision that each estimates (Carterette and others 2008)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.comparison.rank_correlation import kendall
from evaluation.comparison.variance import variance_components
from evaluation.estimation.mtc import confidences, topic_moments
from evaluation.estimation.relevance import constant_relevance, expert_relevance
from evaluation.estimation.statap import JudgedSample, stat_ap, stat_ap_with_variance
from evaluation.estimation.statap_interval import SamplingError, sampling_error, stat_map_interval
from evaluation.measures.precision import average_precision
from selection.framework.interface import Setting
from selection.methods.statap import document_prior, stevens
from selection.pool import Pools, build_topic_pool
from selection.simulation.precision_draws import CAUTION, PrecisionDraws
from selection.simulation.replay import replay
from selection.specification import CampaignSpec
from selection.stopping.confidence import judged_rankings
from selection.studies.interface import Found
from selection.studies.known_collection import KnownCollection
from selection.studies.known_scores import judged_gains

# Neither the order of MTC's documents nor the samples depend on it, but pools are built with one.
P = 0.8
# Of the unjudged documents: by how the runs' rankings fit the judgments, as in the paper; as MTC chooses
# documents; and by the model whose confidence is calibrated.
EXPERTS, HALF, MODEL = "experts", "half", "model"


@dataclass(frozen=True)
class MtcTrial:
    """So many judgments of each topic by MTC, of lists cut at `depth`."""

    judgments: int
    depth: int


@dataclass(frozen=True)
class ConfidenceTrial(MtcTrial):
    """The confidence in all pairs of runs after these judgments."""


@dataclass(frozen=True)
class SampleTrial:
    """One sample of so many draws from each topic's lists, cut at `depth`."""

    seed: int
    judgments: int
    depth: int


@dataclass(frozen=True)
class OrderTrial:
    """One random order of the topics; each is sampled with `judgments` draws and, for the order of the runs
    that others are compared with, with `most`."""

    seed: int
    judgments: int
    most: int
    depth: int


SamplingTrial = MtcTrial | ConfidenceTrial | SampleTrial | OrderTrial


@dataclass(frozen=True, eq=False)
class CutLists:
    """Each topic's lists, cut at one depth, and all that is known of their documents.

    gains : by topic, float64 (documents,) by pool index, 1 or 0; 0 for a document without a judgment
    judged : by topic, bool (documents,), whether the qrels judge it (`judged_gains`)
    ranked : by topic, (runs, ranks), places in the pool, and one beyond at the end of a list
    ap : float64 (topics, runs), average precision; what is not judged counts as not relevant
    """

    pools: Pools
    gains: tuple[FloatArray, ...]
    judged: tuple[BoolArray, ...]
    ranked: tuple[IntArray, ...]
    ap: FloatArray

    @classmethod
    def of(cls, known: KnownCollection, depth: int) -> CutLists:
        every = np.ones(len(known.runs), dtype=np.bool_)
        pools, gains, judged, ranked, ap = [], [], [], [], []
        for topic, given in zip(known.topics, judged_gains(known), strict=True):
            cut = [None if one is None else one[:depth] for one in topic.rankings]
            pool = build_topic_pool(cut, P, every)
            place = np.full(len(topic.gains), len(pool))
            place[pool.documents] = np.arange(len(pool))
            places = np.full((len(cut), depth), len(pool))
            for row, one in zip(places, cut, strict=True):
                if one is not None:
                    row[: len(one)] = place[one]
            relevant = (np.nan_to_num(topic.gains[pool.documents]) > 0).astype(np.float64)
            pools.append(pool)
            gains.append(relevant)
            judged.append(~np.isnan(given[pool.documents]))
            ranked.append(places)
            ap.append(average_precision(np.append(relevant, np.nan)[places], int(relevant.sum())))
        return cls(Pools.of(pools), tuple(gains), tuple(judged), tuple(ranked), np.array(ap))

    @property
    def contributing(self) -> BoolArray:
        return np.ones(self.ap.shape[1], dtype=np.bool_)

    @property
    def judged_share(self) -> float:
        """Share of the entries of all lists that is judged."""
        counts = [
            (np.append(known, False)[ranked].sum(), (ranked < len(known)).sum())
            for known, ranked in zip(self.judged, self.ranked, strict=True)
        ]
        judged, entries = np.sum(counts, axis=0)
        return float(judged / max(entries, 1))

    def favourable_difference(self, better: IntArray, worse: IntArray) -> FloatArray:
        """Mean average precision of one run less that of another, (pairs,), if every unjudged document is
        relevant that the first ranks above the second, and no other. No bound: others may favour it more.

        better, worse : int (pairs,), indices of runs
        """
        total = np.zeros(len(better))
        for gains, judged, ranked in zip(self.gains, self.judged, self.ranked, strict=True):
            total += _favourable_difference(gains, judged, ranked, better, worse)
        return np.asarray(total / len(self.gains))


def _favourable_difference(
    gains: FloatArray, judged: BoolArray, ranked: IntArray, better: IntArray, worse: IntArray
) -> FloatArray:
    """`CutLists.favourable_difference` in one topic."""
    ranks = np.full((len(ranked), len(gains) + 1), np.inf)
    places = np.arange(1.0, ranked.shape[1] + 1)
    ranks[np.arange(len(ranked))[:, None], ranked] = places
    ranks[:, -1] = np.inf
    open_, known = np.append(~judged, False), np.append(gains, 0.0)
    sums = []
    for run in (better, worse):
        documents = ranked[run]
        above = ranks[better[:, None], documents] < ranks[worse[:, None], documents]
        more = open_[documents] & above
        hits = np.where(more, 1.0, known[documents])
        sums.append((hits * hits.cumsum(axis=1) / places).sum(axis=1))
        if run is better:
            relevant = gains.sum() + more.sum(axis=1)
    return np.asarray((sums[0] - sums[1]) / np.maximum(relevant, 1))


def cut_lists(known: KnownCollection, depth: int) -> CutLists:
    return known.cached(("cut lists", depth), lambda: CutLists.of(known, depth))


def run_sampling(known: KnownCollection, trial: SamplingTrial) -> Found:
    """Do any of these trials; what is found is described where each is done."""
    lists = cut_lists(known, trial.depth)
    if isinstance(trial, OrderTrial):
        return _run_order(lists, trial)
    if isinstance(trial, SampleTrial):
        return _run_sample(lists, trial)
    setting = _judged(lists, trial.judgments)
    return _confidence(setting) if isinstance(trial, ConfidenceTrial) else _expected(setting)


# MTC.


def _judged(lists: CutLists, judgments: int) -> Setting:
    made = replay(
        lists.pools,
        lists.gains,
        CampaignSpec(
            runs=len(lists.contributing), p=P, method="mtc", scope="topic", contributing=lists.contributing
        ),
        per_topic=judgments,
    )
    return made.state.setting


def _expected(setting: Setting) -> Found:
    """Expected AP (topics, runs), by `EXPERTS` and, calibrated, by `MODEL`; `unjudged` (runs,),
    documents of a list that are not judged, mean over topics."""
    runs = tuple(range(setting.runs))
    draws = PrecisionDraws(setting)
    experts, model, unjudged = [], [], np.zeros(len(runs))
    for topic, pool in enumerate(setting.pools):
        rankings, judged = judged_rankings(setting, topic, runs)
        experts.append(topic_moments(rankings, expert_relevance(rankings, judged)).ap)
        # Every document of the pool is ranked, so both count them alike.
        model.append(topic_moments(rankings, draws.relevance(topic, CAUTION)).ap)
        open_ = np.repeat(np.isnan(setting.judgments.gains_of(topic)), np.diff(pool.start))
        unjudged += np.bincount(pool.run[open_], minlength=len(runs)) / len(setting.pools)
    return {EXPERTS: _short(np.array(experts)), MODEL: _short(np.array(model)), "unjudged": _short(unjudged)}


def _confidence(setting: Setting) -> Found:
    """Confidence that the first run of a pair has the higher mean average precision, (pairs,) in the order of
    `np.triu_indices`, for each way to count unjudged documents (as published, by `EXPERTS` and `HALF`;
    calibrated, by `MODEL`)."""
    runs = tuple(range(setting.runs))
    lists = [judged_rankings(setting, topic, runs) for topic in range(len(setting.pools))]
    estimates = {
        EXPERTS: [(rankings, expert_relevance(rankings, judged)) for rankings, judged in lists],
        HALF: [(rankings, constant_relevance(judged)) for rankings, judged in lists],
    }
    by_name = {name: confidences(topics).confidence for name, topics in estimates.items()}
    by_name[MODEL] = PrecisionDraws(setting).precision(np.arange(len(runs))).confidence()
    return {name: np.round(_of_pairs(confidence), 4).tolist() for name, confidence in by_name.items()}


def _of_pairs(confidence: FloatArray) -> FloatArray:
    """One half where neither run of a pair is stated to be more probably the better."""
    first, second = np.triu_indices(len(confidence), 1)
    here, there = confidence[first, second], confidence[second, first]
    return np.where(here > there, np.maximum(here, 0.5), np.minimum(1 - there, 0.5))


# statAP.


@dataclass(frozen=True, eq=False)
class _TopicSample:
    """One topic's sample, and what of it each list holds: `gains`, `inclusion` (runs, ranks), in rank order,
    NaN where not sampled."""

    sample: JudgedSample
    gains: FloatArray
    inclusion: FloatArray


def _draw(lists: CutLists, judgments: int, seed: int) -> Iterator[_TopicSample]:
    for topic, pool in enumerate(lists.pools):
        buckets = stevens(document_prior(pool, lists.contributing), judgments)
        places = buckets.draw(np.random.default_rng([seed, topic, judgments]))
        documents, inclusion = buckets.order[places], buckets.inclusion()[places]
        known = np.full((2, len(pool) + 1), np.nan)
        known[:, documents] = lists.gains[topic][documents], inclusion
        gains, chances = known[:, lists.ranked[topic]]
        yield _TopicSample(JudgedSample(lists.gains[topic][documents], inclusion), gains, chances)


def _estimates(lists: CutLists, judgments: int, seed: int) -> FloatArray:
    """statAP (topics, runs), NaN where no relevant document was drawn."""
    drawn = _draw(lists, judgments, seed)
    return np.array([stat_ap(one.gains, one.inclusion, one.sample) for one in drawn])


def _run_sample(lists: CutLists, trial: SampleTrial) -> Found:
    """Draw a sample and estimate each run's scores, (runs,): `statmap`; `deviation`, from the published
    variance; and `low` and `high` of the 95% interval, None where there is none. `topics`: the number of
    topics with a statAP. `components`: variances of runs, topics and their interaction, None with fewer than
    two such topics."""
    drawn = list(_draw(lists, trial.judgments, trial.seed))
    of_topics = [stat_ap_with_variance(one.gains, one.inclusion, one.sample) for one in drawn]
    errors = [sampling_error(one.gains, one.inclusion, one.sample) for one in drawn]
    estimates = np.array([one.estimate for one in of_topics])
    there = ~np.isnan(estimates[:, 0])
    topics = int(there.sum())
    interval = stat_map_interval(estimates, SamplingError.of_topics(errors))
    variance = np.nan_to_num(np.array([one.variance for one in of_topics])[there]).sum(axis=0)
    deviation = np.sqrt(variance) / max(topics, 1)
    components = variance_components(estimates[there].T) if topics > 1 else None
    return {
        "statmap": _short(statmap(estimates)),
        "deviation": _short(deviation),
        "low": _known(interval.low),
        "high": _known(interval.high),
        "topics": topics,
        "components": components and [components.system, components.topic, components.interaction],
    }


def statmap(estimates: FloatArray) -> FloatArray:
    """Mean over the topics that have a statAP of (topics, runs); 0 without any.

    >>> statmap(np.array([[0.5, 0.25], [np.nan, np.nan]])).tolist()
    [0.5, 0.25]
    """
    there = ~np.isnan(estimates)
    return np.asarray(np.where(there, estimates, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1))


def _run_order(lists: CutLists, trial: OrderTrial) -> Found:
    """Kendall's τ of the runs' order by the first topics, of each of `topic_counts`, with that by all topics
    and `most` draws: `tau`; and with that by average precision: `true`."""
    fewer = _estimates(lists, trial.judgments, trial.seed)
    most = _estimates(lists, trial.most, trial.seed)
    order = topic_order(len(fewer), trial.seed)
    return taus(fewer[order], statmap(most), lists.ap.mean(axis=0))


def topic_order(topics: int, seed: int) -> IntArray:
    return np.random.default_rng([seed, topics]).permutation(topics)


def topic_counts(topics: int) -> tuple[int, ...]:
    """All numbers of topics from 1 on, or about 40 of them, closest where topics are few.

    >>> topic_counts(4)
    (1, 2, 3, 4)
    """
    return tuple(np.unique(np.geomspace(1, topics, 40).round().astype(int)).tolist())


def taus(estimates: FloatArray, reference: FloatArray, true: FloatArray) -> dict[str, list[float]]:
    """Tau between estimates (topics, runs) of the first topics, for each of `topic_counts`, and two scores
    (runs,); 0 where runs all tie."""
    means = [statmap(estimates[:count]) for count in topic_counts(len(estimates))]
    return {
        name: [round(float(np.nan_to_num(kendall(scores, mean))), 6) for mean in means]
        for name, scores in (("tau", reference), ("true", true))
    }


def _short(values: FloatArray) -> Found:
    return np.round(values, 6).tolist()


def _known(values: FloatArray) -> Sequence[float | None]:
    return [None if np.isnan(value) else round(value, 6) for value in values.tolist()]
