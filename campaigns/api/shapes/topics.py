"""Shapes of topics, their revisions and their assignments."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Choice, Options, Problem, Query, Shape, Strict, Text, Whole
from campaigns.api.shapes.campaigns import MOST_PLACES, MOST_TEXT
from campaigns.models.campaign import Method


class TopicIn(Strict):
    method = Choice(choices=Method.choices, allow_blank=True, help_text="empty: as the campaign")
    options = Options(required=False)

    example = {"method": "mtc", "options": {}}


class TopicOut(Shape):
    number = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    narrative = serializers.CharField()
    revision = serializers.IntegerField(help_text="how often it was worded")
    method = serializers.ChoiceField(choices=Method.choices, allow_blank=True)
    options = serializers.DictField()
    closed_at = serializers.DateTimeField(allow_null=True)

    example = {
        "number": "401",
        "title": "foreign minorities, Germany",
        "description": "What language and cultural differences impede the integration of foreign minorities?",
        "narrative": "A relevant document focuses on the causes of the lack of integration.",
        "revision": 1,
        "method": "",
        "options": {},
        "closed_at": None,
    }


class TopicListed(Shape):
    """A topic as organisers see it, and how far it is."""

    number = serializers.CharField()
    title = serializers.CharField()
    revision = serializers.IntegerField(help_text="how often it was worded")
    method = serializers.ChoiceField(
        choices=Method.choices, allow_blank=True, help_text="empty: as the campaign"
    )
    closed_at = serializers.DateTimeField(allow_null=True)
    judged = serializers.IntegerField(help_text="documents that have a grade")
    relevant = serializers.IntegerField()
    pool = serializers.IntegerField(
        allow_null=True, help_text="documents that runs rank; null: to be counted"
    )
    remaining = serializers.IntegerField(allow_null=True, help_text="of them, those still to be served")

    example = {
        "number": "401",
        "title": "foreign minorities, Germany",
        "revision": 1,
        "method": "",
        "closed_at": None,
        "judged": 57,
        "relevant": 12,
        "pool": 1937,
        "remaining": 1880,
    }


class TopicOffered(Shape):
    """A topic as assessors see it, and what they have done in it themselves."""

    number = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    narrative = serializers.CharField()
    closed = serializers.BooleanField()
    assigned = serializers.BooleanField(help_text="given to whoever asks")
    judged = serializers.IntegerField(help_text="by whoever asks")

    example = {
        "number": "401",
        "title": "foreign minorities, Germany",
        "description": "What impedes integration?",
        "narrative": "Causes only.",
        "closed": False,
        "assigned": True,
        "judged": 17,
    }


class RevisionIn(Strict):
    description = Text(max_length=MOST_TEXT, allow_blank=True)
    narrative = Text(max_length=MOST_TEXT, allow_blank=True)
    based_on = Whole(min_value=0, max_value=MOST_PLACES, help_text="the revision that was changed")

    example = {"description": "What impedes integration?", "narrative": "Causes only.", "based_on": 1}


class Revision(Shape):
    revision = serializers.IntegerField()
    title = serializers.CharField()
    description = serializers.CharField()
    narrative = serializers.CharField()
    created = serializers.DateTimeField()
    mine = serializers.BooleanField(help_text="worded by whoever asks")
    author = serializers.CharField(required=False, help_text="told to organisers only")

    example = {
        "revision": 2,
        "title": "foreign minorities, Germany",
        "description": "What impedes integration?",
        "narrative": "Causes only.",
        "created": "2026-03-01T09:00:00Z",
        "mine": True,
        "author": "ada",
    }


class Outdated(Problem):
    current = Revision(required=False)

    example = {
        "code": "outdated",
        "detail": "somebody has changed the topic meanwhile",
        "errors": [{"line": None, "field": "based_on", "detail": "somebody has changed the topic meanwhile"}],
        "current": Revision.example,
    }


class Closed(Shape):
    topic = serializers.CharField()
    closed_at = serializers.DateTimeField(allow_null=True)

    example = {"topic": "401", "closed_at": "2026-03-04T16:20:00Z"}


class AssignmentIn(Strict):
    username = Text(max_length=150)

    example = {"username": "grace"}


class AssignmentQuery(Query):
    username = Text(max_length=150, help_text="from whom the topic is taken back")


class Assigned(Shape):
    topic = serializers.CharField()
    assessors = serializers.ListField(child=serializers.CharField())

    example = {"topic": "401", "assessors": ["alan", "grace"]}


class Assignment(Shape):
    username = serializers.CharField()
    assigned_by = serializers.CharField()
    created = serializers.DateTimeField()

    example = {"username": "grace", "assigned_by": "ada", "created": "2026-03-01T09:00:00Z"}


class Dealt(Shape):
    assigned = serializers.IntegerField(help_text="how many topics were given to somebody")

    example = {"assigned": 12}
