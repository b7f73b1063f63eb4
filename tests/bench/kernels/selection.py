"""Choosing documents: one judgment applied and the next document chosen, queues, memory, replay."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import cycle

import numpy as np

from evaluation.arrays import FloatArray
from selection.framework.interface import SelectionScope
from selection.pool import TopicPool
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.bench.kernels.matvec import FullRecompute
from tests.bench.report import Figure, Timings, at_least, at_most
from tests.bench.setting import Bench

Choices = list[tuple[int, int]]
QUEUE, AHEAD = 256, 24
RECOMPUTED = 60
PERSISTENCES = (0.8, 0.95)
# Milliseconds to reach for one judgment: median and 99th percentile.
TARGETS: dict[SelectionScope, tuple[float, float | None]] = {"campaign": (0.5, 5.0), "topic": (0.1, None)}


def bench_selection(bench: Bench) -> Iterator[Figure]:
    for p in PERSISTENCES:
        pools = bench.campaign.pools(p)
        gains = [gain[pool.documents] for gain, pool in zip(bench.campaign.gains, pools, strict=True)]
        name = f"C, p = {p:g}"
        yield from _sizes(bench, p, name)
        full = FullRecompute(pools, bench.size.runs, p)
        with bench.bar(f"{name}, recomputing all", RECOMPUTED) as advance:
            expected = full.replay(gains, RECOMPUTED, advance)
        yield Timings(full.seconds).median_ms(f"{name}: recomputing C @ f and choosing")
        for scope, targets in TARGETS.items():
            state = _state(bench, pools, p, scope)
            with bench.bar(f"{name}, {scope} scope", bench.judgments) as advance:
                timings, chosen = _replay(state, gains, bench.judgments, advance)
            what = f"{name}, {scope} scope"
            yield timings.median_ms(f"{what}: judged and next chosen", targets[0])
            yield timings.p99_ms(f"{what}: judged and next chosen", targets[1])
            yield timings.processor_p99_ms(f"{what}: judged and next chosen")
            if scope == "campaign":
                yield from _compared(name, full, timings, expected, chosen)
            yield from _queues(state, what)


def _sizes(bench: Bench, p: float, name: str) -> Iterator[Figure]:
    """Built once more, with its allocations counted, which would slow down what is timed."""
    tracemalloc.start()
    pools = bench.campaign.pools(p)
    state = _state(bench, pools, p, "campaign")
    state.best()
    for topic in range(len(pools)):
        state.queue(topic, QUEUE)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    yield Figure(f"{name}: pooled documents", sum(map(len, pools)), "documents")
    yield Figure(f"{name}: occurrences in runs", sum(len(pool.run) for pool in pools), "entries")
    yield at_most(f"{name}: memory of pools, state and all filled lists", held / 1e6, "MB", 150)


def _compared(
    name: str, full: FullRecompute, timings: Timings, expected: Choices, chosen: Choices
) -> Iterator[Figure]:
    judged, seconds = len(timings.seconds), sum(timings.seconds)
    yield Figure(f"{name}, campaign scope: replay of {judged:,} judgments", seconds, "s")
    ratio = float(np.median(full.seconds)) * judged / seconds
    yield at_least(f"{name}, campaign scope: replay, times faster than recomputing", ratio, "times", 20)
    same = sum(a == b for a, b in zip(chosen, expected, strict=False))
    yield at_least(f"{name}: the same choices as recomputing", 100 * same / len(expected), "%", 100)


def _state(bench: Bench, pools: list[TopicPool], p: float, scope: SelectionScope) -> CampaignState:
    everyone = np.ones(bench.size.runs, dtype=np.bool_)
    return CampaignState(
        pools,
        CampaignSpec(runs=bench.size.runs, p=p, method="C", scope=scope, contributing=everyone),
    )


def _replay(
    state: CampaignState, gains: list[FloatArray], judgments: int, advance: Callable[[], object]
) -> tuple[Timings, Choices]:
    seconds, processor, chosen = [], [], []
    choice = state.best()
    for _ in range(judgments):
        if choice is None:
            break
        chosen.append((choice.topic, choice.document))
        gain = float(gains[choice.topic][choice.document])
        started, own = time.perf_counter(), time.thread_time()
        state.judge(choice.topic, choice.document, gain)
        choice = state.best()
        processor.append(time.thread_time() - own)
        seconds.append(time.perf_counter() - started)
        advance()
    return Timings(seconds, processor), chosen


def _queues(state: CampaignState, what: str) -> Iterator[Figure]:
    topics = range(len(state.pools))
    first, again = ([_timed(state, topic, QUEUE) for topic in topics] for _ in range(2))
    ahead = []
    for topic, gain in zip(topics, cycle([0.0, 1.0, None]), strict=False):
        document = int(state.queue(topic, 1).documents[0])
        ahead.append(_timed(state, topic, AHEAD, after=(document, gain)))
    yield Timings(first).median_ms(f"{what}: a topic's queue of {QUEUE}, its list not filled")
    yield Timings(again).median_ms(f"{what}: a topic's queue of {QUEUE}", 1.0)
    yield Timings(ahead).median_ms(f"{what}: look-ahead for one grade, {AHEAD} documents")


def _timed(
    state: CampaignState, topic: int, limit: int, after: tuple[int, float | None] | None = None
) -> float:
    started = time.perf_counter()
    state.queue(topic, limit, after=after)
    return time.perf_counter() - started
