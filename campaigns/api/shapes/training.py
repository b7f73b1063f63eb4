"""Shapes of training: items, attempts and answers."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Flag, Id, Query, Shape, Strict, Text, Whole, name
from campaigns.api.shapes.collection import Shown
from campaigns.api.shapes.judging import LARGE, SMALL


class TrainingQuery(Query):
    again = Flag(required=False, default=False, help_text="begin anew, where the last attempt is finished")


class TrainingAnswerIn(Strict):
    id = Id(help_text="made by whoever sends it; sent again, it changes nothing")
    item = Whole(min_value=1, max_value=2**63 - 1)
    attempt = Whole(min_value=1, max_value=2**31 - 1)
    grade = Whole(min_value=SMALL, max_value=LARGE)
    milliseconds = Whole(required=False, allow_null=True, min_value=0, max_value=2**31 - 1)

    example = {
        "id": "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a",
        "item": 7,
        "attempt": 1,
        "grade": 1,
        "milliseconds": 14200,
    }


class TrainingItemIn(Strict):
    topic = name()
    docno = name()
    grade = Whole(min_value=0, max_value=99)
    reason = Text(max_length=2000, help_text="why this grade is right; shown after the answer")

    example = {"topic": "401", "docno": "LA010189-0001", "grade": 1, "reason": "It names one cause."}


class TrainingMoveIn(Strict):
    by = Whole(min_value=-100_000, max_value=100_000, help_text="so many places down, or up if negative")

    example = {"by": -1}


class TrainingTopic(Shape):
    number = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    narrative = serializers.CharField()


class TrainingAsked(Shape):
    """An item before it is answered."""

    id = serializers.IntegerField()
    topic = TrainingTopic()
    document = Shown()

    example = {
        "id": 8,
        "topic": {
            "number": "401",
            "title": "foreign minorities, Germany",
            "description": "What impedes integration?",
            "narrative": "",
        },
        "document": Shown.example,
    }


class TrainingAnswered(Shape):
    item = serializers.IntegerField()
    topic = serializers.CharField()
    docno = serializers.CharField()
    title = serializers.CharField()
    grade = serializers.IntegerField()
    expected = serializers.IntegerField()
    reason = serializers.CharField()
    agreed = serializers.BooleanField()

    example = {
        "item": 7,
        "topic": "401",
        "docno": "LA010189-0001",
        "title": "Cinema",
        "grade": 1,
        "expected": 1,
        "reason": "It names one cause.",
        "agreed": True,
    }


class TrainingAttempt(Shape):
    attempt = serializers.IntegerField()
    items = serializers.IntegerField()
    answered = serializers.IntegerField()
    agreed = serializers.IntegerField()
    kappa = serializers.FloatField(allow_null=True)
    finished = serializers.BooleanField()
    answers = TrainingAnswered(many=True)
    next = TrainingAsked(allow_null=True)

    example = {
        "attempt": 1,
        "items": 5,
        "answered": 1,
        "agreed": 1,
        "kappa": None,
        "finished": False,
        "answers": [TrainingAnswered.example],
        "next": TrainingAsked.example,
    }


class TrainingRecorded(TrainingAttempt):
    answer = TrainingAnswered()

    example = {**TrainingAttempt.example, "answer": TrainingAnswered.example}


class TrainingItem(Shape):
    """An item as organisers see it."""

    id = serializers.IntegerField()
    position = serializers.IntegerField()
    topic = serializers.CharField()
    docno = serializers.CharField()
    grade = serializers.IntegerField()
    reason = serializers.CharField()

    example = {
        "id": 7,
        "position": 1,
        "topic": "401",
        "docno": "LA010189-0001",
        "grade": 1,
        "reason": "It names one cause.",
    }


class TrainingStanding(Shape):
    username = serializers.CharField()
    attempt = serializers.IntegerField()
    answered = serializers.IntegerField()
    agreed = serializers.IntegerField()
    kappa = serializers.FloatField(allow_null=True)
    last = serializers.DateTimeField()

    example = {
        "username": "grace",
        "attempt": 1,
        "answered": 5,
        "agreed": 4,
        "kappa": 0.69,
        "last": "2026-03-01T15:00:00Z",
    }
