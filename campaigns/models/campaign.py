from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from campaigns.models.collection import Collection


class Method(models.TextChoices):
    POOLING = "pooling", "Pooling"
    A = "A", "Method A"
    B = "B", "Method B"
    C = "C", "Method C"


class Scope(models.TextChoices):
    CAMPAIGN = "campaign", "whole campaign"
    TOPIC = "topic", "each topic by itself"


class Status(models.TextChoices):
    DRAFT = "draft", "draft"
    OPEN = "open", "open"
    PAUSED = "paused", "paused"
    CLOSED = "closed", "closed"


def three_grades() -> list[dict[str, Any]]:
    return [
        {"grade": 0, "label": "not relevant", "gain": 0.0, "key": "0"},
        {"grade": 1, "label": "relevant", "gain": 0.5, "key": "1"},
        {"grade": 2, "label": "highly relevant", "gain": 1.0, "key": "2"},
    ]


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def organised_by(self, user: Any) -> CampaignQuerySet:
        return self.filter(memberships__user=user, memberships__role=Membership.Role.ORGANISER)

    def visible_to(self, user: Any) -> CampaignQuerySet:
        return self.filter(memberships__user=user)


class Campaign(models.Model):
    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    guidelines = models.TextField(blank=True, default="")
    collection = models.ForeignKey(Collection, models.PROTECT, related_name="campaigns")
    p = models.FloatField(default=0.8)
    method = models.CharField(max_length=20, choices=Method.choices, default=Method.C)
    scope = models.CharField(max_length=10, choices=Scope.choices, default=Scope.CAMPAIGN)
    batch = models.PositiveIntegerField(default=1, validators=[MinValueValidator(1)])
    grades = models.JSONField(default=three_grades)
    min_judgments = models.PositiveIntegerField(default=40)
    budget = models.PositiveIntegerField(null=True, blank=True)
    seed = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    # Grows with every change of runs, topics or settings: a worker's copy of an older one is stale.
    configuration = models.PositiveIntegerField(default=1)
    created = models.DateTimeField(auto_now_add=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created"]
        constraints = [
            models.CheckConstraint(condition=Q(p__gt=0) & Q(p__lt=1), name="campaign_p_inside_0_1"),
            models.CheckConstraint(condition=Q(batch__gte=1), name="campaign_batch_positive"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def measure(self) -> str:
        return f"RBP(p={self.p:g})"

    def gain_of(self, grade: int) -> float | None:
        """The gain of a grade, None outside the scale. Junk (-2) is judged and worth nothing."""
        if grade == -2:
            return 0.0
        for row in self.grades:
            if row["grade"] == grade:
                return float(row["gain"])
        return None

    def is_relevant(self, grade: int | None) -> bool:
        return grade is not None and (self.gain_of(grade) or 0.0) > 0.0


class LogHead(models.Model):
    """How long a campaign's judgment log is. Whoever appends holds this row's lock until the commit,
    so sequence numbers have no gaps and are committed in their own order: a reader that has seen
    number n has seen everything before it."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="log_head")
    length = models.PositiveIntegerField(default=0)
    # Whether the campaign is open, kept here so that appending and closing contend for one row.
    accepting = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.campaign_id}: {self.length}"


class Membership(models.Model):
    class Role(models.TextChoices):
        ORGANISER = "organiser", "organiser"
        ASSESSOR = "assessor", "assessor"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "campaign"], name="one_membership")]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.campaign}"

    @property
    def is_organiser(self) -> bool:
        return self.role == self.Role.ORGANISER
