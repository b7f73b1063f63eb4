"""Shapes of assessors' questions to the organisers, and of the answers."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Id, RequestShape, Shape, Text, name
from campaigns.judging.questions import LONGEST_QUESTION

_KEY = "2c1d1a1e-4f0e-4c39-8a58-0d9b6b0b7a12"


class QuestionIn(RequestShape):
    """A question to the organisers about a document of a topic."""

    key = Id(help_text="UUID chosen by the sender; a question sent twice with the same UUID counts once")
    topic = name(help_text="topic number")
    docno = name(help_text="document ID (docno)")
    text = Text(max_length=LONGEST_QUESTION, help_text=f"question, at most {LONGEST_QUESTION:,} characters")

    example = {"key": _KEY, "topic": "401", "docno": "LA010189-0001", "text": "Does a remake count?"}


class AnswerIn(RequestShape):
    """The answer to a question."""

    answer = Text(max_length=LONGEST_QUESTION, help_text=f"answer, at most {LONGEST_QUESTION:,} characters")

    example = {"answer": "Yes, if it names the first film."}


class QuestionOut(Shape):
    """A question to the organisers, and its answer."""

    id = serializers.IntegerField(help_text="number of the question")
    topic = serializers.CharField(help_text="topic number")
    docno = serializers.CharField(help_text="document ID (docno)")
    assessor = serializers.CharField(help_text="user name of the assessor who asked")
    text = serializers.CharField(help_text="question")
    created = serializers.DateTimeField(help_text="time of the question")
    answer = serializers.CharField(allow_null=True, help_text="answer; null while the question is open")
    answered_by = serializers.CharField(
        allow_null=True, help_text="organiser's user name; null for assessors, and while the question is open"
    )
    answered_at = serializers.DateTimeField(
        allow_null=True, help_text="time of the answer; null while the question is open"
    )

    example = {
        "id": 1,
        "topic": "401",
        "docno": "LA010189-0001",
        "assessor": "grace",
        "text": "Does a remake count?",
        "created": "2026-05-04T09:00:00Z",
        "answer": "Yes, if it names the first film.",
        "answered_by": "ada",
        "answered_at": "2026-05-04T10:00:00Z",
    }
