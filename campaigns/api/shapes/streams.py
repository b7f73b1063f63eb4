"""Shapes of live events."""

from __future__ import annotations

from campaigns.api.shapes.base import Flag, Query, Shape, Text, WholeNumber
from campaigns.api.shapes.results import scope_field


class Event(Shape):
    """A server-sent event."""

    id = Text("ID of the event; absent if it is not stored", "7", required=False)
    event = Text("name of the event, such as judgment or intervals", "status", required=False)
    data = Text("content of the event, as JSON", '{"campaign": "open"}')  # type: ignore[assignment]  # fields leave the class


class EventsQuery(Query):
    last_event_id = WholeNumber(
        "ID of the last event received; the stream continues after it",
        required=False,
        min_value=0,
        max_value=10**18 - 1,
    )
    page = Flag(
        "true to also receive the health and the panels of the overview page, over `topics` (default: false)",
        default=False,
    )
    topics = scope_field()
