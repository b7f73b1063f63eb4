"""Shapes of topics, their revisions and their assignments."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Choice, Options, Problem, Query, RequestShape, Shape, Text, WholeNumber
from campaigns.api.shapes.settings import MOST_PLACES, MOST_TEXT
from campaigns.models.campaign import Method


class TopicIn(RequestShape):
    """The selection method of a topic."""

    method = Choice(
        choices=Method.choices,
        allow_blank=True,
        help_text="selection method of the topic; empty for the campaign's",
    )
    options = Options(
        required=False, help_text="options of the selection method, by name (default: the method's own)"
    )

    example = {"method": "mtc", "options": {}}


class TopicField(Shape):
    """A further field of a topic, such as a subtopic."""

    name = serializers.CharField(help_text="name of the field, as in the topic's file")
    value = serializers.CharField(help_text="text of the field")

    example = {"name": "subtopic 1 (type inf)", "value": "Which languages are taught at school?"}


class TopicOut(Shape):
    """A topic with its text and selection method."""

    number = serializers.CharField(help_text="topic number")
    title = serializers.CharField(help_text="title of the topic")
    description = serializers.CharField(help_text="description of the topic; may be empty")
    narrative = serializers.CharField(help_text="narrative of the topic; may be empty")
    further_fields = TopicField(many=True, help_text="further fields of the topic, in the order of its file")
    revision = serializers.IntegerField(help_text="revision of the topic's text, from 1")
    method = serializers.ChoiceField(
        choices=Method.choices,
        allow_blank=True,
        help_text="selection method of the topic; empty for the campaign's",
    )
    options = serializers.DictField(help_text="options of the selection method, by name")
    closed_at = serializers.DateTimeField(
        allow_null=True, help_text="time at which the topic was closed; null if open"
    )

    example = {
        "number": "401",
        "title": "foreign minorities, Germany",
        "description": "What language and cultural differences impede the integration of foreign minorities?",
        "narrative": "A relevant document focuses on the causes of the lack of integration.",
        "further_fields": [TopicField.example],
        "revision": 1,
        "method": "",
        "options": {},
        "closed_at": None,
    }


class TopicListed(Shape):
    """A topic as organisers see it, with its progress."""

    number = serializers.CharField(help_text="topic number")
    title = serializers.CharField(help_text="title of the topic")
    revision = serializers.IntegerField(help_text="revision of the topic's text, from 1")
    method = serializers.ChoiceField(
        choices=Method.choices,
        allow_blank=True,
        help_text="selection method of the topic; empty for the campaign's",
    )
    closed_at = serializers.DateTimeField(
        allow_null=True, help_text="time at which the topic was closed; null if open"
    )
    judged = serializers.IntegerField(help_text="number of judged documents")
    minimum = serializers.IntegerField(help_text="minimum of judged documents, at most the pool")
    relevant = serializers.IntegerField(help_text="number of relevant documents")
    pool = serializers.IntegerField(
        allow_null=True, help_text="number of documents in the pool; null until it is computed"
    )
    remaining = serializers.IntegerField(
        allow_null=True, help_text="number of pooled documents still to be served; null until it is computed"
    )

    example = {
        "number": "401",
        "title": "foreign minorities, Germany",
        "revision": 1,
        "method": "",
        "closed_at": None,
        "judged": 57,
        "minimum": 40,
        "relevant": 12,
        "pool": 1937,
        "remaining": 1880,
    }


class TopicOffered(Shape):
    """A topic as assessors see it, with their own progress."""

    number = serializers.CharField(help_text="topic number")
    title = serializers.CharField(help_text="title of the topic")
    description = serializers.CharField(help_text="description of the topic; may be empty")
    narrative = serializers.CharField(help_text="narrative of the topic; may be empty")
    further_fields = TopicField(many=True, help_text="further fields of the topic, in the order of its file")
    closed = serializers.BooleanField(help_text="true if the topic is closed")
    done = serializers.BooleanField(help_text="true if the current user is done with the topic")
    assigned = serializers.BooleanField(help_text="true if assigned to the current user")
    judged = serializers.IntegerField(help_text="number of documents judged by the current user")

    example = {
        "number": "401",
        "title": "foreign minorities, Germany",
        "description": "What impedes integration?",
        "narrative": "Causes only.",
        "further_fields": [],
        "closed": False,
        "done": False,
        "assigned": True,
        "judged": 17,
    }


class RevisionIn(RequestShape):
    """A new text of a topic."""

    description = Text(
        max_length=MOST_TEXT, allow_blank=True, help_text="description of the topic; may be empty"
    )
    narrative = Text(max_length=MOST_TEXT, allow_blank=True, help_text="narrative of the topic; may be empty")
    based_on = WholeNumber(
        min_value=0, max_value=MOST_PLACES, help_text="revision that the new text is based on"
    )

    example = {"description": "What impedes integration?", "narrative": "Causes only.", "based_on": 1}


class Revision(Shape):
    """A revision of a topic's text."""

    revision = serializers.IntegerField(help_text="number of the revision, from 1")
    title = serializers.CharField(help_text="title of the topic")
    description = serializers.CharField(help_text="description of the topic; may be empty")
    narrative = serializers.CharField(help_text="narrative of the topic; may be empty")
    further_fields = TopicField(many=True, help_text="further fields of the topic, in the order of its file")
    created = serializers.DateTimeField(help_text="time of the revision")
    mine = serializers.BooleanField(help_text="true if the current user wrote it")
    author = serializers.CharField(required=False, help_text="user name of the author; organisers only")

    example = {
        "revision": 2,
        "title": "foreign minorities, Germany",
        "description": "What impedes integration?",
        "narrative": "Causes only.",
        "further_fields": [],
        "created": "2026-03-01T09:00:00Z",
        "mine": True,
        "author": "ada",
    }


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

    topic = serializers.CharField(help_text="topic number")
    closed_at = serializers.DateTimeField(
        allow_null=True, help_text="time at which the topic was closed; null if open"
    )

    example = {"topic": "401", "closed_at": "2026-03-04T16:20:00Z"}


class Done(Shape):
    """The current user's work in a topic."""

    topic = serializers.CharField(help_text="topic number")
    done_at = serializers.DateTimeField(
        allow_null=True, help_text="time at which the current user was done with the topic; null if not done"
    )
    judged = serializers.IntegerField(help_text="number of documents judged by the current user")
    relevant = serializers.IntegerField(help_text="number of these documents that are relevant")
    milliseconds = serializers.IntegerField(
        allow_null=True,
        help_text="active time of all judgments of the current user in the topic, in milliseconds; null "
        "unless at least 80% of them were timed",
    )
    overlap_left = serializers.IntegerField(
        help_text="number of documents that other assessors judged and that wait for the current user’s grade"
    )

    example = {
        "topic": "401",
        "done_at": "2026-03-04T16:20:00Z",
        "judged": 46,
        "relevant": 12,
        "milliseconds": 1_260_000,
        "overlap_left": 0,
    }


class AssignmentIn(RequestShape):
    """An assignment to create."""

    username = Text(max_length=150, help_text="user name of the assessor")

    example = {"username": "grace"}


class AssignmentQuery(Query):
    username = Text(max_length=150, help_text="user name of the assessor to unassign")


class Assigned(Shape):
    """A topic and its assessors."""

    topic = serializers.CharField(help_text="topic number")
    assessors = serializers.ListField(
        child=serializers.CharField(), help_text="user names of the assigned assessors"
    )

    example = {"topic": "401", "assessors": ["alan", "grace"]}


class Assignment(Shape):
    """An assignment of a topic to an assessor."""

    username = serializers.CharField(help_text="user name of the assessor")
    assigned_by = serializers.CharField(help_text="user name of the organiser who assigned the topic")
    created = serializers.DateTimeField(help_text="time of the assignment")

    example = {"username": "grace", "assigned_by": "ada", "created": "2026-03-01T09:00:00Z"}


class Dealt(Shape):
    """The result of distributing topics."""

    assigned = serializers.IntegerField(help_text="number of topics newly assigned")

    example = {"assigned": 12}
