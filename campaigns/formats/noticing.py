"""What was noticed in a file that was taken, as rows for the person who sent it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict


class Row(TypedDict):
    """One thing that was noticed, how often, and what it means."""

    what: str
    count: int
    detail: str


def noticed_rows(counts: Mapping[str, int], sentences: Mapping[str, tuple[str, str]]) -> list[Row]:
    """A row for each count above 0 that has a sentence; a sentence may name other counts in braces."""
    return [
        Row(what=what, count=counts[name], detail=detail.format(**counts))
        for name, (what, detail) in sentences.items()
        if counts[name]
    ]
