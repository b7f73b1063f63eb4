"""The rankers once more, slowly: plain loops over counted words, from the papers' formulas."""

from __future__ import annotations

from collections import Counter
from math import exp, inf, log, log2, pi, sqrt

Bag = Counter[str]


class SlowIndex:
    def __init__(self, texts: list[str]) -> None:
        self.bags: list[Bag] = [Counter(text.split()) for text in texts]
        self.n = len(texts)
        self.lengths = [sum(bag.values()) for bag in self.bags]
        self.average = sum(self.lengths) / self.n
        self.all: Bag = sum(self.bags, Counter())
        self.total = sum(self.lengths)

    def df(self, term: str) -> int:
        return sum(term in bag for bag in self.bags)

    def shared(self, query: Bag, document: int) -> list[str]:
        return [term for term in query if term in self.bags[document]]


def bm25(index: SlowIndex, query: Bag, d: int, k1: float, b: float) -> float:
    score = 0.0
    for term in index.shared(query, d):
        tf, df = index.bags[d][term], index.df(term)
        idf = log(1 + (index.n - df + 0.5) / (df + 0.5))
        norm = k1 * ((1 - b) + b * index.lengths[d] / index.average)
        score += query[term] * idf * tf * (k1 + 1) / (tf + norm)
    return score if index.shared(query, d) else -inf


def dph(index: SlowIndex, query: Bag, d: int) -> float:
    score = 0.0
    for term in index.shared(query, d):
        tf, length = index.bags[d][term], index.lengths[d]
        f = min(tf / length, 1 - 1e-9)
        ratio = tf * index.average / length * index.n / index.all[term]
        score += (
            query[term] * (1 - f) ** 2 / (tf + 1) * (tf * log2(ratio) + 0.5 * log2(2 * pi * tf * (1 - f)))
        )
    return score if index.shared(query, d) else -inf


def dirichlet(index: SlowIndex, query: dict[str, float], d: int, mu: float) -> float:
    """log P(q|d) less the log-likelihood of the query in the collection, which ranks nothing."""
    if not any(term in index.bags[d] for term, weight in query.items() if weight):
        return -inf
    score = 0.0
    for term, weight in query.items():
        background = index.all[term] / index.total
        smoothed = (index.bags[d][term] + mu * background) / (index.lengths[d] + mu)
        score += weight * (log(smoothed) - log(background))
    return score


def jelinek_mercer(index: SlowIndex, query: Bag, d: int, share: float) -> float:
    """log P(q|d) less what a document without any of the words would have."""
    if not index.shared(query, d):
        return -inf
    score = 0.0
    for term, count in query.items():
        background = share * index.all[term] / index.total
        own = (1 - share) * index.bags[d][term] / index.lengths[d]
        score += count * (log(own + background) - log(background))
    return score


def relevance_model(
    index: SlowIndex, query: Bag, mu: float, feedback: int, terms: int, original: float
) -> list[float]:
    first = [dirichlet(index, dict(query), d, mu) for d in range(index.n)]
    best = sorted((d for d in range(index.n) if first[d] > -inf), key=lambda d: (-first[d], d))[:feedback]
    model: dict[str, float] = {}
    for d in best:
        for term, tf in index.bags[d].items():
            model[term] = model.get(term, 0) + exp(first[d]) * tf / index.lengths[d]
    kept = dict(sorted(model.items(), key=lambda item: (-item[1], item[0]))[:terms])
    wanted: dict[str, float] = {}
    for source, share in ((dict(query), original), (kept, 1 - original)):
        for term, weight in source.items():
            wanted[term] = wanted.get(term, 0) + share * weight / sum(source.values())
    return [dirichlet(index, wanted, d, mu) for d in range(index.n)]


def cosine(index: SlowIndex, query: Bag, d: int) -> float:
    def vector(bag: Bag) -> dict[str, float]:
        return {term: (1 + log(tf)) * log(index.n / index.df(term)) for term, tf in bag.items()}

    q, document = vector(query), vector(index.bags[d])
    dot = sum(q[term] * document.get(term, 0) for term in q)
    norms = sqrt(sum(v * v for v in q.values())) * sqrt(sum(v * v for v in document.values()))
    return dot / norms if dot > 0 else -inf
