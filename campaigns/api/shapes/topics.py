"""Shapes of topics, their revisions and their assignments."""

from __future__ import annotations

from campaigns.api.shapes.base import (
    Choice,
    Figures,
    Flag,
    List,
    Options,
    Problem,
    Query,
    RequestShape,
    Shape,
    Text,
    Time,
    WholeNumber,
)
from campaigns.api.shapes.settings import MOST_PLACES, MOST_TEXT
from campaigns.models.campaign import Method


class TopicIn(RequestShape):
    """The selection method of a topic."""

    method = Choice(
        "selection method of the topic; empty for the campaign's",
        "mtc",
        choices=Method.choices,
        allow_blank=True,
    )
    options = Options(
        "options of the selection method, by name (default: the method's own)", {}, required=False
    )


class TopicField(Shape):
    """A further field of a topic, such as a subtopic."""

    name = Text("name of the field, as in the topic's file", "subtopic 1 (type inf)")
    value = Text("text of the field", "Which languages are taught at school?")


class TopicText(Shape):
    """A topic with its text."""

    number = Text("topic number", "401")
    title = Text("title of the topic", "foreign minorities, Germany")
    description = Text("description of the topic; may be empty", "What impedes integration?")
    narrative = Text("narrative of the topic; may be empty", "Causes only.")
    further_fields = TopicField(many=True, help_text="further fields of the topic, in the order of its file")


class TopicOut(TopicText):
    """A topic with its text and selection method."""

    revision = WholeNumber("revision of the topic's text, from 1", 1)
    method = Choice(
        "selection method of the topic; empty for the campaign's",
        "",
        choices=Method.choices,
        allow_blank=True,
    )
    options = Figures("options of the selection method, by name", {})
    closed_at = Time.or_null("time at which the topic was closed; null if open", None)


class TopicListed(Shape):
    """A topic as organisers see it, with its progress."""

    number = Text("topic number", "401")
    title = Text("title of the topic", "foreign minorities, Germany")
    revision = WholeNumber("revision of the topic's text, from 1", 1)
    method = Choice(
        "selection method of the topic; empty for the campaign's",
        "",
        choices=Method.choices,
        allow_blank=True,
    )
    closed_at = Time.or_null("time at which the topic was closed; null if open", None)
    judged = WholeNumber("number of judged documents", 57)
    minimum = WholeNumber("minimum of judged documents, at most the pool", 40)
    relevant = WholeNumber("number of relevant documents", 12)
    pool = WholeNumber.or_null("number of documents in the pool; null until it is computed", 1937)
    remaining = WholeNumber.or_null(
        "number of pooled documents still to be served; null until it is computed", 1880
    )


class TopicOffered(TopicText):
    """A topic as assessors see it, with their own progress."""

    closed = Flag("true if the topic is closed", False)
    done = Flag("true if the current user is done with the topic", False)
    assigned = Flag("true if assigned to the current user", True)
    judged = WholeNumber("number of documents judged by the current user", 17)


class RevisionIn(RequestShape):
    """A new text of a topic."""

    description = Text(
        "description of the topic; may be empty",
        "What impedes integration?",
        max_length=MOST_TEXT,
        allow_blank=True,
    )
    narrative = Text(
        "narrative of the topic; may be empty", "Causes only.", max_length=MOST_TEXT, allow_blank=True
    )
    based_on = WholeNumber("revision that the new text is based on", 1, min_value=0, max_value=MOST_PLACES)


class Revision(Shape):
    """A revision of a topic's text."""

    revision = WholeNumber("number of the revision, from 1", 2)
    title = Text("title of the topic", "foreign minorities, Germany")
    description = Text("description of the topic; may be empty", "What impedes integration?")
    narrative = Text("narrative of the topic; may be empty", "Causes only.")
    further_fields = TopicField(
        many=True, help_text="further fields of the topic, in the order of its file", example=[]
    )
    created = Time("time of the revision", "2026-03-01T09:00:00Z")
    mine = Flag("true if the current user wrote it", True)
    author = Text("user name of the author; organisers only", "ada", required=False)


class Outdated(Problem):
    """An error: the topic was changed after the revision that the request is based on."""

    current = Revision(required=False, help_text="current revision of the topic")

    example = {
        "code": "outdated",
        "detail": "the topic has since been revised; check the newer text and save again",
        "errors": [
            {
                "line": None,
                "field": "based_on",
                "detail": "the topic has since been revised; check the newer text and save again",
            }
        ],
        "current": Revision.example,
    }


class Closed(Shape):
    """Closing of a topic."""

    topic = Text("topic number", "401")
    closed_at = Time.or_null("time at which the topic was closed; null if open", "2026-03-04T16:20:00Z")


class Done(Shape):
    """The current user's work in a topic."""

    topic = Text("topic number", "401")
    done_at = Time.or_null(
        "time at which the current user was done with the topic; null if not done", "2026-03-04T16:20:00Z"
    )
    judged = WholeNumber("number of documents judged by the current user", 46)
    relevant = WholeNumber("number of these documents that are relevant", 12)
    milliseconds = WholeNumber.or_null(
        "active time of all judgments of the current user in the topic, in milliseconds; null "
        "unless at least 80% of them were timed",
        1_260_000,
    )
    overlap_left = WholeNumber(
        "number of documents that other assessors judged and that wait for the current user’s grade", 0
    )


class AssignmentIn(RequestShape):
    """An assignment to create."""

    username = Text("user name of the assessor", "grace", max_length=150)


class AssignmentQuery(Query):
    username = Text("user name of the assessor to unassign", max_length=150)


class Assigned(Shape):
    """A topic and its assessors."""

    topic = Text("topic number", "401")
    assessors = List("user names of the assigned assessors", ["alan", "grace"], child=Text())


class Assignment(Shape):
    """An assignment of a topic to an assessor."""

    username = Text("user name of the assessor", "grace")
    assigned_by = Text("user name of the organiser who assigned the topic", "ada")
    created = Time("time of the assignment", "2026-03-01T09:00:00Z")


class Dealt(Shape):
    """The result of distributing topics."""

    assigned = WholeNumber("number of topics newly assigned", 12)
