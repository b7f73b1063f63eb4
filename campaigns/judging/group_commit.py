"""One commit for acts that arrive together.

A campaign's log takes one transaction at a time, and each waits for the disk. So while one commits, further
acts gather, and the next transaction takes all of them: the more assessors, the more acts a commit holds, and
the fewer statements an act takes. An act that comes alone waits for nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from django.db import IntegrityError, connection

from campaigns.core.errors import Refusal

# The log is locked for as long as a group takes.
MOST_TOGETHER = 16


class GroupMember(Protocol):
    @property
    def assessor(self) -> int: ...


Act = TypeVar("Act", bound=GroupMember)
Committed = TypeVar("Committed")
Outcome = TypeVar("Outcome")
# Takes acts, and a function to call as soon as others may prepare their commit.
Commit = Callable[[Sequence[Act], Callable[[], None]], Sequence[Committed | None]]


@dataclass(frozen=True)
class _Steps(Generic[Act, Committed, Outcome]):
    """Steps for a group of acts: commit first; complete the rest while others commit."""

    commit: Commit[Act, Committed]
    complete: Callable[[Sequence[Committed]], Sequence[Outcome]]

    def alone(self, act: Act) -> Outcome:
        [committed] = self.commit([act], lambda: None)
        assert committed is not None
        return self.complete([committed])[0]


@dataclass(eq=False)
class _WaitingAct(Generic[Act, Outcome]):
    """An act whose thread waits until another has committed it, or it has to lead the next group itself."""

    act: Act
    called: threading.Event = field(default_factory=threading.Event)
    outcome: Outcome | None = None
    error: BaseException | None = None
    leads: bool = False
    alone: bool = False


class _Queue(Generic[Act, Committed, Outcome]):
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_WaitingAct[Act, Outcome]] = []
        self._has_leader = False

    def commit(self, act: Act, steps: _Steps[Act, Committed, Outcome]) -> _WaitingAct[Act, Outcome]:
        mine: _WaitingAct[Act, Outcome] = _WaitingAct(act)
        with self._lock:
            self._waiting.append(mine)
            mine.leads, self._has_leader = not self._has_leader, True
        if not mine.leads:
            mine.called.wait()
        if mine.leads:
            group = self._next_group()
            try:
                self._lead(group, steps)
            except BaseException as error:
                for one in group:
                    one.error = error
                raise
            finally:
                for one in group:
                    one.called.set()
        return mine

    def _lead(
        self, group: Sequence[_WaitingAct[Act, Outcome]], steps: _Steps[Act, Committed, Outcome]
    ) -> None:
        try:
            with ExitStack() as leading:
                leading.callback(self._hand_over)
                committed = steps.commit([one.act for one in group], leading.close)
        except (Refusal, IntegrityError) as error:
            # Nothing is recorded. Whose act it is cannot be said here, nor in which language to refuse it.
            for one in group:
                one.alone, one.error = len(group) > 1, error
            return
        done = [(one, each) for one, each in zip(group, committed, strict=True) if each is not None]
        outcomes = steps.complete([each for _, each in done]) if done else ()
        for one in group:
            one.alone = True
        for (one, _), outcome in zip(done, outcomes, strict=True):
            one.alone, one.outcome = False, outcome

    def _next_group(self) -> list[_WaitingAct[Act, Outcome]]:
        """The first that waits, and who can go with it: an assessor's second act follows what the first
        changed."""
        with self._lock:
            by_assessor: dict[int, _WaitingAct[Act, Outcome]] = {}
            for one in self._waiting:
                by_assessor.setdefault(one.act.assessor, one)
            group = list(by_assessor.values())[:MOST_TOGETHER]
            self._waiting = [one for one in self._waiting if one not in group]
        return group

    def _hand_over(self) -> None:
        """The first that came meanwhile leads the next group: no thread commits for others for ever."""
        with self._lock:
            self._has_leader = bool(self._waiting)
            if self._waiting:
                self._waiting[0].leads = True
                self._waiting[0].called.set()


# By group. A queue is small, and there are no more of them than campaigns.
_queues: dict[int, _Queue[Any, Any, Any]] = {}


def commit_in_group(
    group: int,
    act: Act,
    commit: Commit[Act, Committed],
    complete: Callable[[Sequence[Committed]], Sequence[Outcome]],
) -> Outcome:
    """Commit the act, perhaps with others of its group, and return its own outcome. `commit` takes acts of
    different assessors. It commits them together, but for those for which it returns None: they have to come
    alone. Or it commits none and raises. When nothing is left but to wait for the disk, it calls its second
    argument: the next group may begin. `complete` returns the outcomes of those that were committed."""
    steps = _Steps(commit, complete)
    if connection.in_atomic_block:
        # What others committed here would depend on the end of the caller's transaction.
        return steps.alone(act)
    done = _queues.setdefault(group, _Queue()).commit(act, steps)
    if done.alone:
        return steps.alone(act)
    if done.error is not None:
        raise done.error
    return done.outcome  # type: ignore[return-value]
