"""Successors of an open document after each grade, as the worker stores them with the claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Successors:
    """The head of a topic's queue after one grade: document ids, the best first.

    `inclusion`: each document's inclusion probability, None where it was not sampled; empty where the method
    samples none. `sources`: which part of the method chose each; empty where it has no parts.
    """

    documents: Sequence[int]
    inclusion: Sequence[float | None] = ()
    sources: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Empty `inclusion` and `sources` are left out: a claim has one row for each grade."""
        row: dict[str, Any] = {"documents": list(self.documents)}
        if self.inclusion:
            row["inclusion"] = list(self.inclusion)
        if self.sources:
            row["sources"] = list(self.sources)
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Successors:
        return cls(row["documents"], row.get("inclusion", ()), row.get("sources", ()))
