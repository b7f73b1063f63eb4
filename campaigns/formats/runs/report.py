"""What was noticed in a run file that was taken: counts, each with a sentence for the person who sent it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from campaigns.formats.errors import NoticeRow, notice_rows


@dataclass
class RunReport:
    """Counts of what a run file holds. `lines` counts the lines taken; all others are 0 in a tidy file."""

    lines: int = 0
    topics: int = 0
    tags: int = 0
    ties: int = 0
    ties_by_rounding: int = 0
    order_disagrees: int = 0
    rank_disagrees: int = 0
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
    byte_order_mark: int = 0
    no_final_newline: int = 0

    def as_dict(self) -> dict[str, int]:
        return asdict(self)

    def as_rows(self) -> list[NoticeRow]:
        """What is worth saying to the person who sent the file, in the order of how much it matters."""
        counts = self.as_dict()
        # One tag is as it should be.
        return notice_rows(counts | {"tags": counts["tags"] if counts["tags"] > 1 else 0}, _SENTENCES)


_SENTENCES = {
    "duplicates_dropped": (
        "documents listed twice",
        "Lines that name a docno a second time in their topic; the best was kept and the gap closed.",
    ),
    "columns_dropped": ("lines with more than six columns", "What stands after the tag was left out."),
    "tags": ("tags", "The lines carry several tags; the run is named by its file."),
    "ties": (
        "tied scores",
        "Lines that share their score with another of their topic; ties go by docno, descending.",
    ),
    "ties_by_rounding": (
        "scores equal as 32-bit floats",
        "Neighbours whose scores differ as written and are equal as 32-bit floats, which decide.",
    ),
    "order_disagrees": (
        "lines out of order",
        "Lines that stand below a line of lower score; the score decides, not the place in the file.",
    ),
    "rank_disagrees": (
        "ranks that contradict the scores",
        "Lines whose rank is better than that of a line with a higher score; the rank column is ignored.",
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
