"""Training: documents whose grade is known, judged before the first topic. Nothing here reaches the qrels."""

import uuid

from django.conf import settings
from django.db import models

from campaigns.models.campaign import Campaign
from campaigns.models.collection import Document
from campaigns.models.topics import Topic


class TrainingItem(models.Model):
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="training_items")
    position = models.PositiveIntegerField()
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    grade = models.SmallIntegerField()
    reason = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["topic", "document"], name="training_item"),
            models.UniqueConstraint(
                fields=["campaign", "position"],
                name="training_position",
                deferrable=models.Deferrable.DEFERRED,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id}: training {self.position}"


class TrainingAnswer(models.Model):
    """One answer; training may be done again, each time as a further attempt."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    item = models.ForeignKey(TrainingItem, models.CASCADE, related_name="answers")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    attempt = models.PositiveIntegerField(default=1)
    grade = models.SmallIntegerField()
    milliseconds = models.PositiveIntegerField(null=True, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "assessor", "attempt"], name="one_training_answer")
        ]

    def __str__(self) -> str:
        return f"{self.item_id} by {self.assessor_id}, attempt {self.attempt}"
