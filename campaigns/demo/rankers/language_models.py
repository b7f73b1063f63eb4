"""Query likelihood: how probable a document's own language makes the query (Zhai and Lafferty, 2004)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from campaigns.demo.index import Floats, Index, Ints
from campaigns.demo.rankers.matching import sum_over_terms


def dirichlet(index: Index, queries: sparse.csr_array, *, mu: float = 500.0) -> Floats:
    """Smoothing with `mu` pseudo-words of the collection: short documents lean on it more."""
    probability = index.collection_frequencies / index.collection_frequencies.sum()

    def weight(occurrences: Floats, document: Ints, term: Ints) -> Floats:
        gain: Floats = np.log1p(occurrences / (mu * probability[term]))
        return gain

    scores = sum_over_terms(index, queries, weight)
    query_lengths = np.asarray(queries.sum(axis=1), dtype=float)
    return scores + np.outer(query_lengths, np.log(mu / (mu + index.lengths)))


def jelinek_mercer(index: Index, queries: sparse.csr_array, *, share: float = 0.5) -> Floats:
    """Smoothing with a fixed `share` of the collection's language in every document."""
    probability = index.collection_frequencies / index.collection_frequencies.sum()

    def weight(occurrences: Floats, document: Ints, term: Ints) -> Floats:
        own = occurrences / index.lengths[document]
        gain: Floats = np.log1p((1 - share) / share * own / probability[term])
        return gain

    return sum_over_terms(index, queries, weight)


def relevance_model(
    index: Index, queries: sparse.csr_array, *, feedback: int = 10, terms: int = 25, original: float = 0.5
) -> Floats:
    """Pseudo-relevance feedback, RM3 (Abdul-Jaleel et al., TREC 2004): take the first `feedback`
    documents for relevant, add their `terms` likeliest terms to the query, and search again."""
    first = dirichlet(index, queries)
    likelihood = sparse.csr_array(index.counts.T / index.lengths.clip(min=1))
    rows = []
    for number in range(queries.shape[0]):
        best = np.argsort(-first[number], kind="stable")[:feedback]
        best = best[np.isfinite(first[number, best])]
        trust = np.exp(first[number, best] - first[number, best].max(initial=-np.inf))
        model = np.asarray(likelihood[:, best] @ (trust / trust.sum() if len(best) else trust))
        model[np.argsort(-model, kind="stable")[terms:]] = 0
        query = queries[[number]].toarray()[0]
        rows.append(original * _shares(query) + (1 - original) * _shares(model))
    return dirichlet(index, sparse.csr_array(np.array(rows)))


def _shares(values: Floats) -> Floats:
    total = values.sum()
    return values / total if total else values
