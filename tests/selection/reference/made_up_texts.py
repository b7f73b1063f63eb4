"""Texts of a collection as vectors of random terms."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from selection.framework.interface import Texts


def made_up_texts(topics: int, documents: list[int], terms: int = 6) -> Texts:
    random = np.random.default_rng(3)

    def vectors(rows: int) -> csr_array:
        counts = random.poisson(0.5, (rows, terms)).astype(np.float64)
        counts[:, 0] += np.arange(rows) % 3
        counts[counts.sum(axis=1) == 0, 1] = 1
        return csr_array(counts / np.sqrt((counts**2).sum(axis=1, keepdims=True)))

    return Texts(np.array(documents, dtype=np.int32), vectors(len(documents)), vectors(topics))
