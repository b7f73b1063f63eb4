from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from selection.registry import METHODS
from selection.simulation.replay import Replay, replay
from selection.specification import CampaignSpec
from tests.selection.reference.campaign import pools_of

NAN = float("nan")
RANKINGS = [[[1, 2, 3, 4], [2, 5, 1, 6]], [[1, 7, 8], [8, 1, 9]]]
# Known grades by topic and document; the others were never judged.
QRELS = [{1: 1.0, 2: 0.0, 5: 1.0, 6: 0.5}, {1: 0.0, 8: 1.0}]

every_method = pytest.mark.parametrize(
    "method", [name for name, kind in METHODS.items() if not kind.unranked]
)
both_scopes = pytest.mark.parametrize("scope", ["campaign", "topic"])


def replayed(method: str = "C", scope: Any = "campaign", **given: Any) -> Replay:
    pools = pools_of(RANKINGS, 0.8, [True, True])
    gains = [
        np.array([q.get(int(d), NAN) for d in pool.documents]) for pool, q in zip(pools, QRELS, strict=True)
    ]
    contributing = np.array([True, True])
    return replay(
        pools,
        gains,
        CampaignSpec(runs=2, p=0.8, method=method, scope=scope, contributing=contributing),
        **given,
    )


def judged(made: Replay) -> list[tuple[int, int]]:
    return [
        (topic, int(made.state.pools[topic].documents[document]))
        for topic, document in zip(made.topics.tolist(), made.documents.tolist(), strict=True)
    ]


@every_method
@both_scopes
def test_everything_is_judged_when_the_budget_allows(method: str, scope: Any) -> None:
    made = replayed(method, scope, judgments=100)
    assert sorted(judged(made)) == sorted(
        {(t, d) for t, runs in enumerate(RANKINGS) for run in runs for d in run}
    )
    assert made.relevant == 4
    assert made.bypassed == 0
    assert int(made.known.sum()) == 6
    assert made.gains[~made.known].tolist() == [0.0] * 4


@every_method
@both_scopes
def test_bypassed_documents_are_not_judged_and_cost_nothing(method: str, scope: Any) -> None:
    made = replayed(method, scope, judgments=100, unjudged="bypass")
    assert sorted(judged(made)) == sorted((t, d) for t, q in enumerate(QRELS) for d in q)
    assert made.bypassed == 4
    assert made.known.all()
    few = replayed(method, scope, judgments=3, unjudged="bypass")
    assert judged(few) == judged(made)[:3]


@every_method
@both_scopes
def test_a_budget_per_topic(method: str, scope: Any) -> None:
    made = replayed(method, scope, per_topic=2)
    assert np.bincount(made.topics).tolist() == [2, 2]
    assert replayed(method, scope, per_topic=99).state.best() is None


@every_method
def test_a_smaller_budget_is_the_beginning_of_a_larger_one(method: str) -> None:
    whole = replayed(method, judgments=100)
    for budget in (1, 3, 7):
        part = replayed(method, judgments=budget)
        assert judged(part) == judged(whole)[:budget]
        assert part.weights.tolist() == whole.weights[:budget].tolist()


@every_method
@pytest.mark.parametrize("unjudged", ["nonrelevant", "bypass"])
def test_a_checkpoint_is_the_end_of_a_replay_with_that_budget(method: str, unjudged: Any) -> None:
    made = replayed(method, judgments=100, unjudged=unjudged, checkpoints=[5, 1, 3, 99])
    assert [point.judged for point in made.checkpoints] == [1, 3, 5]
    for point in made.checkpoints:
        end = replayed(method, judgments=point.judged, unjudged=unjudged).end
        assert (point.judged, point.bypassed, point.relevant) == (end.judged, end.bypassed, end.relevant)
        assert np.array_equal(point.base, end.base)
        assert np.array_equal(point.residual, end.residual)
        assert np.array_equal(point.projections(), end.projections())
    assert replayed(method, judgments=100, unjudged=unjudged).checkpoints == ()


@every_method
def test_means_of_the_end_are_those_of_the_state(method: str) -> None:
    made = replayed(method, judgments=7)
    for mean, other in zip(made.end.means(), made.state.mean_bounds(), strict=True):
        assert np.array_equal(mean, other)


def test_the_state_is_what_the_judgments_make_it() -> None:
    made = replayed(judgments=100, unjudged="bypass")
    # Run 0 of topic 0: ranks 1 and 2 known, relevant and not; ranks 3 and 4 and the tail open.
    assert made.state.base[0, 0] == pytest.approx(0.2)
    assert made.state.residual[0, 0] == pytest.approx(0.2 * (0.8**2 + 0.8**3) + 0.8**4)


def test_progress_is_told_and_ends_at_the_number_judged() -> None:
    progress_calls: list[int] = []
    made = replayed(judgments=5, progress=progress_calls.append)
    assert progress_calls[-1] == len(made.topics) == 5


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"judgments": 1, "per_topic": 1},
        {"judgments": 0},
        {"judgments": 1, "unjudged": "skip"},
        {"judgments": 1, "checkpoints": [1, 0]},
    ],
)
def test_what_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        replayed(**given)
