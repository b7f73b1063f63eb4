from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from selection.simulation.counterfactual import UNDECIDED, Counterfactual, counterfactual
from selection.specification import CampaignSpec
from tests.selection.reference.campaign import Rankings, SlowCampaign, campaigns, methods, pools_of, scopes

P = "0.5"
# By (topic, document id), in the order of the judgments.
Judged = dict[tuple[int, int], float]


def compute(
    rankings: Rankings,
    contributing: list[bool],
    judged: Judged,
    method: str,
    scope: Any = "campaign",
    **more: Any,
) -> Counterfactual:
    pools = pools_of(rankings, float(P), contributing)
    gains = [np.full(len(pool), np.nan) for pool in pools]
    order = []
    for (topic, id), gain in judged.items():
        document = pools[topic].documents.tolist().index(id)
        gains[topic][document] = gain
        order.append((topic, document))
    return counterfactual(
        pools,
        gains,
        order,
        CampaignSpec(
            runs=len(contributing),
            p=float(P),
            method=method,
            scope=scope,
            contributing=np.array(contributing),
        ),
        **more,
    )


class SlowCourse(SlowCampaign):
    """One method's course, by asking for the whole order again each time."""

    def __init__(self, rankings: Rankings, method: str, scope: str, contributing: list[bool]) -> None:
        super().__init__(rankings, P, method, scope, contributing)
        self.passed: set[tuple[int, int]] = set()

    def next(self) -> tuple[int, int] | None:
        rows = [
            row
            for topic in range(len(self.rankings))
            for row in self.order(topic)
            if (topic, row.document) not in self.passed
        ]
        first = min(rows, default=None)
        return None if first is None else (first.topic, first.document)

    def means(self) -> list[tuple[Fraction, Fraction]]:
        topics = range(len(self.rankings))
        return [
            (
                sum((self.bounds(topic, run)[0] for topic in topics), Fraction(0)) / len(topics),
                sum((self.bounds(topic, run)[1] for topic in topics), Fraction(0)) / len(topics),
            )
            for run in range(self.runs)
        ]

    def least_lead(self, one: int, other: int) -> Fraction:
        """Unjudged documents are relevant where that is best for `other`."""
        lead = Fraction(0)
        for topic, of in enumerate(self.rankings):
            for document in {*of[one], *of[other]}:
                weight = [
                    self.share(of[run].index(document) + 1) if document in of[run] else Fraction(0)
                    for run in (one, other)
                ]
                gain = self.gains.get((topic, document))
                difference = weight[0] - weight[1]
                lead += min(difference, Fraction(0)) if gain is None else difference * gain
            lead -= self.p ** len(of[other])
        return lead


@settings(deadline=None)
@given(campaigns(), methods, scopes, st.data())
def test_against_the_definition(
    campaign: tuple[Rankings, list[bool]], method: str, scope: str, data: st.DataObject
) -> None:
    rankings, contributing = campaign
    every = sorted({(topic, d) for topic, of in enumerate(rankings) for run in of for d in run})
    assume(every)
    some = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    judged: Judged = {one: data.draw(st.sampled_from([0.0, 0.5, 1.0])) for one in some}
    found = compute(rankings, contributing, judged, method, scope)

    slow, asked, answered = SlowCourse(rankings, method, scope, contributing), 0, 0
    while asked < len(judged) and (choice := slow.next()) is not None:
        asked += 1
        if choice in judged:
            answered += 1
            slow.gains[choice] = Fraction(judged[choice])
        else:
            slow.passed.add(choice)
    assert (found.asked, found.judged, found.unjudged) == (asked, answered, asked - answered)
    assert_means(found.other.base[-1], found.other.residual[-1], slow)

    actual = SlowCourse(rankings, method, scope, contributing)
    actual.gains = {one: Fraction(gain) for one, gain in list(judged.items())[:answered]}
    assert_means(found.base, found.residual, actual)
    assert found.actual.judged[-1] == len(judged)
    actual.gains = {one: Fraction(gain) for one, gain in judged.items()}
    assert_means(found.actual.base[-1], found.actual.residual[-1], actual)


def assert_means(base: Any, residual: Any, slow: SlowCourse) -> None:
    means = slow.means()
    assert base == pytest.approx([float(mean[0]) for mean in means], abs=1e-12)
    assert residual == pytest.approx([float(mean[1]) for mean in means], abs=1e-12)


@settings(deadline=None)
@given(campaigns(), st.data())
def test_pairs_are_decided_when_no_gain_can_turn_them(
    campaign: tuple[Rankings, list[bool]], data: st.DataObject
) -> None:
    rankings, contributing = campaign
    every = sorted({(topic, d) for topic, of in enumerate(rankings) for run in of for d in run})
    assume(len(contributing) > 1)
    assume(every)
    judged: Judged = {
        one: data.draw(st.sampled_from([0.0, 1.0])) for one in data.draw(st.permutations(every))
    }
    found = compute(rankings, contributing, judged, "A")
    slow = SlowCourse(rankings, "A", "campaign", contributing)
    first: dict[tuple[int, int], int] = {}
    for count, (one, gain) in enumerate(judged.items(), start=1):
        slow.gains[one] = Fraction(gain)
        for pair in found.pairs:
            if max(slow.least_lead(*pair), slow.least_lead(*pair[::-1])) > Fraction(1, 10**9):
                first.setdefault(pair, count)
    assert found.actual_decided.tolist() == [first.get(pair, UNDECIDED) for pair in found.pairs]
    assert found.decided[0] == sum(0 < by <= found.judged for by in found.actual_decided.tolist())


def test_the_pairs_are_those_of_the_best_runs_at_the_end() -> None:
    rankings = [[[1, 2], [3, 4], [5, 6], [7, 8]]]
    judged: Judged = {(0, 1): 0.0, (0, 3): 1.0, (0, 5): 1.0, (0, 6): 1.0, (0, 7): 0.5}
    found = compute(rankings, [True] * 4, judged, "pooling", k=3)
    assert found.pairs == tuple(combinations([2, 1, 3], 2))
    assert compute(rankings, [True] * 4, judged, "pooling", compared=[0, 3]).pairs == ((3, 0),)
    assert compute(rankings, [True] * 4, judged, "pooling", compared=[0]).pairs == ()


def test_the_method_that_asked_finds_every_judgment() -> None:
    rankings = [[[1, 2, 3, 4], [2, 5, 1, 6]], [[1, 7, 8], [8, 1, 9]]]
    slow, judged = SlowCourse(rankings, "C", "campaign", [True, True]), Judged()
    for _ in range(6):
        choice = slow.next()
        assert choice is not None
        judged[choice] = float(choice[1] % 2)
        slow.gains[choice] = Fraction(judged[choice])
    same = compute(rankings, [True, True], judged, "C")
    assert same.unjudged == 0
    assert np.array_equal(same.other.base, same.actual.base)
    assert np.array_equal(same.other_decided, same.actual_decided)
    assert compute(rankings, [True, True], judged, "pooling").unjudged > 0


def test_what_cannot_be_answered_is_refused() -> None:
    rankings = [[[1, 2], [2, 3]]]
    with pytest.raises(ValueError, match="nothing is judged"):
        compute(rankings, [True, True], {}, "C")
    pools, gains = pools_of(rankings, 0.5, [True, True]), [np.array([1.0, np.nan, 0.0])]
    spec = CampaignSpec(runs=2, p=0.5, method="C", scope="campaign", contributing=np.array([True, True]))
    with pytest.raises(ValueError, match="document 1 of topic 0 has no gain"):
        counterfactual(pools, gains, [(0, 0), (0, 1)], spec)
    with pytest.raises(ValueError, match="document 0 of topic 0 is judged twice"):
        counterfactual(pools, gains, [(0, 0), (0, 0)], spec)
