"""Shapes of webhooks and their deliveries."""

from __future__ import annotations

from campaigns.api.shapes.base import Choice, Flag, Id, List, RequestShape, Shape, Text, Time, WholeNumber
from campaigns.models import Delivery, WebhookEvent
from campaigns.notifications.addresses import LONGEST_URL

MOST_EVENTS = 20


class WebhookIn(RequestShape):
    """A webhook to create."""

    url = Text(
        "address that events are posted to: https, on the public internet",
        "https://hooks.example.org/assess",
        max_length=LONGEST_URL,
        trim_whitespace=False,
    )
    events = List(
        "events that the webhook receives",
        ["judgments", "topic.closed"],
        child=Choice(choices=WebhookEvent.choices),
        min_length=1,
        max_length=MOST_EVENTS,
    )


class WebhookChangeIn(WebhookIn):
    """Changes to a webhook."""

    active = Flag("true if events are sent; false to pause the webhook")

    example = {"active": False}


class WebhookOut(Shape):
    """A webhook with its state."""

    id = WholeNumber("ID of the webhook", 3)
    url = Text(
        "address that events are posted to: https, on the public internet", "https://hooks.example.org/assess"
    )
    events = List(
        "events that the webhook receives",
        ["judgments", "topic.closed"],
        child=Choice(choices=WebhookEvent.choices),
    )
    active = Flag("true if events are sent", True)
    gone = Flag("true if switched off because the receiver answered 410 Gone", False)
    unreachable = Flag("true if switched off because no delivery succeeded for days", False)
    failing_since = Time.or_null(
        "time of the first failure since the last success; null if there is none", None
    )
    told = WholeNumber("sequence number of the last log entry in a delivery", 5000)
    sequence = WholeNumber("sequence number of the last event stored for the webhook", 112)
    created = Time("time of creation", "2026-03-01T09:12:30.123456Z")


class SecretOut(Shape):
    """A new signing secret."""

    secret = Text(
        "signing secret of the deliveries, shown only once", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
    )


class WebhookMade(WebhookOut, SecretOut):
    """A new webhook with its signing secret."""


class DeliveryOut(Shape):
    """A delivery of an event to a webhook."""

    id = WholeNumber("ID of the delivery", 71)
    event = Id(
        "UUID of the event, its `webhook-id`; the same for every attempt",
        "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a",
    )
    kind = Text("name of the event, or `ping`", "topic.closed")
    state = Choice("state of the delivery", "delivered", choices=Delivery.State.choices)
    attempts = WholeNumber("number of attempts so far", 1)
    next_try = Time.or_null("time of the next attempt; null if there is none", None)
    tried_at = Time.or_null(
        "time of the latest attempt; null if there was none", "2026-03-01T09:14:02.901234Z"
    )
    status = WholeNumber.or_null("HTTP status of the latest answer; null if there was none", 204)
    milliseconds = WholeNumber.or_null(
        "duration of the latest attempt, in milliseconds; null if there was none", 83
    )
    error = Text("error of the latest attempt; empty if there was none", "")
    answer = Text("first 2,000 bytes of the latest answer", "")
    body = Text(
        "body of the request, byte for byte",
        '{"type":"topic.closed","timestamp":"2026-03-01T09:14:02Z","campaign":"news-2026","data":{}}',
    )
    created = Time("time of the event", "2026-03-01T09:14:02.512345Z")
