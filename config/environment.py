"""Strict readers of the environment: a malformed value stops the program and names itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from environ import Env

T = TypeVar("T")

YES, NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def _read(name: str, default: T, parse: Callable[[str], T], wanted: str) -> T:
    if name not in os.environ:
        return default
    try:
        return parse(os.environ[name].strip())
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}={os.environ[name]!r} is not {wanted}") from error


def boolean(name: str, default: bool) -> bool:
    return _read(name, default, _boolean, "true or false")


def whole(name: str, default: int) -> int:
    return _read(name, default, _positive_whole, "a whole number of at least 0")


def number(name: str, default: float) -> float:
    return _read(name, default, float, "a number")


def mail_settings(name: str, default: str) -> dict[str, Any]:
    """Django's settings of a mail server, from an address such as smtp+tls://user:password@host:587."""
    wanted = "the address of a mail server: smtp://, smtp+tls://, smtp+ssl:// or consolemail://"
    return _read(name, Env.email_url_config(default), _mail, wanted)


def _mail(text: str) -> dict[str, Any]:
    if urlsplit(text).scheme not in ("smtp", "smtp+tls", "smtp+ssl", "smtps", "consolemail", "dummymail"):
        raise ValueError
    return dict(Env.email_url_config(text))


def _boolean(text: str) -> bool:
    if text.lower() not in YES | NO:
        raise ValueError
    return text.lower() in YES


def _positive_whole(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError
    return value
