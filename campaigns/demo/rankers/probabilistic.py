from __future__ import annotations

import numpy as np
from scipy import sparse

from campaigns.demo.index import Floats, Index, Ints
from campaigns.demo.rankers.matching import sum_over_terms


def bm25(index: Index, queries: sparse.csr_array, *, k1: float = 1.2, b: float = 0.75) -> Floats:
    """Okapi BM25 (Robertson et al., TREC-3, 1994), with an idf that stays positive for common terms.

    `k1` says how much a term's repetitions still add, `b` how far long documents are held back.
    """
    documents = len(index.lengths)
    frequencies = index.document_frequencies
    idf: Floats = np.log1p((documents - frequencies + 0.5) / (frequencies + 0.5))
    norm = k1 * (1 - b + b * index.lengths / index.lengths.mean())

    def weight(occurrences: Floats, document: Ints, term: Ints) -> Floats:
        weights: Floats = idf[term] * occurrences * (k1 + 1) / (occurrences + norm[document])
        return weights

    return sum_over_terms(index, queries, weight)


def divergence_from_randomness(index: Index, queries: sparse.csr_array) -> Floats:
    """DPH (Amati et al., TREC 2007): hypergeometric, Popper's normalisation, no parameter to set."""
    lengths = index.lengths
    collection = len(lengths) * lengths.mean() / index.collection_frequencies

    def weight(occurrences: Floats, document: Ints, term: Ints) -> Floats:
        share = np.minimum(occurrences / lengths[document], 1 - 1e-9)
        relative = occurrences * collection[term] / lengths[document]
        spread: Floats = 0.5 * np.log2(2 * np.pi * occurrences * (1 - share))
        risk: Floats = (1 - share) ** 2 / (occurrences + 1)
        gain: Floats = risk * (occurrences * np.log2(relative) + spread)
        return gain

    return sum_over_terms(index, queries, weight)
