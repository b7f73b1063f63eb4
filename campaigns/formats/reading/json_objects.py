"""Objects of JSON lines: read within limits of memory, and a long one parted from its long texts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

from campaigns.formats.errors import TEXT_BYTES, quote

# An empty list takes 70 bytes of memory, and three of the file.
_SHORT_JSON = 1 << 20
_MOST_VALUES = 100_000
_WIDE = re.compile(rb"[\xf0-\xf4][\x80-\xbf]{3}")
# The parser's own limit depends on the stack below it, which is not the same in each process.
_DEEPEST = 100
_STEPS = {b"["[0]: 1, b"{"[0]: 1, b"]"[0]: -1, b"}"[0]: -1}
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in _STEPS)
# Longer texts are parted from their object: threads that parse them would hold others up.
_SHORT_TEXT = 256


class DoubledName(ValueError):
    """A name twice in one object: readers of JSON would keep the second value and drop the first."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the name {quote(name)} twice in one object")


def without_doubled_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these names and values, for `json.loads`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = Counter(name for name, _ in pairs)
        raise DoubledName(next(name for name, count in names.items() if count > 1))
    return found


def _value_of_constant(name: str) -> float | None:
    """The value of a word beside JSON: where pandas has no value, it is NaN."""
    return None if name == "NaN" else float(name)


def load_object(line: bytes) -> dict[str, Any]:
    """Read the object of a line; ValueError says why there is none, or why it takes too much memory."""
    if reason := _what_is_too_wide(line) or what_is_too_much(line):
        raise ValueError(reason)
    try:
        if _is_too_deep(line):
            raise RecursionError
        value = json.loads(line, object_pairs_hook=without_doubled_names, parse_constant=_value_of_constant)
    except DoubledName:
        raise
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
    # Each value or name in quotes has two of them.
    unescaped = _unescaped(line)
    is_too_much = unescaped.count(b'"') > 4 * _MOST_VALUES
    if not is_too_much:
        marks = _outside_of_quotes(unescaped)
        is_too_much = sum(marks.count(mark) for mark in (b",", b"[", b"{")) > _MOST_VALUES
    return f"more than {_MOST_VALUES:,} values in one object" if is_too_much else ""


def _is_too_deep(line: bytes) -> bool:
    if line.count(b"[") + line.count(b"{") <= _DEEPEST:
        return False
    brackets = _outside_of_quotes(_unescaped(line)).translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > _DEEPEST


def _unescaped(line: bytes) -> bytes:
    return line.replace(rb"\\", b"").replace(rb"\"", b"")


def _outside_of_quotes(unescaped: bytes) -> bytes:
    return b"".join(unescaped.split(b'"')[::2])


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at position {error.pos + 1}"
    return "nested too deep" if isinstance(error, RecursionError) else "a number too long to read"


def part_object(fields: dict[str, Any]) -> tuple[str, list[bytes]]:
    """Part an object into short JSON and its long texts. Each empty text in the JSON stands for the next."""
    texts: list[bytes] = []
    return json.dumps(_parted(fields, texts)), texts


def _parted(value: Any, texts: list[bytes]) -> Any:
    if isinstance(value, str) and not 0 < len(value) <= _SHORT_TEXT:
        texts.append(value.encode("utf-8", "surrogatepass"))
        return ""
    if isinstance(value, dict):
        return {name: _parted(one, texts) for name, one in value.items()}
    return [_parted(one, texts) for one in value] if isinstance(value, list) else value


def join_object(fields: str, texts: Iterable[bytes]) -> dict[str, Any]:
    """Join what `part_object` parted: the same object, whole."""
    joined = _joined(json.loads(fields), iter(texts))
    assert isinstance(joined, dict)
    return joined


def _joined(value: Any, texts: Iterator[bytes]) -> Any:
    if value == "":
        return next(texts).decode("utf-8", "surrogatepass")
    if isinstance(value, dict):
        return {name: _joined(one, texts) for name, one in value.items()}
    return [_joined(one, texts) for one in value] if isinstance(value, list) else value
