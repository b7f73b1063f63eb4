"""Connections of a campaign to search engines: added, changed and removed. Their secrets are never shown."""

from __future__ import annotations

import ssl
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.core.phrases import host_of
from campaigns.engines.credentials import check_credentials
from campaigns.engines.engine_client import target_of, trusted_context
from campaigns.log import audit
from campaigns.models import Campaign, CredentialScheme, EngineConnection, EngineKind, EnginePull
from campaigns.notifications.addresses import AddressNotAllowed
from campaigns.notifications.delivery_signatures import seal

MOST_ENGINES = 20
LONGEST_NAME, LONGEST_CERTIFICATE = 100, 20_000
LEAST_RATE, MOST_RATE, MOST_SECONDS = 0.1, 100.0, 60
_CHANGEABLE = ("name", "url", "scheme", "login", "certificate", "timeout", "rate")


def add_connection(*, campaign: Campaign, name: str, kind: str, url: str, **access: Any) -> EngineConnection:
    """Store a connection. `access`: scheme, login, secret, certificate, timeout and rate, each optional."""
    secret = access.pop("secret", "")
    row = EngineConnection(campaign=campaign, name=name.strip(), kind=kind, url=url.strip(), **access)
    _check(row)
    check_credentials(row.scheme, row.login, secret)
    row.secret = seal(secret) if secret else ""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        if campaign.engines.count() >= MOST_ENGINES:
            detail = gettext("a campaign has at most %(most)s engines") % {"most": MOST_ENGINES}
            raise Refusal("too_many", detail, status=409)
        _check_name_free(row)
        row.save()
        audit.note(campaign=campaign, kind="engine added", engine=row.name, host=host_of(row.url))
    return row


def change_connection(
    *, connection: EngineConnection, secret: str | None = None, **changes: Any
) -> EngineConnection:
    """Change what `changes` names; the rest stays. At another origin, the secret must be given again: a
    stored one is sent nowhere but where it was meant for."""
    with transaction.atomic():
        row = EngineConnection.objects.select_for_update().get(id=connection.id)
        before = {name: getattr(row, name) for name in _CHANGEABLE}
        for name, value in changes.items():
            setattr(row, name, value.strip() if name in ("name", "url") else value)
        _check(row)
        _check_name_free(row)
        _change_secret(row, before, secret)
        changed = [name for name in _CHANGEABLE if getattr(row, name) != before[name]]
        changed += ["secret"] if secret else []
        if changed:
            row.save()
            detail = {"engine": row.name, "host": host_of(row.url), "fields": changed}
            audit.note(campaign=connection.campaign, kind="engine changed", **detail)
    row.campaign = connection.campaign
    return row


def remove_connection(*, connection: EngineConnection) -> None:
    """Remove a connection with its configurations and pulls; runs that were pulled stay. Refused while one is
    running."""
    with transaction.atomic():
        row = EngineConnection.objects.select_for_update().get(id=connection.id)
        running = EnginePull.objects.filter(version__configuration__connection=row)
        if running.filter(state=EnginePull.State.RUNNING).exists():
            detail = gettext("a pull from this engine is running: pause it first")
            raise Refusal("pull_running", detail, status=409)
        audit.note(
            campaign=connection.campaign, kind="engine removed", engine=row.name, host=host_of(row.url)
        )
        row.delete()


def connection_of(*, campaign: Campaign, id: int) -> EngineConnection:
    row: EngineConnection | None = campaign.engines.filter(id=id).first()
    if row is None:
        raise Refusal("unknown_engine", gettext("there is no such engine"), status=404)
    row.campaign = campaign
    return row


def _check(row: EngineConnection) -> None:
    check_engine_name(row.name)
    if row.kind not in EngineKind.values:
        raise Refusal("bad_engine", gettext("select the kind of the engine"), field="kind")
    if row.scheme not in CredentialScheme.values:
        raise Refusal("bad_credentials", gettext("select how the credentials are sent"), field="scheme")
    try:
        target, _ = target_of(row.url)
    except AddressNotAllowed as error:
        raise Refusal("bad_url", str(error), field="url") from None
    if "?" in target.path:
        raise Refusal("bad_url", gettext("an engine’s address has no part behind “?”"), field="url")
    if not 1 <= row.timeout <= MOST_SECONDS:
        detail = gettext("the timeout is between 1 and %(most)s seconds") % {"most": MOST_SECONDS}
        raise Refusal("bad_engine", detail, field="timeout")
    if not LEAST_RATE <= row.rate <= MOST_RATE:
        detail = gettext("requests per second are between %(least)s and %(most)s")
        raise Refusal("bad_engine", detail % {"least": LEAST_RATE, "most": MOST_RATE}, field="rate")
    _check_certificate(row.certificate)


def check_engine_name(name: str) -> None:
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        detail = gettext("a name has 1 to %(most)s printable characters") % {"most": LONGEST_NAME}
        raise Refusal("bad_name", detail, field="name")


def _check_certificate(pem: str) -> None:
    if not pem:
        return
    try:
        if len(pem) > LONGEST_CERTIFICATE or "PRIVATE KEY" in pem:
            raise ValueError
        trusted_context(pem)
    except (ssl.SSLError, ValueError):
        detail = gettext("this is no PEM certificate: it begins with -----BEGIN CERTIFICATE-----")
        raise Refusal("bad_certificate", detail, field="certificate") from None


def _check_name_free(row: EngineConnection) -> None:
    if EngineConnection.objects.filter(campaign=row.campaign_id, name=row.name).exclude(id=row.id).exists():
        detail = gettext("there is another engine named %(name)s") % {"name": row.name}
        raise Refusal("name_taken", detail, field="name", status=409)


def _change_secret(row: EngineConnection, before: dict[str, Any], secret: str | None) -> None:
    if row.scheme == CredentialScheme.NONE:
        check_credentials(row.scheme, row.login, secret or "")
        row.secret = ""
    elif secret:
        check_credentials(row.scheme, row.login, secret)
        row.secret = seal(secret)
    elif not row.secret or row.scheme != before["scheme"] or row.login != before["login"]:
        check_credentials(row.scheme, row.login, "")
    elif _origin(row.url) != _origin(before["url"]) or row.certificate != before["certificate"]:
        detail = gettext("the address or the trusted certificate changes: give the secret again")
        raise Refusal("secret_needed", detail, field="secret")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
