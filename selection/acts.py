from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Act:
    """One document's gain before and after; None = not judged."""

    topic: int
    document: int
    before: float | None
    after: float | None
