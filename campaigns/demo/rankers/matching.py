"""What most rankers do: sum a weight over the terms that a query and a document share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from campaigns.demo.index import Floats, Index, Ints

# (occurrences, document of each, term of each) -> weight of each; arrays of one length.
TermWeight = Callable[[Floats, Ints, Ints], Floats]


def sum_over_terms(index: Index, queries: sparse.csr_array, weight: TermWeight) -> Floats:
    """Scores, shape (queries, documents): each shared term's weight times its weight in the query.

    Documents that share no term with a query are not retrieved: their score is -inf.
    """
    used = np.unique(queries.indices)
    counts = index.counts[:, used].tocoo()
    weights = weight(counts.data, counts.row, used[counts.col])
    weighted = sparse.csr_array((weights, (counts.row, counts.col)), shape=counts.shape)
    narrowed = queries[:, used]
    scores = np.asarray((narrowed @ weighted.T).toarray(), dtype=float)
    scores[matched_terms(index, queries) == 0] = -np.inf
    return scores


def matched_terms(index: Index, queries: sparse.csr_array) -> Floats:
    """How many different terms of each query each document has, shape (queries, documents)."""
    used = np.unique(queries.indices)
    present = (queries[:, used] > 0).astype(float) @ (index.counts[:, used] > 0).astype(float).T
    return np.asarray(present.toarray(), dtype=float)
