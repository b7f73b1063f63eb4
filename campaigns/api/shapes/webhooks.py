"""Shapes of webhooks and their deliveries."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Choice, Flag, RequestShape, Shape, Text
from campaigns.models import Delivery, WebhookEvent
from campaigns.notifications.addresses import LONGEST_URL

MOST_EVENTS = 20


class WebhookIn(RequestShape):
    """A webhook to create."""

    url = Text(
        max_length=LONGEST_URL,
        trim_whitespace=False,
        help_text="address that events are posted to: https, on the public internet",
    )
    events = serializers.ListField(
        child=Choice(choices=WebhookEvent.choices),
        min_length=1,
        max_length=MOST_EVENTS,
        help_text="events that the webhook receives",
    )

    example = {"url": "https://hooks.example.org/assess", "events": ["judgments", "topic.closed"]}


class WebhookChangeIn(WebhookIn):
    """Changes to a webhook."""

    active = Flag(help_text="true if events are sent; false to pause the webhook")

    example = {"active": False}


class WebhookOut(Shape):
    """A webhook with its state."""

    id = serializers.IntegerField(help_text="ID of the webhook")
    url = serializers.CharField(help_text="address that events are posted to: https, on the public internet")
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=WebhookEvent.choices),
        help_text="events that the webhook receives",
    )
    active = serializers.BooleanField(help_text="true if events are sent")
    gone = serializers.BooleanField(help_text="true if switched off because the receiver answered 410 Gone")
    unreachable = serializers.BooleanField(
        help_text="true if switched off because no delivery succeeded for days"
    )
    failing_since = serializers.DateTimeField(
        allow_null=True, help_text="time of the first failure since the last success; null if there is none"
    )
    told = serializers.IntegerField(help_text="sequence number of the last log entry in a delivery")
    sequence = serializers.IntegerField(help_text="sequence number of the last event stored for the webhook")
    created = serializers.DateTimeField(help_text="time of creation")

    example = {
        "id": 3,
        **WebhookIn.example,
        "active": True,
        "gone": False,
        "unreachable": False,
        "failing_since": None,
        "told": 5000,
        "sequence": 112,
        "created": "2026-03-01T09:12:30.123456Z",
    }


class SecretOut(Shape):
    """A new signing secret."""

    secret = serializers.CharField(help_text="signing secret of the deliveries, shown only once")

    example = {"secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}


class WebhookMade(WebhookOut):
    """A new webhook with its signing secret."""

    secret = serializers.CharField(help_text="signing secret of the deliveries, shown only once")

    example = {**WebhookOut.example, **SecretOut.example}


class DeliveryOut(Shape):
    """A delivery of an event to a webhook."""

    id = serializers.IntegerField(help_text="ID of the delivery")
    event = serializers.UUIDField(help_text="UUID of the event, its `webhook-id`; the same for every attempt")
    kind = serializers.CharField(help_text="name of the event, or `ping`")
    state = serializers.ChoiceField(choices=Delivery.State.choices, help_text="state of the delivery")
    attempts = serializers.IntegerField(help_text="number of attempts so far")
    next_try = serializers.DateTimeField(
        allow_null=True, help_text="time of the next attempt; null if there is none"
    )
    tried_at = serializers.DateTimeField(
        allow_null=True, help_text="time of the latest attempt; null if there was none"
    )
    status = serializers.IntegerField(
        allow_null=True, help_text="HTTP status of the latest answer; null if there was none"
    )
    milliseconds = serializers.IntegerField(
        allow_null=True, help_text="duration of the latest attempt, in milliseconds; null if there was none"
    )
    error = serializers.CharField(help_text="error of the latest attempt; empty if there was none")
    answer = serializers.CharField(help_text="first 2,000 bytes of the latest answer")
    body = serializers.CharField(help_text="body of the request, byte for byte")
    created = serializers.DateTimeField(help_text="time of the event")

    example = {
        "id": 71,
        "event": "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a",
        "kind": "topic.closed",
        "state": "delivered",
        "attempts": 1,
        "next_try": None,
        "tried_at": "2026-03-01T09:14:02.901234Z",
        "status": 204,
        "milliseconds": 83,
        "error": "",
        "answer": "",
        "body": '{"type":"topic.closed","timestamp":"2026-03-01T09:14:02Z","campaign":"news-2026","data":{}}',
        "created": "2026-03-01T09:14:02.512345Z",
    }
