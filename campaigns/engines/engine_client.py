"""Requests to a search engine: only to addresses that are allowed, within a time and a size, and each failure
as one sentence."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http.request import validate_host
from django.utils.translation import gettext

from campaigns.core.phrases import group_digits
from campaigns.engines.adapters import ADAPTERS, completed
from campaigns.engines.credentials import header_of, without_secrets
from campaigns.engines.hit_mapping import Hit, HitMapping, NoMapping, clean, read_hits, value_at
from campaigns.engines.query_templates import fill
from campaigns.models import EngineConnection, EngineVersion
from campaigns.notifications.addresses import AddressNotAllowed, Target, parse, resolve
from campaigns.notifications.delivery_signatures import UnreadableSecret
from campaigns.notifications.transport import (
    RawResponse,
    ReadLimits,
    error_text,
    exchange,
    retry_after_of,
)

MOST_BYTES = 10_000_000
LONGEST_SENTENCE = 500
# Statuses after which the same request may succeed a moment later.
_PASSING = (408, 425, 429, 500, 502, 503, 504)


class EngineTrouble(Exception):
    """Failure of a request, as one sentence. `passing`: the same request may succeed later; `retry_after`:
    seconds that the engine asks to wait for."""

    def __init__(self, detail: str, *, passing: bool = False, retry_after: int | None = None) -> None:
        super().__init__(clean(detail)[:LONGEST_SENTENCE])
        self.passing, self.retry_after = passing, retry_after


@dataclass(frozen=True)
class EngineReply:
    """Hits in the engine's order, each ID once. `total`: documents that match, where the engine counts."""

    hits: list[Hit]
    duplicates: int
    total: int | None
    milliseconds: int
    answer: Any


def is_allowed_host(host: str) -> bool:
    """True if the operator allows engines at this host, public or not (ENGINE_ALLOWED_HOSTS)."""
    names = [entry for entry in settings.ENGINE_ALLOWED_HOSTS if "/" not in entry]
    if validate_host(host, names):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    networks = [ip_network(entry) for entry in settings.ENGINE_ALLOWED_HOSTS if "/" in entry]
    return any(address in network for network in networks if network.version == address.version)


def target_of(url: str) -> tuple[Target, bool]:
    """The parts of an engine's address, and whether the operator allows it beside the public ones.

    Raises
    ------
    AddressNotAllowed : with the reason.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise AddressNotAllowed(gettext("this is no address")) from None
    private = is_allowed_host(parts.hostname or "")
    if parts.username is not None or parts.password is not None:
        raise AddressNotAllowed(gettext("an address contains no user name or password: give credentials"))
    if parts.scheme == "http" and not private:
        raise AddressNotAllowed(
            gettext("engines are asked by https://, unless the site’s operator allows their host")
        )
    return parse(url, private=private), private


def ask(connection: EngineConnection, version: EngineVersion, values: Mapping[str, str]) -> EngineReply:
    """Ask the engine about one topic.

    Raises
    ------
    EngineTrouble : no answer, an error, or an answer that is not over the whole index.
    """
    began = time.monotonic()
    answer = fetch(connection, version, values)
    milliseconds = int((time.monotonic() - began) * 1000)
    try:
        hits_read = read_hits(answer, HitMapping.of(version.mapping), version.depth)
    except NoMapping as error:
        raise EngineTrouble(str(error)) from None
    first: dict[str, Hit] = {}
    for hit in hits_read:
        first.setdefault(hit.id, hit)
    hits = list(first.values())
    total = value_at(answer, path) if (path := ADAPTERS[connection.kind].total) else None
    counted = total if type(total) is int else None
    return EngineReply(hits, len(hits_read) - len(hits), counted, milliseconds, answer)


def fetch(connection: EngineConnection, version: EngineVersion, values: Mapping[str, str]) -> Any:
    """The engine's JSON answer about one topic, checked for errors."""
    adapter = ADAPTERS[connection.kind]
    filled = fill(completed(adapter, version.template, version.path), values, version.depth)
    if version.method == EngineVersion.HttpMethod.GET:
        parameters = {
            name: json.dumps(value) if isinstance(value, dict | bool) else value
            for name, value in filled.items()
        }
        answer = _send(connection, "GET", f"{version.path}?{urlencode(parameters, doseq=True)}")
    else:
        answer = _send(connection, "POST", version.path, json.dumps(filled).encode())
    if complaint := adapter.complaint(answer):
        raise EngineTrouble(gettext("the engine reports: %(said)s") % {"said": complaint}, passing=True)
    return answer


def version_of_engine(connection: EngineConnection) -> str:
    """The engine's version as it reports it; empty where it does not."""
    adapter = ADAPTERS[connection.kind]
    if not adapter.version_path:
        return ""
    try:
        name = value_at(_send(connection, "GET", adapter.version_path), adapter.version)
    except EngineTrouble:
        return ""
    return clean(name)[:100] if isinstance(name, str) else ""


def _send(connection: EngineConnection, method: str, path: str, body: bytes | None = None) -> Any:
    response = _exchange(connection, method, connection.url.rstrip("/") + path, body)
    content = without_secrets(response.content, connection)
    status = response.status
    if 300 <= status < 400:
        detail = gettext("the engine answered %(status)s: redirects are not followed, give the last address")
        raise EngineTrouble(detail % {"status": status})
    if len(response.content) > MOST_BYTES:
        detail = gettext("the answer has more than %(most)s bytes: ask for fewer hits or fields")
        raise EngineTrouble(detail % {"most": group_digits(MOST_BYTES)})
    if response.broken and status < 400:
        raise EngineTrouble(
            gettext("the engine’s answer is not whole: %(why)s") % {"why": response.broken}, passing=True
        )
    if status >= 400:
        raise _failure(connection, response, content)
    return _read(content)


def _exchange(connection: EngineConnection, method: str, url: str, body: bytes | None) -> RawResponse:
    try:
        target, private = target_of(url)
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "assess-engines/1",
            **({"Content-Type": "application/json"} if body is not None else {}),
            **header_of(connection),
        }
        return exchange(
            method,
            target,
            resolve(target, private=private),
            body=body,
            headers=headers,
            limits=ReadLimits(connection.timeout, connection.timeout, MOST_BYTES + 1),
            context=trusted_context(connection.certificate) if connection.certificate else None,
        )
    except AddressNotAllowed as error:
        raise EngineTrouble(str(error)) from None
    except UnreadableSecret:
        detail = gettext(
            "the credentials cannot be read any more, as SECRET_KEY was changed: give them again"
        )
        raise EngineTrouble(detail) from None
    except ssl.SSLCertVerificationError as error:
        detail = gettext("the engine’s certificate is not trusted: %(why)s")
        raise EngineTrouble(detail % {"why": error.verify_message}) from None
    except (OSError, http.client.HTTPException) as error:
        detail = gettext("the engine does not answer: %(why)s") % {"why": error_text(error)}
        raise EngineTrouble(detail, passing=True) from None


def trusted_context(certificate: str) -> ssl.SSLContext:
    """TLS that also trusts a certificate of the organiser's; ValueError or SSLError if it is none."""
    context = ssl.create_default_context()
    context.load_verify_locations(cadata=certificate)
    return context


def _failure(connection: EngineConnection, response: RawResponse, content: bytes) -> EngineTrouble:
    """The trouble that an error's status and body report."""
    try:
        why = ADAPTERS[connection.kind].complaint(_read(content))
    except EngineTrouble:
        why = ""
    status = response.status
    words = {
        401: gettext("the engine refused the credentials (401)"),
        403: gettext("the credentials do not allow this search (403)"),
        404: gettext("there is nothing at this path (404)"),
        429: gettext("the engine wants fewer requests (429)"),
    }
    detail = words.get(status, gettext("the engine answered %(status)s") % {"status": status})
    return EngineTrouble(
        f"{detail}: {why}" if why else detail,
        passing=status in _PASSING,
        retry_after=retry_after_of(response),
    )


def _read(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        if content.lstrip()[:1] == b"<":
            raise EngineTrouble(gettext("the engine answered with a page (HTML), not with JSON")) from None
        raise EngineTrouble(gettext("the engine’s answer is no JSON, or ends early"), passing=True) from None
