"""Small sets of topics for the tests of topic selection."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.topics.lists import TopicLists
from selection.topics.performance import TopicSetting
from selection.topics.subset import PerformanceMatrix


def random_matrix(generator: np.random.Generator, runs: int, topics: int) -> PerformanceMatrix:
    skill = generator.random((runs, 1))
    mean = skill * generator.random(topics) + 0.3 * generator.random((runs, topics))
    return PerformanceMatrix(mean, 0.02 * generator.random((runs, topics)))


def random_lists(
    generator: np.random.Generator, runs: int, documents: int, depth: int, missing: float = 0.0
) -> TopicLists:
    """Good runs rank low-numbered documents first."""
    rankings: list[IntArray | None] = []
    scores: list[FloatArray | None] = []
    for run in range(runs):
        if generator.random() < missing:
            rankings.append(None)
            scores.append(None)
            continue
        noise = (0.2 + run / runs) * documents * generator.random(documents)
        rankings.append(np.argsort(np.arange(documents) + noise)[:depth])
        scores.append(np.sort(generator.random(depth))[::-1].copy())
    ranked = np.unique(
        np.concatenate([np.zeros(0, dtype=np.int64), *(one for one in rankings if one is not None)])
    )
    placed = [None if one is None else np.searchsorted(ranked, one) for one in rankings]
    return TopicLists(len(ranked), placed, scores)


def random_setting(
    seed: int, *, topics: int = 8, runs: int = 6, measures: tuple[str, ...] = ("AP",)
) -> tuple[TopicSetting, dict[int, FloatArray]]:
    """Topics, and complete judgments of each: the first documents are relevant."""
    generator = np.random.default_rng(seed)
    lists = [random_lists(generator, runs, 20, 12) for _ in range(topics)]
    setting = TopicSetting(lists, tuple(f"T{n}" for n in range(topics)), measures, seed)
    judged = {
        n: (np.arange(one.documents) < generator.integers(2, 9)).astype(float) for n, one in enumerate(lists)
    }
    return setting, judged
