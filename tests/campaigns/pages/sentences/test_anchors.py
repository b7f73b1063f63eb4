"""Anchors in words."""

from __future__ import annotations

import pytest

from campaigns.pages.sentences.topics import anchors_sentence
from campaigns.results.anchors import AnchorProgress


@pytest.mark.parametrize(
    ("anchors", "sentence"),
    [
        (AnchorProgress(1, 1, 1, 0, True), "Anchored by 1 judgment drawn at random over all topics."),
        (
            AnchorProgress(1200, 1200, 1200, 0, True),
            "Anchored by 1,200 judgments drawn at random over all topics.",
        ),
        (
            AnchorProgress(1, 1, 1, 0, False),
            "Anchored by 1 judgment drawn at random over the open topics without a sample.",
        ),
        (
            AnchorProgress(2, 2, 2, 0, False),
            "Anchored by 2 judgments drawn at random over the open topics without a sample.",
        ),
        (AnchorProgress(9, 9, 5, 0, True), "5 of 9 anchors judged."),
        (
            AnchorProgress(9, 9, 5, 1, True),
            "5 of 9 anchors judged. 1 is in a closed topic and stays open.",
        ),
        (
            AnchorProgress(9, 9, 5, 2, True),
            "5 of 9 anchors judged. 2 are in closed topics and stay open.",
        ),
        (
            AnchorProgress(1200, 0, 0, 0, True),
            "1,200 anchors are drawn once the campaign is open and its queues are computed.",
        ),
    ],
)
def test_anchors_have_a_sentence_for_each_state(anchors: AnchorProgress, sentence: str) -> None:
    assert anchors_sentence(anchors) == sentence
