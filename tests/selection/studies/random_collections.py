"""Small collections for the tests of studies: good runs rank low-numbered documents first."""

from __future__ import annotations

import numpy as np

from selection.studies.known_collection import KnownCollection, KnownTopic


def random_collection(
    seed: int,
    *,
    runs: int = 6,
    topics: int = 5,
    documents: int = 30,
    depth: int = 15,
    relevant: int = 6,
    named: float = 1.0,
    missing: float = 0.0,
    groups: int | None = None,
) -> KnownCollection:
    """Lists of `depth` documents. The first `relevant` documents are relevant, the first topic has none;
    `named`: the share of the others that the qrels name; `missing`: the chance that a run misses a topic."""
    generator = np.random.default_rng(seed)
    made = []
    for topic in range(topics):
        gains = np.where(generator.random(documents) < named, 0.0, np.nan)
        gains[: relevant if topic else 0] = 1.0
        rankings = []
        for run in range(runs):
            noise = (0.2 + run / runs) * documents * generator.random(documents)
            order = np.argsort(np.arange(documents) + noise)[:depth].astype(np.int32)
            rankings.append(None if generator.random() < missing else order)
        scores = [None if one is None else -np.arange(float(len(one))) for one in rankings]
        made.append(KnownTopic(f"T{topic}", rankings, scores, gains, np.zeros(0)))
    names = tuple(f"r{run}" for run in range(runs))
    return KnownCollection(names, made, np.arange(runs) % (groups or runs))
