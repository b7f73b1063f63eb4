"""Move-to-front, Hedge, MaxMean and MM-NS from their definitions, from nothing for every question; and a
comparison of any of them with the state through random acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

from selection.framework.interface import SelectionScope, Texts
from selection.pool import TopicPool, build_topic_pool
from selection.rounding import round_significant
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.campaign import Rankings, pools_of

Order = list[tuple[int, Decimal]]
Campaign = tuple[Rankings, list[bool]]
acts = st.sampled_from(["judge", "judge", "judge", "best", "best", "best", "withdraw", "pass over", "close"])
some_gains = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@dataclass
class SlowTopic:
    """A topic as a method sees it: the contributing runs, its documents in pool order, what is known.

    `unranked`: whether documents that no such run ranks may be served.
    """

    rankings: list[list[int]]
    pool: list[int]
    gains: dict[int, float] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)
    number: int = 0
    unranked: bool = False

    def relevant(self, document: int) -> bool:
        return self.gains[document] > 0

    def open(self) -> list[int]:
        ranked = {document for ranking in self.rankings for document in ranking}
        some = [document for document in self.pool if self.unranked or document in ranked]
        return [document for document in some if document not in self.gains.keys() | self.passed]


def lightening(order: Order) -> Order:
    """With weights that do not rise again."""
    return [(document, min(weight for _, weight in order[: k + 1])) for k, (document, _) in enumerate(order)]


def move_to_front(topic: SlowTopic) -> Order:
    lowered, position = [0] * len(topic.rankings), [0] * len(topic.rankings)
    presumed: set[int] = set()
    order: Order = []
    while left := [run for run, ranking in enumerate(topic.rankings) if position[run] < len(ranking)]:
        run = min(left, key=lambda run: (lowered[run], run))
        document = topic.rankings[run][position[run]]
        position[run] += 1
        if document in topic.gains:
            lowered[run] = 0 if topic.relevant(document) else lowered[run] + 1
        elif document not in topic.passed:
            if document not in presumed:
                order.append((document, Decimal(1) / (1 + lowered[run])))
                presumed.add(document)
            lowered[run] += 1
    return lightening(order)


def max_mean(rho: str) -> Callable[[SlowTopic], Order]:
    def order_of(topic: SlowTopic) -> Order:
        record: list[list[Fraction]] = [[] for _ in topic.rankings]
        seen: set[int] = set()
        order: Order = []
        while left := [run for run, ranking in enumerate(topic.rankings) if set(ranking) - seen]:
            run = min(left, key=lambda run: (-mean(record[run], Fraction(rho)), run))
            document = next(d for d in topic.rankings[run] if d not in seen)
            seen.add(document)
            if document in topic.passed and document not in topic.gains:
                continue
            if document not in topic.gains:
                weight = mean(record[run], Fraction(rho))
                order.append((document, Decimal(weight.numerator) / weight.denominator))
            for ranking, results in zip(topic.rankings, record, strict=True):
                if document in ranking:
                    results.append(Fraction(document in topic.gains and topic.relevant(document)))
        return lightening(order)

    return order_of


def mean(results: list[Fraction], rho: Fraction) -> Fraction:
    """The latest result counts 1, the one before rho, and so on."""
    powers = [rho**age for age in range(len(results))]
    hits = sum((power * x for power, x in zip(powers, reversed(results), strict=True)), Fraction(0))
    return (1 + hits) / (2 + sum(powers))


def hedge(beta: str) -> Callable[[SlowTopic], Order]:
    def order_of(topic: SlowTopic) -> Order:
        ranked = sorted({document for ranking in topic.rankings for document in ranking})
        if not ranked:
            return []
        n = len(ranked)

        def gain(document: int, ranking: list[int]) -> Decimal:
            if document in ranking:
                return (Decimal(n) / (ranking.index(document) + 1)).ln()
            below = [(Decimal(n) / rank).ln() for rank in range(len(ranking) + 1, n + 1)]
            return sum(below, Decimal(0)) / len(below)

        half = Decimal("0.5")
        judged = [document for document in ranked if document in topic.gains]
        losses = [
            sum(((-half if topic.relevant(d) else half) * gain(d, ranking) for d in judged), Decimal(0))
            for ranking in topic.rankings
        ]
        powers = [Decimal(beta) ** loss for loss in losses]
        weights = {
            document: sum(
                (power * gain(document, run) for power, run in zip(powers, topic.rankings, strict=True)),
                Decimal(0),
            )
            / sum(powers)
            for document in topic.open()
        }
        by_place = {document: place for place, document in enumerate(topic.pool)}
        return sorted(weights.items(), key=lambda item: (-twelve(item[1]), by_place[item[0]]))

    def precise(topic: SlowTopic) -> Order:
        with localcontext(Context(prec=40)):
            return order_of(topic)

    return precise


def twelve(value: Decimal) -> Decimal:
    return Context(prec=12).plus(value)


@dataclass
class Both:
    """A state and its slow counterpart, kept in step."""

    rankings: Rankings
    contributing: list[bool]
    scope: SelectionScope
    order_of: Callable[[SlowTopic], Order]
    make: Callable[[list[TopicPool]], CampaignState]
    # The whole collection, for a method that serves it.
    collection: list[int] | None = None
    rel: float = 1e-11

    def __post_init__(self) -> None:
        self.state = self.make(self.pools())
        self.slow = [
            SlowTopic(
                [ranking for ranking, kept in zip(topic, self.contributing, strict=True) if kept],
                pool.documents.tolist(),
                number=number,
                unranked=self.collection is not None,
            )
            for number, (topic, pool) in enumerate(zip(self.rankings, self.state.pools, strict=True))
        ]

    def pools(self) -> list[TopicPool]:
        if self.collection is None:
            return pools_of(self.rankings, 0.8, self.contributing)
        every = np.array(self.collection, dtype=np.int32)
        rankings = [[np.array(ranking, dtype=np.int32) for ranking in topic] for topic in self.rankings]
        contributing = np.array(self.contributing)
        return [build_topic_pool(topic, 0.8, contributing, unranked=every) for topic in rankings]

    def judge(self, topic: int, place: int, gain: float | None) -> None:
        self.state.judge(topic, place, gain)
        self.slow[topic].gains.pop(self.slow[topic].pool[place], None)
        if gain is not None:
            self.slow[topic].gains[self.slow[topic].pool[place]] = gain

    def pass_over(self, topic: int, place: int) -> None:
        self.state.pass_over(topic, place)
        self.slow[topic].passed.add(self.slow[topic].pool[place])

    def close(self, topic: int) -> None:
        self.state.close(topic)
        self.slow[topic].passed |= set(self.slow[topic].pool)

    def after(self, topic: int, place: int, gain: float | None) -> SlowTopic:
        one = self.slow[topic]
        document = one.pool[place]
        gains, passed = dict(one.gains), set(one.passed)
        if gain is None and document not in gains:
            passed.add(document)
        gains.pop(document, None)
        if gain is not None:
            gains[document] = gain
        return replace(one, gains=gains, passed=passed)

    def best(self) -> tuple[int, int] | None:
        heads = []
        for topic, one in enumerate(self.slow):
            if order := self.order_of(one):
                document, weight = order[0]
                pool = self.state.pools[topic]
                method_a = float(round_significant(pool.method_a[one.pool.index(document)]))
                by_weight = (-twelve(weight), -method_a)
                key = (len(one.gains), 0.0) if self.scope == "topic" else by_weight
                heads.append((key, topic, document))
        return min(heads)[1:] if heads else None

    def check(self) -> None:
        choice, expected = self.state.best(), self.best()
        if choice is None or expected is None:
            assert choice is None
            assert expected is None
        else:
            documents = self.state.pools[choice.topic].documents
            assert (choice.topic, int(documents[choice.document])) == expected
        for topic, one in enumerate(self.slow):
            self.check_queue(topic, self.order_of(one), None)
            assert self.state.remaining(topic) == self.left(one)

    def left(self, one: SlowTopic) -> int:
        return len(one.open())

    def check_queue(self, topic: int, order: Order, after: tuple[int, float | None] | None) -> None:
        queue = self.state.queue(topic, 99, after=after)
        documents = self.state.pools[topic].documents[queue.documents]
        assert documents.tolist() == [document for document, _ in order]
        assert queue.weights == pytest.approx([float(weight) for _, weight in order], rel=self.rel)


def follow(both: Both, data: st.DataObject) -> None:
    """Random acts, each foreseen and then looked at; at last the same campaign made again."""
    both.check()
    topics = [topic for topic, pool in enumerate(both.state.pools) if len(pool)]
    for _ in range(data.draw(st.integers(1, 10)) if topics else 0):
        kind = data.draw(acts)
        topic = data.draw(st.sampled_from(topics))
        place = data.draw(st.integers(0, len(both.state.pools[topic]) - 1))
        if kind == "best":
            if (choice := both.state.best()) is None:
                continue
            topic, place = choice.topic, choice.document
        gain = None if kind == "withdraw" else data.draw(some_gains)
        both.check_queue(topic, both.order_of(both.after(topic, place, gain)), (place, gain))
        if kind == "pass over":
            both.pass_over(topic, place)
        elif kind == "close":
            both.close(topic)
        else:
            both.judge(topic, place, gain)
        both.check()
    assert_made_again(both, data)


def assert_made_again(both: Both, data: st.DataObject) -> None:
    again = both.make(list(both.state.pools))
    known = [(t, d, gain) for t, one in enumerate(both.slow) for d, gain in one.gains.items()]
    for topic, document, gain in data.draw(st.permutations(known)):
        again.judge(topic, both.slow[topic].pool.index(document), gain)
    for topic, one in enumerate(both.slow):
        for document in one.passed:
            again.pass_over(topic, one.pool.index(document))
        lived, remade = both.state.queue(topic, 99), again.queue(topic, 99)
        assert lived.documents.tolist() == remade.documents.tolist()
        assert lived.weights.tobytes() == remade.weights.tobytes()
    assert again.best() == both.state.best()


def maker(
    method: str,
    scope: SelectionScope,
    contributing: list[bool],
    options: Mapping[str, object] | None = None,
    texts: Texts | None = None,
) -> Callable[[list[TopicPool]], CampaignState]:
    return lambda pools: CampaignState(
        pools,
        CampaignSpec(
            runs=len(contributing),
            p=0.8,
            method=method,
            scope=scope,
            contributing=np.array(contributing),
            options=options,
            texts=texts,
        ),
    )
