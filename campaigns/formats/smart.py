"""SMART files, as of Cranfield: `.I 12` begins an item, a dot and a letter on a line begin a field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.limits import DOCUMENT_BYTES

_ITEM = re.compile(rb"\.I(?:[ \t]+(.*))?\Z")
_FIELD = re.compile(rb"\.([A-Z])[ \t]*\Z")


@dataclass
class SmartItem:
    """One item: its number as written, and each field's lines."""

    number: str
    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    size: int = 0

    def text(self, name: str) -> str:
        return "\n".join(self.fields.get(name, []))


def smart_items(lines: Iterable[tuple[int, bytes]], errors: ErrorList) -> Iterator[SmartItem]:
    """The items of a file in file order, one at a time."""
    item: SmartItem | None = None
    current: list[str] | None = None
    for number, raw in lines:
        line = raw.rstrip(b"\r")
        if begins := _ITEM.match(line):
            if item is not None:
                yield item
            item, current = SmartItem((begins[1] or b"").decode().strip(), number), None
        elif item is None:
            if line.strip():
                errors.add(number, f"text before the first .I: {quote(line)}")
        elif starts := _FIELD.match(line):
            # A field given twice goes on.
            current = item.fields.setdefault(starts[1].decode(), [])
        elif current is not None:
            current.append(line.decode())
            item.size += len(line)
            if item.size > DOCUMENT_BYTES:
                raise errors.stopped(item.line, f"an item larger than {DOCUMENT_BYTES:,} bytes")
        elif line.strip():
            errors.add(number, f"text that belongs to no field: {quote(line)}")
    if item is not None:
        yield item
