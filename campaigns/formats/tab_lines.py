"""Lines of fields between tabs, as topics and collections also come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from campaigns.formats.errors import ErrorList, quote


def tab_rows(
    lines: Iterable[tuple[int, bytes]], errors: ErrorList, allowed: dict[int, str]
) -> Iterator[tuple[int, list[str]]]:
    """The fields of the lines that are not blank. `allowed` names the layout of each number of fields.

    The first line settles how many fields the file has: one more tab, inside a text, would else move a
    text to the wrong field without a word.
    """
    width = 0
    for number, line in lines:
        if not line.strip():
            continue
        fields = line.decode().rstrip("\r").split("\t")
        width = width or (len(fields) if len(fields) in allowed else 0)
        if width and len(fields) == width:
            yield number, [field.strip() for field in fields]
            continue
        wanted = allowed[width] if width else " or ".join(allowed.values())
        errors.add(
            number, f"{len(fields)} fields between tabs where {wanted} are wanted: {quote(line.strip())}"
        )
