"""Who came, went, and was given what.

Which addresses are told what happens. By their hosts: the rest of an address may be a secret.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.models import TokenScope, WebhookEvent
from campaigns.pages.history_text.sentences import Places, Said, listed, said
from campaigns.templatetags.figures import zoned


def account(detail: dict[str, Any], at: Places) -> Said:
    return said(_("made an account for {person}"), person=detail["person"])


def role(detail: dict[str, Any], at: Places) -> Said:
    person = detail["person"]
    if detail["own"]:
        return said(_("became an organiser") if detail["role"] == "organiser" else _("became an assessor"))
    if detail["role"] == "organiser":
        return said(_("made {person} an organiser"), person=person)
    return said(_("made {person} an assessor"), person=person)


def role_removed(detail: dict[str, Any], at: Places) -> Said:
    if detail["role"] == "organiser":
        return said(_("took the role of organiser from {person}"), person=detail["person"])
    return said(_("took the role of assessor from {person}"), person=detail["person"])


def assigned(detail: dict[str, Any], at: Places) -> Said:
    topics = detail["topics"]
    if detail["own"]:
        words = ngettext("took on topic {topics}", "took on topics {topics}", len(topics))
    else:
        words = ngettext("gave topic {topics} to {person}", "gave topics {topics} to {person}", len(topics))
    return said(words, topics=_topics(topics, at), person=detail["person"])


def taken_back(detail: dict[str, Any], at: Places) -> Said:
    topics = detail["topics"]
    words = ngettext(
        "took topic {topics} back from {person}", "took topics {topics} back from {person}", len(topics)
    )
    return said(words, topics=_topics(topics, at), person=detail["person"])


def dealt(detail: dict[str, Any], at: Places) -> Said:
    shares = "; ".join(f"{person}: {listed(topics)}" for person, topics in detail["dealt"].items())
    count = len(detail["topics"])
    words = ngettext("dealt one topic: {shares}", "dealt {count} topics: {shares}", count)
    return said(words, count=count, shares=shares)


def trained(detail: dict[str, Any], at: Places) -> Said:
    words = _("finished the training, attempt {attempt}: {agreed} of {items} as expected")
    return said(words, **{name: detail[name] for name in ("attempt", "agreed", "items")})


def mails(detail: dict[str, Any], at: Places) -> Said:
    parts = [(_("daily progress"), detail["progress"]), (_("trouble with the worker"), detail["trouble"])]
    wanted = [words for words, wants in parts if wants]
    if not wanted:
        return said(_("wants no mails about this campaign"))
    return said(_("wants mails about: {wanted}"), wanted=", ".join(wanted))


def invited(detail: dict[str, Any], at: Places) -> Said:
    address = detail["address"]
    if detail["role"] == "organiser":
        words = _("invited {address} as an organiser") if address else _("made a link for an organiser")
    else:
        words = _("invited {address} as an assessor") if address else _("made a link for an assessor")
    return said(words, address=address)


def invitation_revoked(detail: dict[str, Any], at: Places) -> Said:
    if detail["address"]:
        return said(_("took the invitation of {address} back"), address=detail["address"])
    return said(_("took an invitation back"))


def joined(detail: dict[str, Any], at: Places) -> Said:
    return said(_("followed an invitation"))


def person_paused(detail: dict[str, Any], at: Places) -> Said:
    return said(_("paused {person}"), person=detail["person"])


def person_resumed(detail: dict[str, Any], at: Places) -> Said:
    return said(_("had {person} go on"), person=detail["person"])


def token_made(detail: dict[str, Any], at: Places) -> Said:
    scopes = ", ".join(str(TokenScope(scope).label) for scope in detail["scopes"])
    if detail["days"] is None:
        words = _("made the API token “{token}”: {scopes}; without an end")
    else:
        words = ngettext(
            "made the API token “{token}”: {scopes}; for {days} day",
            "made the API token “{token}”: {scopes}; for {days} days",
            detail["days"],
        )
    return said(words, token=detail["token"], scopes=scopes, days=detail["days"])


def token_revoked(detail: dict[str, Any], at: Places) -> Said:
    return said(_("revoked the API token “{token}”"), token=detail["token"])


def _topics(numbers: list[str], at: Places) -> object:
    return at.topic(numbers[0]) if len(numbers) == 1 else listed(numbers)


TELL: dict[str, Callable[[dict[str, Any], Places], Said]] = {
    "account": account,
    "role": role,
    "role removed": role_removed,
    "assigned": assigned,
    "taken back": taken_back,
    "dealt": dealt,
    "trained": trained,
    "mails": mails,
    "invited": invited,
    "invitation revoked": invitation_revoked,
    "joined": joined,
    "person paused": person_paused,
    "person resumed": person_resumed,
    "token made": token_made,
    "token revoked": token_revoked,
}


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
