"""Selection from its definition, in rational numbers and nothing incremental; and random campaigns."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from selection.framework.interface import SelectionScope
from selection.pool import TopicPool, build_topic_pool
from selection.specification import CampaignSpec
from selection.state import CampaignState

# rankings[topic][run] = document ids in rank order; ids ascend as docnos do.
Rankings = list[list[list[int]]]


class Row(NamedTuple):
    """A document as the serving order sorts it; `tie` is -(Method-A weight), or the run in pooling."""

    lightness: Decimal
    tie: Decimal
    topic: int
    document: int


class SlowCampaign:
    def __init__(self, rankings: Rankings, p: str, method: str, scope: str, contributing: list[bool]) -> None:
        self.rankings, self.p, self.method, self.scope = rankings, Fraction(p), method, scope
        self.contributing = contributing
        self.runs = len(contributing)
        self.gains: dict[tuple[int, int], Fraction] = {}

    def share(self, rank: int) -> Fraction:
        return (1 - self.p) * self.p ** (rank - 1)

    def bounds(self, topic: int, run: int) -> tuple[Fraction, Fraction]:
        ranking = self.rankings[topic][run]
        base, residual = Fraction(0), self.p ** len(ranking)
        for rank, document in enumerate(ranking, start=1):
            if (topic, document) in self.gains:
                base += self.share(rank) * self.gains[topic, document]
            else:
                residual += self.share(rank)
        return base, residual

    def factors(self, topic: int) -> list[Fraction]:
        topics = [topic] if self.scope == "topic" else range(len(self.rankings))
        factors = []
        for run in range(self.runs):
            bounds = [self.bounds(t, run) for t in topics]
            base = sum((b for b, _ in bounds), Fraction(0)) / len(bounds)
            residual = sum((r for _, r in bounds), Fraction(0)) / len(bounds)
            factors.append(
                {"B": residual, "C": residual * (base + residual / 2) ** 3}.get(self.method, Fraction(1))
            )
        return factors

    def order(self, topic: int) -> list[Row]:
        """Unjudged documents of positive weight in serving order."""
        factors = self.factors(topic)
        parts: dict[int, list[tuple[int, int]]] = {}
        for run, ranking in enumerate(self.rankings[topic]):
            for rank, document in enumerate(ranking, start=1):
                if self.contributing[run] and (topic, document) not in self.gains:
                    parts.setdefault(document, []).append((rank, run))
        return sorted(self.row(topic, document, at, factors) for document, at in parts.items())

    def row(self, topic: int, document: int, at: list[tuple[int, int]], factors: list[Fraction]) -> Row:
        if self.method == "pooling":
            rank, run = min(at)
            return Row(-rounded(self.share(rank)), Decimal(run), topic, document)
        weight = sum((self.share(rank) * factors[run] for rank, run in at), Fraction(0))
        method_a = sum((self.share(rank) for rank, _ in at), Fraction(0))
        return Row(-rounded(weight), -rounded(method_a), topic, document)

    def best(self) -> Row | None:
        heads = [order[0] for topic in range(len(self.rankings)) if (order := self.order(topic))]
        return min(heads, default=None)


def rounded(value: Fraction) -> Decimal:
    context = Context(prec=12)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def pools_of(rankings: Rankings, p: float, contributing: list[bool]) -> list[TopicPool]:
    arrays = [[np.array(ranking, dtype=np.int32) for ranking in topic] for topic in rankings]
    return [build_topic_pool(topic, p, np.array(contributing)) for topic in arrays]


def state_of(
    rankings: Rankings,
    p: str,
    method: str,
    scope: SelectionScope,
    contributing: list[bool],
    batch: int = 1,
    options: Mapping[str, object] | None = None,
) -> CampaignState:
    return CampaignState(
        pools_of(rankings, float(p), contributing),
        CampaignSpec(
            runs=len(contributing),
            p=float(p),
            method=method,
            scope=scope,
            contributing=np.array(contributing),
            batch=batch,
            options=options,
        ),
    )


@st.composite
def campaigns(draw: st.DrawFn) -> tuple[Rankings, list[bool]]:
    """Two or three topics, up to five runs, short and missing lists, runs outside the pool."""
    runs = draw(st.integers(1, 5))
    document = st.integers(0, 14)
    ranking = st.lists(document, max_size=8, unique=True)
    topics = draw(st.lists(st.lists(ranking, min_size=runs, max_size=runs), min_size=1, max_size=3))
    contributing = draw(st.lists(st.sampled_from([True, True, False]), min_size=runs, max_size=runs))
    return topics, contributing


methods = st.sampled_from(["pooling", "A", "B", "C"])
scopes: st.SearchStrategy[SelectionScope] = st.sampled_from(["campaign", "topic"])
persistences = st.sampled_from(["0.5", "0.8", "0.95"])
gains = st.sampled_from([0.0, 0.5, 1.0])
