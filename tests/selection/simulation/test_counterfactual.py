from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from selection.simulation.counterfactual import Counterfactual, counterfactual
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
    assert found.actual.judged[-1] == len(judged)
    actual.gains = {one: Fraction(gain) for one, gain in judged.items()}
    assert_means(found.actual.base[-1], found.actual.residual[-1], actual)


def assert_means(base: Any, residual: Any, slow: SlowCourse) -> None:
    means = slow.means()
    assert base == pytest.approx([float(mean[0]) for mean in means], abs=1e-12)
    assert residual == pytest.approx([float(mean[1]) for mean in means], abs=1e-12)


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
