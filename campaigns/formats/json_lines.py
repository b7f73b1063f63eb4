"""One JSON object a line, in the several vocabularies of the field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.text import storable


class JsonRecord:
    """An object, with the line it is on and its fields under the first of several names that is there."""

    def __init__(self, line: int, fields: dict[str, Any], errors: ErrorList) -> None:
        self.line = line
        self._fields, self._errors = fields, errors

    def name_of(self, *names: str) -> str:
        """The first of `names` that the object has."""
        return next((name for name in names if self._fields.get(name) is not None), "")

    def text(self, *names: str) -> str:
        """A field as text, fit to be stored; empty if the object has none of the names."""
        name = self.name_of(*names)
        value = self._fields[name] if name else ""
        if not isinstance(value, str):
            self._errors.add(self.line, f"“{name}” is not a string: {quote(repr(value))}", name)
            return ""
        return storable(value)

    def identifier(self, kind: str, *names: str) -> str:
        """A docno or topic number, trimmed; whole numbers are taken as written."""
        name = self.name_of(*names)
        value = self._fields[name] if name else None
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        wanted = ", ".join(f"“{known}”" for known in names)
        self._errors.add(self.line, f"no {kind}: there is a string under none of {wanted}", kind)
        return ""


def json_records(lines: Iterable[tuple[int, bytes]], errors: ErrorList) -> Iterator[JsonRecord]:
    """The objects of the lines that are not blank; what is no object is an error of its line."""
    for number, line in lines:
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            errors.add(number, f"not JSON: {_reason(error)}: {quote(line.strip())}")
            continue
        if isinstance(value, dict):
            yield JsonRecord(number, value, errors)
        else:
            errors.add(number, f"not a JSON object: {quote(line.strip())}")


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at position {error.pos + 1}"
    return "nested too deep" if isinstance(error, RecursionError) else "a number too long to read"
