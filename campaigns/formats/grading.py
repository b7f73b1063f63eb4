"""The gain of each grade, as commands are given it by `--gains`."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.qrels import ParsedQrels

MOST_LISTED_GRADES = 100


@dataclass(frozen=True)
class Grading:
    """The gain of each grade. Grades below 0 are junk, judged and not relevant: the gain of grade 0.

    Without `gains`, a grade of 1 or more has gain 1 and any other 0.
    """

    gains: tuple[float, ...] | None = None

    def gain(self, grade: int) -> float:
        if self.gains is None:
            return float(grade >= 1)
        return self.gains[max(grade, 0)]

    def lacks(self, grade: int) -> str:
        """What is wrong with a grade that the list of gains does not reach; empty if it does."""
        if self.gains is None or grade < len(self.gains):
            return ""
        return f"grade {grade}, but gains are given for 0 to {len(self.gains) - 1} only"

    def check(self, qrels: ParsedQrels, file: str) -> None:
        """Refuse qrels with a grade that the list of gains does not reach, naming the lines."""
        if self.gains is None:
            return
        errors = [
            LineError(qrels.line_of(topic, docno), wrong)
            for topic, grades in qrels.grades.items()
            for docno, grade in grades.items()
            if (wrong := self.lacks(grade))
        ]
        if errors:
            errors.sort(key=lambda error: error.line or 0)
            raise FormatError(file, errors[:MOST_LISTED_GRADES], len(errors))
