"""Runs and their rankings."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from campaigns.models.campaign import Campaign, ScoreFloats
from campaigns.models.topics import Topic


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
    # Texts that were judged, too.
    replace = models.BooleanField(default=False, db_default=False)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    # Of the user who asked, for the worker's messages.
    language = models.CharField(max_length=10)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    # Documents read so far, and of how many, where they were counted.
    documents = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True, blank=True)
    # What was taken in the end, by kind; or why nothing was: code, detail, errors.
    taken = models.JSONField(default=dict, blank=True)
    # What the documents were found to be, as an upload's report has it.
    noticed = models.JSONField(default=list, blank=True, db_default=[])
    problem = models.JSONField(null=True, blank=True)
    # A worker that dies of it is not to die of it forever.
    tries = models.PositiveSmallIntegerField(default=0)
    updated = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.name} into {self.campaign_id}: {self.state}"

    @property
    def unfinished(self) -> bool:
        return self.state in (self.State.WAITING, self.State.RUNNING)


class RunQuerySet(models.QuerySet["Run"]):
    def taking_part(self) -> RunQuerySet:
        """Filter the runs that were not withdrawn: pages, tests and advice are about these."""
        return self.filter(withdrawn_at=None)

    def proposing(self) -> RunQuerySet:
        """Filter the runs that contribute documents."""
        return self.taking_part().filter(contributes_to_pool=True)


class Run(models.Model):
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="runs")
    tag = models.CharField(max_length=200)
    group = models.CharField(max_length=200, blank=True, default="")
    contributes_to_pool = models.BooleanField(default=True)
    # Bits of the floats as which its scores were compared when its lists were stored. The database's default
    # is for code that does not know the column: all of it compared 32-bit floats.
    score_precision = models.PositiveSmallIntegerField(
        choices=ScoreFloats.choices, default=ScoreFloats.DOUBLE, db_default=ScoreFloats.SINGLE
    )
    file_name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    # What the upload noticed (ties, ranks that contradict scores …), as it was shown to the uploader.
    noticed = models.JSONField(default=list)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    # A withdrawn run is scored on, but proposes no document and is in no picture; it can come back.
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["campaign", "tag"], name="run_tag")]

    def __str__(self) -> str:
        return self.tag

    @property
    def proposes(self) -> bool:
        return self.contributes_to_pool and self.withdrawn_at is None


class Ranking(models.Model):
    """One run's list for one topic, packed: document ids as little-endian int32 in evaluation order
    (score descending, ties by docno descending), scores beside them as little-endian floats of the run's
    precision."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="rankings")
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="rankings")
    documents = models.BinaryField()
    scores = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "run"], name="ranking_of_run_and_topic")]

    def __str__(self) -> str:
        return f"run {self.run_id}, topic {self.topic_id}"
