"""Objects of JSON lines: read within limits of memory, and a long one parted from its longest text."""

from __future__ import annotations

import json
import re
from typing import Any

from campaigns.formats.errors import TEXT_BYTES, quote

# An empty list takes 70 bytes of memory, and three of the file.
_SHORT_JSON = 1 << 20
_MOST_VALUES = 100_000
_WIDE = re.compile(rb"[\xf0-\xf4][\x80-\xbf]{3}")
# Of a field beside the longest text; and of all of them, as JSON.
_LONGEST_FIELD, _LONGEST_FIELDS = 10_000, 1 << 18


def load_object(line: bytes) -> dict[str, Any]:
    """Read the object of a line; ValueError says why there is none, or why it takes too much memory."""
    if reason := _what_is_too_wide(line) or what_is_too_much(line):
        raise ValueError(reason)
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {_reason(error)}: {quote(line.strip())}") from error
    if not isinstance(value, dict):
        raise ValueError(f"not a JSON object: {quote(line.strip())}")
    return value


def _what_is_too_wide(line: bytes) -> str:
    # With one such character, each character of the line takes four bytes.
    if len(line) > TEXT_BYTES and (wide := _WIDE.search(line)):
        return f"a line longer than {TEXT_BYTES:,} bytes with {quote(wide[0])}: write that as an escape (\\u)"
    return ""


def what_is_too_much(line: bytes) -> str:
    """Reason why a line of JSON would take too much memory as objects; empty if it would not."""
    if len(line) <= _SHORT_JSON:
        return ""
    # Each value or name in quotes has two of them, and what stands between them is no mark.
    unescaped = line.replace(rb"\\", b"").replace(rb"\"", b"")
    is_too_much = unescaped.count(b'"') > 4 * _MOST_VALUES
    if not is_too_much:
        marks = b"".join(unescaped.split(b'"')[::2])
        is_too_much = sum(marks.count(mark) for mark in (b",", b"[", b"{")) > _MOST_VALUES
    return f"more than {_MOST_VALUES:,} values in one object" if is_too_much else ""


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at position {error.pos + 1}"
    return "nested too deep" if isinstance(error, RecursionError) else "a number too long to read"


def part_object(fields: dict[str, Any]) -> tuple[str, str]:
    """Part an object into its other fields, as short JSON, and its longest text. Other texts are cut where no
    title and no metadata are so long; of long lists and objects only the names stay."""
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    longest = max(texts, key=lambda name: len(texts[name]), default="")
    short: dict[str, Any] = {}
    room = _LONGEST_FIELDS
    for name, value in fields.items():
        kept = "" if name == longest else _shortened(value)
        size = len(json.dumps(kept))
        short[name] = kept if size <= room else {}
        room -= min(size, room)
    return json.dumps([longest, short]), texts.get(longest, "")


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return value[:_LONGEST_FIELD]
    return {} if isinstance(value, list | dict) and len(json.dumps(value)) > _LONGEST_FIELD else value


def join_object(fields: str, text: str) -> dict[str, Any]:
    """Join what `part_object` parted."""
    longest, short = json.loads(fields)
    return {**short, longest: text} if longest in short else dict(short)
