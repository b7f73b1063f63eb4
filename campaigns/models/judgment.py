"""Judgments and what belongs to the act of judging; training items and answers, which reach no qrels."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.conf import settings
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q

from campaigns.models.campaign import Campaign
from campaigns.models.collection import Document
from campaigns.models.topics import Topic

# The method of a judgment whose document its assessor found by search: nothing served it.
SEARCHED = "search"
# That of a document that was drawn over all topics: see `Anchor`. As the kernel's queues have it.
ANCHOR = "anchor"
# That of documents which earlier versions drew at random in the method's stead.
PROBE = "probe"
# That of a judgment copied to a duplicate of the judged document, and of a copy's withdrawal.
COPIED = "duplicate"


def lease() -> timedelta:
    return timedelta(minutes=settings.CLAIM_MINUTES)


class Judgment(models.Model):
    """One act of one assessor on one document. Rows are only ever added: a revision is a later act,
    an undo is an act that withdraws the assessor's earlier one, and what holds now is a query."""

    # Made by the client, so that sending an act twice records it once.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="judgments")
    sequence = models.PositiveIntegerField()
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="judgments")
    document = models.ForeignKey(Document, models.PROTECT, related_name="judgments")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="judgments")
    grade = models.SmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True, default="")
    undo = models.BooleanField(default=False)
    # A third person's decision, with the others' grades before their eyes.
    adjudication = models.BooleanField(default=False, db_default=False)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)
    # Of a document of more than two screens, how much of it had come into sight, in percent.
    seen = models.PositiveSmallIntegerField(null=True, blank=True)
    # How the document came to the assessor; empty for judgments read from a qrels file.
    method = models.CharField(max_length=20, blank=True, default="")
    served_exactly = models.BooleanField(null=True)
    # As the claim had them.
    queue_age = models.PositiveIntegerField(null=True, blank=True)
    weight_given_up = models.FloatField(null=True, blank=True)
    inclusion_probability = models.FloatField(null=True, blank=True)
    stale_claim = models.BooleanField(default=False)
    topic_revision = models.PositiveIntegerField(default=1)
    document_revision = models.PositiveIntegerField(default=1, db_default=1)
    supersedes = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="+")
    # The act on the duplicate that a copied judgment repeats; with the method COPIED, and only then.
    copied_from = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="+")
    created = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "sequence"], name="judgment_sequence"),
            models.CheckConstraint(
                condition=(
                    Q(grade__isnull=False, reason="", undo=False)
                    | (Q(grade__isnull=True, undo=False) & ~Q(reason=""))
                    | Q(grade__isnull=True, reason="", undo=True)
                ),
                name="judgment_is_one_of_grade_reason_undo",
            ),
        ]
        indexes = [
            models.Index(fields=["topic", "document", "assessor", "-sequence"], name="judgment_current"),
            models.Index(fields=["topic", "-sequence"], name="judgment_topic_head"),
            models.Index(fields=["assessor", "topic", "-sequence"], name="judgment_history"),
            # Few judgments are without a grade, and rows lie in the order of their making: both cost next to
            # nothing, and let the history find what it is asked for among millions.
            models.Index(
                fields=["campaign", "sequence"], name="judgment_gradeless", condition=Q(grade__isnull=True)
            ),
            BrinIndex(fields=["created"], name="judgment_day", autosummarize=True),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id}:{self.sequence}"


class Claim(models.Model):
    """Claim on a document by the assessor who has it open, and its end. The worker adds the next document
    after each possible grade, so that the reply to a judgment need not wait for a computation."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="claims")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="claims")
    expires_at = models.DateTimeField()
    created = models.DateTimeField()
    method = models.CharField(max_length=20, blank=True, default="")
    exact = models.BooleanField(null=True)
    # Judgments that the queue did not know yet which served the document; null: no queue of the worker did.
    queue_age = models.PositiveIntegerField(null=True, blank=True)
    # The length of the log at that moment. From there the worker computes how much lighter the document was
    # than the best free one, as a share of the latter's weight.
    served_at = models.PositiveIntegerField(null=True, blank=True)
    weight_given_up = models.FloatField(null=True, blank=True)
    inclusion_probability = models.FloatField(null=True, blank=True)

    class Purpose(models.TextChoices):
        FIRST = "", "to be judged"
        OVERLAP = "overlap", "judged by several assessors"
        REPEAT = "repeat", "shown again to the same assessor, unannounced"

    purpose = models.CharField(max_length=10, choices=Purpose.choices, blank=True, default="", db_default="")
    # Handed out ahead of need, so that the next document is at hand without a network; not on screen yet.
    reserved = models.BooleanField(default=False, db_default=False)
    # Brought back from the history or from the documents set aside, not served by the queue.
    recalled = models.BooleanField(default=False)
    # {"0": queue, "1": queue, "": queue after no grade}, a queue being {"documents": [ids]} with
    # "inclusion" and "sources" beside them as in Priority; true of the log up to lookahead_as_of and of one
    # configuration of the campaign.
    lookahead = models.JSONField(null=True, blank=True)
    lookahead_as_of = models.PositiveIntegerField(null=True, blank=True)
    lookahead_configuration = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "document"], name="one_claim")]
        indexes = [models.Index(fields=["assessor", "topic"], name="claim_assessor")]

    def __str__(self) -> str:
        return f"{self.topic_id}/{self.document_id} by {self.assessor_id}"


class Postponement(models.Model):
    """A document an assessor set aside for later, and how it had come to them, as Claim has it."""

    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    method = models.CharField(max_length=20, blank=True, default="", db_default="")
    exact = models.BooleanField(null=True)
    queue_age = models.PositiveIntegerField(null=True, blank=True)
    weight_given_up = models.FloatField(null=True, blank=True)
    inclusion_probability = models.FloatField(null=True, blank=True)
    purpose = models.CharField(
        max_length=10, choices=Claim.Purpose.choices, blank=True, default="", db_default=""
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assessor", "topic", "document"], name="one_postponement")
        ]

    def __str__(self) -> str:
        return f"{self.topic_id}/{self.document_id} by {self.assessor_id}"


class Repeat(models.Model):
    """Answer of an assessor to a document shown again, unannounced. It measures self-agreement and changes no
    judgment. Rows are only ever added, as a judgment's are."""

    # Made by the client, as a judgment's.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    first = models.ForeignKey(Judgment, models.PROTECT, related_name="repeats")
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="repeats")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="repeats")
    document = models.ForeignKey(Document, models.PROTECT, related_name="+")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="repeats")
    grade = models.SmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True, default="")
    undo = models.BooleanField(default=False, db_default=False)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)
    # Of another text than the first judgment's, it measures nothing.
    document_revision = models.PositiveIntegerField(default=1, db_default=1)
    created = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=(
                    Q(grade__isnull=False, reason="", undo=False)
                    | (Q(grade__isnull=True, undo=False) & ~Q(reason=""))
                    | Q(grade__isnull=True, reason="", undo=True)
                ),
                name="repeat_is_one_of_grade_reason_undo",
            ),
        ]
        indexes = [
            models.Index(fields=["topic", "assessor", "document", "-created"], name="repeat_current"),
        ]

    def __str__(self) -> str:
        return f"{self.topic_id}/{self.document_id} once more by {self.assessor_id}"


LEAST_TRAINING = 5

REASONS = ("unreadable", "missing text", "wrong language", "conflict of interest", "other")


class TrainingItem(models.Model):
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="training_items")
    position = models.PositiveIntegerField()
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    grade = models.SmallIntegerField()
    reason = models.TextField(blank=True, default="")
    document_revision = models.PositiveIntegerField(default=1, db_default=1)

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


class GuidelineExample(models.Model):
    """A document beside the guidelines that shows what a grade means: in every topic, or in one."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="guideline_examples")
    position = models.PositiveIntegerField()
    topic = models.ForeignKey(Topic, models.CASCADE, null=True, blank=True, related_name="+")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    grade = models.SmallIntegerField()
    reason = models.TextField(blank=True, default="")
    document_revision = models.PositiveIntegerField(default=1, db_default=1)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["topic", "document"], name="guideline_example"),
            models.UniqueConstraint(
                fields=["campaign", "document"],
                condition=Q(topic__isnull=True),
                name="guideline_example_of_all_topics",
            ),
            models.UniqueConstraint(
                fields=["campaign", "position"],
                name="guideline_example_position",
                deferrable=models.Deferrable.DEFERRED,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id}: example {self.position}"


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
