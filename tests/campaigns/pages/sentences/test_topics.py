"""A topic in words: one case for each form."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from campaigns.models.campaign import TopicChoice
from campaigns.pages.sentences.topics import judged_by_note, openness_note, topic_people, topic_sentence
from campaigns.predictions.topic_outlook import TopicOutlook, TurnablePair
from tests.campaigns.pages.sentences.standings import predicted, standing

PAIR = TurnablePair(predicted(standing("a"), standing("b")).pairs[0], 0.01)


def outlook(
    *,
    topics: int = 30,
    residual: float | None = 0.3,
    more_open: int = 0,
    as_open: int = 0,
    pairs: Sequence[TurnablePair] | None = None,
) -> TopicOutlook:
    return TopicOutlook(topics, residual, 0.2501, more_open, as_open, pairs, 10)


@pytest.mark.parametrize(
    ("found", "remaining", "sentence"),
    [
        (
            outlook(residual=None),
            9,
            "This topic is not computed yet: every score is still possible in it.",
        ),
        (outlook(topics=1), 9, "This is the only topic."),
        (outlook(), 9, "Of all 30 topics, this one leaves <strong>most</strong> open."),
        (outlook(as_open=1), 9, "Of all 30 topics, none leaves more open than this one."),
        (
            outlook(more_open=1),
            9,
            "Of all 30 topics, <strong>1</strong> leaves more open than this one.",
        ),
        (
            outlook(more_open=4, as_open=2),
            9,
            "Of all 30 topics, <strong>4</strong> leave more open than this one.",
        ),
        (
            outlook(topics=1, pairs=[PAIR]),
            None,
            "This is the only topic. Judging it can still change the order of <strong>1 pair</strong> of the "
            "top 10.",
        ),
        (
            outlook(topics=1, pairs=[PAIR] * 4),
            9,
            "This is the only topic. Judging it can still change the order of <strong>4 pairs</strong> of "
            "the top 10.",
        ),
        (
            outlook(topics=1, pairs=[]),
            9,
            "This is the only topic. Judging it alone will hardly change the order of the top 10.",
        ),
        (outlook(topics=1, pairs=[PAIR]), 0, "This is the only topic. Nothing is left to judge in it."),
    ],
)
def test_topic_has_a_sentence_for_each_state(
    found: TopicOutlook, remaining: int | None, sentence: str
) -> None:
    assert topic_sentence(found, remaining) == sentence


@pytest.mark.parametrize(
    ("found", "note"),
    [
        (outlook(more_open=3), "place 4 of 30 · median 0.251"),
        (outlook(topics=1), ""),
        (outlook(residual=None), ""),
    ],
)
def test_place_and_median_need_other_topics(found: TopicOutlook, note: str) -> None:
    assert openness_note(found) == note


@pytest.mark.parametrize(
    ("assigned", "choice", "people"),
    [
        (["grace", "kim"], TopicChoice.ASSIGNED, "grace, kim"),
        ([], TopicChoice.FREE, "any assessor"),
        ([], TopicChoice.RANDOM, "nobody yet"),
        ([], TopicChoice.ASSIGNED, "nobody yet"),
    ],
)
def test_assigned_assessors_are_named(assigned: list[str], choice: str, people: str) -> None:
    assert topic_people(assigned, choice) == people


@pytest.mark.parametrize(
    ("assessors", "judged", "note"),
    [
        (["grace", "kim"], 3, "judged so far by grace, kim"),
        ([], 3, "no assessor judged here yet"),
        ([], 0, "nothing is judged yet"),
    ],
)
def test_assessors_who_judged_are_named(assessors: list[str], judged: int, note: str) -> None:
    assert judged_by_note(assessors, judged) == note
