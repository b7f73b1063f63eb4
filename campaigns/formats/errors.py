"""What is wrong with a file: every line of it, not just the first."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

LISTED = 100
# A file of another kind has an error on every line; nobody reads a million of them.
GIVE_UP_AFTER = 100_000
_QUOTED = 60


@dataclass(frozen=True)
class LineError:
    """One thing that is wrong. `line` counts from 1; None is the file as a whole."""

    line: int | None
    detail: str
    field: str = ""


class FormatError(ValueError):
    """A file that cannot be taken: its name, its first errors in line order, and how many in all."""

    def __init__(self, file: str, errors: list[LineError], total: int | None = None) -> None:
        self.file = file
        self.errors = errors
        self.total = len(errors) if total is None else total
        super().__init__(file, errors, self.total)

    def __str__(self) -> str:
        lines = [
            f"{self.file}: {error.detail}"
            if error.line is None
            else f"{self.file}:{error.line}: {error.detail}"
            for error in self.errors
        ]
        if self.total > len(self.errors):
            lines.append(f"{self.file}: and {self.total - len(self.errors):,} more errors")
        return "\n".join(lines)


class ErrorList:
    """Gathers a file's errors while it is read, keeping the first hundred in line order and counting all."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.total = 0
        self._kept: list[LineError] = []

    def add(self, line: int | None, detail: str, field: str = "") -> None:
        self.total += 1
        self._kept.append(LineError(line, detail, field))
        # Errors of a whole list (a docno twice) are found after later lines' own: keep some, sort, cut.
        if len(self._kept) > 4 * LISTED:
            self._kept = self._first()
        if self.total >= GIVE_UP_AFTER:
            raise self.stopped(
                line, f"more than {GIVE_UP_AFTER - 1:,} errors: the rest of the file was not read"
            )

    def stopped(self, line: int | None, detail: str, field: str = "") -> FormatError:
        """All errors so far and one more, after which reading on makes no sense; to be raised."""
        first = self._first()[: LISTED - 1]
        return FormatError(self.file, [*first, LineError(line, detail, field)], self.total + 1)

    def raise_if_any(self) -> None:
        if self.total:
            raise FormatError(self.file, self._first(), self.total)

    def _first(self) -> list[LineError]:
        return heapq.nsmallest(LISTED, self._kept, key=lambda error: error.line or 0)


def quote(value: bytes | str) -> str:
    """A value as an error message shows it: on one line, readable whatever its bytes, and never endless."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
    shown = text if len(text) <= _QUOTED else text[:_QUOTED] + "…"
    if shown.isprintable():
        return f"'{shown}'"
    return "'" + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown) + "'"
