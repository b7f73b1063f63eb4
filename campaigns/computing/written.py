"""The state of the rows beside one copy of a campaign, as each phase returns it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from campaigns.computing.arrays import ActRow
from campaigns.computing.live import LiveChange


@dataclass(frozen=True)
class Unwritten:
    """Folded into the copy, with no row to show it yet: rows of scores and queues follow the look-aheads."""

    topics: frozenset[int] = frozenset()
    cells: frozenset[tuple[int, int]] = frozenset()
    acts: tuple[ActRow, ...] = ()

    def plus(self, change: LiveChange) -> Unwritten:
        """`change` came after this."""
        return Unwritten(self.topics | change.topics, self.cells | change.cells, (*self.acts, *change.acts))

    def after(self, known: int) -> Unwritten:
        """Without the acts up to there, which others have published."""
        return replace(self, acts=tuple(act for act in self.acts if act.sequence > known))

    def without_queues(self, topics: Iterable[int]) -> Unwritten:
        return replace(self, topics=self.topics.difference(topics))


@dataclass(frozen=True)
class Written:
    """The rows that one copy has written. A number names the act of the log up to which they are written,
    None if this copy has not written them.

    applied: all rows, by this copy or, as it has seen, by another;
    foreseen: look-aheads of open documents;
    queues: every queue, also those that are brought up to date in idle moments;
    scores: of a new copy, published before all else; 0 if there was nothing to publish;
    first_queues: 1 after a new copy served a few topics before scores, 2 after those that follow scores;
    is_read: whether a new copy has read the log beside rows of others;
    given_up: by claim, what its document was found to give up, to be written with its look-ahead;
    rows_due: on the monotonic clock, when rows are to be written even if judgments stream in; None if nothing
    is unwritten.
    """

    applied: int | None = None
    foreseen: int | None = None
    queues: int | None = None
    scores: int | None = None
    first_queues: int = 0
    is_read: bool = False
    unwritten: Unwritten = field(default_factory=Unwritten)
    given_up: Mapping[int, float] = field(default_factory=dict)
    rows_due: float | None = None

    @property
    def is_complete(self) -> bool:
        """Return whether rows show all that is folded in, but for queues that wait for idle moments."""
        return self.applied is not None and self.rows_due is None

    def folded(self, change: LiveChange) -> Written:
        return replace(self, unwritten=self.unwritten.plus(change))

    def with_rows_due(self, due: float) -> Written:
        """Have rows written by then, if not before."""
        return replace(self, rows_due=due if self.rows_due is None else min(due, self.rows_due))

    def with_queues(self, topics: Iterable[int]) -> Written:
        """Note that these topics' queues are written; others may be behind now."""
        return replace(self, queues=None, unwritten=self.unwritten.without_queues(topics))

    def with_lookaheads(self, applied: int, *, any_open: bool) -> Written:
        return replace(self, foreseen=applied, given_up={} if any_open else self.given_up)

    def with_all_rows(self, applied: int) -> Written:
        return Written(applied=applied, foreseen=self.foreseen, given_up=self.given_up)
