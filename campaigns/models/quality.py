"""Reliability of judgments: flags on an assessor's work, excluded assessors, and imported judgments."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from campaigns.models.campaign import Campaign
from campaigns.models.topics import Topic


class Exclusion(models.Model):
    """An assessor whose judgments do not count, in one topic or, without one, in all. The log keeps them, and
    they count again once the row is gone."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="exclusions")
    # Judgments outlive a deleted account, so their exclusion does, too.
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    topic = models.ForeignKey(Topic, models.CASCADE, null=True, blank=True, related_name="+")
    excluded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "assessor", "topic"], name="one_exclusion", nulls_distinct=False
            )
        ]

    def __str__(self) -> str:
        return f"{self.assessor_id} in {self.topic_id or 'all topics'} of {self.campaign_id}"


class QrelsImport(models.Model):
    """The judgments that an organiser added from a file: one stretch of the log, from `first` to `last`."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="imports")
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    file = models.TextField()
    # None: a command, or an account that is gone.
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["first"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "first"], name="one_import_at_a_place"),
            models.CheckConstraint(condition=Q(last__gte=F("first")), name="import_has_judgments"),
        ]

    def __str__(self) -> str:
        return f"{self.file}: {self.first} to {self.last}"

    @property
    def judgments(self) -> int:
        return self.last - self.first + 1


class QualityFlag(models.Model):
    """Flag that the judgments up to `as_of` raise on an assessor; the row is deleted when they no longer do.
    `figures`: JSON, for the sentence that shows them."""

    class Kind(models.TextChoices):
        TIME = "time", pgettext_lazy("quality flag", "time")
        AGREEMENT = "agreement", pgettext_lazy("quality flag", "agreement")
        SELF_AGREEMENT = "self", pgettext_lazy("quality flag", "self-agreement")
        GRADES = "grades", pgettext_lazy("quality flag", "grades")
        READING = "reading", pgettext_lazy("quality flag", "reading")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="flags")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    figures = models.JSONField(default=dict)
    as_of = models.PositiveIntegerField()
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "assessor", "kind"], name="one_flag_of_a_kind")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.assessor_id} in {self.campaign_id}"
