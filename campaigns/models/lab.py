"""The Lab: collections whose relevance is known, and jobs that run studies on them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from campaigns.models.campaign import Campaign


class LabCollection(models.Model):
    """Runs over judged topics, uploaded or copied from a campaign, and never changed."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="lab_collections")
    name = models.CharField(max_length=200)
    # Of a copy: its campaign, and how many entries of the judgment log it knows.
    campaign = models.ForeignKey(
        Campaign, models.CASCADE, null=True, blank=True, related_name="lab_collections"
    )
    as_of = models.PositiveIntegerField(null=True, blank=True)
    # Names of the runs, in the order of the packed lists.
    runs = models.JSONField(default=list)
    topics = models.PositiveIntegerField()
    documents = models.PositiveIntegerField()
    judged = models.PositiveIntegerField()
    # Of the grades 0, 1 … that the collection's files give, as `--gains` takes it; empty: 0 and 1.
    gains = models.TextField(blank=True, default="")
    # Sentences about what was noticed in the data.
    notes = models.JSONField(default=list)
    # `KnownCollection.fingerprint`
    fingerprint = models.CharField(max_length=16)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class LabTopic(models.Model):
    """One topic of a collection, packed. A document is its place among the topic's docnos.

    lengths : int32 (runs,), ranks of each run, -1 where a run misses the topic
    documents, scores : int32, and float32 or float64 (entries,), the runs' lists behind each other
    gains : float64 (documents,), NaN where not judged; unranked: gains of judged documents that no run ranks
    grades : float64, likewise of both, where no gains were given and a grade is above 1
    docnos : all names, first those of `gains`, then those of `unranked`; lines of UTF-8 (zlib)
    """

    collection = models.ForeignKey(LabCollection, models.CASCADE, related_name="packed_topics")
    position = models.PositiveIntegerField()
    number = models.CharField(max_length=100)
    lengths = models.BinaryField()
    documents = models.BinaryField()
    scores = models.BinaryField()
    gains = models.BinaryField()
    unranked = models.BinaryField()
    grades = models.BinaryField(null=True)
    docnos = models.BinaryField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "position"], name="lab_topic_position"),
        ]

    def __str__(self) -> str:
        return f"{self.collection_id}: topic {self.number}"


class LabJob(models.Model):
    """A study on a collection. `done` of `total` trials are kept; `reason`: why it failed."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        PAUSED = "paused"
        CANCELLED = "cancelled"
        FAILED = "failed"
        DONE = "done"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="lab_jobs")
    # Kept when the collection is removed: the result stays. With its campaign the job goes, too.
    collection = models.ForeignKey(LabCollection, models.SET_NULL, null=True, related_name="jobs")
    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, blank=True, related_name="lab_jobs")
    collection_name = models.CharField(max_length=200)
    collection_gains = models.TextField(blank=True, default="")
    study = models.CharField(max_length=60)
    # Every setting that the study reads, by its name in `StudySettings`.
    settings = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    reason = models.TextField(blank=True, default="")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    # Raised to end all tasks that still work on the job, or wait to.
    wave = models.PositiveIntegerField(default=0)
    # Seconds of computing in all, and of the longest trial but for the first of each process.
    seconds = models.FloatField(default=0)
    longest = models.FloatField(default=0)
    # JSON as text: a table's columns keep their order.
    result = models.TextField(blank=True, default="")
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state"], name="lab_job_state")]

    def __str__(self) -> str:
        return f"{self.study} on {self.collection_name}: {self.state}"

    @property
    def unfinished(self) -> bool:
        return self.state in UNFINISHED


UNFINISHED = (LabJob.State.WAITING, LabJob.State.RUNNING, LabJob.State.PAUSED)


class LabTrial(models.Model):
    """A trial of a job. `found`: its result as JSON, kept once `seconds` is set. `key`: of equal trials."""

    job = models.ForeignKey(LabJob, models.CASCADE, related_name="trials")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=64)
    found = models.TextField(blank=True, default="")
    seconds = models.FloatField(null=True, blank=True)
    # A worker that dies of it is not to die of it forever.
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "position"], name="lab_trial_position"),
            models.UniqueConstraint(fields=["job", "key"], name="lab_trial_key"),
        ]
        indexes = [
            models.Index(fields=["job", "position"], condition=models.Q(seconds=None), name="lab_trial_left")
        ]

    def __str__(self) -> str:
        return f"job {self.job_id}, trial {self.position}"
