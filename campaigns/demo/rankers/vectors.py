"""Documents and queries as vectors, compared by their angle."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from campaigns.demo.index import Floats, Index, Ints


def cosine(index: Index, queries: sparse.csr_array) -> Floats:
    """Logarithmic counts times idf, both sides of unit length (Salton and Buckley's ltc.ltc, 1988)."""
    idf = _idf(index)
    scores = _weighted(queries, idf) @ _weighted(index.counts, idf).T
    dense = np.asarray(scores.toarray(), dtype=float)
    return np.where(dense > 0, dense, -np.inf)


def latent_semantic(index: Index, queries: sparse.csr_array, *, dimensions: int = 100) -> Floats:
    """The same in the space of the strongest `dimensions` (Deerwester et al., 1990): every document is
    somewhere near every query, so that words in common are not needed."""
    idf = _idf(index)
    documents = _weighted(index.counts, idf)
    # A fixed start makes the iteration, and with it the run, the same every time.
    start = np.ones(min(documents.shape))
    _, _, directions = svds(documents, k=min(dimensions, min(documents.shape) - 1), v0=start)
    places = _unit(np.asarray(documents @ directions.T))
    asked = _unit(np.asarray(_weighted(queries, idf) @ directions.T))
    scores: Floats = asked @ places.T
    scores[np.asarray(queries.sum(axis=1)) == 0] = -np.inf
    return scores


def _idf(index: Index) -> Floats:
    return np.log(len(index.lengths) / index.document_frequencies)


def _weighted(counts: sparse.csr_array | sparse.csc_array, idf: Floats) -> sparse.csr_array:
    rows = sparse.csr_array(counts)
    values = (1 + np.log(rows.data)) * idf[rows.indices]
    lengths = np.sqrt(np.bincount(_row_of_each(rows), values**2, rows.shape[0]))
    values = values / np.where(lengths > 0, lengths, 1)[_row_of_each(rows)]
    return sparse.csr_array((values, rows.indices, rows.indptr), shape=rows.shape)


def _row_of_each(rows: sparse.csr_array) -> Ints:
    return np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)
