"""Choosing topics: γ and the greedy choice beside plain recomputation, and a whole Adaptive order."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from evaluation.arrays import FloatArray
from selection.topics.lists import TopicLists
from selection.topics.methods import make_topic_method, order_topics
from selection.topics.performance import TopicSetting
from selection.topics.subset import Covariances, GrowingSubset, PerformanceMatrix
from tests.bench.report import Figure, at_least, at_most
from tests.bench.setting import Bench

# Of the matrix: the size of Robust 2004.
TOPICS, RUNS = 250, 110
# Steps that are recomputed: all of them would take minutes.
RECOMPUTED = 10
DEPTH = 100


def bench_topics(bench: Bench) -> Iterator[Figure]:
    yield from _greedy(np.random.default_rng(bench.seed))
    yield from _order(bench)


def _greedy(generator: np.random.Generator) -> Iterator[Figure]:
    skill = generator.random((RUNS, 1))
    mean = skill * generator.random(TOPICS) + 0.2 * generator.random((RUNS, TOPICS))
    matrix = PerformanceMatrix(mean, 0.01 * generator.random((RUNS, TOPICS)))
    began = time.perf_counter()
    growing = GrowingSubset(Covariances(matrix))
    for _ in range(TOPICS):
        growing.add(int(np.nanargmax(growing.gammas())))
    step = (time.perf_counter() - began) / TOPICS
    name = f"Topics, {TOPICS} x {RUNS}"
    yield at_most(f"{name}: γ of each topic, and the best added", 1000 * step, "ms", 20)
    began = time.perf_counter()
    chosen: list[int] = []
    for _ in range(RECOMPUTED):
        chosen.append(_recomputed(matrix, chosen))
    plain = (time.perf_counter() - began) / RECOMPUTED
    yield Figure(f"{name}: the same choices", 100.0 * (chosen == growing.chosen[:RECOMPUTED]), "%")
    yield at_least(f"{name}: times as fast as equation 5 from scratch", plain / step, "times", 20)


def _recomputed(matrix: PerformanceMatrix, chosen: list[int]) -> int:
    """Equation 5, with the whole covariance matrix, for every topic."""
    sigma = np.cov(matrix.mean, rowvar=False)
    both = sigma + np.diag(matrix.variance.mean(axis=0))
    values: FloatArray = np.full(matrix.topics, -np.inf)
    for topic in range(matrix.topics):
        if topic not in chosen:
            d = np.zeros(matrix.topics)
            d[[*chosen, topic]] = 1
            values[topic] = (sigma @ d).sum() / np.sqrt(d @ both @ d)
    return int(values.argmax())


def _order(bench: Bench) -> Iterator[Figure]:
    campaign = bench.campaign
    lists, judged = [], {}
    for topic, (rankings, gains) in enumerate(zip(campaign.rankings, campaign.gains, strict=True)):
        documents = np.unique(np.concatenate([ranking[:DEPTH] for ranking in rankings]))
        placed = [np.searchsorted(documents, ranking[:DEPTH]) for ranking in rankings]
        scores = [np.arange(len(one), 0, -1, dtype=np.float64) for one in placed]
        lists.append(TopicLists(len(documents), placed, scores))
        judged[topic] = gains[documents]
    setting = TopicSetting(lists, tuple(str(topic) for topic in range(len(lists))))
    # In a process of its own, whose highest memory is that of this work and of what it imports.
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        seconds, peak = pool.submit(_measured_order, setting, judged).result()
    name = f"Topics, Adaptive, {len(lists)} topics x {campaign.size.runs} runs, depth {DEPTH}"
    yield at_most(f"{name}: all chosen, processor time", seconds, "s", 300)
    yield at_most(f"{name}: memory of the process at the peak", peak / 1e6, "MB", 1000)


def _measured_order(setting: TopicSetting, judged: Mapping[int, FloatArray]) -> tuple[float, float]:
    """Seconds of processor time, and bytes."""
    began = time.process_time()
    order_topics(make_topic_method("adaptive", setting), judged, len(setting.topics))
    return time.process_time() - began, 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
