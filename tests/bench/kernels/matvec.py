"""The plain way: all weights again after each judgment, as one sparse product C @ f."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from scipy import sparse

from evaluation.arrays import FloatArray
from evaluation.measures.weights import rank_weights
from selection.pool import TopicPool


class FullRecompute:
    """Method C in campaign scope, by full products; `seconds` has each step's time."""

    def __init__(self, pools: Sequence[TopicPool], runs: int, p: float) -> None:
        share = np.concatenate([[0.0], rank_weights(p, max(pool.depth for pool in pools))])
        self._offset = np.cumsum([0, *(len(pool) for pool in pools)])
        entries = np.cumsum([0, *(len(pool.run) for pool in pools)])
        starts = [pool.start[:-1] + entry for pool, entry in zip(pools, entries, strict=False)]
        self._matrix = sparse.csr_array(
            (
                np.concatenate([share[pool.rank] for pool in pools]),
                np.concatenate([pool.run.astype(np.int32) for pool in pools]),
                np.concatenate([*starts, entries[-1:]]),
            ),
            shape=(int(self._offset[-1]), runs),
        )
        self._topics = len(pools)
        self.seconds: list[float] = []

    def replay(
        self, gains: Sequence[FloatArray], steps: int, progress: Callable[[], object]
    ) -> list[tuple[int, int]]:
        base, residual = np.zeros(self._matrix.shape[1]), np.ones(self._matrix.shape[1])
        judged = np.zeros(self._matrix.shape[0], dtype=np.bool_)
        chosen = []
        for _ in range(steps):
            started = time.perf_counter()
            weights = self._matrix @ (residual * (base + residual / 2) ** 3)
            weights[judged] = -1.0
            place = int(weights.argmax())
            topic = int(np.searchsorted(self._offset, place, side="right")) - 1
            document = place - int(self._offset[topic])
            row = slice(self._matrix.indptr[place], self._matrix.indptr[place + 1])
            run, change = self._matrix.indices[row], self._matrix.data[row] / self._topics
            residual[run] -= change
            base[run] += change * gains[topic][document]
            judged[place] = True
            self.seconds.append(time.perf_counter() - started)
            chosen.append((topic, document))
            progress()
        return chosen
