"""Strict readers of the environment: a malformed value stops the program and names itself."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Sequence
from ipaddress import ip_network
from typing import Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured
from environ import Env

T = TypeVar("T")

# What a row of an identity can name.
LONGEST_ISSUER = 200
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
HIGHEST_PORT = 65535
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


def whole(name: str, default: int, *, least: int = 0) -> int:
    return _read(name, default, lambda text: _whole(text, least), f"a whole number of at least {least}")


def number(name: str, default: float) -> float:
    return _read(name, default, _number, "a number of at least 0")


def port(name: str, default: int) -> int:
    return _read(name, default, _port, "a port: a whole number from 0 to 65535")


def log_level(name: str, default: str) -> str:
    return one_of(name, default, LOG_LEVELS)


def time_zone(name: str, default: str) -> str:
    return _read(name, default, _time_zone, "a time zone such as Europe/Berlin")


def one_of(name: str, default: str, choices: Sequence[str]) -> str:
    return _read(name, default, lambda text: _choice(text, choices), " or ".join(choices))


def rate(name: str, default: str) -> tuple[int, int] | None:
    """Rate as a number of times and of seconds, from such as 1000/10s or 5/m; None for off."""
    wanted = "a rate such as 1000/10s, 60/m or 5000/h, or off"
    return _read(name, _rate(default), _rate, wanted)


def origins(name: str) -> list[str]:
    """Sites as browsers name them, comma-separated: scheme, host and port, nothing behind."""
    return _read(name, [], _origins, "a list of origins such as https://lab.example.org")


def hosts_and_networks(name: str) -> list[str]:
    """Hosts and networks, comma-separated."""
    wanted = "a list of hosts and networks such as search.internal,10.0.0.0/8"
    return _read(name, [], _hosts_and_networks, wanted)


def email_settings(name: str, default: str) -> dict[str, Any]:
    """Django's settings of a mail server, from an address such as smtp+tls://user:password@host:587."""
    wanted = "the address of a mail server: smtp://, smtp+tls://, smtp+ssl:// or consolemail://"
    return _read(name, Env.email_url_config(default), _mail, wanted)


def openid_provider() -> dict[str, str]:
    """The identity provider: `issuer`, `client_id`, `client_secret` and `name`; empty if there is none."""
    values = {
        "issuer": os.environ.get("OPENID_ISSUER", ""),
        "client_id": os.environ.get("OPENID_CLIENT_ID", ""),
        "client_secret": os.environ.get("OPENID_CLIENT_SECRET", ""),
    }
    if not any(values.values()):
        return {}
    if missing := [name for name, value in values.items() if not value.strip()]:
        raise ImproperlyConfigured(f"OPENID_{missing[0].upper()} is not set, though other settings of it are")
    wanted = "an address such as https://login.example.org/realm"
    issuer = _read("OPENID_ISSUER", "", _issuer, wanted)
    name = os.environ.get("OPENID_NAME", "").strip() or urlsplit(issuer).hostname or issuer
    return {key: value.strip() for key, value in values.items()} | {"issuer": issuer, "name": name}


def _issuer(text: str) -> str:
    """Without a slash at its end. Over TLS, except on this machine."""
    parts = urlsplit(text)
    local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not parts.hostname or (parts.scheme != "https" and not local):
        raise ValueError
    if parts.query or parts.fragment or parts.username or len(text) > LONGEST_ISSUER:
        raise ValueError
    return text.rstrip("/")


def _mail(text: str) -> dict[str, Any]:
    if urlsplit(text).scheme not in ("smtp", "smtp+tls", "smtp+ssl", "smtps", "consolemail", "dummymail"):
        raise ValueError
    return dict(Env.email_url_config(text))


def _rate(text: str) -> tuple[int, int] | None:
    if text.lower() == "off":
        return None
    match = re.fullmatch(r"([1-9]\d{0,8})/(\d{0,6})([smh])", text, re.ASCII)
    if match is None or (match[2] and not int(match[2])):
        raise ValueError
    return int(match[1]), int(match[2] or 1) * {"s": 1, "m": 60, "h": 3600}[match[3]]


def _hosts_and_networks(text: str) -> list[str]:
    entries = [entry.strip().lower() for entry in text.split(",") if entry.strip()]
    for entry in entries:
        if "/" in entry:
            ip_network(entry)
        elif not re.fullmatch(r"\*|\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]", entry):
            raise ValueError(entry)
    return entries


def _origins(text: str) -> list[str]:
    named = [one.strip() for one in text.split(",") if one.strip()]
    for one in named:
        parts = urlsplit(one)
        if parts.scheme not in ("http", "https") or not parts.hostname or one != one.lower():
            raise ValueError
        if one != f"{parts.scheme}://{parts.netloc}" or "@" in parts.netloc or "*" in parts.netloc:
            raise ValueError
        _ = parts.port
    return named


def _choice(text: str, choices: Sequence[str]) -> str:
    if text not in choices:
        raise ValueError
    return text


def _boolean(text: str) -> bool:
    if text.lower() not in YES | NO:
        raise ValueError
    return text.lower() in YES


def _whole(text: str, least: int) -> int:
    value = int(text)
    if value < least:
        raise ValueError
    return value


def _number(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise ValueError
    return value


def _port(text: str) -> int:
    value = _whole(text, 0)
    if value > HIGHEST_PORT:
        raise ValueError
    return value


def _time_zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (KeyError, OSError) as error:
        raise ValueError from error
    return text
