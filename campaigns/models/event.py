from django.db import models

from campaigns.models.campaign import Campaign


class Event(models.Model):
    """What live pages are told. A row first, so that a page that was away can catch up by id."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="events")
    kind = models.CharField(max_length=20)
    data = models.JSONField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["campaign", "id"], name="event_catch_up")]

    def __str__(self) -> str:
        return f"{self.id} {self.kind}"


class Heartbeat(models.Model):
    """When each part of the back office was last heard of."""

    name = models.CharField(max_length=100, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"
