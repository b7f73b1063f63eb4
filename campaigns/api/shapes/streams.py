"""Shapes of live events."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    Flag,
    Query,
    Shape,
    WholeNumber,
)
from campaigns.api.shapes.results import scope_field


class Event(Shape):
    """A server-sent event."""

    id = serializers.CharField(required=False, help_text="ID of the event; absent if it is not stored")
    event = serializers.CharField(
        required=False, help_text="name of the event, such as judgment or intervals"
    )
    data = serializers.CharField(help_text="content of the event, as JSON")  # type: ignore[assignment]  # fields leave the class

    example = {"id": "7", "event": "status", "data": '{"campaign": "open"}'}


class EventsQuery(Query):
    last_event_id = WholeNumber(
        required=False,
        min_value=0,
        max_value=10**18 - 1,
        help_text="ID of the last event received; the stream continues after it",
    )
    page = Flag(
        required=False,
        default=False,
        help_text="true to also receive the health and the panels of the overview page, over `topics` "
        "(default: false)",
    )
    topics = scope_field()
