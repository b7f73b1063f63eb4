"""A campaign of the Million Query track's size, 24 runs and 10,000 topics: memory, and what a judgment
costs beside a campaign of 50 topics. Pools are made when they are asked for, as a worker reads them."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from selection.pool import Ids, Pools, TopicPool, build_topic_pool
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.bench.report import Figure, at_most
from tests.bench.setting import Bench

RUNS, DEPTH, DOCUMENTS = 24, 1000, 8000
FEW, MANY = 50, 10_000
VISITED, JUDGED_EACH, SWEPT = 200, 5, 2000
QUEUE, AHEAD = 256, 24
METHODS = ("C", "mtc")


@dataclass(frozen=True)
class Visit:
    """Milliseconds: making the campaign, the first queue of a topic, a judgment with what follows it."""

    opened: float
    first: float
    judgment: float
    megabytes: float


def bench_large(bench: Bench) -> Iterator[Figure]:
    for method in METHODS:
        few, many = (_apart(bench, method, topics) for topics in (FEW, MANY))
        name = f"{method}, {RUNS} runs × {MANY:,} topics × {DEPTH:,}"
        yield Figure(f"{name}: campaign opened", many.opened, "ms")
        yield Figure(f"{name}: a topic's first queue, pool made", many.first, "ms")
        yield Figure(f"{name}: judged, queue and look-ahead", many.judgment, "ms")
        ratio = many.judgment / few.judgment
        yield at_most(f"{name}: the same against {FEW} topics", ratio, "times", 1.5)
        yield at_most(f"{name}: memory of the process at its peak", many.megabytes, "MB", 2000)


def _apart(bench: Bench, method: str, topics: int) -> Visit:
    """In a process of its own, so that its memory is its own."""
    with (
        bench.bar(f"{method}, {topics:,} topics", 1) as advance,
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart,
    ):
        visit = apart.submit(visit_topics, bench.seed, method, topics).result()
        advance()
        return visit


def visit_topics(seed: int, method: str, topics: int) -> Visit:
    started = time.perf_counter()
    load = _loader(seed)
    pools = Pools(load, [RUNS * DEPTH] * topics, DEPTH)
    everyone = np.ones(RUNS, dtype=np.bool_)
    state = CampaignState(
        pools,
        CampaignSpec(runs=RUNS, p=0.8, method=method, scope="topic", contributing=everyone),
    )
    opened = time.perf_counter() - started
    rng = np.random.default_rng(seed)
    first, judged = [], []
    for topic in rng.permutation(topics)[:VISITED].tolist():
        first.append(_timed(state.queue, topic, QUEUE))
        judged += [_timed(_judge, state, topic, rng) for _ in range(JUDGED_EACH)]
    # Far more topics than are kept.
    for topic in range(min(topics, SWEPT)):
        state.queue(topic, QUEUE)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return Visit(1000 * opened, 1000 * float(np.median(first)), 1000 * float(np.median(judged)), peak)


def _judge(state: CampaignState, topic: int, rng: np.random.Generator) -> None:
    """What a worker does for a judgment: the queue, and the look-ahead for two grades."""
    document = int(state.queue(topic, 1).documents[0])
    state.judge(topic, document, float(rng.random() < 0.2))
    queue = state.queue(topic, QUEUE)
    for gain in (0.0, 1.0):
        state.queue(topic, AHEAD, after=(int(queue.documents[0]), gain))


def _loader(seed: int) -> Callable[[int], TopicPool]:
    everyone = np.ones(RUNS, dtype=np.bool_)

    def load(topic: int) -> TopicPool:
        rng = np.random.default_rng([seed, topic])
        shared = rng.standard_exponential(DOCUMENTS, dtype=np.float32)
        return build_topic_pool([_ranking(rng, shared) for _ in range(RUNS)], 0.8, everyone)

    return load


def _ranking(rng: np.random.Generator, shared: np.ndarray) -> Ids:
    scores = shared + rng.standard_normal(len(shared), dtype=np.float32)
    top = np.argpartition(-scores, DEPTH)[:DEPTH]
    return top[np.argsort(-scores[top])].astype(np.int32)


def _timed(do: Callable[..., object], *given: object) -> float:
    started = time.perf_counter()
    do(*given)
    return time.perf_counter() - started
