"""One commit for acts that arrive together.

A campaign's log takes one transaction at a time, and each waits for the disk. So while one commits, further
acts gather, and the next transaction takes all of them: the more assessors, the more acts a commit holds. An
act that comes alone waits for nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from django.db import IntegrityError, connection

from campaigns.core.errors import Refusal

# The log is locked for as long as a group takes.
MOST_TOGETHER = 16


class GroupMember(Protocol):
    @property
    def assessor(self) -> int: ...

    @property
    def group(self) -> int | None:
        """Whose acts may share a transaction; None: this one has its own."""


Act = TypeVar("Act", bound=GroupMember)
Result = TypeVar("Result")
Commit = Callable[[Sequence[Act]], Sequence[Result]]


@dataclass(eq=False)
class _Waiting(Generic[Act, Result]):
    """An act whose thread waits until another has committed it, or it has to lead the next group itself."""

    act: Act
    called: threading.Event = field(default_factory=threading.Event)
    result: Result | None = None
    error: BaseException | None = None
    leads: bool = False
    alone: bool = False


class _Queue(Generic[Act, Result]):
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_Waiting[Act, Result]] = []
        self._has_leader = False

    def commit(self, act: Act, commit: Commit[Act, Result]) -> _Waiting[Act, Result]:
        mine: _Waiting[Act, Result] = _Waiting(act)
        with self._lock:
            self._waiting.append(mine)
            mine.leads, self._has_leader = not self._has_leader, True
        if not mine.leads:
            mine.called.wait()
        if mine.leads:
            group = self._next_group()
            try:
                _commit_group(group, commit)
            finally:
                self._hand_over()
                for one in group:
                    one.called.set()
        return mine

    def _next_group(self) -> list[_Waiting[Act, Result]]:
        """The first that waits, and who can go with it: an assessor's second act follows what the first
        changed."""
        with self._lock:
            by_assessor: dict[int, _Waiting[Act, Result]] = {}
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


def _commit_group(group: Sequence[_Waiting[Act, Result]], commit: Commit[Act, Result]) -> None:
    try:
        results = commit([one.act for one in group])
    except (Refusal, IntegrityError) as error:
        # Nothing is recorded. Whose act it is cannot be said here, nor in which language to refuse it.
        for one in group:
            one.alone, one.error = len(group) > 1, error
    except BaseException as error:
        for one in group:
            one.error = error
        raise
    else:
        for one, result in zip(group, results, strict=True):
            one.result = result


# By group. A queue is small, and there are no more of them than campaigns.
_queues: dict[int, _Queue] = {}  # type: ignore[type-arg]


def commit_in_group(act: Act, commit: Commit[Act, Result]) -> Result:
    """Commit the act, perhaps with others of its group, and return its own result. `commit` takes acts of
    different assessors; it commits all of them, or none and raises."""
    if act.group is None or connection.in_atomic_block:
        # What others committed here would depend on the end of the caller's transaction.
        return commit([act])[0]
    done = _queues.setdefault(act.group, _Queue()).commit(act, commit)
    if done.alone:
        return commit([act])[0]
    if done.error is not None:
        raise done.error
    return done.result  # type: ignore[return-value]  # None is a result, too
