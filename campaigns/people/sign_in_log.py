"""Sign-ins, sign-outs and failed attempts, as lines of the log with name and address."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.http import HttpRequest

from campaigns.core.rate_limits import address_of

if TYPE_CHECKING:
    # The application connects these receivers before its models are ready.
    from django.contrib.auth.models import User

logger = logging.getLogger(__name__)

LONGEST_LOGGED_NAME = 150


def connect() -> None:
    user_logged_in.connect(_signed_in, dispatch_uid="log sign-in")
    user_logged_out.connect(_signed_out, dispatch_uid="log sign-out")
    user_login_failed.connect(_failed, dispatch_uid="log failed sign-in")


def _signed_in(request: HttpRequest | None, user: User, **_: Any) -> None:
    logger.info("%s signed in from %s", _quoted(user.get_username()), _where(request))


def _signed_out(request: HttpRequest | None, user: User | None, **_: Any) -> None:
    if user is not None:
        logger.info("%s signed out from %s", _quoted(user.get_username()), _where(request))


def _failed(credentials: Mapping[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    name = _quoted(str(credentials.get("username", "")))
    logger.warning("sign-in as %s failed from %s", name, _where(request))


def _quoted(name: str) -> str:
    # Anything may be typed as a name; as a literal it stays within its line.
    return ascii(name[:LONGEST_LOGGED_NAME])


def _where(request: HttpRequest | None) -> str:
    return ascii(address_of(request)) if request else "no request"
