"""Shapes of flags, exclusions and imports."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Query, RequestShape, Shape, Text, name
from campaigns.models import QualityFlag


class QualityFlagOut(Shape):
    """An anomaly in an assessor's judgments."""

    assessor = serializers.CharField(help_text="user name of the assessor")
    kind = serializers.ChoiceField(choices=QualityFlag.Kind.choices, help_text="kind of the flag")
    sentence = serializers.CharField(help_text="description of the anomaly, with figures and interval")
    figures = serializers.DictField(
        help_text="figures of the sentence: value, low and high, and others that depend on the kind"
    )
    since = serializers.DateTimeField(help_text="time since which the judgments show the anomaly")
    as_of = serializers.IntegerField(help_text="number of log entries that the flag reflects")

    example = {
        "assessor": "grace",
        "kind": "time",
        "sentence": "Median time of 120 judgments: 0.20 s (95% interval 0.19 to 0.22 s).",
        "figures": {"documents": 120, "value": 0.2, "low": 0.19, "high": 0.22},
        "since": "2026-05-04T09:00:00Z",
        "as_of": 431,
    }


class ExclusionOut(Shape):
    """An excluded assessor."""

    assessor = serializers.CharField(help_text="user name of the assessor")
    topic = serializers.CharField(allow_null=True, help_text="number of the topic; null for all topics")
    judgments = serializers.IntegerField(help_text="number of the assessor’s judgments there")
    excluded_by = serializers.CharField(allow_null=True, help_text="organiser's user name; null if unknown")
    since = serializers.DateTimeField(help_text="time of the exclusion")

    example = {
        "assessor": "grace",
        "topic": None,
        "judgments": 120,
        "excluded_by": "ada",
        "since": "2026-05-04T09:00:00Z",
    }


class QrelsImportOut(Shape):
    """Judgments imported from a qrels file."""

    file = serializers.CharField(help_text="name of the file")
    judgments = serializers.IntegerField(help_text="number of judgments added")
    first = serializers.IntegerField(help_text="log entry of the first of them")
    last = serializers.IntegerField(help_text="log entry of the last of them")
    imported_by = serializers.CharField(allow_null=True, help_text="organiser's user name; null if unknown")
    created = serializers.DateTimeField(help_text="time of the import")

    example = {
        "file": "known.qrels",
        "judgments": 40,
        "first": 1,
        "last": 40,
        "imported_by": "ada",
        "created": "2026-05-04T09:00:00Z",
    }


class QualityOut(Shape):
    """Flags, exclusions and imports of a campaign."""

    flags = QualityFlagOut(many=True, help_text="flags, by assessor")
    exclusions = ExclusionOut(many=True, help_text="exclusions, by assessor")
    imports = QrelsImportOut(many=True, help_text="imports, in the order of the log")

    example = {
        "flags": [QualityFlagOut.example],
        "exclusions": [ExclusionOut.example],
        "imports": [QrelsImportOut.example],
    }


def _topics() -> serializers.ListField:
    return serializers.ListField(
        child=name(),
        required=False,
        default=list,
        max_length=10_000,
        help_text="numbers of the topics (default: none, which means all)",
    )


class ExclusionIn(RequestShape):
    """An assessor to exclude."""

    username = Text(max_length=150, help_text="user name of the assessor to exclude")
    topics = _topics()
    to = Text(
        max_length=150,
        required=False,
        default="",
        allow_blank=True,
        help_text="user name of the member who gets the topics instead (default: empty, no reassignment)",
    )

    example = {"username": "grace", "topics": ["401"], "to": "alan"}


class InclusionIn(Query):
    """An assessor to include again."""

    username = Text(max_length=150, help_text="user name of the assessor to include again")
    topic = name(
        required=False,
        default="",
        allow_blank=True,
        help_text="number of the topic (default: empty, all topics)",
    )
