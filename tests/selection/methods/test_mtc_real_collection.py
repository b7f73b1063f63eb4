"""MTC over a thousand judgments of a real collection, against all marginals and all pairs recomputed."""

from __future__ import annotations

import numpy as np
import pytest

from campaigns.formats.compressed_files import find_files
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs.files import read_run_files
from evaluation.arrays import FloatArray, IntArray
from selection.methods.mtc.options import Aggregate, MtcOptions
from selection.pool import TopicPool, build_topic_pool
from selection.rounding import round_significant
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data

Collection = tuple[list[TopicPool], list[FloatArray], int]


@pytest.fixture(scope="module")
def collection() -> Collection:
    folder = TREC_DATA / "trec-covid-r1"
    runs = read_run_files(find_files([folder / "runs"]))
    grades = read_qrels(folder / "qrels.txt", "qrels.txt").grades
    pools, gains = [], []
    for topic in grades:
        rankings = [run.rankings[topic].docnos if topic in run.rankings else [] for run in runs]
        docnos = sorted({docno for ranking in rankings for docno in ranking})
        ids = {docno: number for number, docno in enumerate(docnos)}
        arrays = [np.array([ids[docno] for docno in ranking], dtype=np.int32) for ranking in rankings]
        pools.append(build_topic_pool(arrays, 0.8, np.ones(len(runs), dtype=np.bool_)))
        gains.append(np.array([min(grades[topic].get(docnos[d], 0), 1) for d in pools[-1].documents], float))
    return pools, gains, len(runs)


def rankings_of(pool: TopicPool, runs: int) -> IntArray:
    """Pool indices (runs, depth) in rank order; len(pool) where a list is shorter."""
    found = np.full((runs, pool.depth), len(pool))
    found[pool.run, pool.rank - 1] = np.repeat(np.arange(len(pool)), np.diff(pool.start))
    return found


def marginals(rankings: IntArray, relevance: FloatArray) -> FloatArray:
    """1 / rank + relevance above / rank + sum over the ranks below of relevance / rank, (runs, pool)."""
    ranks = np.arange(1, rankings.shape[1] + 1)
    here = np.append(relevance, 0.0)[rankings]
    below = here / ranks
    found = np.zeros((len(rankings), len(relevance) + 1))
    effects = (
        (1 + here.cumsum(axis=1) - here) / ranks + below.sum(axis=1, keepdims=True) - below.cumsum(axis=1)
    )
    np.put_along_axis(found, rankings, effects, axis=1)
    return found[:, :-1]


def from_scratch(rankings: IntArray, labels: FloatArray, options: MtcOptions) -> FloatArray:
    """All weights (pool,) from the judgments alone; -1 for the judged."""
    judged = ~np.isnan(labels)
    rate = 0.5 if options.relevance == "constant" else (np.nansum(labels) + 1) / (judged.sum() + 2)
    relevance = np.where(judged, labels, rate)
    effects = marginals(rankings, relevance)
    if options.aggregate == "range":
        found = np.ptp(effects, axis=0)
    elif options.aggregate == "variance":
        found = len(effects) ** 2 * effects.var(axis=0)
    else:
        found = np.sort(effects.T.copy()) @ (2.0 * np.arange(1, len(effects) + 1) - len(effects) - 1)
    scale = relevance.sum() ** (2 if options.aggregate == "variance" else 1)
    return np.where(judged, -1.0, found * max(rate, 1 - rate) / scale)


@needs_data
@pytest.mark.parametrize(
    ("aggregate", "relevance", "judgments"),
    [("range", "constant", 1000), ("variance", "smoothed", 250), ("sum", "constant", 100)],
)
def test_every_choice_of_many(
    collection: Collection, aggregate: Aggregate, relevance: str, judgments: int
) -> None:
    pools, gains, runs = collection
    given = {"aggregate": aggregate, "relevance": relevance}
    everyone = np.ones(runs, dtype=np.bool_)
    state = CampaignState(
        pools,
        CampaignSpec(runs=runs, p=0.8, method="mtc", scope="campaign", contributing=everyone, options=given),
    )
    options = MtcOptions(**given)  # type: ignore[arg-type]  # words that are checked there
    rankings = [rankings_of(pool, runs) for pool in pools]
    labels = [np.full(len(pool), np.nan) for pool in pools]
    weights = [from_scratch(r, known, options) for r, known in zip(rankings, labels, strict=True)]
    for _ in range(judgments):
        tops = round_significant(np.array([max(w.max(), 0.0) for w in weights]))
        topic = int(tops.argmax())
        document = int(round_significant(np.maximum(weights[topic], 0)).argmax())
        choice = state.best()
        assert choice is not None
        assert (choice.topic, choice.document) == (topic, document)
        assert choice.weight == pytest.approx(weights[topic][document], rel=1e-10)
        gain = float(gains[topic][document])
        state.judge(topic, document, gain)
        labels[topic][document] = gain
        weights[topic] = from_scratch(rankings[topic], labels[topic], options)
