"""Trials of statAP's intervals: past campaigns, sampled again, whose average precision is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.corrected import TopicEstimate
from evaluation.estimation.statap import JudgedSample, stat_ap
from evaluation.estimation.statap_interval import SamplingError, sampling_error, stat_map_interval
from evaluation.estimation.statap_pairs import (
    stat_ap_covariances,
    stat_map_pairs,
    too_early_for_pairs,
)
from evaluation.measures.precision import average_precision
from selection.calibration.coverage import Coverage, Trial, coverage_of
from selection.calibration.past_campaigns import RUN_COUNTS, PastTopic, draw_setting
from selection.methods.statap import document_prior, stevens
from selection.pool import Ids, build_topic_pool

SAMPLE_SIZES = (20, 40, 80)
# Documents of each list that count; None: all.
LIST_DEPTHS = (None, 50, 20)
# The sample's documents do not depend on p, but pools are built with one.
P = 0.8
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class SampledCampaign:
    """One sample of each topic, of `size` draws, from `runs` runs cut at `depth`.

    estimates, error : statAP (topics, runs) and what the samples say of its error
    samples, covariances : of each topic, the sample and what it says of the errors of pairs
    sampled_ap : (topics, runs), AP if all documents of these lists were judged, and no others relevant
    full_ap : (topics, runs), AP of the same lists by all of the qrels
    """

    runs: int
    size: int
    depth: int | None
    estimates: FloatArray
    error: SamplingError
    samples: Sequence[JudgedSample]
    covariances: Sequence[TopicEstimate]
    sampled_ap: FloatArray
    full_ap: FloatArray

    def mean_covered(self) -> BoolArray:
        """For each run with an interval: true if it holds MAP over the topics that have an estimate."""
        return self._holds(self._sampled_map)

    def pairs_covered(self) -> BoolArray:
        """For each pair with an interval: true if it holds the difference of the same."""
        scores = stat_map_pairs(self.covariances)
        if scores is None or too_early_for_pairs(self.samples):
            return np.zeros(0, dtype=np.bool_)
        pairs = np.triu_indices(self.runs, 1)
        errors = scores.scores - self._sampled_map
        off = np.abs(errors[:, None] - errors)
        return np.asarray(off[pairs] <= scores.pair_half_widths()[pairs] + ROUNDING)

    @property
    def _sampled_map(self) -> FloatArray:
        return _mean(self.sampled_ap, ~np.isnan(self.estimates))

    def full_mean_covered(self) -> BoolArray:
        """The same for MAP over all topics by all of the qrels."""
        return self._holds(self.full_ap.mean(axis=0))

    def topics_covered(self) -> BoolArray:
        """For each topic and run with an interval: true if it holds AP."""
        alone = SamplingError.of_topics([self.error])
        interval = stat_map_interval(self.estimates[None], alone)
        return _covered(interval.low, interval.high, self.sampled_ap)

    def _holds(self, truth: FloatArray) -> BoolArray:
        interval = stat_map_interval(self.estimates, self.error)
        return _covered(interval.low, interval.high, truth)


def _mean(values: FloatArray, where: BoolArray) -> FloatArray:
    return np.asarray(np.where(where, values, 0.0).sum(axis=0) / np.maximum(where.sum(axis=0), 1))


def _covered(low: FloatArray, high: FloatArray, truth: FloatArray) -> BoolArray:
    inside = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
    return np.asarray(inside[~np.isnan(low)])


def sampled_campaigns(
    topics: Sequence[PastTopic],
    among: tuple[IntArray, IntArray],
    *,
    campaigns: int,
    seed: int,
    relevant: IntArray | None = None,
    progress: Callable[[int], object] = lambda samples: None,
) -> Iterator[list[SampledCampaign]]:
    """Draw so many campaigns among these runs and topics; each is sampled at every size and depth.

    `relevant` (topics,): how many relevant documents the qrels know of each; those that a run ranks, if not
    given. The same seed, the same campaigns.
    """
    generator = np.random.default_rng(seed)
    for number in range(campaigns):
        setting = draw_setting(generator, *among)
        samples = []
        for depth in LIST_DEPTHS:
            pools = [
                _SampledTopic.of(
                    topics[index], setting.runs, depth, None if relevant is None else int(relevant[index])
                )
                for index in setting.topics
            ]
            for size in SAMPLE_SIZES:
                drawn = [pool.draw(size, generator) for pool in pools]
                samples.append(
                    SampledCampaign(
                        len(setting.runs),
                        size,
                        depth,
                        np.array([one.estimates for one in drawn]),
                        SamplingError.of_topics([one.error for one in drawn]),
                        [one.sample for one in drawn],
                        [one.covariances for one in drawn],
                        np.array([pool.sampled_ap for pool in pools]),
                        np.array([pool.full_ap for pool in pools]),
                    )
                )
        progress(number + 1)
        yield samples


@dataclass(frozen=True, eq=False)
class _DrawnSample:
    """A topic's sample; its statAP (runs,), and what the sample says of the errors."""

    sample: JudgedSample
    estimates: FloatArray
    error: SamplingError
    covariances: TopicEstimate


@dataclass(frozen=True, eq=False)
class _SampledTopic:
    """prior, gains : (documents,) of the pool, and NaN at the end of `gains` for no document
    ranked : (runs, longest), places in the pool; ranks : (runs, documents), 0 where a run has none
    sampled_ap, full_ap : (runs,)"""

    prior: FloatArray
    gains: FloatArray
    ranked: IntArray
    ranks: IntArray
    sampled_ap: FloatArray
    full_ap: FloatArray

    @classmethod
    def of(
        cls, topic: PastTopic, runs: Sequence[int], depth: int | None, relevant: int | None
    ) -> _SampledTopic:
        lists = [topic.rankings[run] for run in runs]
        cut: list[Ids | None] = [
            None if ranking is None else ranking[:depth].astype(np.int32) for ranking in lists
        ]
        everybody = np.ones(len(runs), dtype=np.bool_)
        pool = build_topic_pool(cut, P, everybody)
        ranked = _places(cut, pool.documents)
        gains = np.append((np.nan_to_num(topic.gains[pool.documents]) > 0).astype(np.float64), np.nan)
        in_all = int((topic.gains > 0).sum()) if relevant is None else relevant
        hits = np.nan_to_num(gains[ranked])
        truths = [average_precision(hits, count) for count in (int(np.nansum(gains)), in_all)]
        ranks = np.zeros((len(ranked), len(pool.documents) + 1), dtype=np.int64)
        np.put_along_axis(ranks, ranked, np.arange(1, ranked.shape[1] + 1)[None], axis=1)
        return cls(document_prior(pool, everybody), gains, ranked, ranks, *truths)

    def draw(self, size: int, generator: np.random.Generator) -> _DrawnSample:
        buckets = stevens(self.prior, size)
        places = buckets.draw(generator)
        documents, inclusion = buckets.order[places], buckets.inclusion()[places]
        known = np.full((2, len(self.gains)), np.nan)
        known[:, documents] = self.gains[documents], inclusion
        sample = JudgedSample(self.gains[documents], inclusion)
        seen, chances = known[:, self.ranked]
        return _DrawnSample(
            sample,
            stat_ap(seen, chances, sample),
            sampling_error(seen, chances, sample),
            stat_ap_covariances(self.ranks[:, documents], sample),
        )


def _places(rankings: Sequence[Ids | None], documents: Ids) -> IntArray:
    """Places in the pool of each ranking's documents, (runs, longest); the number of documents beyond a
    ranking's end."""
    order = np.argsort(documents)
    longest = max((len(ranking) for ranking in rankings if ranking is not None), default=0)
    places = np.full((len(rankings), longest), len(documents))
    for row, ranking in zip(places, rankings, strict=True):
        if ranking is not None:
            row[: len(ranking)] = order[np.searchsorted(documents, ranking, sorter=order)]
    return places


@dataclass(frozen=True)
class _Statement:
    name: str
    tolerance: float
    covered: Callable[[SampledCampaign], BoolArray]


_STATEMENTS = (
    _Statement("statMAP 95% interval", 0.02, SampledCampaign.mean_covered),
    _Statement("statMAP 95% interval of a difference", 0.02, SampledCampaign.pairs_covered),
    # Of single topics at least 90% are promised.
    _Statement("statAP 95% interval of a topic", 0.05, SampledCampaign.topics_covered),
    _Statement(
        "MAP by all of the qrels inside the 95% interval of statMAP (not promised)",
        0.02,
        SampledCampaign.full_mean_covered,
    ),
)


def sample_interval_coverage(campaigns: Sequence[Sequence[SampledCampaign]], trial: Trial) -> list[Coverage]:
    """Each statement in each regime, of `sampled_campaigns`. Regimes without a case have no row."""
    rows = []
    for statement in _STATEMENTS:
        for regime, belongs in _regimes():
            covered = [
                [hit for one in drawn if belongs(one) for hit in statement.covered(one).ravel().tolist()]
                for drawn in campaigns
            ]
            rows += coverage_of(
                statement.name,
                covered,
                regime=regime,
                nominal=0.95,
                tolerance=statement.tolerance,
                at_least=True,
                trial=trial,
            )
    return rows


def _regimes() -> list[tuple[str, Callable[[SampledCampaign], bool]]]:
    """Regimes: full lists by judgments and by runs, then lists cut at each depth."""
    regimes: list[tuple[str, Callable[[SampledCampaign], bool]]] = [("any", lambda one: one.depth is None)]
    for size in SAMPLE_SIZES:
        regimes.append((f"{size} judgments a topic", _whole_lists(size=size)))
    for runs in RUN_COUNTS:
        regimes.append((f"{runs} runs", _whole_lists(runs=runs)))
    for depth in LIST_DEPTHS[1:]:
        regimes.append((f"lists of {depth} documents", _cut_at(depth)))
    return regimes


def _whole_lists(*, size: int | None = None, runs: int | None = None) -> Callable[[SampledCampaign], bool]:
    return lambda one: one.depth is None and size in (None, one.size) and runs in (None, one.runs)


def _cut_at(depth: int | None) -> Callable[[SampledCampaign], bool]:
    return lambda one: one.depth == depth
