"""What studies derive from a collection, and what identifies it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from selection.studies.interface import PaperStudy, found_as_kept, trial_key
from selection.studies.known_collection import KnownCollection, KnownTopic

RANKINGS = (np.array([2, 0], np.int32), None, np.array([1, 3, 0], np.int32))
SCORES = (np.array([2.0, 1.0]), None, np.array([9.0, 8.0, 7.0]))


def collection(number: str = "1", gains: tuple[float, ...] = (0, np.nan, 1, 0.5)) -> KnownCollection:
    topic = KnownTopic(number, RANKINGS, SCORES, np.array(gains), np.array([1.0]))
    return KnownCollection(("a", "b", "c"), [topic], np.arange(3))


def test_topics_to_choose_are_cut_lists_with_their_relevance() -> None:
    found = collection().topics_to_choose(2)
    assert (found.numbers, found.lists[0].documents) == (("1",), 4)
    assert found.relevance[0].tolist() == [0, 0, 1, 1]
    assert collection().topics_to_choose(1).relevance[0].tolist() == [0, 1]


def test_what_is_derived_is_made_once() -> None:
    known = collection()
    assert known.topics_to_choose(2) is known.topics_to_choose(2)
    assert known.topics_to_choose(2) is not known.topics_to_choose(1)


def test_fingerprint_depends_on_everything() -> None:
    known = collection()
    others = [
        collection("2"),
        collection(gains=(0, 0, 1, 0.5)),
        replace(known, groups=np.zeros(3, int)),
        replace(known, runs=("a", "b", "d")),
        replace(known, topics=[replace(known.topics[0], unranked=np.zeros(0))]),
        replace(known, topics=[replace(known.topics[0], scores=SCORES[::-1])]),
    ]
    assert len({one.fingerprint() for one in (known, *others)}) == 7
    assert collection().fingerprint() == known.fingerprint()


@dataclass(frozen=True)
class OneTrial:
    seed: int
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True)
class OtherTrial(OneTrial):
    pass


def test_keys_tell_trials_apart() -> None:
    trials = [OneTrial(1), OneTrial(2), OneTrial(1, (3,)), OtherTrial(1)]
    assert len({trial_key(trial) for trial in trials}) == 4
    assert trial_key(OneTrial(1)) == trial_key(OneTrial(1))


def test_a_result_that_json_cannot_hold_is_refused() -> None:
    assert found_as_kept({"a": (1, 0.5)}) == {"a": [1, 0.5]}
    with pytest.raises(ValueError, match="Out of range"):
        found_as_kept(float("nan"))


def test_small_collections_are_refused() -> None:
    study = PaperStudy(
        lambda known, settings: [],
        lambda known, trial: None,
        lambda known, settings, results: [],
        lambda known, settings, results: [],
        uses=(),
        fewest_topics=2,
    )
    with pytest.raises(ValueError, match=r"too few judged topics \(1\): this study needs 2 or more"):
        study.check(collection())
