"""Measures of cumulated gain, and the gains that they make of grades: the grade itself, or 2**grade - 1."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.measure import Measure, Need, Rankings, Scores, bounded_scores
from evaluation.measures.bounds import Weighting

# 2**1000 times as many ranks as a run can have is still a finite float64.
MOST_EXPONENT = 1000


@dataclass(frozen=True, eq=False)
class CumulatedGains:
    """Gains of one topic, at least 0.

    ranked : (runs, n) in rank order, NaN where not judged
    judged : (m,) of all the topic's judged documents
    highest : the gain that an unjudged document may have at most, above 0
    """

    ranked: FloatArray
    judged: FloatArray
    highest: float = 1.0


@dataclass(frozen=True)
class GainRule:
    """Rule that turns grades into gains for a measure of cumulated gain; grades below 0 count as 0.

    exponential : 2**grade - 1 (Burges et al. 2005) instead of the grade itself (trec_eval 10.0)
    highest : the highest grade of the scale, which unjudged documents may have; if not given, the highest
        grade of all topics, at least 1

    A linear rule without a scale leaves gains that were given for the grades (`has_gains`) as they are. A
    rule with an exponent or a scale always reads the grades.
    """

    exponential: bool = False
    highest: int | None = None

    @property
    def reads_grades(self) -> bool:
        """True if the rule reads grades even where gains are given."""
        return self.exponential or self.highest is not None

    @property
    def highest_grade(self) -> int | None:
        """The highest grade that has a gain; None: any."""
        return MOST_EXPONENT if self.exponential and self.highest is None else self.highest

    def read(self, topic: Rankings) -> CumulatedGains | None:
        """The gains of a topic; without grades those of its rankings, or None if the rule needs grades.

        Raises ValueError if a grade is above `highest_grade`.
        """
        graded = topic.graded
        if not self.reads_grades and (graded is None or graded.has_gains):
            return CumulatedGains(topic.gains, topic.judged)
        if graded is None:
            return None
        most = np.fmax.reduce(np.r_[graded.grades.ravel(), graded.judged], initial=1.0)
        if self.highest_grade is not None and most > self.highest_grade:
            raise ValueError(f"grade {most:g} is above {self.highest_grade}, the highest")
        highest = self.highest or max(most, graded.highest or most)
        return CumulatedGains(
            self.gains(graded.grades), self.gains(graded.judged), float(self.gains(np.array(highest)))
        )

    def gains(self, grades: FloatArray) -> FloatArray:
        """The gain of each grade, in the shape of `grades`; NaN stays.

        Examples
        --------
        >>> GainRule(exponential=True).gains(np.array([-2.0, 1.0, 3.0])).tolist()
        [0.0, 1.0, 7.0]
        """
        gains = np.maximum(np.asarray(grades, dtype=np.float64), 0.0)
        return np.asarray(2.0**gains - 1.0 if self.exponential else gains)


class CumulatedMeasure(Measure):
    """A measure of cumulated gain: `rule` makes gains of grades. No value for topics that have no grades,
    if the rule needs them."""

    label: str
    rule: GainRule

    @property
    def needs(self) -> Need:
        return "graded"

    @property
    def name(self) -> str:
        return self.label

    @property
    def highest_grade(self) -> int | None:
        return self.rule.highest_grade

    def scores(self, topic: Rankings) -> Scores:
        gains = self.rule.read(topic)
        if gains is None:
            return Scores(np.full(len(topic.gains), np.nan))
        return self.scored(gains, topic)

    @abstractmethod
    def scored(self, gains: CumulatedGains, topic: Rankings) -> Scores: ...


@dataclass(frozen=True)
class CumulatedFormula(CumulatedMeasure):
    """One without bounds, such as nDCG."""

    label: str
    rule: GainRule
    formula: Callable[[CumulatedGains], FloatArray] = field(compare=False)

    def scored(self, gains: CumulatedGains, topic: Rankings) -> Scores:
        return Scores(self.formula(gains))


@dataclass(frozen=True)
class DCG(CumulatedMeasure):
    """DCG@k, with the highest gain of the scale as the gain that an unjudged document may have."""

    label: str
    rule: GainRule
    weighting: Weighting = field(compare=False)

    def wider(self, grade: int) -> str:
        if self.rule.highest is None:
            return ""
        front, at, k = self.label.partition("@")
        return front.replace(f"max_rel={self.rule.highest}", f"max_rel={grade}") + at + k

    def scored(self, gains: CumulatedGains, topic: Rankings) -> Scores:
        return bounded_scores(gains.ranked, replace(self.weighting, highest=gains.highest), topic.lengths)
