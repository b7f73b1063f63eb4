"""Shapes of training, its items, attempts and answers, and of the guidelines' examples."""

from __future__ import annotations

from campaigns.api.shapes.base import (
    Flag,
    Id,
    List,
    Number,
    Query,
    RequestShape,
    Shape,
    Text,
    Time,
    WholeNumber,
    name,
)
from campaigns.api.shapes.collection import Shown
from campaigns.api.shapes.judging.judgments import LARGE, SMALL
from campaigns.api.shapes.judging.serving import PlaceIn
from campaigns.api.shapes.topics import TopicText


class TrainingQuery(Query):
    again = Flag("true to start a new attempt after a finished one (default: false)", default=False)


class TrainingAnswerIn(RequestShape):
    """An answer to a training item."""

    id = Id(
        "UUID chosen by the sender; an answer sent twice with the same UUID counts once",
        "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a",
    )
    item = WholeNumber("ID of the training item", 7, min_value=1, max_value=2**63 - 1)
    attempt = WholeNumber("number of the attempt, from 1", 1, min_value=1, max_value=2**31 - 1)
    grade = WholeNumber("grade given, from the campaign's scale", 1, min_value=SMALL, max_value=LARGE)
    milliseconds = WholeNumber.or_null(
        "time spent on the item, in milliseconds; null if unknown (default: null)",
        14200,
        required=False,
        min_value=0,
        max_value=2**31 - 1,
    )


class TrainingItemIn(PlaceIn):
    """A training item to create."""

    grade = WholeNumber("expected grade, from the campaign's scale", 1, min_value=0, max_value=99)
    reason = Text(
        "explanation of the expected grade, shown after the answer", "It names one cause.", max_length=2000
    )


class TrainingMoveIn(RequestShape):
    """A new position of a training item."""

    by = WholeNumber(
        "number of places to move down; negative moves up", -1, min_value=-100_000, max_value=100_000
    )


class TrainingTopic(TopicText):
    """The topic of a training item."""


class TrainingAsked(Shape):
    """A training item before it is answered."""

    id = WholeNumber("ID of the training item", 8)
    topic = TrainingTopic(help_text="topic of the item")
    document = Shown(help_text="document of the item")


class TrainingAnswered(Shape):
    """An answered training item."""

    item = WholeNumber("ID of the training item", 7)
    topic = Text("topic number", "401")
    docno = Text("document ID (docno)", "LA010189-0001")
    title = Text("document title; may be empty", "Cinema")
    grade = WholeNumber("grade given", 1)
    expected = WholeNumber("expected grade", 1)
    reason = Text("explanation of the expected grade", "It names one cause.")
    agreed = Flag("true if both grades are equal", True)


class TrainingAttempt(Shape):
    """An attempt of the current assessor at the training."""

    attempt = WholeNumber("number of the attempt, from 1", 1)
    items = WholeNumber("number of items in the training", 5)
    answered = WholeNumber("number of items answered", 1)
    agreed = WholeNumber("number of answers with the expected grade", 1)
    kappa = Number.or_null(
        "Cohen's kappa of the answers with the expected grades, at most 1; null if undefined", None
    )
    finished = Flag("true if every item is answered", False)
    answers = TrainingAnswered(many=True, help_text="answered items")
    next = TrainingAsked(allow_null=True, help_text="next item; null if every item is answered")


class TrainingRecorded(TrainingAttempt):
    """A recorded training answer and the attempt so far."""

    answer = TrainingAnswered(help_text="the recorded answer")


class TrainingItem(Shape):
    """A training item as organisers see it."""

    id = WholeNumber("ID of the training item", 7)
    position = WholeNumber("position in the training, from 1", 1)
    topic = Text("topic number", "401")
    docno = Text("document ID (docno)", "LA010189-0001")
    grade = WholeNumber("expected grade", 1)
    reason = Text("explanation of the expected grade", "It names one cause.")


class TrainingStanding(Shape):
    """The latest training attempt of an assessor."""

    username = Text("user name of the assessor", "grace")
    attempt = WholeNumber("number of the latest attempt, from 1", 1)
    answered = WholeNumber("number of items answered in it", 5)
    agreed = WholeNumber("number of answers with the expected grade", 4)
    kappa = Number.or_null(
        "Cohen's kappa of the answers with the expected grades, at most 1; null if undefined", 0.69
    )
    last = Time("time of the latest answer", "2026-03-01T15:00:00Z")


class ExampleIn(RequestShape):
    """An example of the guidelines to create."""

    docno = name("document ID (docno) of a document of the collection", "LA010189-0001")
    grade = WholeNumber("grade that it shows, from the campaign's scale", 1, min_value=0, max_value=99)
    reason = Text(
        "sentence that says why the document has this grade", "It names one cause.", max_length=2000
    )
    topic = name(
        "topic number of an example for one topic; null for every topic (default: null)",
        "401",
        allow_null=True,
        default=None,
    )


class ExampleChange(RequestShape):
    """Changes of an example; what is left out stays."""

    grade = WholeNumber(
        "grade that it shows, from the campaign's scale", 2, required=False, min_value=0, max_value=99
    )
    reason = Text("sentence that says why the document has this grade", required=False, max_length=2000)
    topic = name("topic number; null for every topic", required=False, allow_null=True)


class ExampleMoveIn(TrainingMoveIn):
    """A new position of an example."""


class Example(Shape):
    """An example of the guidelines: a document that shows what a grade means."""

    id = WholeNumber("ID of the example", 3)
    position = WholeNumber("position among the examples, from 0", 0)
    topic = Text.or_null("topic number; null if the example is for every topic", "401")
    topic_title = Text("title of the topic; empty if there is none", "foreign minorities, Germany")
    docno = Text("document ID (docno)", "LA010189-0001")
    title = Text("document title; may be empty", "Cinema")
    grade = WholeNumber("grade that the document shows", 1)
    reason = Text("why the document has this grade", "It names one cause.")
    pooled_in = List.or_null(
        "for organisers only: topics in which a contributing run ranks the document, so that "
        "assessors may be asked to judge it there; null while the worker reads the rankings",
        ["401"],
        required=False,
        child=Text(),
    )


class ExampleShown(Example):
    """An example of the guidelines with its document."""

    document = Shown(help_text="document of the example")
