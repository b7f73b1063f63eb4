"""A topic's number in addresses of pages and of the API."""

from __future__ import annotations

import re

from django.urls import register_converter
from django.urls.converters import PathConverter

# Of a number like these, the address would be that of another page below `topics/`.
_TAKEN = re.compile(r"order|.*/(?:why|revisions|assignments|close|reopen|done)", re.DOTALL)


class TopicNumber(PathConverter):
    """Any word, slashes included. As no number has a blank, a blank behind it marks that all before it is the
    number: `topics/order%20/`."""

    def to_python(self, value: str) -> str:
        return value.removesuffix(" ")

    def to_url(self, value: str) -> str:
        return f"{value} " if _TAKEN.fullmatch(value) else value


register_converter(TopicNumber, "topic")

# In a route.
TOPIC = "<topic:number>"
