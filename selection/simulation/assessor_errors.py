"""A simulated assessor who errs: relevant documents graded not relevant, and the reverse."""

from __future__ import annotations

from dataclasses import dataclass

from selection.randomness import lot


@dataclass(frozen=True)
class AssessorErrors:
    """The rates of wrong grades; by default there are none.

    missed : share of relevant documents that are graded not relevant, in [0, 1]
    false : share of documents that are not relevant and are graded relevant, in [0, 1]

    Raises
    ------
    ValueError
        If a rate is outside [0, 1].
    """

    missed: float = 0.0
    false: float = 0.0

    def __post_init__(self) -> None:
        for name, rate in (("missed", self.missed), ("false", self.false)):
            if not 0 <= rate <= 1:
                raise ValueError(f"{name} = {rate} is outside [0, 1]")

    def errs(self, relevant: bool, topic: str, docno: str, seed: int = 0) -> bool:
        """Decide by lot if the assessor grades a document wrongly.

        Drawn by seed, topic and document alone: neither the order of the judgments nor the other documents
        change it. With higher rates, the documents that were graded wrongly still are.

        Examples
        --------
        >>> AssessorErrors(missed=0.3).errs(False, "401", "FT911-3")
        False
        >>> AssessorErrors(missed=1.0).errs(True, "401", "FT911-3")
        True
        """
        rate = self.missed if relevant else self.false
        return rate > 0 and lot("assessor error", seed, topic, docno) < rate


NO_ERRORS = AssessorErrors()
