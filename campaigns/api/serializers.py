from __future__ import annotations

from typing import Any

from rest_framework import serializers

from campaigns.models import Campaign
from campaigns.models.campaign import Method, Scope


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

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        acts = ["grade" in attrs, "reason" in attrs, attrs["undo"]]
        if sum(acts) != 1:
            raise serializers.ValidationError("give exactly one of grade, reason and undo")
        return attrs


class PlaceIn(Strict):
    topic = text()
    docno = text()


class CampaignIn(Strict):
    name = serializers.CharField(max_length=200)
    slug = serializers.SlugField(max_length=80, required=False)
    guidelines = serializers.CharField(required=False, allow_blank=True, max_length=100_000)
    p = serializers.FloatField(required=False)
    method = serializers.ChoiceField(choices=Method.choices, required=False)
    scope = serializers.ChoiceField(choices=Scope.choices, required=False)
    batch = serializers.IntegerField(required=False, min_value=1, max_value=1_000_000)
    grades = serializers.JSONField(required=False)
    min_judgments = serializers.IntegerField(required=False, min_value=0, max_value=1_000_000)
    budget = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=2**31 - 1)


class CampaignOut(serializers.ModelSerializer[Campaign]):
    class Meta:
        model = Campaign
        fields = (
            "slug",
            "name",
            "guidelines",
            "status",
            "measure",
            "p",
            "method",
            "scope",
            "batch",
            "grades",
            "min_judgments",
            "budget",
            "seed",
            "created",
        )
