"""Credentials of engines: checked, stored sealed, sent as a header, and removed from what engines answer."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.models import CredentialScheme, EngineConnection
from campaigns.notifications.delivery_signatures import unseal

LONGEST_SECRET = 4000
# What stands in an answer in place of a secret that the engine repeated.
REMOVED = "[removed]"
# A shorter word may be part of any text.
_SHORTEST_REMOVED = 4
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_OWN_HEADERS = (
    *("accept", "accept-encoding", "connection", "content-length", "content-type", "host"),
    *("te", "trailer", "transfer-encoding", "upgrade", "user-agent"),
)
Scheme = CredentialScheme


def check_credentials(scheme: str, login: str, secret: str) -> None:
    """Refuse what no header can hold, or what the scheme lacks."""
    if scheme == Scheme.NONE:
        if login or secret:
            raise Refusal("bad_credentials", gettext("select how the credentials are sent"), field="scheme")
        return
    if not secret:
        raise Refusal("bad_credentials", gettext("give the secret"), field="secret")
    if len(secret) > LONGEST_SECRET or not secret.isprintable() or secret != secret.strip():
        detail = gettext("a secret has at most %(most)s printable characters and no blanks at its ends")
        raise Refusal("bad_credentials", detail % {"most": LONGEST_SECRET}, field="secret")
    if scheme != Scheme.BASIC and not secret.isascii():
        raise Refusal("bad_credentials", gettext("this secret must be ASCII"), field="secret")
    if scheme == Scheme.BASIC and (not login or ":" in login or not login.isprintable()):
        detail = gettext("give the user name, which contains no colon")
        raise Refusal("bad_credentials", detail, field="login")
    if scheme == Scheme.HEADER and (not _HEADER.fullmatch(login) or login.lower() in _OWN_HEADERS):
        detail = gettext("give the name of a header that carries credentials, such as X-API-Key")
        raise Refusal("bad_credentials", detail, field="login")
    if scheme in (Scheme.BEARER, Scheme.API_KEY) and login:
        raise Refusal("bad_credentials", gettext("these credentials have no user name"), field="login")


def header_of(connection: EngineConnection) -> dict[str, str]:
    """The header that proves who asks.

    Raises
    ------
    UnreadableSecret : SECRET_KEY was changed since.
    """
    if connection.scheme == Scheme.NONE:
        return {}
    secret = unseal(connection.secret)
    if connection.scheme == Scheme.HEADER:
        return {connection.login: secret}
    if connection.scheme == Scheme.BASIC:
        pair = base64.b64encode(f"{connection.login}:{secret}".encode()).decode()
        return {"Authorization": f"Basic {pair}"}
    word = "Bearer" if connection.scheme == Scheme.BEARER else "ApiKey"
    return {"Authorization": f"{word} {secret}"}


def without_secrets(content: bytes, connection: EngineConnection) -> bytes:
    """An answer without the secret, in whatever form the engine repeats it."""
    if connection.scheme == Scheme.NONE:
        return content
    # The longest first: others may be parts of it.
    for form in sorted(set(_forms(connection)), key=len, reverse=True):
        if len(form) >= _SHORTEST_REMOVED:
            content = content.replace(form.encode(), REMOVED.encode())
    return content


def _forms(connection: EngineConnection) -> Iterator[str]:
    secret = unseal(connection.secret)
    sent = next(iter(header_of(connection).values())).rpartition(" ")[2]
    for word in (secret, sent):
        yield from (word, json.dumps(word)[1:-1], json.dumps(word, ensure_ascii=False)[1:-1])
        yield from (quote(word), quote(word, safe=""), quote_plus(word))
        yield word.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        yield base64.b64encode(word.encode()).decode()
