from django.conf import settings
from django.db import models

from campaigns.models.campaign import Campaign


class Topic(models.Model):
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="topics")
    number = models.CharField(max_length=100)
    title = models.TextField(blank=True, default="")
    description = models.TextField(blank=True, default="")
    narrative = models.TextField(blank=True, default="")
    position = models.PositiveIntegerField()
    revision = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="topic_number"),
            models.UniqueConstraint(
                fields=["campaign", "position"], name="topic_position", deferrable=models.Deferrable.DEFERRED
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.title}"


class TopicRevision(models.Model):
    """Every wording a topic ever had; a judgment names the one it was made under."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="revisions")
    revision = models.PositiveIntegerField()
    title = models.TextField(blank=True, default="")
    description = models.TextField(blank=True, default="")
    narrative = models.TextField(blank=True, default="")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["revision"]
        constraints = [models.UniqueConstraint(fields=["topic", "revision"], name="topic_revision")]

    def __str__(self) -> str:
        return f"{self.topic_id} revision {self.revision}"
