"""Shapes of training, its items, attempts and answers, and of the guidelines' examples."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Flag, Id, Query, RequestShape, Shape, Text, WholeNumber, name
from campaigns.api.shapes.collection import Shown
from campaigns.api.shapes.judging.judgments import LARGE, SMALL
from campaigns.api.shapes.topics import TopicField


class TrainingQuery(Query):
    again = Flag(
        required=False,
        default=False,
        help_text="true to start a new attempt after a finished one (default: false)",
    )


class TrainingAnswerIn(RequestShape):
    """An answer to a training item."""

    id = Id(help_text="UUID chosen by the sender; an answer sent twice with the same UUID counts once")
    item = WholeNumber(min_value=1, max_value=2**63 - 1, help_text="ID of the training item")
    attempt = WholeNumber(min_value=1, max_value=2**31 - 1, help_text="number of the attempt, from 1")
    grade = WholeNumber(min_value=SMALL, max_value=LARGE, help_text="grade given, from the campaign's scale")
    milliseconds = WholeNumber(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=2**31 - 1,
        help_text="time spent on the item, in milliseconds; null if unknown (default: null)",
    )

    example = {
        "id": "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a",
        "item": 7,
        "attempt": 1,
        "grade": 1,
        "milliseconds": 14200,
    }


class TrainingItemIn(RequestShape):
    """A training item to create."""

    topic = name(help_text="topic number")
    docno = name(help_text="document ID (docno)")
    grade = WholeNumber(min_value=0, max_value=99, help_text="expected grade, from the campaign's scale")
    reason = Text(max_length=2000, help_text="explanation of the expected grade, shown after the answer")

    example = {"topic": "401", "docno": "LA010189-0001", "grade": 1, "reason": "It names one cause."}


class TrainingMoveIn(RequestShape):
    """A new position of a training item."""

    by = WholeNumber(
        min_value=-100_000, max_value=100_000, help_text="number of places to move down; negative moves up"
    )

    example = {"by": -1}


class TrainingTopic(Shape):
    """The topic of a training item."""

    number = serializers.CharField(help_text="topic number")
    title = serializers.CharField(help_text="title of the topic")
    description = serializers.CharField(help_text="description of the topic; may be empty")
    narrative = serializers.CharField(help_text="narrative of the topic; may be empty")
    further_fields = TopicField(many=True, help_text="further fields of the topic, in the order of its file")


class TrainingAsked(Shape):
    """A training item before it is answered."""

    id = serializers.IntegerField(help_text="ID of the training item")
    topic = TrainingTopic(help_text="topic of the item")
    document = Shown(help_text="document of the item")

    example = {
        "id": 8,
        "topic": {
            "number": "401",
            "title": "foreign minorities, Germany",
            "description": "What impedes integration?",
            "narrative": "",
            "further_fields": [],
        },
        "document": Shown.example,
    }


class TrainingAnswered(Shape):
    """An answered training item."""

    item = serializers.IntegerField(help_text="ID of the training item")
    topic = serializers.CharField(help_text="topic number")
    docno = serializers.CharField(help_text="document ID (docno)")
    title = serializers.CharField(help_text="document title; may be empty")
    grade = serializers.IntegerField(help_text="grade given")
    expected = serializers.IntegerField(help_text="expected grade")
    reason = serializers.CharField(help_text="explanation of the expected grade")
    agreed = serializers.BooleanField(help_text="true if both grades are equal")

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
    """An attempt of the current assessor at the training."""

    attempt = serializers.IntegerField(help_text="number of the attempt, from 1")
    items = serializers.IntegerField(help_text="number of items in the training")
    answered = serializers.IntegerField(help_text="number of items answered")
    agreed = serializers.IntegerField(help_text="number of answers with the expected grade")
    kappa = serializers.FloatField(
        allow_null=True,
        help_text="Cohen's kappa of the answers with the expected grades, at most 1; null if undefined",
    )
    finished = serializers.BooleanField(help_text="true if every item is answered")
    answers = TrainingAnswered(many=True, help_text="answered items")
    next = TrainingAsked(allow_null=True, help_text="next item; null if every item is answered")

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
    """A recorded training answer and the attempt so far."""

    answer = TrainingAnswered(help_text="the recorded answer")

    example = {**TrainingAttempt.example, "answer": TrainingAnswered.example}


class TrainingItem(Shape):
    """A training item as organisers see it."""

    id = serializers.IntegerField(help_text="ID of the training item")
    position = serializers.IntegerField(help_text="position in the training, from 1")
    topic = serializers.CharField(help_text="topic number")
    docno = serializers.CharField(help_text="document ID (docno)")
    grade = serializers.IntegerField(help_text="expected grade")
    reason = serializers.CharField(help_text="explanation of the expected grade")

    example = {
        "id": 7,
        "position": 1,
        "topic": "401",
        "docno": "LA010189-0001",
        "grade": 1,
        "reason": "It names one cause.",
    }


class TrainingStanding(Shape):
    """The latest training attempt of an assessor."""

    username = serializers.CharField(help_text="user name of the assessor")
    attempt = serializers.IntegerField(help_text="number of the latest attempt, from 1")
    answered = serializers.IntegerField(help_text="number of items answered in it")
    agreed = serializers.IntegerField(help_text="number of answers with the expected grade")
    kappa = serializers.FloatField(
        allow_null=True,
        help_text="Cohen's kappa of the answers with the expected grades, at most 1; null if undefined",
    )
    last = serializers.DateTimeField(help_text="time of the latest answer")

    example = {
        "username": "grace",
        "attempt": 1,
        "answered": 5,
        "agreed": 4,
        "kappa": 0.69,
        "last": "2026-03-01T15:00:00Z",
    }


class ExampleIn(RequestShape):
    """An example of the guidelines to create."""

    docno = name(help_text="document ID (docno) of a document of the collection")
    grade = WholeNumber(min_value=0, max_value=99, help_text="grade that it shows, from the campaign's scale")
    reason = Text(max_length=2000, help_text="sentence that says why the document has this grade")
    topic = name(
        required=False,
        allow_null=True,
        default=None,
        help_text="topic number of an example for one topic; null for every topic (default: null)",
    )

    example = {"docno": "LA010189-0001", "grade": 1, "reason": "It names one cause.", "topic": "401"}


class ExampleChange(RequestShape):
    """Changes of an example; what is left out stays."""

    grade = WholeNumber(
        required=False, min_value=0, max_value=99, help_text="grade that it shows, from the campaign's scale"
    )
    reason = Text(
        required=False, max_length=2000, help_text="sentence that says why the document has this grade"
    )
    topic = name(required=False, allow_null=True, help_text="topic number; null for every topic")

    example = {"grade": 2}


class ExampleMoveIn(RequestShape):
    """A new position of an example."""

    by = WholeNumber(
        min_value=-100_000, max_value=100_000, help_text="number of places to move down; negative moves up"
    )

    example = {"by": -1}


class Example(Shape):
    """An example of the guidelines: a document that shows what a grade means."""

    id = serializers.IntegerField(help_text="ID of the example")
    position = serializers.IntegerField(help_text="position among the examples, from 0")
    topic = serializers.CharField(
        allow_null=True, help_text="topic number; null if the example is for every topic"
    )
    topic_title = serializers.CharField(help_text="title of the topic; empty if there is none")
    docno = serializers.CharField(help_text="document ID (docno)")
    title = serializers.CharField(help_text="document title; may be empty")
    grade = serializers.IntegerField(help_text="grade that the document shows")
    reason = serializers.CharField(help_text="why the document has this grade")
    pooled_in = serializers.ListField(
        required=False,
        allow_null=True,
        child=serializers.CharField(),
        help_text="for organisers only: topics in which a contributing run ranks the document, so that "
        "assessors may be asked to judge it there; null while the worker reads the rankings",
    )

    example = {
        "id": 3,
        "position": 0,
        "topic": "401",
        "topic_title": "foreign minorities, Germany",
        "docno": "LA010189-0001",
        "title": "Cinema",
        "grade": 1,
        "reason": "It names one cause.",
        "pooled_in": ["401"],
    }


class ExampleShown(Example):
    """An example of the guidelines with its document."""

    document = Shown(help_text="document of the example")

    example = {**Example.example, "document": Shown.example}
