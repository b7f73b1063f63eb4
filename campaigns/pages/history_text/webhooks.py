"""Which addresses are told what happens. By their hosts: the rest of an address may be a secret."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from campaigns.models import WebhookEvent
from campaigns.pages.history_text.sentences import Places, Said, said
from campaigns.templatetags.figures import zoned


def added(detail: dict[str, Any], at: Places) -> Said:
    words = _("had {host} told by webhook: {events}")
    return said(words, host=at.page("webhooks", detail["host"]), events=_events(detail["events"]))


def changed(detail: dict[str, Any], at: Places) -> Said:
    changes = "; ".join(_change(name, old, new) for name, (old, new) in detail["changes"].items())
    words = _("changed the webhook to {host}: {changes}")
    return said(words, host=at.page("webhooks", detail["host"]), changes=changes)


def _change(name: str, old: Any, new: Any) -> str:
    if name == "active":
        return _("switched on") if new else _("switched off")
    if name == "events":
        return f"{_events(old)} → {_events(new)}"
    return _("another address") if old == new else f"{old} → {new}"


def secret(detail: dict[str, Any], at: Places) -> Said:
    return said(_("made a new secret for the webhook to {host}"), host=at.page("webhooks", detail["host"]))


def removed(detail: dict[str, Any], at: Places) -> Said:
    return said(_("removed the webhook to {host}"), host=detail["host"])


def gone(detail: dict[str, Any], at: Places) -> Said:
    words = _("switched the webhook to {host} off, as it wants to be told no more")
    return said(words, host=at.page("webhooks", detail["host"]))


def unreachable(detail: dict[str, Any], at: Places) -> Said:
    words = _("switched the webhook to {host} off, as nothing had arrived since {since}")
    since = zoned(datetime.fromisoformat(detail["since"]))
    return said(words, host=at.page("webhooks", detail["host"]), since=since)


def _events(names: list[str]) -> str:
    labels = dict(WebhookEvent.choices)
    return ", ".join(str(labels.get(name, name)) for name in names)


TELL_WEBHOOKS: dict[str, Callable[[dict[str, Any], Places], Said]] = {
    "webhook added": added,
    "webhook changed": changed,
    "webhook secret": secret,
    "webhook removed": removed,
    "webhook gone": gone,
    "webhook unreachable": unreachable,
}
