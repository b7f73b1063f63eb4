from django.conf import settings
from django.db import models
from django.utils import timezone

from campaigns.models.campaign import Campaign


class Loading(models.Model):
    """The data set that was last asked for by its name, while the worker loads it and after."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        REFUSED = "refused"
        FAILED = "failed"

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="loading")
    name = models.CharField(max_length=200)
    qrels = models.BooleanField(default=False)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    # Of whoever asked, for what the worker has to say.
    language = models.CharField(max_length=10)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    # Documents read so far, and of how many, where somebody has counted them.
    documents = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True, blank=True)
    # What was taken in the end, by kind; or why nothing was: code, detail, errors.
    taken = models.JSONField(default=dict, blank=True)
    problem = models.JSONField(null=True, blank=True)
    # A worker that dies of it is not to die of it forever.
    tries = models.PositiveSmallIntegerField(default=0)
    updated = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.name} into {self.campaign_id}: {self.state}"

    @property
    def unfinished(self) -> bool:
        return self.state in (self.State.WAITING, self.State.RUNNING)
