"""One value of a row as JSON has it, and back."""

from __future__ import annotations

import base64
import binascii
import math
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db.models import Field

from campaigns.formats.errors import check_name

if TYPE_CHECKING:
    AnyField = Field[Any, Any]
else:
    AnyField = Field

# Columns that lines of runs and qrels have to hold.
NAMES = {"docno": "docno", "number": "topic", "tag": "tag"}

_TYPES: dict[str, tuple[type, ...]] = {
    "BooleanField": (bool,),
    "FloatField": (float, int),
    "JSONField": (dict, list, str, int, float, bool),
}


def to_json(column: AnyField, value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if column.get_internal_type() == "JSONField":
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode()
    return str(value)


def from_json(column: AnyField, value: Any) -> Any:
    """The value as the model has it; ValueError with the reason if no row could hold it."""
    kind = column.get_internal_type()
    if value is None and column.null:
        return None
    wanted = _TYPES.get(kind, (int,) if kind.endswith("IntegerField") else (str,))
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        raise ValueError(f"{_shown(value)} is of the wrong kind")
    _check_inside(value)
    if kind == "BinaryField":
        return _decoded(str(value))
    if column.name in NAMES:
        check_name(NAMES[column.name], str(value))
    if value in ("", [], {}) and not column.unique:
        # Forms ask for it; rows may be without.
        return value
    try:
        return column.clean(value, None)
    except ValidationError as error:
        raise ValueError(" ".join(error.messages)) from None


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError("is not base64") from None


def _check_inside(value: Any) -> None:
    """What JSON can say and Postgres cannot keep."""
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("holds a NUL")
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ValueError("holds half of a character")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("is not finite")
    elif isinstance(value, dict):
        for name, inner in value.items():
            _check_inside(name)
            _check_inside(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_inside(inner)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
