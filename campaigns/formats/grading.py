"""The gain of each grade, as commands are given it by `--gains`."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from campaigns.formats.errors import ErrorList
from campaigns.formats.qrels import Grade, ParsedQrels
from evaluation.measure import Measure


@dataclass(frozen=True)
class Grading:
    """The gain of each grade. Grades below 0 are junk, judged and not relevant: the gain of grade 0.

    Without `gains`, a grade of 1 or more has gain 1, a fraction below 1 is its own gain, and any other grade
    has 0; measures of cumulated gain read the grade itself then. `narrowest`: of the measures asked for, the
    one that takes the fewest grades; gains do without it.
    """

    gains: tuple[float, ...] | None = None
    narrowest: Measure | None = None

    def gain(self, grade: Grade) -> float:
        if self.gains is None:
            return float(min(max(grade, 0), 1))
        return self.gains[int(max(grade, 0))]

    def lacks(self, grade: Grade) -> str:
        """What is wrong with a grade that has no gain; empty if it has one."""
        if self.gains is None:
            highest = None if self.narrowest is None else self.narrowest.highest_grade
            if self.narrowest is None or highest is None or grade <= highest:
                return ""
            lacks = f"grade {grade} is above {highest}, the highest that {self.narrowest.name} takes"
            wider = self.narrowest.wider(ceil(grade))
            return f"{lacks}: name the scale, as in {wider}" if wider else lacks
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
