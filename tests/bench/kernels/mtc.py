"""Minimal test collections on one topic: judging and choosing, confidence in all pairs, growth."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import get_args

import numpy as np
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]  # has no types

from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.mtc import pair_moments
from selection.methods.mtc.options import Aggregate
from selection.pool import TopicPool, build_topic_pool
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.bench.data import Size, make_campaign
from tests.bench.kernels.dense_mtc import dense_choice
from tests.bench.report import Figure, Timings, at_least, at_most
from tests.bench.setting import Bench

# By depth, milliseconds to reach: one judgment applied and the next document chosen; all pairs' confidence.
TARGETS = {100: (0.2, 60.0), 1000: (2.0, 600.0)}
JUDGMENTS, DENSE, PAIR_TIMES, SAMPLED_RUNS = 500, 3, 5, 12
GROWTH_RUNS, GROWTH_DEPTHS, GROWTH_JUDGMENTS = (16, 32, 64, 128, 256), (100, 300, 1000), 100
STEEPEST = 1.1


def bench_mtc(bench: Bench) -> Iterator[Figure]:
    rankings, gains = bench.campaign.rankings[0], bench.campaign.gains[0]
    blas = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
    yield Figure("MTC: threads of the matrix products", max(blas, default=1), "threads")
    for depth, (choosing, confidence) in TARGETS.items():
        pool = _pool(rankings, depth)
        name = f"MTC, depth {depth}"
        yield from _memory(pool, len(rankings), name)
        medians = {}
        for aggregate in get_args(Aggregate):
            with bench.bar(f"{name}, {aggregate}", JUDGMENTS) as advance:
                timings, chosen = _replay(pool, len(rankings), gains, {"aggregate": aggregate}, advance)
            what = f"{name}, {aggregate}: judged and next chosen"
            yield timings.median_ms(what, choosing if aggregate == "range" else None)
            yield Figure(f"{what}, median, own time", 1000 * float(np.median(timings.processor)), "ms")
            medians[aggregate] = float(np.median(timings.seconds)), chosen
        yield from _against_dense(bench, pool, len(rankings), gains, medians["range"], name)
        yield from _confidence(bench, pool, len(rankings), confidence, name)
    yield from _growth(bench)


def _memory(pool: TopicPool, runs: int, name: str) -> Iterator[Figure]:
    tracemalloc.start()
    state = _state(pool, runs, {})
    before = tracemalloc.get_traced_memory()[0]
    state.best()
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    yield Figure(f"{name}: pooled documents", len(pool), "documents")
    yield Figure(f"{name}: memory of the topic's state", held / 1e6, "MB")


def _against_dense(
    bench: Bench, pool: TopicPool, runs: int, gains: FloatArray, ours: tuple[float, list[int]], name: str
) -> Iterator[Figure]:
    rankings, relevance = _by_index(pool, runs), np.full(len(pool), 0.5)
    seconds, same = [], 0
    with bench.bar(f"{name}, pair by pair", DENSE) as advance:
        for document in ours[1][:DENSE]:
            started = time.perf_counter()
            same += dense_choice(rankings, relevance) == document
            seconds.append(time.perf_counter() - started)
            relevance[document] = gains[pool.documents[document]]
            advance()
    yield Timings(seconds).median_ms(f"{name}, range: all pairs of documents, then of runs")
    yield at_least(f"{name}, range: times faster", float(np.median(seconds)) / ours[0], "times", 100)
    yield at_least(f"{name}, range: the same choices", 100 * same / DENSE, "%", 100)


def _confidence(bench: Bench, pool: TopicPool, runs: int, target: float, name: str) -> Iterator[Figure]:
    rankings, relevance = _by_index(pool, runs), np.full(len(pool), 0.5)
    relevance[:20] = 0.0
    seconds, processor = [], []
    with bench.bar(f"{name}, confidence", PAIR_TIMES + 1) as advance:
        for _ in range(PAIR_TIMES):
            started, own = time.perf_counter(), time.process_time()
            pair_moments(rankings, relevance, exact=False)
            seconds.append(time.perf_counter() - started)
            processor.append(time.process_time() - own)
            advance()
        # Runs of all skills: they come by skill.
        some = [rankings[run] for run in np.linspace(0, runs - 1, SAMPLED_RUNS).astype(int)]
        apart = np.triu_indices(SAMPLED_RUNS, 1)
        exact, bound = (pair_moments(some, relevance, exact=e).sp_variance[apart] for e in (True, False))
        advance()
    pairs = runs * (runs - 1) // 2
    yield Timings(seconds).median_ms(f"{name}: confidence of all {pairs:,} pairs", target)
    own_ms = 1000 * float(np.median(processor))
    yield Figure(f"{name}: confidence of all {pairs:,} pairs, median, time of all threads", own_ms, "ms")
    inflation = np.sqrt(bound / exact)
    yield Figure(
        f"{name}: the bound's deviation over the exact, median", float(np.median(inflation)), "times"
    )
    what = f"{name}: the bound's deviation over the exact"
    yield Figure(f"{what}, median", float(np.median(inflation)), "times")
    yield Figure(f"{what}, greatest", float(inflation.max()), "times")


def _growth(bench: Bench) -> Iterator[Figure]:
    size = Size(runs=max(GROWTH_RUNS), groups=78, topics=1)
    campaign, points = make_campaign(bench.seed, size), []
    steps = len(GROWTH_RUNS) * len(GROWTH_DEPTHS) * GROWTH_JUDGMENTS
    with bench.bar("MTC, growth", steps) as advance:
        for runs in GROWTH_RUNS:
            # Every n-th, so that each number has runs of all skills.
            some = campaign.rankings[0][:: size.runs // runs]
            for depth in GROWTH_DEPTHS:
                pool = _pool(some, depth)
                timings, _ = _replay(pool, runs, campaign.gains[0], {}, advance, GROWTH_JUDGMENTS)
                points.append((runs * depth, float(np.median(timings.processor))))
                what = f"MTC, {runs} runs, depth {depth}: judged and next chosen, own time"
                yield Figure(what, 1000 * points[-1][1], "ms")
    logs = np.log(np.array(points))
    slope = np.polyfit(logs[:, 0], logs[:, 1], 1)[0]
    yield at_most("MTC: growth, power of runs times depth", float(slope), "", STEEPEST)


def _replay(
    pool: TopicPool,
    runs: int,
    gains: FloatArray,
    options: Mapping[str, object],
    advance: Callable[[], object],
    judgments: int = JUDGMENTS,
) -> tuple[Timings, list[int]]:
    state = _state(pool, runs, options)
    seconds: list[float] = []
    processor: list[float] = []
    chosen: list[int] = []
    choice = state.best()
    while choice is not None and len(chosen) < judgments:
        chosen.append(choice.document)
        gain = float(gains[pool.documents[choice.document]])
        started, own = time.perf_counter(), time.thread_time()
        state.judge(0, choice.document, gain)
        choice = state.best()
        processor.append(time.thread_time() - own)
        seconds.append(time.perf_counter() - started)
        advance()
    return Timings(seconds, processor), chosen


def _state(pool: TopicPool, runs: int, options: Mapping[str, object]) -> CampaignState:
    everyone = np.ones(runs, dtype=np.bool_)
    return CampaignState(
        [pool],
        CampaignSpec(
            runs=runs, p=0.8, method="mtc", scope="campaign", contributing=everyone, options=options
        ),
    )


def _pool(rankings: Sequence[IntArray], depth: int) -> TopicPool:
    everyone = np.ones(len(rankings), dtype=np.bool_)
    return build_topic_pool([ranking[:depth] for ranking in rankings], 0.8, everyone)


def _by_index(pool: TopicPool, runs: int) -> list[IntArray]:
    """Each run's pool indices in rank order."""
    document = np.repeat(np.arange(len(pool)), np.diff(pool.start))
    order = np.lexsort((pool.rank, pool.run))
    return np.split(document[order], np.cumsum(np.bincount(pool.run, minlength=runs))[:-1])
