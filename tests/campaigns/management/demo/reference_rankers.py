"""Rankers once more, slowly: plain loops over counted words, from the papers' formulas."""

from __future__ import annotations

from collections import Counter
from math import log, sqrt

Bag = Counter[str]


class SlowIndex:
    def __init__(self, texts: list[str]) -> None:
        self.bags: list[Bag] = [Counter(text.split()) for text in texts]
        self.n = len(texts)
        self.lengths = [sum(bag.values()) for bag in self.bags]
        self.average = sum(self.lengths) / self.n

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
        score += query[term] * idf * tf / (tf + norm)
    return score


def cosine(index: SlowIndex, query: Bag, d: int) -> float:
    """With the smoothed idf of scikit-learn, which counts one document more."""

    def vector(bag: Bag) -> dict[str, float]:
        return {
            term: (1 + log(tf)) * (1 + log((1 + index.n) / (1 + index.df(term)))) for term, tf in bag.items()
        }

    q, document = vector(query), vector(index.bags[d])
    dot = sum(q[term] * document.get(term, 0) for term in q)
    return dot / sqrt(sum(v * v for v in q.values())) / sqrt(sum(v * v for v in document.values()))
