"""Relevant documents among the judgments: without both kinds, no model of relevance is fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from selection.framework.interface import Setting

OneSided = Literal["", "all_relevant", "none_relevant"]
# With a smaller share of documents that are not relevant, the qrels list only relevant ones, but for slips.
LEAST_NOT_RELEVANT = 0.02
# Fewer judgments are often of one kind by chance: the first documents are the likeliest to be relevant.
FEW = 5


@dataclass(frozen=True)
class JudgedRelevance:
    """Number of judged documents, among those that a model of relevance is fitted to, and the number of
    relevant ones.

    Examples
    --------
    >>> [JudgedRelevance(judged, relevant).one_sided for judged, relevant in ((9, 9), (9, 0), (9, 4))]
    ['all_relevant', 'none_relevant', '']
    """

    judged: int
    relevant: int

    @classmethod
    def of(cls, setting: Setting) -> JudgedRelevance:
        gains = [
            gain
            for topic in range(len(setting.pools))
            for gain in setting.judgments.served_in(topic).values()
        ]
        return cls(len(gains), sum(map(setting.relevant, gains)))

    @property
    def few(self) -> bool:
        return self.judged < FEW

    @property
    def one_sided(self) -> OneSided:
        """One-sidedness of the judgments: the only grade that they hold, almost or wholly; empty if they hold
        both, or none."""
        if not self.judged:
            return ""
        if not self.relevant:
            return "none_relevant"
        few = self.judged - self.relevant < LEAST_NOT_RELEVANT * self.judged
        return "all_relevant" if few else ""
