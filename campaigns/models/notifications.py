from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from campaigns.models.campaign import Campaign, Membership


class SentMail(models.Model):
    """A mail that goes out once: the process that adds its row sends it, in the same transaction."""

    membership = models.ForeignKey(Membership, models.CASCADE, related_name="mails")
    kind = models.CharField(max_length=20)
    # What distinguishes it from others of its kind: the day, or when the worker was last heard of.
    key = models.CharField(max_length=40)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["membership", "kind", "key"], name="mail_sent_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} to {self.membership_id}"


class WaitingEmail(models.Model):
    """An email that is to be sent; its row goes when it has been, or was given up."""

    subject = models.TextField()
    body = models.TextField()
    address = models.TextField()
    # The link that switches such emails off, which goes into the header, too; empty: there is none.
    switch_off = models.TextField(blank=True, default="", db_default="")
    # Tries made so far; when the next is due.
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try = models.DateTimeField()
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.subject} to {self.address}"


class WebhookEvent(models.TextChoices):
    """The kinds of events that a receiver can ask for."""

    JUDGMENTS = "judgments", gettext_lazy("judgments, gathered")
    TOPIC_CLOSED = "topic.closed", gettext_lazy("a topic is closed")
    TOPIC_RELEASED = "topic.released", gettext_lazy("a topic is released")
    PAIR_DECIDED = "pair.decided", gettext_lazy("two of the ten best runs are certainly separated")
    MAY_STOP = "campaign.may_stop", gettext_lazy("the campaign may stop")


# Only sent on request.
PING = "ping"


class Webhook(models.Model):
    """An address outside that receives what happens in a campaign."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=1000)
    events = models.JSONField()
    active = models.BooleanField(default=True)
    # Whether it was the receiver that said so: 410 Gone.
    gone = models.BooleanField(default=False)
    # Whether the site switched it off, as for days nothing had arrived.
    unreachable = models.BooleanField(default=False)
    # Sealed (campaigns/notifications/delivery_signatures.py). After a change both sign for a while.
    secret = models.CharField(max_length=400)
    old_secret = models.CharField(max_length=400, blank=True, default="")
    old_until = models.DateTimeField(null=True, blank=True)
    # The last act of the judgment log that was put into a delivery.
    told = models.PositiveIntegerField(default=0)
    # The number of the last event that was stored for it.
    sequence = models.PositiveBigIntegerField(default=0)
    # One delivery at a time: a worker is at it until then, unless it has died meanwhile.
    busy_until = models.DateTimeField(null=True, blank=True)
    served_at = models.DateTimeField(null=True, blank=True)
    # Since the first failure that no success has followed.
    failing_since = models.DateTimeField(null=True, blank=True)
    # Of the latest try: slow receivers are waited for by threads that the quick ones do not need.
    slow = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.campaign_id} to {self.url}"


class Delivery(models.Model):
    """One event on its way to one webhook: stored with its content, sent by the worker until it arrives or
    is given up."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("on its way")
        DELIVERED = "delivered", gettext_lazy("delivered")
        FAILED = "failed", gettext_lazy("given up")

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    # The same for all receivers of one event, and at every try: by it they know what they have had.
    event = models.UUIDField(default=uuid.uuid4)
    kind = models.CharField(max_length=30)
    # As it is sent and signed, byte by byte.
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    # Tries made so far; when the next is due.
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try = models.DateTimeField(null=True, blank=True)
    # Of the latest try: when, the answer's status and beginning, how long it took, what went wrong.
    tried_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)
    answer = models.TextField(blank=True, default="")
    error = models.CharField(max_length=300, blank=True, default="")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="delivery_once"),
            models.CheckConstraint(
                condition=Q(state="waiting", next_try__isnull=False)
                | (~Q(state="waiting") & Q(next_try__isnull=True)),
                name="delivery_waits_for_a_time",
            ),
        ]
        indexes = [
            models.Index(fields=["webhook", "-id"], name="delivery_log"),
            models.Index(fields=["next_try"], name="delivery_due", condition=Q(state="waiting")),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.webhook_id}: {self.state}"
