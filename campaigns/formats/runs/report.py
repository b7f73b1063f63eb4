"""Report on an accepted run file: counts, each with a sentence for the person who sent it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from campaigns.formats.errors import NoticeRow, Notices, notice_rows


@dataclass
class RunReport:
    """Counts of what a run file holds. `lines` counts the lines taken; all others are 0 in a tidy file.
    `converted` holds the notices of a file in another format."""

    lines: int = 0
    topics: int = 0
    tags: int = 0
    ties: int = 0
    ties_by_rounding: int = 0
    order_by_rounding: int = 0
    order_disagrees: int = 0
    rank_disagrees: int = 0
    topics_reversed: int = 0
    topics_tied: int = 0
    ranks_from_zero: int = 0
    ranks_all_zero: int = 0
    ranks_not_numbers: int = 0
    odd_iterations: int = 0
    short_lists: int = 0
    longest_list: int = 0
    duplicates_dropped: int = 0
    columns_dropped: int = 0
    comments: int = 0
    blank_lines: int = 0
    carriage_returns: int = 0
    header: int = 0
    byte_order_mark: int = 0
    no_final_newline: int = 0
    converted: list[NoticeRow] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def as_rows(self) -> list[NoticeRow]:
        """Notices for the person who sent the file, the most important first."""
        return [*self.converted, *notice_rows(self._counts(), _SENTENCES)]

    def in_short(self) -> str:
        """Short warning that the file may be misread; empty if nothing suggests it."""
        counts = self._counts()
        found = [f"{counts[name]} {_SENTENCES[name][0]}" for name in _SERIOUS if counts[name]]
        if self.rank_disagrees:
            found.append("--order rank reads the ranks")
        return "; ".join(found)

    def note_conversion(self, notices: Notices, without_ranks: bool) -> None:
        """Add the notices of a converted file, whose empty lines and ranks are not its own."""
        self.converted = notices.rows()
        self.blank_lines = 0
        if without_ranks:
            self.ranks_all_zero = 0

    def _counts(self) -> dict[str, int]:
        # One tag is as it should be.
        return self.as_dict() | {"tags": self.tags if self.tags > 1 else 0}


_SERIOUS = ("topics_reversed", "rank_disagrees", "order_disagrees", "topics_tied", "tags", "no_final_newline")

_SENTENCES = {
    "duplicates_dropped": (
        "documents listed twice",
        "Lines that name a docno a second time in their topic; the best was kept and the gap closed.",
    ),
    "header": ("header line", "The first line names the columns; it is no part of the run."),
    "columns_dropped": ("lines with more than six columns", "Columns after the tag were left out."),
    "tags": ("tags", "The lines carry several tags; the run is named by its file."),
    "ties": (
        "tied scores",
        "Lines that share their score with another of their topic; ties go by docno, descending.",
    ),
    "ties_by_rounding": (
        "scores equal as 32-bit floats",
        "Neighbours whose scores differ as written and are equal as 32-bit floats, which decide.",
    ),
    "order_by_rounding": (
        "neighbours in the other order in trec_eval 9.0.8 and older",
        "Their scores are equal as 32-bit floats, which these versions compare; there, ties go by docno.",
    ),
    "order_disagrees": (
        "lines out of order",
        "Lines that stand below a line of lower score; the score decides, not the place in the file.",
    ),
    "rank_disagrees": (
        "ranks that contradict the scores",
        "Lines whose rank is better than that of a line with a higher score; the rank column is ignored.",
    ),
    "topics_reversed": (
        "topics whose scores grow with the rank",
        "As distances do: the highest score is taken for the best, so their lists are upside down.",
    ),
    "topics_tied": (
        "topics whose scores are all equal",
        "The docnos alone order them, descending, and not the place in the file.",
    ),
    "ranks_from_zero": (
        "topics with ranks from 0",
        "The rank column is ignored; the best document is at rank 1.",
    ),
    "ranks_all_zero": ("topics with all ranks 0", "The rank column is ignored; the scores decide."),
    "ranks_not_numbers": ("ranks that are not numbers", "The rank column is ignored."),
    "odd_iterations": ("second columns other than Q0", "The second column is ignored."),
    "short_lists": (
        "lists shorter than the run's longest",
        "The longest has {longest_list} documents; a short list keeps what it lacks as residual.",
    ),
    "comments": ("comment lines", "Lines that begin with # were left out."),
    "blank_lines": ("blank lines", "Lines without a word were left out."),
    "carriage_returns": ("lines that end with CR LF", "Read like lines that end with LF."),
    "byte_order_mark": ("byte order mark", "The mark at the beginning of the file was left out."),
    "no_final_newline": (
        "last line without a line end",
        "Taken whole: the last line may be cut short, have a look.",
    ),
}
