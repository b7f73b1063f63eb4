"""The gain of each grade, as commands are given it by `--gains`: a list, or a file that campaigns export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.lines import GRADE, judgment_lines
from campaigns.formats.qrels import JUNK, Grade, ParsedQrels
from evaluation.measure import Measure

Gains = Mapping[int, float]
_COLUMNS = 2


@dataclass(frozen=True)
class Grading:
    """The gain of each grade. Grades below 0 are junk, judged and not relevant: the gain of grade 0, unless
    `gains` has another.

    Without `gains`, a grade of 1 or more has gain 1, a fraction below 1 is its own gain, and any other grade
    has 0; measures of cumulated gain read the grade itself then. `narrowest`: of the measures asked for, the
    one that takes the fewest grades; gains do without it.
    """

    gains: Gains | None = None
    narrowest: Measure | None = None

    @classmethod
    def of_list(cls, gains: Sequence[float]) -> Grading:
        """Grading by the gains of grades 0, 1, 2 …"""
        return cls(dict(enumerate(gains)))

    def by_grade(self) -> dict[str, float]:
        """The gain of each grade by its name; empty without `gains`."""
        return {str(grade): gain for grade, gain in sorted((self.gains or {}).items())}

    def gain(self, grade: Grade) -> float:
        if self.gains is None:
            return float(min(max(grade, 0), 1))
        found = self.gains.get(int(grade))
        # Where a scale begins above 0, what is judged not relevant has no gain.
        return found if found is not None else self.gains.get(0, 0.0)

    def lacks(self, grade: Grade) -> str:
        """Error message for a grade that has no gain; empty if it has one."""
        if self.gains is None:
            highest = None if self.narrowest is None else self.narrowest.highest_grade
            if self.narrowest is None or highest is None or grade <= highest:
                return ""
            lacks = f"grade {grade} is above {highest}, the highest that {self.narrowest.name} takes"
            wider = self.narrowest.wider(ceil(grade))
            return f"{lacks}: name the scale, as in {wider}" if wider else lacks
        if not isinstance(grade, int):
            return f"grade {grade} is no whole number, and gains are given for {self._graded}"
        if grade < 0 or grade in self.gains:
            return ""
        return f"grade {grade}, but gains are given for {self._graded} only"

    @property
    def _graded(self) -> str:
        """The grades that have gains."""
        grades = sorted(grade for grade in self.gains or () if grade >= 0)
        whole = grades == list(range(len(grades)))
        return f"0 to {grades[-1]}" if whole and grades else ", ".join(map(str, grades))

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


def gain_lines(gains: Gains) -> Iterator[str]:
    """A line for each grade, ascending: the grade and its gain, which is read back to the last bit."""
    return (f"{grade} {gain!r}\n" for grade, gain in sorted(gains.items()))


def read_gains(file: Path) -> Gains:
    """The gain of each grade from lines of a grade and its gain; blank lines and comments (#) say nothing.

    Raises FormatError listing every line that is not two such columns, or gives a grade twice; a file without
    lines.
    """
    errors = ErrorList(str(file))
    gains: dict[int, float] = {}
    for number, words in judgment_lines(file, errors, _what_is_wrong):
        grade, gain = int(words[0]), float(words[1])
        if gains.setdefault(grade, gain) != gain:
            errors.add(number, f"grade {grade} has gain {gain:g} here and {gains[grade]:g} above", "gain")
    if not gains and not errors.total:
        errors.add(None, "no lines in it: an empty file")
    errors.raise_if_any()
    return gains


def _what_is_wrong(words: list[bytes]) -> tuple[str, str] | None:
    if len(words) != _COLUMNS:
        return "", f"{len(words)} columns where gains have 2 (grade, gain)"
    if not GRADE.match(words[0]) or int(words[0]) < JUNK:
        return "grade", f"grade {quote(words[0])} is not a whole number from {JUNK} on"
    try:
        gain = float(words[1])
    except ValueError:
        gain = -1.0
    if not 0 <= gain <= 1:
        return "gain", f"gain {quote(words[1])} is not a number from 0 to 1"
    return None
