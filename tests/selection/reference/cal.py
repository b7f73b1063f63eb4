"""Continuous active learning from its definition: every round trained again on dense vectors."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from zlib import crc32

import numpy as np
from sklearn.linear_model import LogisticRegression

from evaluation.arrays import FloatArray
from selection.framework.interface import Texts
from tests.selection.reference.adaptive import Order, SlowTopic, lightening

# Of the rounds that `growth` = 0.5 makes.
SIZES = [1, 2, 3, 5, 8, 12]


def continuous_learning(texts: Texts, presumed: int) -> Callable[[SlowTopic], Order]:
    """With `growth` = 0.5 and the seed 0."""
    vectors: FloatArray = np.asarray(texts.vectors.todense(), dtype=np.float64)
    words: FloatArray = np.asarray(texts.topics.todense(), dtype=np.float64)
    known = texts.documents.tolist()
    nothing = np.zeros(vectors.shape[1])

    def vector(document: int) -> FloatArray:
        return vectors[known.index(document)] if document in known else nothing

    trained: dict[tuple[object, ...], dict[int, float]] = {}

    def chances(topic: SlowTopic, number: int, met: list[int]) -> dict[int, float]:
        # Only so that the tests do not take minutes.
        key = topic.number, number, *((document, topic.relevant(document)) for document in met)
        if key not in trained:
            trained[key] = train(topic, number, met)
        return trained[key]

    def train(topic: SlowTopic, number: int, met: list[int]) -> dict[int, float]:
        others = [row for row, document in enumerate(known) if document not in met]
        seed = [0, topic.number, crc32(f"presumed not relevant, round {number}".encode())]
        drawn = np.random.default_rng(seed).choice(others, min(presumed, len(others)), replace=False)
        judged = [document for document in met if document in known]
        examples = [words[topic.number], *map(vector, judged), *vectors[drawn]]
        relevant = [True, *map(topic.relevant, judged), *[False] * len(drawn)]
        if all(relevant):
            return dict.fromkeys(topic.pool, 0.5)
        model = LogisticRegression(
            C=1e4 / len(examples), class_weight="balanced", solver="liblinear", max_iter=1000
        )
        model.fit(np.array(examples), np.array(relevant))
        found = model.predict_proba(np.array([vector(document) for document in topic.pool]))[:, 1]
        return dict(zip(topic.pool, found.tolist(), strict=True))

    def order_of(topic: SlowTopic) -> Order:
        met: list[int] = []
        for number, size in enumerate(SIZES):
            chance = chances(topic, number, met)
            place = {document: place for place, document in enumerate(topic.pool)}
            ranking = sorted(topic.pool, key=lambda d: (-float(f"{chance[d]:.8g}"), place[d]))
            batch = [d for d in ranking if d not in met and (d in topic.gains or d not in topic.passed)][
                :size
            ]
            first = next((at for at, d in enumerate(batch) if d not in topic.gains), None)
            if first is not None or len(batch) < size:
                break
            met += batch
        left = set(topic.open())
        return lightening([(document, Decimal(chance[document])) for document in ranking if document in left])

    return order_of
