"""The sessions by which an account is signed in: noted as they are used, listed, ended."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from math import inf
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.core.rate_limits import LONGEST_CLIENT_ADDRESS, address_of
from campaigns.models import SignedInSession, TemporaryPassword

logger = logging.getLogger(__name__)

# That a session was used is written down no more often than this.
SEEN_EVERY = timedelta(minutes=5)
LONGEST_DEVICE = 300
# In the session of a person who still has to choose a password.
TEMPORARY = "temporary_password"
MOST_REMEMBERED = 10_000

# When this process last noted a session, by its key. Of what is forgotten one more row is written.
_noted: dict[str, float] = {}


class SeenMiddleware:
    """Notes the session after the answer is made, and only where the view has asked for it already."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        session = request.session
        if session.accessed and session.session_key and SESSION_KEY in session:
            note_session(request, int(session[SESSION_KEY]))
        if response.streaming and getattr(response, "is_async", False) and not connection.in_atomic_block:
            # A live stream keeps the thread in which its session was read, for hours; not its connection.
            connection.close()
        return response


def note_sign_in(sender: object, request: HttpRequest | None, user: User, **rest: Any) -> None:
    """Receives Django's signal. By the mark in the session, `AccountGate` needs no query for it."""
    if request is None:
        return
    if TemporaryPassword.objects.filter(user=user).exists():
        request.session[TEMPORARY] = True
    if request.session.session_key:
        note_session(request, user.id)


def note_session(request: HttpRequest, user: int) -> None:
    key, now = request.session.session_key, time.monotonic()
    assert key is not None
    if now < _noted.get(key, -inf) + SEEN_EVERY.total_seconds():
        return
    if len(_noted) >= MOST_REMEMBERED:
        _noted.clear()
    try:
        with transaction.atomic():
            _write_down(request, key, user)
    except DatabaseError as error:
        # What was asked for is done, a judgment perhaps: this must not turn it into a failure.
        logger.warning("the use of a session is not noted: %s", error)
    else:
        _noted[key] = now


def _write_down(request: HttpRequest, key: str, user: int) -> None:
    columns = {
        "address": address_of(request)[:LONGEST_CLIENT_ADDRESS],
        "device": request.headers.get("User-Agent", "").replace("\0", "")[:LONGEST_DEVICE],
        "seen": timezone.now(),
    }
    if not SignedInSession.objects.filter(session=key).update(**columns):
        # One that is ended meanwhile stays ended.
        if not Session.objects.filter(session_key=key).exists():
            return
        row = SignedInSession(session_id=key, user_id=user, **columns)
        SignedInSession.objects.bulk_create([row], ignore_conflicts=True)


def open_sessions(user: User) -> QuerySet[SignedInSession]:
    """Filter the sessions that are still valid, the one used last first."""
    rows = SignedInSession.objects.filter(user=user, session__expire_date__gt=timezone.now())
    return rows.order_by("-seen", "-id")


def end_session(*, user: User, session: int) -> None:
    row = open_sessions(user).filter(id=session).first()
    if row is None:
        raise Refusal("unknown_session", gettext("you have no such session"), status=404)
    _end(SignedInSession.objects.filter(id=row.id))


def end_sessions(*, user: User, besides: str | None = None) -> int:
    """End all sessions of the account, or all but that with the key `besides`. Return how many ended."""
    rows = SignedInSession.objects.filter(user=user)
    return _end(rows.exclude(session=besides) if besides else rows)


def ended_sessions(keys: frozenset[str]) -> frozenset[str]:
    """Select those of these sessions that are no longer valid."""
    if not keys:
        return keys
    valid = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    return keys - set(valid.values_list("session_key", flat=True))


def prune_sessions() -> None:
    """Remove sessions that expired or were not used for too long, and what is noted of sessions that are
    gone."""
    now = timezone.now()
    Session.objects.filter(expire_date__lte=now).delete()
    if settings.SESSION_IDLE_MINUTES:
        # Use is noted every five minutes only, so no session ends early.
        unused = now - timedelta(minutes=settings.SESSION_IDLE_MINUTES) - SEEN_EVERY
        _end(SignedInSession.objects.filter(seen__lt=unused))
    SignedInSession.objects.exclude(session__in=Session.objects.all()).delete()


def _end(rows: QuerySet[SignedInSession]) -> int:
    keys = list(rows.values_list("session_id", flat=True))
    Session.objects.filter(session_key__in=keys).delete()
    return len(keys)


# Each says the words of some before it as well, so the order decides.
_BROWSERS = {"Edg": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def device_name(agent: str) -> str:
    """Browser and system as people call them, such as “Firefox, Linux”; else how the header begins."""
    parts = [
        next((name for mark, name in names.items() if mark in agent), "") for names in (_BROWSERS, _SYSTEMS)
    ]
    return ", ".join(filter(None, parts)) or agent[:40] or gettext("unknown device")
