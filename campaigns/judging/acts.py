from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class Act:
    """What an assessor did: exactly one of a grade, a reason why there is none, or an undo."""

    id: UUID
    topic: str
    docno: str
    grade: int | None = None
    reason: str = ""
    undo: bool = False
    milliseconds: int | None = None
    # The document that the browser, which had it at hand, has put on the screen after this act.
    shown: str = ""
    # Whether the assessor saw what they had said of the document before; None: not told.
    revision: bool | None = None
