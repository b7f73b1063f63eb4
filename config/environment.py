"""Strict readers of the environment: a malformed value stops the program and names itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from django.core.exceptions import ImproperlyConfigured

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


def _boolean(text: str) -> bool:
    if text.lower() not in YES | NO:
        raise ValueError
    return text.lower() in YES


def _positive_whole(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError
    return value
