"""Judgments in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from campaigns.models import Judgment
from campaigns.pages.sentences.judgments import (
    judged_figure,
    judgment_text,
    progress_label,
    standing_judgment,
    weight_sentence,
)
from campaigns.people.workload import Work
from campaigns.results.document_judgments import DocumentInTopic
from campaigns.results.queues import DocumentExplanation
from campaigns.results.topic_rows import JudgingProgress


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (Judgment(grade=2, undo=True), "undone"),
        (Judgment(reason="missing text"), "could not judge (missing text)"),
        (Judgment(grade=0), "<strong>0</strong> a&lt;b"),
    ],
)
def test_judgment_shows_what_the_assessor_did(act: Judgment, text: str) -> None:
    assert judgment_text(act, "a<b") == text


WHY = DocumentExplanation("d", "", "hedge", 0.25, None, 0, [], [])
AS_OF = '<span class="soft">(as of log entry 1,200)</span>'


@pytest.mark.parametrize(
    ("why", "sentence"),
    [
        (WHY, "Hedge gives it the weight <strong>0.250</strong>."),
        (
            replace(WHY, method="anchor"),
            "An anchor: drawn at random over all topics, more likely the higher the runs rank it. It comes "
            "before what the method chooses. The method itself gives it the weight <strong>0.250</strong>.",
        ),
        (
            replace(WHY, inclusion=0.5),
            "Hedge gives it the weight <strong>0.250</strong>; it was drawn into the sample with probability "
            "0.500.",
        ),
        (replace(WHY, as_of=1200), f"Hedge gives it the weight <strong>0.250</strong> {AS_OF}."),
    ],
)
def test_weight_names_the_method_and_the_sample(why: DocumentExplanation, sentence: str) -> None:
    assert weight_sentence(why, "Hedge") == sentence


FIGURE = '<span data-counted="judgments" data-of="eve">1,200</span>'
REFUSED = '<span class="soft">, 3 of them without a grade</span>'
REPEATED = '<span class="soft">; <span data-counted="repeats" data-of="eve">2 repeats</span></span>'


@pytest.mark.parametrize(
    ("refused", "repeats", "figure"),
    [
        (0, 0, FIGURE),
        (3, 0, FIGURE + REFUSED),
        (0, 2, FIGURE + REPEATED),
        (3, 2, FIGURE + REFUSED + REPEATED),
    ],
)
def test_judgments_of_a_person_are_counted_by_kind(refused: int, repeats: int, figure: str) -> None:
    work = Work(1300, 1200, refused, repeats, 0, 0, None, None, 0, 0, None, 0, None)
    assert judged_figure(work, "eve") == figure


@pytest.mark.parametrize(
    ("grade", "position", "text"),
    [
        (0, 3, '<span class="grade-mark" data-grade="0">0</span> not relevant'),
        (None, 1200, '<span class="soft">not judged; number 1,200 in the queue</span>'),
        (None, None, '<span class="soft">not judged</span>'),
    ],
)
def test_document_shows_its_grade_or_its_place(grade: int | None, position: int | None, text: str) -> None:
    assert standing_judgment(DocumentInTopic("1", "", grade, "not relevant", position, [], [], [])) == text


@pytest.mark.parametrize(
    ("goal", "of_budget", "label"),
    [
        (50, True, "Judged of the budget"),
        (50, False, "Judged of the topics’ minimums"),
        (0, False, "Judged documents"),
    ],
)
def test_progress_is_labelled_by_its_goal(goal: int, of_budget: bool, label: str) -> None:
    assert progress_label(JudgingProgress(9, 3, 9, goal, of_budget)) == label
