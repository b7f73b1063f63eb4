from __future__ import annotations

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from campaigns.models.campaign import Campaign


class Event(models.Model):
    """The events of live pages. A row first, so that a page that was away can catch up by id."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="events")
    kind = models.CharField(max_length=20)
    data = models.JSONField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["campaign", "id"], name="event_catch_up")]

    def __str__(self) -> str:
        return f"{self.id} {self.kind}"


class Heartbeat(models.Model):
    """Latest sign of life of each background service."""

    name = models.CharField(max_length=100, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"


class Deed(models.Model):
    """One act of a person, a command or the system, other than a judgment. Rows are only ever added."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="deeds")
    # None: a command, the system, or an account that is gone; the name stays.
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    actor_name = models.CharField(max_length=150)
    kind = models.CharField(max_length=40)
    detail = models.JSONField(default=dict, blank=True, encoder=DjangoJSONEncoder)
    # How long the judgment log was: the deed's place among the judgments.
    after = models.PositiveIntegerField(default=0)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["campaign", "-after", "-id"], name="deed_place")]

    def __str__(self) -> str:
        return f"{self.kind} by {self.actor_name}"
