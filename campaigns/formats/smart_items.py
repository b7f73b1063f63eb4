"""Items of SMART files, documents or topics: `.I 12` begins one, a dot and a letter one of its fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from campaigns.formats.errors import TEXT_BYTES, ErrorList, quote

_ITEM = re.compile(rb"\.I(?:[ \t]+(.*))?\Z")
_FIELD = re.compile(rb"\.([A-Z])[ \t]*\Z")


@dataclass
class SmartItem:
    """One item: its number as written, and each field's lines."""

    number: str
    line: int
    fields: dict[str, bytearray] = field(default_factory=dict)
    size: int = 0

    def content(self, name: str) -> bytes:
        return bytes(self.fields.get(name, b""))

    def text(self, name: str) -> str:
        return self.content(name).decode()


def smart_items(
    lines: Iterable[tuple[int, bytes]], errors: ErrorList, *, longest: int = TEXT_BYTES
) -> Iterator[SmartItem]:
    """The items of a file in file order, one at a time."""
    item: SmartItem | None = None
    current: bytearray | None = None
    for line_number, raw in lines:
        line = raw.rstrip(b"\r")
        if begins := _ITEM.match(line):
            if item is not None:
                yield item
            item, current = SmartItem((begins[1] or b"").decode().strip(), line_number), None
        elif item is None:
            if line.strip():
                errors.add(line_number, f"text before the first .I: {quote(line)}")
        elif starts := _FIELD.match(line):
            # A second field of a name is appended to the first.
            current = item.fields.setdefault(starts[1].decode(), bytearray())
        elif current is not None:
            current += line + b"\n"
            item.size += len(line) + 1
            if item.size > longest:
                raise errors.stopped(item.line, f"an item larger than {longest:,} bytes")
        elif line.strip():
            errors.add(line_number, f"text that belongs to no field: {quote(line)}")
    if item is not None:
        yield item
