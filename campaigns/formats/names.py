"""Names that a line of columns can hold: one word each, and not too long."""

from __future__ import annotations

from campaigns.formats.limits import DOCNO_BYTES, TAG_BYTES, TOPIC_BYTES

_LIMITS = {"topic": TOPIC_BYTES, "docno": DOCNO_BYTES, "tag": TAG_BYTES}


def what_is_wrong_with_name(field: str, name: str) -> str:
    """Why a topic, docno or tag cannot stand in a run or qrels line; empty if it can.

    Whoever reads the line again would take a name with a blank for two columns.
    """
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return f"the {field} holds half a character (a lone surrogate)"
    if not name:
        return f"the {field} is empty"
    # Readers split at the blanks of ASCII; what other scripts use as a space is part of a name.
    if any(c <= " " or c == "\x7f" for c in name):
        return f"a {field} is one word, without blanks and control characters"
    if size > _LIMITS[field]:
        return f"{field} longer than {_LIMITS[field]} bytes"
    return ""


def check_name(field: str, name: str) -> None:
    """Raises `ValueError` for a name that must not be written."""
    if reason := what_is_wrong_with_name(field, name):
        raise ValueError(f"{reason}: {name[:60]!r}")
