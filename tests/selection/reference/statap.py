"""statAP's prior and probabilities, the random order and the alternation from their definitions: every way
in which buckets can be hit, in rational numbers; MTC started again for every question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np

from selection.pool import build_topic_pool
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.adaptive import Both, Order, SlowTopic


def slow_rank_prior(rank: int, length: int) -> Fraction:
    return total(Fraction(1, j) for j in range(rank, length + 1)) / (2 * length) + Fraction(1, 2 * length)


def total(parts: Iterable[Fraction]) -> Fraction:
    return sum(parts, Fraction(0))


def slow_document_prior(rankings: list[list[int]]) -> dict[int, Fraction]:
    """`rankings`: of the contributing runs that rank the topic."""
    prior: defaultdict[int, Fraction] = defaultdict(Fraction)
    for ranking in rankings:
        for rank, document in enumerate(ranking, start=1):
            prior[document] += slow_rank_prior(rank, len(ranking)) / len(rankings)
    return prior


def slow_inclusion(
    prior: list[Fraction], size: int
) -> tuple[dict[int, Fraction], dict[tuple[int, int], Fraction]]:
    """By document, and by two documents in either order."""
    order = sorted(range(len(prior)), key=lambda d: (-prior[d], d))
    buckets = [order[first : first + size] for first in range(0, len(order), size)]
    mass = [total(prior[d] for d in bucket) / total(prior) for bucket in buckets]
    single: defaultdict[int, Fraction] = defaultdict(Fraction)
    joint: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for hits in product(range(len(buckets)), repeat=size):
        chance = Fraction(1)
        for hit in hits:
            chance *= mass[hit]
        taken = [min(Counter(hits)[b], len(bucket)) for b, bucket in enumerate(buckets)]
        for b, bucket in enumerate(buckets):
            for d in bucket:
                single[d] += chance * Fraction(taken[b], len(bucket))
            for d, f in combinations(bucket, 2):
                within = Fraction(comb(taken[b], 2), comb(len(bucket), 2))
                joint[d, f] += chance * within
                joint[f, d] += chance * within
        for (b, one), (c, other) in combinations(enumerate(buckets), 2):
            across = chance * Fraction(taken[b], len(one)) * Fraction(taken[c], len(other))
            for d, f in product(one, other):
                joint[d, f] += across
                joint[f, d] += across
    return single, joint


class Drawn(Both):
    """For methods that serve fewer documents than there are."""

    def left(self, one: SlowTopic) -> int:
        return len(self.order_of(one))


def sampled(order: list[int]) -> Order:
    """Each with the share of the sample that is left when its turn comes."""
    return [(document, Decimal(len(order) - k) / len(order)) for k, document in enumerate(order)]


def still_open(order: Order, topic: SlowTopic) -> Order:
    served = set(topic.open())
    return [(document, weight) for document, weight in order if document in served]


def splitmix(document: int, start: int) -> Decimal:
    """In integers without an end, cut to 64 bits."""
    cut = 2**64 - 1
    bits = (start + document * 0x9E3779B97F4A7C15) & cut
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & cut
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & cut
    bits ^= bits >> 31
    return (Decimal(bits >> 12) + Decimal("0.5")) / 2**52


@dataclass
class SlowAlternation:
    """One topic of MTC and statAP by what each would do alone: MTC is a campaign of its own, restarted for
    every question and given what it asks for; statAP goes down its sample."""

    sample: list[int]
    options: Mapping[str, object]

    def order_of(self, topic: SlowTopic) -> Order:
        return [(document, weight) for document, weight, _ in self.turns(topic)]

    def turns(self, topic: SlowTopic) -> list[tuple[int, Decimal, str]]:
        asked, by_mtc = self.mtc(topic)
        by_statap = [
            one for one in sampled(self.sample) if one[0] in topic.gains or one[0] not in topic.passed
        ]
        given = 0
        while by_statap and by_statap[0][0] in topic.gains:
            del by_statap[0]
            given += 1
        turns: list[tuple[int, Decimal, str]] = []
        counts, queues = [len(asked), given], [by_mtc, by_statap]
        while queues[0] or queues[1]:
            turn = 0 if counts[0] <= counts[1] else 1
            turn = turn if queues[turn] else 1 - turn
            document, weight = queues[turn].pop(0)
            counts[turn] += 1
            if document not in topic.gains and document not in [one for one, _, _ in turns]:
                turns.append((document, weight, ("mtc", "statap")[turn]))
        return turns

    def mtc(self, topic: SlowTopic) -> tuple[list[int], Order]:
        """What it asked for and was given, in that order; and what it asks for next."""
        rankings = [np.array(ranking, dtype=np.int32) for ranking in topic.rankings]
        contributing = np.ones(len(rankings), dtype=np.bool_)
        pool = build_topic_pool(rankings, 0.8, contributing)
        state = CampaignState(
            [pool],
            CampaignSpec(
                runs=len(rankings),
                p=0.8,
                method="mtc",
                scope="topic",
                contributing=contributing,
                options=self.options,
            ),
        )
        ids, asked = pool.documents.tolist(), []
        for document in topic.passed - set(topic.gains):
            if document in ids:
                state.pass_over(0, ids.index(document))
        while (choice := state.best()) is not None and (document := ids[choice.document]) in topic.gains:
            state.judge(0, choice.document, topic.gains[document])
            asked.append(document)
        queue = state.queue(0, 99)
        pairs = zip(queue.documents.tolist(), queue.weights.tolist(), strict=True)
        return asked, [(ids[place], Decimal(weight)) for place, weight in pairs]
