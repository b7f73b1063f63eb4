"""Small collections whose relevance is known, for tests of studies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from selection.studies.known_collection import KnownCollection, KnownTopic

# Table 1 of Moffat, Webber and Zobel 2007.
TABLE_1 = (
    (18, 22, 15, 13, 11, 25, 10, 84),
    (22, 10, 11, 19, 38, 18, 33, 17),
    (21, 35, 16, 11, 38, 33, 18, 17),
    (10, 18, 11, 22, 87, 13, 17, 20),
)


def known_topic(
    number: str,
    rankings: Sequence[Sequence[int] | None],
    gains: Sequence[float],
    unranked: Sequence[float] = (),
) -> KnownTopic:
    lists = [None if one is None else np.array(one, np.int32) for one in rankings]
    scores = [None if one is None else -np.arange(len(one), dtype=np.float64) for one in rankings]
    return KnownTopic(number, lists, scores, np.array(gains, np.float64), np.array(unranked, np.float64))


def known_collection(topics: Sequence[KnownTopic]) -> KnownCollection:
    runs = len(topics[0].rankings)
    return KnownCollection(tuple(f"r{run}" for run in range(runs)), topics, np.arange(runs))


def random_collection(seed: int, runs: int = 6, topics: int = 3, documents: int = 12) -> KnownCollection:
    """Gains 0, 0.5 and 1, documents that are not judged, short lists, and a run that misses a topic."""
    rng = np.random.default_rng(seed)
    made = []
    for topic in range(topics):
        lists: list[list[int] | None] = [
            rng.permutation(documents)[: int(rng.integers(5, documents + 1))].tolist() for _ in range(runs)
        ]
        if topic == 0:
            lists[0] = None
        gains = rng.choice([0.0, 0.5, 1.0, np.nan], size=documents, p=[0.5, 0.1, 0.2, 0.2])
        made.append(known_topic(str(topic), lists, gains.tolist(), [1.0] if topic == 1 else []))
    return known_collection(made)


def graded_collection(seed: int, runs: int = 6, topics: int = 12, documents: int = 20) -> KnownCollection:
    """All judged; the relevant documents come first, with more noise from run to run."""
    rng = np.random.default_rng(seed)
    made = []
    for topic in range(topics):
        gains = (np.arange(documents) < 2 + topic % 4).astype(np.float64)
        noise = [documents * (0.05 + 2 * run / runs) * rng.random(documents) for run in range(runs)]
        lists = [np.argsort(np.arange(documents) + one).tolist() for one in noise]
        made.append(known_topic(str(topic), lists, gains.tolist()))
    return known_collection(made)
