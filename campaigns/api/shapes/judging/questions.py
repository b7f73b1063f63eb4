"""Shapes of assessors' questions to the organisers, and of the answers."""

from __future__ import annotations

from campaigns.api.shapes.base import Id, RequestShape, Shape, Text, Time, WholeNumber, name
from campaigns.judging.questions import LONGEST_QUESTION

_KEY = "2c1d1a1e-4f0e-4c39-8a58-0d9b6b0b7a12"


class QuestionIn(RequestShape):
    """A question to the organisers about a document of a topic."""

    key = Id("UUID chosen by the sender; a question sent twice with the same UUID counts once", _KEY)
    topic = name("topic number", "401")
    docno = name("document ID (docno)", "LA010189-0001")
    text = Text(
        f"question, at most {LONGEST_QUESTION:,} characters",
        "Does a remake count?",
        max_length=LONGEST_QUESTION,
    )


class AnswerIn(RequestShape):
    """The answer to a question."""

    answer = Text(
        f"answer, at most {LONGEST_QUESTION:,} characters",
        "Yes, if it names the first film.",
        max_length=LONGEST_QUESTION,
    )


class QuestionOut(Shape):
    """A question to the organisers, and its answer."""

    id = WholeNumber("number of the question", 1)
    topic = Text("topic number", "401")
    docno = Text("document ID (docno)", "LA010189-0001")
    assessor = Text("user name of the assessor who asked", "grace")
    text = Text("question", "Does a remake count?")
    created = Time("time of the question", "2026-05-04T09:00:00Z")
    answer = Text.or_null("answer; null while the question is open", "Yes, if it names the first film.")
    answered_by = Text.or_null(
        "organiser's user name; null for assessors, and while the question is open", "ada"
    )
    answered_at = Time.or_null("time of the answer; null while the question is open", "2026-05-04T10:00:00Z")
