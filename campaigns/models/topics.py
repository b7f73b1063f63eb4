"""Topics, their revisions and assignments."""

from django.conf import settings
from django.db import models
from django.db.models import Value
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from campaigns.models.campaign import Campaign, Method


class Release(models.TextChoices):
    """Release state of a topic: offered to assessors or not."""

    RELEASED = "released", pgettext_lazy("topic", "released")
    WAITING = "waiting", pgettext_lazy("topic", "waiting")
    HELD = "held", pgettext_lazy("topic", "held back")


class Topic(models.Model):
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="topics")
    number = models.CharField(max_length=100)
    title = models.TextField(blank=True, default="")
    description = models.TextField(blank=True, default="")
    narrative = models.TextField(blank=True, default="")
    # Each a name and a value, in the order of the file (campaigns/formats/topic_texts/fields.py).
    further_fields = models.JSONField(default=list, db_default=Value([], models.JSONField()), blank=True)
    position = models.PositiveIntegerField()
    revision = models.PositiveIntegerField(default=1)
    # Empty: as the campaign. Otherwise this method, with these options, serves the topic.
    method = models.CharField(max_length=20, choices=Method.choices, blank=True, default="")
    options = models.JSONField(default=dict, blank=True)
    # How long the log was when method `sample` began: documents judged by then are left out of what it draws
    # from. Null: it began before any judgment, or never.
    sampled_from = models.PositiveIntegerField(null=True, blank=True)
    # Who wrote out the need behind the bare query; and who closed the topic, when. An organiser may open
    # it again.
    developed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    # When it was released, and by which figures or by whom; campaigns without an order release all topics.
    release = models.CharField(
        max_length=8, choices=Release.choices, default=Release.RELEASED, db_default=Release.RELEASED
    )
    released_at = models.DateTimeField(null=True, blank=True)
    release_reason = models.JSONField(default=dict, db_default=Value({}, models.JSONField()), blank=True)

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
    further_fields = models.JSONField(default=list, db_default=Value([], models.JSONField()), blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["revision"]
        constraints = [models.UniqueConstraint(fields=["topic", "revision"], name="topic_revision")]

    def __str__(self) -> str:
        return f"{self.topic_id} revision {self.revision}"


class TopicCompletion(models.Model):
    """An assessor is done with a topic: nothing more of it is served to them until they judge on, which
    removes the row. For the other assessors the topic goes on."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="completions")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="topic_completions")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "assessor"], name="one_completion")]

    def __str__(self) -> str:
        return f"{self.topic_id} done by {self.assessor_id}"


class TopicAssignment(models.Model):
    """A topic that an organiser gave to an assessor."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="assignments")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="topic_assignments")
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "assessor"], name="one_assignment")]

    def __str__(self) -> str:
        return f"{self.topic_id} to {self.assessor_id}"


class TopicDraw(models.Model):
    """Topics that an assessor was offered at one moment, in the order shown, and the one that they took."""

    class Way(models.TextChoices):
        """Way to the topic taken; empty while none is."""

        DRAWN = "drawn", "drawn"
        RECOMMENDED = "recommended", "recommended"
        RANDOM = "random", "random"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="topic_draws")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    # Counts the assessor's draws in the campaign, from 1.
    number = models.PositiveIntegerField()
    # By their numbers: they stay when a topic goes.
    topics = models.JSONField(default=list)
    taken = models.CharField(max_length=100, blank=True, default="")
    way = models.CharField(max_length=12, choices=Way.choices, blank=True, default="")
    created = models.DateTimeField(default=timezone.now)
    taken_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "assessor", "number"], name="one_draw_of_a_number")
        ]

    def __str__(self) -> str:
        return f"{self.assessor_id} in {self.campaign_id}: draw {self.number}"
