"""Results that the worker computes from the log: rows here can always be computed again."""

from __future__ import annotations

from django.db import models
from django.db.models import Value
from django.utils import timezone

from campaigns.models.campaign import Campaign
from campaigns.models.collection import Document
from campaigns.models.runs import Run
from campaigns.models.topics import Topic


class Computed(models.Model):
    """Progress of the computation along a campaign's log, and its configuration, for the rows below; and
    every run's means over all topics, packed, as the kernel has them to the last bit."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="computed")
    applied = models.PositiveIntegerField(default=0)
    configuration = models.PositiveIntegerField(default=0)
    judged = models.PositiveIntegerField(default=0)
    relevant = models.PositiveIntegerField(default=0)
    runs = models.BinaryField(default=bytes)
    bases = models.BinaryField(default=bytes)
    residuals = models.BinaryField(default=bytes)
    projections = models.BinaryField(default=bytes)
    updated = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.campaign_id}: {self.applied}"


class Priority(models.Model):
    """The head of a topic's queue, packed: document ids (int32) and weights (float64), best first; where
    a method draws, inclusion probabilities (float64), and where it stands for several, who serves each."""

    topic = models.OneToOneField(Topic, models.CASCADE, primary_key=True, related_name="priority")
    documents = models.BinaryField()
    weights = models.BinaryField()
    inclusion = models.BinaryField(null=True)
    sources = models.JSONField(null=True)
    method = models.CharField(max_length=20, default="")
    # Documents that the method would still serve, of which the packed head may be only the first.
    remaining = models.PositiveIntegerField()
    pool_size = models.PositiveIntegerField()
    best_weight = models.FloatField()
    as_of = models.PositiveIntegerField()
    configuration = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"topic {self.topic_id} as of {self.as_of}"


class Interval(models.Model):
    run = models.ForeignKey(Run, models.CASCADE, related_name="intervals")
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="intervals")
    base = models.FloatField()
    residual = models.FloatField()
    as_of = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "topic"], name="interval_of_run_and_topic")]

    def __str__(self) -> str:
        return f"run {self.run_id}, topic {self.topic_id}: {self.base:.4f} + {self.residual:.4f}"


class Snapshot(models.Model):
    """All runs' means at one length of the log, packed, for curves over time. `projections`: empty in rows
    of older versions."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="snapshots")
    as_of = models.PositiveIntegerField()
    judged = models.PositiveIntegerField()
    runs = models.BinaryField()
    bases = models.BinaryField()
    residuals = models.BinaryField()
    projections = models.BinaryField(default=bytes)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "as_of"], name="snapshot_as_of")]

    def __str__(self) -> str:
        return f"{self.campaign_id} as of {self.as_of}"


class Sample(models.Model):
    """A topic's statAP sample, drawn once: later runs and settings do not change it. Packed, in serving
    order: document ids (int32), inclusion probabilities (float64), and each document's bucket (int64)
    and that bucket's share of the prior (float64)."""

    topic = models.OneToOneField(Topic, models.CASCADE, primary_key=True, related_name="sample")
    documents = models.BinaryField()
    inclusion = models.BinaryField()
    buckets = models.BinaryField()
    masses = models.BinaryField()
    size = models.PositiveIntegerField()
    seed = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"topic {self.topic_id}: sample of {self.size}"


class Anchor(models.Model):
    """A document that was drawn over all topics, once: later runs and settings do not change it. `place`: in
    which order the anchors were drawn; `as_of`: how long the log was."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="anchors")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    place = models.PositiveSmallIntegerField()
    seed = models.PositiveIntegerField()
    as_of = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "document"], name="one_anchor")]

    def __str__(self) -> str:
        return f"topic {self.topic_id}: anchor {self.place}"


class Advice(models.Model):
    """Stopping advice on the judgments up to `as_of`; JSON, for the pages and the API."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="advice")
    content = models.JSONField(default=dict)
    as_of = models.PositiveIntegerField()
    configuration = models.PositiveIntegerField()
    updated = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.campaign_id} as of {self.as_of}"


class Prediction(models.Model):
    """Prediction of final scores from the judgments up to `as_of`. `content`: JSON, by scope. Packed: the ids
    of the predicted runs, and for all topics and for the judged ones each pair's probability that the run of
    the earlier place has the higher score (float32; pairs by place: 0 and 1, 0 and 2 …, 1 and 2 …); and the
    runs' score differences (campaigns/predictions/differences.py)."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="prediction")
    content = models.JSONField(default=dict)
    runs = models.BinaryField(default=bytes)
    pairs = models.BinaryField(default=bytes)
    judged_pairs = models.BinaryField(default=bytes)
    differences = models.BinaryField(default=bytes, db_default=Value(b""))
    # By scope, half widths of intervals for topics like these: of each run's mean on the diagonal, and of the
    # differences of two runs.
    like_these = models.BinaryField(default=bytes, db_default=Value(b""))
    # Of a finished campaign, what it teaches the predictions of others.
    experience = models.JSONField(null=True)
    as_of = models.PositiveIntegerField()
    configuration = models.PositiveIntegerField()
    updated = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.campaign_id} as of {self.as_of}"


class Measured(models.Model):
    """Every run's scores by the campaign's measures, from the judgments up to `as_of`. `content`: JSON
    (campaigns/measurement/measured_scores.py). `runs`: their ids, packed; `pairs`: matrices of the pairs,
    packed one after the other in the order that the content names."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="measured")
    content = models.JSONField(default=dict)
    runs = models.BinaryField(default=bytes)
    pairs = models.BinaryField(default=bytes)
    as_of = models.PositiveIntegerField()
    configuration = models.PositiveIntegerField()
    updated = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.campaign_id} as of {self.as_of}"


class TopicOrder(models.Model):
    """In which order topics are judged, by the judgments up to `as_of`; JSON. `inputs`: the fingerprint of
    all else that it depends on. `done` of `total` topics are ordered; what is there after a killed worker is
    continued."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="topic_order")
    content = models.JSONField(default=dict)
    inputs = models.CharField(max_length=64)
    as_of = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    updated = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.campaign_id}: {self.done} of {self.total} topics as of {self.as_of}"


class Tally(models.Model):
    """Counts over the log up to `as_of`, by the rule of that time: two numbers for each key."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="tallies")
    kind = models.CharField(max_length=10)
    rule = models.TextField()
    as_of = models.PositiveIntegerField()
    content = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "kind"], name="one_tally_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.campaign_id}: {self.kind} as of {self.as_of}"


class Outlook(models.Model):
    """Request to the planner and its results so far; JSON. `done` of `total` simulations are finished;
    `updated` is the worker's latest sign of life."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="outlook")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    content = models.JSONField(default=dict)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    configuration = models.PositiveIntegerField()
    updated = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.campaign_id}: {self.done} of {self.total}"


class Counterfactual(models.Model):
    """The campaign as another method would have judged it, from the judgments up to `as_of`. `content`: JSON;
    `actual` and `other`: trajectories to play, JSON as text. `reason`: why it failed; `updated`: when it was
    asked for or found."""

    State = Outlook.State

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="counterfactual")
    state = models.CharField(max_length=10, choices=Outlook.State.choices, default=Outlook.State.WAITING)
    method = models.CharField(max_length=20)
    reason = models.TextField(blank=True, default="")
    content = models.JSONField(default=dict)
    actual = models.TextField(blank=True, default="")
    other = models.TextField(blank=True, default="")
    as_of = models.PositiveIntegerField(default=0)
    configuration = models.PositiveIntegerField()
    updated = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.campaign_id} by {self.method}: {self.state}"


class Drawing(models.Model):
    """A figure as the worker drew it last, kept until it is drawn again. `caption`: the text to set below it,
    empty in drawings of earlier versions. `predicted_as_of`: the judgment that its predictions knew, None
    where there were none."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="drawings")
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=10)
    content = models.BinaryField()
    caption = models.TextField(db_default="")
    as_of = models.PositiveIntegerField()
    predicted_as_of = models.PositiveIntegerField(null=True)
    configuration = models.PositiveIntegerField()
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "name", "kind"], name="one_drawing")]

    def __str__(self) -> str:
        return f"{self.name}.{self.kind} as of {self.as_of}"
