"""Actor of each log entry: set once for a request or command, read wherever an entry is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.http import HttpRequest
from django.http.response import HttpResponseBase


@dataclass(frozen=True)
class Actor:
    """An account, or one of those below; account names hold no blanks, so the two cannot be confused."""

    id: int | None
    name: str


SYSTEM = Actor(None, "the system")
COMMAND_LINE = Actor(None, "the command line")

_find: ContextVar[Callable[[], Actor]] = ContextVar("find_actor", default=lambda: SYSTEM)


def actor() -> Actor:
    """The user who acts in this thread or coroutine; the system where none is set."""
    return _find.get()()


@contextmanager
def acting_as(who: Actor | Callable[[], Actor]) -> Iterator[None]:
    """Everything noted inside is this actor's doing. A function is asked only when something is noted."""
    token = _find.set((lambda: who) if isinstance(who, Actor) else who)
    try:
        yield
    finally:
        _find.reset(token)


class ActingMiddleware:
    """Asks late who the request is from: an API token is looked at only after all middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with acting_as(lambda: _sender_of(request)):
            return self.get_response(request)


def _sender_of(request: HttpRequest) -> Actor:
    user = request.user
    return Actor(user.pk, user.get_username()) if user.is_authenticated else SYSTEM
