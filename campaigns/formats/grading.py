"""The gain of each grade, as commands are given it by `--gains`."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from campaigns.formats.errors import ErrorList
from campaigns.formats.qrels import Grade, ParsedQrels


@dataclass(frozen=True)
class Grading:
    """The gain of each grade. Grades below 0 are junk, judged and not relevant: the gain of grade 0.

    Without `gains`, a grade of 1 or more has gain 1, a fraction below 1 is its own gain, and any other grade
    has 0. `highest`: the highest grade that the measures asked for are defined for; gains do without it.
    """

    gains: tuple[float, ...] | None = None
    highest: int | None = None

    def gain(self, grade: Grade) -> float:
        if self.gains is None:
            return float(min(max(grade, 0), 1))
        return self.gains[int(max(grade, 0))]

    def lacks(self, grade: Grade) -> str:
        """What is wrong with a grade that has no gain; empty if it has one."""
        if self.gains is None:
            if self.highest is None or grade <= self.highest:
                return ""
            scale = f"name the scale, as in ERR(max_rel={ceil(grade)})@20"
            return f"grade {grade} is above {self.highest}, the highest that ERR is asked for: {scale}"
        if not isinstance(grade, int):
            return f"grade {grade} is no whole number, and gains are given for 0 to {len(self.gains) - 1}"
        if grade < len(self.gains):
            return ""
        return f"grade {grade}, but gains are given for 0 to {len(self.gains) - 1} only"

    def check(self, qrels: ParsedQrels, file: str) -> None:
        """Refuse qrels with a grade that has no gain, naming the lines.

        Where grades are fractions, each is its own gain: then those above 1 have none.
        """
        grades = (grade for _, _, _, grade in qrels.rows())
        fraction = next((grade for grade in grades if not isinstance(grade, int)), None)
        errors = ErrorList(file)
        for line, _, _, grade in qrels.rows():
            wrong = self.lacks(grade)
            if not wrong and self.gains is None and fraction is not None and grade > 1:
                wrong = f"grade {grade} beside fractions such as {fraction}, which are gains up to 1"
            if wrong:
                errors.add(line, wrong)
        errors.raise_if_any()
