"""MTC from its definition: every pair of documents, every pair of runs, in rational numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import log2, nan
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from evaluation.estimation.relevance import expert_relevance
from selection.methods.mtc.options import MtcOptions
from selection.rounding import round_significant
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.campaign import Rankings, pools_of, rounded


class Place(NamedTuple):
    """A document as the serving order sorts it."""

    lightness: Decimal
    topic: int
    document: int


class SlowMtc:
    """Documents by their pool index: `ranks[topic][run][document]`."""

    def __init__(self, state: CampaignState, contributing: list[bool], p: str, options: MtcOptions) -> None:
        self.options, self.p, self.pools = options, Fraction(p), state.pools
        pair = options.pair
        self.part = [run for run, c in enumerate(contributing) if (c if pair is None else run in pair)]
        self.contributing = contributing
        self.gains: dict[tuple[int, int], float] = {}
        self.barred: set[tuple[int, int]] = set()
        self.ranks: list[dict[int, dict[int, int]]] = []
        self.served: list[set[int]] = []
        for topic, pool in enumerate(self.pools):
            self.ranks.append({run: {} for run in self.part})
            self.served.append(set())
            for document in range(len(pool)):
                for run, rank in zip(*(a.tolist() for a in pool.occurrences(document)), strict=True):
                    if contributing[run]:
                        self.served[topic].add(document)
                    if run in self.part and rank <= (options.depth or rank):
                        self.ranks[topic][run][document] = rank

    def known(self, topic: int) -> dict[int, bool]:
        return {document: gain > 0 for (t, document), gain in self.gains.items() if t == topic}

    def weighing(self, topic: int) -> set[int]:
        return {document for ranks in self.ranks[topic].values() for document in ranks}

    def relevance(self, topic: int) -> dict[int, Fraction]:
        """Of the documents that weigh or are judged; all others are held to be impossible."""
        known = self.known(topic)
        found = {document: Fraction(int(relevant)) for document, relevant in known.items()}
        rate = Fraction(self.options.prior)
        if self.options.relevance == "smoothed":
            rate = Fraction(sum(known.values()) + 1, len(known) + 2)
        opinions = self.opinions(topic) if self.options.relevance == "experts" else {}
        for document in self.weighing(topic) - set(known):
            found[document] = opinions.get(document, rate)
        return found

    def opinions(self, topic: int) -> dict[int, Fraction]:
        known, size = self.known(topic), len(self.pools[topic])
        labels = np.array([float(known[d]) if d in known else nan for d in range(size)])
        rankings = [np.array(sorted(r, key=lambda d: r[d]), dtype=int) for r in self.ranks[topic].values()]
        return {d: Fraction(p) for d, p in enumerate(expert_relevance(rankings, labels).tolist())}

    def marginal(self, topic: int, run: int, document: int, relevance: dict[int, Fraction]) -> Fraction:
        ranks, rank = self.ranks[topic][run], self.ranks[topic][run].get(document)
        if rank is None:
            return Fraction(0)
        if self.options.measure == "AP":
            others = (relevance[d] / max(rank, r) for d, r in ranks.items() if d != document)
            return Fraction(1, rank) + sum(others, Fraction(0))
        if self.options.measure == "RBP":
            return (1 - self.p) * self.p ** (rank - 1)
        k = int(self.options.measure.split("@")[1])
        each = [
            Fraction(1) if self.options.measure[0] == "P" or r <= 2 else 1 / Fraction(log2(r))
            for r in range(1, k + 1)
        ]
        return each[rank - 1] / sum(each) if rank <= k else Fraction(0)

    def weight(self, topic: int, document: int, relevance: dict[int, Fraction]) -> Fraction:
        effects = [self.marginal(topic, run, document, relevance) for run in self.part]
        gaps = [abs(one - other) for one, other in combinations(effects, 2)]
        if self.options.aggregate == "variance":
            gaps = [gap * gap for gap in gaps]
        total = (
            max(gaps, default=Fraction(0)) if self.options.aggregate == "range" else sum(gaps, Fraction(0))
        )
        scale = sum(relevance.values(), Fraction(0)) if self.options.measure == "AP" else Fraction(1)
        if not total or not scale:
            return Fraction(0)
        p = relevance[document]
        certainty = max(p, 1 - p)
        if self.options.pair is not None:
            by_run = dict(zip(self.part, effects, strict=True))
            first_gains = by_run[self.options.pair[0]] > by_run[self.options.pair[1]]
            first_sought = len(self.known(topic)) % 2 == 0
            certainty = p if first_gains == first_sought else 1 - p
        return total * certainty / scale ** (2 if self.options.aggregate == "variance" else 1)

    def order(self, topic: int) -> list[Place]:
        relevance = self.relevance(topic)
        out = self.barred | set(self.gains)
        return sorted(
            Place(-rounded(self.weight(topic, document, relevance)), topic, document)
            for document in self.served[topic]
            if (topic, document) not in out
        )

    def best(self) -> Place | None:
        heads = [order[0] for topic in range(len(self.pools)) if (order := self.order(topic))]
        return min(heads, key=self._before, default=None)

    def _before(self, place: Place) -> tuple[Decimal, float, int]:
        method_a = self.pools[place.topic].method_a[place.document]
        return place.lightness, -float(round_significant(method_a)), place.topic


def mtc_state(rankings: Rankings, contributing: list[bool], p: str, options: MtcOptions) -> CampaignState:
    return CampaignState(
        pools_of(rankings, float(p), contributing),
        CampaignSpec(
            runs=len(contributing),
            p=float(p),
            method="mtc",
            scope="campaign",
            contributing=np.array(contributing),
            options=vars(options),
        ),
    )


@st.composite
def mtc_options(draw: st.DrawFn, contributing: list[bool]) -> MtcOptions:
    """What the runs allow; the experts, who are slow and decide by last digits, not."""
    runs = [run for run, contributes in enumerate(contributing) if contributes]
    pairs = [None, None, *combinations(runs, 2)]
    pair = draw(st.sampled_from(pairs)) or (None, None)
    return MtcOptions(
        measure=draw(st.sampled_from(["AP", "AP", "AP", "RBP", "P@3", "SDCG@4"])),
        aggregate=draw(st.sampled_from(["range", "sum", "variance"])),
        relevance=draw(st.sampled_from(["constant", "smoothed"])),
        prior=draw(st.sampled_from([0.5, 0.25, 0.0, 1.0])),
        depth=draw(st.sampled_from([None, None, 3])),
        first=pair[0],
        second=pair[1],
    )
