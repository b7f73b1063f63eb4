"""Shapes of campaigns and their scales of grades."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    USUAL_ROWS,
    Choice,
    Flag,
    Many,
    Number,
    Options,
    PageQuery,
    Query,
    Shape,
    Slug,
    Strict,
    Text,
    Whole,
    limit_field,
)
from campaigns.models.campaign import Method, Policy, Scope, Status, TopicChoice

MOST_TEXT = 100_000
MOST_PLACES = 2**31 - 1
# Each may bring long guidelines.
MOST_CAMPAIGNS = 200


class GradeIn(Strict):
    """One grade of the scale; gains never fall as grades rise."""

    grade = Whole(min_value=0, max_value=99)
    label = Text(max_length=100, trim_whitespace=False)  # type: ignore[assignment]  # fields leave the class
    gain = Number(min_value=0, max_value=1)
    key = Text(max_length=1, trim_whitespace=False, help_text="the key that gives it")


THREE_GRADES = [
    {"grade": 0, "label": "not relevant", "gain": 0.0, "key": "0"},
    {"grade": 1, "label": "relevant", "gain": 0.5, "key": "1"},
    {"grade": 2, "label": "highly relevant", "gain": 1.0, "key": "2"},
]


class CampaignChanges(Strict):
    name = Text(max_length=200)
    guidelines = Text(required=False, allow_blank=True, max_length=MOST_TEXT)
    url_template = Text(
        required=False,
        allow_blank=True,
        max_length=500,
        help_text="where documents are seen, with {docno} in it; empty: nowhere",
    )
    p = Number(required=False, min_value=0, max_value=1, help_text="persistence of RBP, above 0, below 1")
    method = Choice(choices=Method.choices, required=False)
    options = Options(required=False, help_text="of the method, by their names")
    scope = Choice(choices=Scope.choices, required=False)
    batch = Whole(required=False, min_value=1, max_value=1_000_000)
    grades = Many(child=GradeIn(), required=False, min_length=2, max_length=100)
    relevant_from = Whole(
        required=False, allow_null=True, min_value=0, max_value=99, help_text="the lowest grade that counts"
    )
    min_judgments = Whole(required=False, min_value=0, max_value=1_000_000)
    budget = Whole(required=False, allow_null=True, min_value=1, max_value=MOST_PLACES)
    topic_choice = Choice(choices=TopicChoice.choices, required=False)
    training_required = Flag(required=False)
    development_required = Flag(required=False)
    overlap_share = Number(required=False, min_value=0, max_value=1)
    overlap_assessors = Whole(required=False, min_value=2, max_value=20)
    repeat_share = Number(required=False, min_value=0, max_value=0.5)
    policy = Choice(choices=Policy.choices, required=False)
    seed = Whole(required=False, min_value=0, max_value=MOST_PLACES)

    example = {"method": "mtc", "p": 0.95, "min_judgments": 60}


class CampaignIn(CampaignChanges):
    slug = Slug(max_length=80, required=False, help_text="its name in addresses; by default made of the name")

    example = {"name": "News 2026", "slug": "news-2026", "p": 0.8, "method": "C", "grades": THREE_GRADES}


class Grade(Shape):
    """Only organisers are told the gain."""

    grade = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]
    gain = serializers.FloatField(required=False)
    key = serializers.CharField()


class CampaignOut(Shape):
    """The campaign as this member may see it: how documents are chosen, and what a grade is worth, is told to
    organisers only."""

    slug = serializers.CharField()
    name = serializers.CharField()
    guidelines = serializers.CharField()
    url_template = serializers.CharField(source="collection.url_template", required=False)
    status = serializers.ChoiceField(choices=Status.choices)
    measure = serializers.CharField(required=False)
    p = serializers.FloatField(required=False)
    method = serializers.ChoiceField(choices=Method.choices, required=False)
    options = serializers.DictField(required=False)
    scope = serializers.ChoiceField(choices=Scope.choices, required=False)
    batch = serializers.IntegerField(required=False)
    grades = Grade(many=True)
    relevant_from = serializers.IntegerField(required=False, allow_null=True)
    min_judgments = serializers.IntegerField()
    budget = serializers.IntegerField(required=False, allow_null=True)
    topic_choice = serializers.ChoiceField(choices=TopicChoice.choices)
    training_required = serializers.BooleanField()
    development_required = serializers.BooleanField()
    overlap_share = serializers.FloatField(required=False)
    overlap_assessors = serializers.IntegerField(required=False)
    repeat_share = serializers.FloatField(required=False)
    policy = serializers.ChoiceField(choices=Policy.choices)
    seed = serializers.IntegerField(required=False)
    created = serializers.DateTimeField()

    example = {
        "slug": "news-2026",
        "name": "News 2026",
        "guidelines": "",
        "url_template": "https://example.org/{docno}",
        "status": "open",
        "measure": "RBP(p=0.8)",
        "p": 0.8,
        "method": "C",
        "options": {"power": 3, "probe_share": 0.0},
        "scope": "campaign",
        "batch": 1,
        "grades": THREE_GRADES,
        "relevant_from": None,
        "min_judgments": 40,
        "budget": None,
        "topic_choice": "free",
        "training_required": False,
        "development_required": False,
        "overlap_share": 0.0,
        "overlap_assessors": 2,
        "repeat_share": 0.0,
        "policy": "adjudicated",
        "seed": 1,
        "created": "2026-03-01T09:00:00Z",
    }


class CampaignsQuery(PageQuery):
    limit = limit_field(USUAL_ROWS, MOST_CAMPAIGNS)


class DeletionQuery(Query):
    confirm = Text(max_length=80, help_text="the campaign's address once more: nothing brings it back")


class Moved(Shape):
    status = serializers.ChoiceField(choices=Status.choices)

    example = {"status": "open"}
