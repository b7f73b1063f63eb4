"""Assessors' texts on documents: notes with marked passages, and questions to the organisers."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from campaigns.models.campaign import Campaign
from campaigns.models.collection import Document
from campaigns.models.topics import Topic


class Annotation(models.Model):
    """An assessor's note on a document of a topic and its marked passages, as they were at one moment.

    Rows are only ever added: the newest of an assessor, topic and document is valid. It changes no grade.
    """

    # Made by the client, as a judgment's.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="annotations")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="annotations")
    note = models.TextField(blank=True, default="")
    # [{"start": 3, "end": 9, "text": "cinema"}], by their starts. Offsets count Unicode code points of the
    # document's plain text, as it was in this revision.
    passages = models.JSONField(default=list, blank=True)
    document_revision = models.PositiveIntegerField(default=1, db_default=1)
    created = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["topic", "document", "assessor", "-created"], name="annotation_current"),
            models.Index(fields=["assessor", "topic"], name="annotation_assessor"),
        ]

    def __str__(self) -> str:
        return f"{self.topic_id}/{self.document_id} by {self.assessor_id}"


class Question(models.Model):
    """An assessor's question to the organisers about a document of a topic, and the answer."""

    # Made by the client: what is sent twice counts once.
    key = models.UUIDField(unique=True, default=uuid.uuid4)
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="questions")
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="questions")
    text = models.TextField()
    created = models.DateTimeField(default=timezone.now)
    answer = models.TextField(blank=True, default="")
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # None: open.
    answered_at = models.DateTimeField(null=True, blank=True)
    # When the assessor first had the answer on their page.
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["campaign"], condition=Q(answered_at=None), name="question_open"),
            models.Index(fields=["assessor", "campaign"], name="question_assessor"),
        ]

    def __str__(self) -> str:
        return f"{self.topic_id}/{self.document_id} by {self.assessor_id}"
