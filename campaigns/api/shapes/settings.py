"""Shapes of a campaign’s settings, as organisers send them and members see them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rest_framework import serializers

from campaigns.api.shapes.base import (
    BoundedList,
    Choice,
    Flag,
    Number,
    Options,
    RequestShape,
    Shape,
    Slug,
    Text,
    WholeChoice,
    WholeNumber,
)
from campaigns.configuration.scale import LONGEST_DEFINITION
from campaigns.models.collection import LANGUAGES
from campaigns.setup import setting as kinds
from campaigns.setup.setting import Setting
from campaigns.setup.settings import BY_NAME, SETTINGS

Field = serializers.Field[Any, Any, Any, Any]

MOST_TEXT = 100_000
MOST_PLACES = 2**31 - 1


class GradeIn(RequestShape):
    """A grade of the scale. Gains never fall as grades rise, and the highest is above 0."""

    grade = WholeNumber("grade, a whole number from 0 to 99", min_value=0, max_value=99)
    label = Text("label of the grade, as assessors see it", max_length=100, trim_whitespace=False)  # type: ignore[assignment]  # fields leave the class
    gain = Number("gain of the grade, in [0, 1]", min_value=0, max_value=1)
    key = Text("keyboard key that gives the grade, one character", max_length=1, trim_whitespace=False)
    definition = Text(
        "definition of the grade, shown to assessors, at most 500 characters (default: none)",
        required=False,
        allow_blank=True,
        max_length=LONGEST_DEFINITION,
    )
    note = Flag("true to ask assessors for a note with the grade (default: false)", required=False)


class Grade(Shape):
    """A grade of the scale, as the current member sees it."""

    grade = WholeNumber("grade, a whole number from 0 to 99")
    label = Text("label of the grade, as assessors see it")  # type: ignore[assignment]
    gain = Number("gain of the grade, in [0, 1]; organisers only", required=False)
    key = Text("keyboard key that gives the grade")
    definition = Text("definition of the grade; absent if there is none", required=False)
    note = Flag("true if assessors are asked for a note; absent if not", required=False)


THREE_GRADES = [
    {"grade": 0, "label": "not relevant", "gain": 0.0, "key": "0"},
    {"grade": 1, "label": "relevant", "gain": 0.5, "key": "1"},
    {"grade": 2, "label": "highly relevant", "gain": 1.0, "key": "2"},
]


def setting_field(setting: Setting) -> Field:
    """Return the field that reads a setting."""
    about = f"{setting.description}{setting.remark and f'; {setting.remark}'}"
    if setting.name == "name":
        return Text(max_length=setting.kind.longest, help_text=about)  # type: ignore[union-attr]
    shared: dict[str, Any] = {"required": False, "help_text": f"{about} (default: {default_words(setting)})"}
    match setting.kind:
        case kinds.Flag():
            return Flag(**shared)
        case kinds.Whole(least, most, nullable):
            return WholeNumber(min_value=least, max_value=most, allow_null=nullable, **shared)
        case kinds.Number(least, most):
            return Number(min_value=least, max_value=most, **shared)
        case kinds.Choice(choices):
            whole = isinstance(choices[0][0], int)
            return (WholeChoice if whole else Choice)(choices=choices, **shared)
        case kinds.Text(longest):
            return Text(allow_blank=True, max_length=longest, **shared)
        case kinds.Moment():
            return serializers.DateTimeField(allow_null=True, **shared)
        case kinds.FieldNames(longest, most):
            return BoundedList(child=Text(max_length=longest), max_length=most, **shared)
        case kinds.GradeScale():
            return BoundedList(child=GradeIn(), min_length=2, max_length=100, **shared)
        case kinds.MethodOptions():
            return Options(**shared)


def shown_field(setting: Setting) -> Field:
    """Return the field that shows a setting."""
    hidden = setting.organisers_only
    about = f"{setting.description}; organisers only" if hidden else setting.description
    shared: dict[str, Any] = {"help_text": about, **({"required": False} if hidden else {})}
    match setting.kind:
        case kinds.Flag():
            return serializers.BooleanField(**shared)
        case kinds.Whole(_, _, nullable):
            return serializers.IntegerField(allow_null=nullable, **shared)
        case kinds.Number():
            return serializers.FloatField(**shared)
        case kinds.Choice(choices):
            return serializers.ChoiceField(choices=choices, **shared)
        case kinds.Text():
            return serializers.CharField(**shared)
        case kinds.Moment():
            return serializers.DateTimeField(allow_null=True, **shared)
        case kinds.FieldNames():
            return serializers.ListField(child=serializers.CharField(), **shared)
        case kinds.GradeScale():
            return Grade(many=True, **shared)
        case kinds.MethodOptions():
            return serializers.DictField(**shared)


def default_words(setting: Setting) -> str:
    """Return a setting's default as the API writes it."""
    default = setting.default
    if setting.default_words or isinstance(default, str):
        return setting.default_words or default
    return f"{default:g}" if isinstance(default, float) else json.dumps(default)


def with_settings(fields: dict[str, Field], place: str, of: Callable[[Setting], Field]) -> dict[str, Field]:
    """Return `fields` with those of all other settings behind the one called `place`."""
    ordered: dict[str, Field] = {}
    for name, declared in fields.items():
        ordered[name] = declared
        if name == place:
            ordered |= {one.name: of(one) for one in SETTINGS if one.name not in fields}
    return ordered


class CampaignChanges(RequestShape):
    """Settings to change. Omitted settings keep their values."""

    name = setting_field(BY_NAME["name"])
    guidelines = setting_field(BY_NAME["guidelines"])
    url_template = Text(
        "address of a document at its source, with {docno} for its ID (default: empty, no source)",
        required=False,
        allow_blank=True,
        max_length=500,
    )
    language = Choice(
        "language of the documents, by which terms are highlighted (default: english)",
        choices=LANGUAGES,
        required=False,
    )

    example = {"method": "mtc", "p": 0.95, "min_judgments": 60}

    def get_fields(self) -> dict[str, Field]:
        return with_settings(super().get_fields(), "language", setting_field)


class CampaignIn(CampaignChanges):
    """Settings of a new campaign. Omitted settings get their defaults."""

    slug = Slug(
        "slug of the campaign in addresses: letters, digits, - and _ (default: made from the name)",
        max_length=80,
        required=False,
    )

    example = {"name": "News 2026", "slug": "news-2026", "p": 0.8, "method": "C", "grades": THREE_GRADES}
