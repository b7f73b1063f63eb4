from __future__ import annotations

from typing import Any

from rest_framework import serializers

from campaigns.models import Campaign, Topic
from campaigns.models.campaign import Method, Policy, Scope, TopicChoice


class Strict(serializers.Serializer[Any]):
    """Refuses fields it does not know: a misspelt name must not pass in silence."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = sorted(set(data) - set(self.fields))
            if unknown:
                raise serializers.ValidationError({name: ["there is no such field"] for name in unknown})
        return super().to_internal_value(data)


def text(**options: Any) -> serializers.CharField:
    # A docno may begin or end with what other scripts use as a space.
    return serializers.CharField(max_length=512, trim_whitespace=False, **options)


class JudgmentIn(Strict):
    id = serializers.UUIDField()
    topic = text()
    docno = text()
    grade = serializers.IntegerField(required=False, min_value=-32768, max_value=32767)
    reason = text(required=False)
    undo = serializers.BooleanField(required=False, default=False)
    milliseconds = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=2**31 - 1)
    # What the browser put on the screen after it; an undo shows its own document.
    shown = text(required=False)
    # Whether the screen showed what the assessor had said of the document before.
    revision = serializers.BooleanField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        acts = ["grade" in attrs, "reason" in attrs, attrs["undo"]]
        if sum(acts) != 1:
            raise serializers.ValidationError("give exactly one of grade, reason and undo")
        if attrs["undo"] and "shown" in attrs:
            raise serializers.ValidationError({"shown": ["an undo shows its own document"]})
        return attrs


class PlaceIn(Strict):
    topic = text()
    docno = text()


class LaterIn(PlaceIn):
    shown = text(required=False)


class CampaignIn(Strict):
    name = serializers.CharField(max_length=200)
    slug = serializers.SlugField(max_length=80, required=False)
    guidelines = serializers.CharField(required=False, allow_blank=True, max_length=100_000)
    url_template = serializers.CharField(required=False, allow_blank=True, max_length=500)
    p = serializers.FloatField(required=False)
    method = serializers.ChoiceField(choices=Method.choices, required=False)
    options = serializers.DictField(required=False)
    scope = serializers.ChoiceField(choices=Scope.choices, required=False)
    batch = serializers.IntegerField(required=False, min_value=1, max_value=1_000_000)
    grades = serializers.JSONField(required=False)
    relevant_from = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=99)
    min_judgments = serializers.IntegerField(required=False, min_value=0, max_value=1_000_000)
    budget = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=2**31 - 1)
    topic_choice = serializers.ChoiceField(choices=TopicChoice.choices, required=False)
    training_required = serializers.BooleanField(required=False)
    development_required = serializers.BooleanField(required=False)
    overlap_share = serializers.FloatField(required=False)
    overlap_assessors = serializers.IntegerField(required=False, min_value=2, max_value=2**15 - 1)
    repeat_share = serializers.FloatField(required=False)
    policy = serializers.ChoiceField(choices=Policy.choices, required=False)
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)


class RevisionIn(Strict):
    description = serializers.CharField(max_length=100_000, allow_blank=True)
    narrative = serializers.CharField(max_length=100_000, allow_blank=True)
    based_on = serializers.IntegerField(min_value=0, max_value=2**31 - 1)


class AssignmentIn(Strict):
    username = serializers.CharField(max_length=150)


class TrainingAnswerIn(Strict):
    id = serializers.UUIDField()
    item = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    attempt = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    grade = serializers.IntegerField(min_value=-32768, max_value=32767)
    milliseconds = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=2**31 - 1)


class TrainingItemIn(Strict):
    topic = text()
    docno = text()
    grade = serializers.IntegerField(min_value=0, max_value=99)
    reason = serializers.CharField(max_length=2000)


class TrainingMoveIn(Strict):
    by = serializers.IntegerField(min_value=-100_000, max_value=100_000)


class TopicIn(Strict):
    method = serializers.ChoiceField(choices=Method.choices, allow_blank=True)
    options = serializers.DictField(required=False, default=dict)


class TopicOut(serializers.ModelSerializer[Topic]):
    class Meta:
        model = Topic
        fields = (
            "number",
            "title",
            "description",
            "narrative",
            "revision",
            "method",
            "options",
            "closed_at",
        )


class CampaignOut(serializers.ModelSerializer[Campaign]):
    url_template = serializers.CharField(source="collection.url_template")

    class Meta:
        model = Campaign
        fields = (
            "slug",
            "name",
            "guidelines",
            "url_template",
            "status",
            "measure",
            "p",
            "method",
            "options",
            "scope",
            "batch",
            "grades",
            "relevant_from",
            "min_judgments",
            "budget",
            "topic_choice",
            "training_required",
            "development_required",
            "overlap_share",
            "overlap_assessors",
            "repeat_share",
            "policy",
            "seed",
            "created",
        )
