"""Shapes of webhooks and their deliveries."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Choice, Flag, Shape, Strict, Text
from campaigns.models import Delivery, WebhookEvent
from campaigns.notifications.addresses import LONGEST_URL

MOST_EVENTS = 20


class WebhookIn(Strict):
    url = Text(max_length=LONGEST_URL, trim_whitespace=False, help_text="https, on the public internet")
    events = serializers.ListField(
        child=Choice(choices=WebhookEvent.choices),
        min_length=1,
        max_length=MOST_EVENTS,
        help_text="what it is told of",
    )

    example = {"url": "https://hooks.example.org/assess", "events": ["judgments", "topic.closed"]}


class WebhookChangeIn(WebhookIn):
    active = Flag(help_text="false: nothing is sent until it is true again")

    example = {"active": False}


class WebhookOut(Shape):
    id = serializers.IntegerField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.ChoiceField(choices=WebhookEvent.choices))
    active = serializers.BooleanField()
    gone = serializers.BooleanField(help_text="switched off by an answer of 410")
    unreachable = serializers.BooleanField(help_text="switched off, as for days nothing had arrived")
    failing_since = serializers.DateTimeField(
        allow_null=True, help_text="the first failure since the last success"
    )
    told = serializers.IntegerField(help_text="the last judgment that was put into a delivery")
    sequence = serializers.IntegerField(help_text="the number of the last event that was stored for it")
    created = serializers.DateTimeField()

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
    secret = serializers.CharField(help_text="shown only now; deliveries are signed with it")

    example = {"secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}


class WebhookMade(WebhookOut):
    secret = serializers.CharField(help_text="shown only now; deliveries are signed with it")

    example = {**WebhookOut.example, **SecretOut.example}


class DeliveryOut(Shape):
    id = serializers.IntegerField()
    event = serializers.UUIDField(help_text="its `webhook-id`, the same at every try")
    kind = serializers.CharField(help_text="one of the events, or `ping`")
    state = serializers.ChoiceField(choices=Delivery.State.choices)
    attempts = serializers.IntegerField()
    next_try = serializers.DateTimeField(allow_null=True)
    tried_at = serializers.DateTimeField(allow_null=True)
    status = serializers.IntegerField(allow_null=True, help_text="of the latest answer; null: there was none")
    milliseconds = serializers.IntegerField(allow_null=True)
    error = serializers.CharField()
    answer = serializers.CharField(help_text="its first 2,000 bytes")
    body = serializers.CharField(help_text="what is sent, byte by byte")
    created = serializers.DateTimeField()

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
