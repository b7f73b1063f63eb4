from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selection.simulation.replay import Replay, UnjudgedPolicy, replay
from selection.simulation.trajectory import MOST_FRAMES, Trajectory, TrajectoryRecorder
from selection.specification import CampaignSpec
from tests.selection.reference.campaign import Rankings, SlowCampaign, campaigns, methods, pools_of

P = "0.5"


def recorded(
    rankings: Rankings, known: set[int], method: str, policy: UnjudgedPolicy, frames: int
) -> tuple[Replay, Trajectory]:
    """Documents whose id is even are relevant."""
    runs = len(rankings[0])
    pools = pools_of(rankings, float(P), [True] * runs)
    gains = [
        np.array([float(id % 2 == 0) if id in known else np.nan for id in pool.documents.tolist()])
        for pool in pools
    ]
    recorder = TrajectoryRecorder(frames)
    made = replay(
        pools,
        gains,
        CampaignSpec(
            runs=runs, p=float(P), method=method, scope="campaign", contributing=np.ones(runs, dtype=np.bool_)
        ),
        judgments=1000,
        unjudged=policy,
        observe=recorder.note,
    )
    judged = len(made.topics)
    return made, recorder.trajectory(made.state, judged, made.relevant, judged + made.bypassed)


def slow_bounds(rankings: Rankings, made: Replay, judged: int) -> tuple[list[Fraction], list[Fraction]]:
    """Means over topics, from their definition, after so many judgments of the replay."""
    runs = len(rankings[0])
    slow = SlowCampaign(rankings, P, "A", "campaign", [True] * runs)
    for topic, document, gain in list(
        zip(made.topics.tolist(), made.documents.tolist(), made.gains.tolist(), strict=True)
    )[:judged]:
        slow.gains[topic, int(made.state.pools[topic].documents[document])] = Fraction(gain)
    rows = [[slow.bounds(topic, run) for topic in range(len(rankings))] for run in range(runs)]
    return tuple(  # type: ignore[return-value]
        [sum((row[part] for row in of_run), Fraction(0)) / len(rankings) for of_run in rows]
        for part in (0, 1)
    )


@given(campaigns(), st.sets(st.integers(0, 14)), methods, st.sampled_from(["nonrelevant", "bypass"]))
def test_frames_are_the_bounds_after_so_many_judgments(
    campaign: tuple[Rankings, list[bool]], known: set[int], method: str, policy: UnjudgedPolicy
) -> None:
    rankings, _ = campaign
    made, found = recorded(rankings, known, method, policy, MOST_FRAMES)
    assert found.judged.tolist() == list(range(len(made.topics) + 1))
    assert found.relevant.tolist() == [0, *np.cumsum(made.gains > 0).tolist()]
    assert found.handled[-1] == len(made.topics) + made.bypassed
    assert (np.diff(found.handled) >= np.diff(found.judged)).all()
    for frame, judged in enumerate(found.judged.tolist()):
        base, residual = slow_bounds(rankings, made, judged)
        assert found.base[frame] == pytest.approx([float(value) for value in base], abs=1e-12)
        assert found.residual[frame] == pytest.approx([float(value) for value in residual], abs=1e-12)


@given(campaigns(), methods, st.integers(2, 12))
def test_few_frames_are_some_of_all_frames(
    campaign: tuple[Rankings, list[bool]], method: str, frames: int
) -> None:
    rankings, _ = campaign
    _, every = recorded(rankings, set(range(15)), method, "nonrelevant", MOST_FRAMES)
    _, few = recorded(rankings, set(range(15)), method, "nonrelevant", frames)
    assert 1 <= len(few.judged) <= frames
    assert few.judged[0] == 0
    assert few.judged[-1] == every.judged[-1]
    # Even steps, apart from the last.
    assert len(set(np.diff(few.judged[:-1]).tolist())) <= 1
    assert len(few.judged) > min(frames, len(every.judged)) / 2 - 1
    at = np.searchsorted(every.judged, few.judged)
    for name in ("base", "residual", "relevant", "handled"):
        assert np.array_equal(getattr(few, name), getattr(every, name)[at])


@given(campaigns(), methods)
def test_the_json_holds_every_score_range_within_a_unit(
    campaign: tuple[Rankings, list[bool]], method: str
) -> None:
    rankings, _ = campaign
    _, found = recorded(rankings, set(range(10)), method, "bypass", MOST_FRAMES)
    sent = found.as_dict([f"run{run}" for run in range(len(rankings[0]))])
    base = np.cumsum(np.array(sent["base"]), axis=1).T / sent["unit"]
    top = np.cumsum(np.array(sent["top"]), axis=1).T / sent["unit"]
    true_top = found.base + found.residual
    assert (base <= found.base + 1e-12).all()
    assert (base > found.base - 1.0001e-4).all()
    assert (top >= true_top - 1e-12).all()
    assert (top < true_top + 1.0001e-4).all()
    assert sent["judged"] == found.judged.tolist()


def test_a_method_without_a_document_to_ask_for_leaves_one_frame() -> None:
    made, found = recorded([[[], []]], set(), "C", "nonrelevant", 2)
    assert found.judged.tolist() == [0]
    assert found.residual.tolist() == [[1.0, 1.0]]
    assert len(made.topics) == 0


def test_arguments_outside_their_range_are_refused() -> None:
    with pytest.raises(ValueError, match="frames = 1"):
        TrajectoryRecorder(1)
    _, found = recorded([[[1], [2]]], {1, 2}, "A", "nonrelevant", 5)
    with pytest.raises(ValueError, match="1 names for 2 runs"):
        found.as_dict(["only"])
