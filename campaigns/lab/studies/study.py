"""Display of a study: its words, its table and its picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from selection.studies.interface import PaperStudy, Point

MARK = "†"


@dataclass(frozen=True)
class Study:
    """A study with its words and its picture.

    title : one sentence without a full stop
    table : the paper's table or figure, and the meaning of a row or mark
    kernel : trials, rows and points
    figure : a Vega-Lite specification of the points
    names : how tables show names that the kernel uses
    decimals : of the table's numbers
    """

    title: str
    table: str
    kernel: PaperStudy
    figure: Callable[[Sequence[Point]], dict[str, Any]]
    names: Mapping[str, str] = field(default_factory=dict)
    decimals: int = 3
