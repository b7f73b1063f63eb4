"""Shapes of flags, exclusions and imports."""

from __future__ import annotations

from campaigns.api.shapes.base import (
    Choice,
    Figures,
    List,
    Query,
    RequestShape,
    Shape,
    Text,
    Time,
    WholeNumber,
    name,
)
from campaigns.models import QualityFlag


class QualityFlagOut(Shape):
    """An anomaly in an assessor's judgments."""

    assessor = Text("user name of the assessor", "grace")
    kind = Choice("kind of the flag", "time", choices=QualityFlag.Kind.choices)
    sentence = Text(
        "description of the anomaly, with figures and interval",
        "Median time of 120 judgments: 0.20 s (95% interval 0.19 to 0.22 s).",
    )
    figures = Figures(
        "figures of the sentence: value, low and high, and others that depend on the kind",
        {"documents": 120, "value": 0.2, "low": 0.19, "high": 0.22},
    )
    since = Time("time since which the judgments show the anomaly", "2026-05-04T09:00:00Z")
    as_of = WholeNumber("number of log entries that the flag reflects", 431)


class ExclusionOut(Shape):
    """An excluded assessor."""

    assessor = Text("user name of the assessor", "grace")
    topic = Text.or_null("number of the topic; null for all topics", None)
    judgments = WholeNumber("number of the assessor’s judgments there", 120)
    excluded_by = Text.or_null("organiser's user name; null if unknown", "ada")
    since = Time("time of the exclusion", "2026-05-04T09:00:00Z")


class QrelsImportOut(Shape):
    """Judgments imported from a qrels file."""

    file = Text("name of the file", "known.qrels")
    judgments = WholeNumber("number of judgments added", 40)
    first = WholeNumber("log entry of the first of them", 1)
    last = WholeNumber("log entry of the last of them", 40)
    imported_by = Text.or_null("organiser's user name; null if unknown", "ada")
    created = Time("time of the import", "2026-05-04T09:00:00Z")


class QualityOut(Shape):
    """Flags, exclusions and imports of a campaign."""

    flags = QualityFlagOut(many=True, help_text="flags, by assessor")
    exclusions = ExclusionOut(many=True, help_text="exclusions, by assessor")
    imports = QrelsImportOut(many=True, help_text="imports, in the order of the log")


class ExclusionIn(RequestShape):
    """An assessor to exclude."""

    username = Text("user name of the assessor to exclude", "grace", max_length=150)
    topics = List(
        "numbers of the topics (default: none, which means all)",
        ["401"],
        child=name(),
        default=list,
        max_length=10_000,
    )
    to = Text(
        "user name of the member who gets the topics instead (default: empty, no reassignment)",
        "alan",
        max_length=150,
        default="",
        allow_blank=True,
    )


class InclusionIn(Query):
    """An assessor to include again."""

    username = Text("user name of the assessor to include again", max_length=150)
    topic = name("number of the topic (default: empty, all topics)", default="", allow_blank=True)
