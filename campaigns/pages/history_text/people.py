"""Sentences about people, invitations, tokens and webhooks.

Webhooks are named by their hosts: the rest of an address may be a secret.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaigns.models import TokenScope, WebhookEvent
from campaigns.pages.history_text.sentences import (
    CampaignLinks,
    Saying,
    Sentence,
    plain,
    sentence,
    shorten_list,
)
from campaigns.templatetags.figures import zoned


def role_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    person = detail["person"]
    if detail["own"]:
        return sentence(
            _("became an organiser") if detail["role"] == "organiser" else _("became an assessor")
        )
    if detail["role"] == "organiser":
        return sentence(_("made {person} an organiser"), person=person)
    return sentence(_("made {person} an assessor"), person=person)


def role_removed_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    if detail["role"] == "organiser":
        return sentence(_("took the role of organiser from {person}"), person=detail["person"])
    return sentence(_("took the role of assessor from {person}"), person=detail["person"])


def assigned_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    topics = detail["topics"]
    if detail["own"]:
        words = ngettext("took on topic {topics}", "took on topics {topics}", len(topics))
    else:
        words = ngettext(
            "assigned topic {topics} to {person}", "assigned topics {topics} to {person}", len(topics)
        )
    return sentence(words, topics=_topics(topics, at), person=detail["person"])


def unassigned_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    topics = detail["topics"]
    words = ngettext(
        "unassigned topic {topics} from {person}", "unassigned topics {topics} from {person}", len(topics)
    )
    return sentence(words, topics=_topics(topics, at), person=detail["person"])


def assigned_evenly_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    shares = "; ".join(f"{person}: {shorten_list(topics)}" for person, topics in detail["dealt"].items())
    count = len(detail["topics"])
    words = ngettext("assigned one topic evenly: {shares}", "assigned {count} topics evenly: {shares}", count)
    return sentence(words, count=count, shares=shares)


def emails_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    parts = [
        (_("daily progress"), detail["progress"]),
        (_("trouble with the worker"), detail["trouble"]),
        (_("flags on assessors’ work"), detail.get("quality", False)),
    ]
    wanted = [words for words, wants in parts if wants]
    if not wanted:
        return sentence(_("turned off emails about this campaign"))
    return sentence(_("turned on emails about: {wanted}"), wanted=", ".join(wanted))


def invited_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    address = detail["address"]
    if capacity := detail.get("capacity"):
        words = ngettext(
            "made a link by which {count} assessor can join",
            "made a link by which {count} assessors can join",
            capacity,
        )
        return sentence(words, count=capacity)
    if detail["role"] == "organiser":
        words = _("invited {address} as an organiser") if address else _("made a link for an organiser")
    elif detail["role"] == "participant":
        words = _("invited {address} to the team {team}") if address else _("made a link for the team {team}")
    else:
        words = _("invited {address} as an assessor") if address else _("made a link for an assessor")
    return sentence(words, address=address, team=detail.get("team", ""))


def invitation_revoked_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    if detail["address"]:
        return sentence(_("took the invitation of {address} back"), address=detail["address"])
    return sentence(_("took an invitation back"))


def invitation_restored_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    if detail["address"]:
        return sentence(_("restored the invitation of {address}"), address=detail["address"])
    return sentence(_("restored an invitation"))


def joined_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    if "invitation" in detail:
        return sentence(_("followed the link for a class"))
    return sentence(_("followed an invitation"))


def excluded_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    person, topics = detail["person"], detail["topics"]
    if not topics:
        return sentence(_("excluded the judgments of {person}"), person=person)
    words = ngettext(
        "excluded the judgments of {person} on topic {topics}",
        "excluded the judgments of {person} on topics {topics}",
        len(topics),
    )
    return sentence(words, person=person, topics=_topics(topics, at))


def included_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    person, topics = detail["person"], detail["topics"]
    if not topics:
        return sentence(_("included the judgments of {person} again"), person=person)
    words = ngettext(
        "included the judgments of {person} on topic {topics} again",
        "included the judgments of {person} on topics {topics} again",
        len(topics),
    )
    return sentence(words, person=person, topics=_topics(topics, at))


def question_asked_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    words = _("asked about document {docno} of topic {topic}")
    return sentence(words, **_place(detail, at))


def question_answered_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    words = _("answered {person} about document {docno} of topic {topic}")
    return sentence(words, person=detail["person"], **_place(detail, at))


def token_made_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    scopes = ", ".join(str(TokenScope(scope).label) for scope in detail["scopes"])
    if detail["days"] is None:
        words = _("made the API token “{token}”: {scopes}; without an end")
    else:
        words = ngettext(
            "made the API token “{token}”: {scopes}; for {days} day",
            "made the API token “{token}”: {scopes}; for {days} days",
            detail["days"],
        )
    return sentence(words, token=detail["token"], scopes=scopes, days=detail["days"])


def _place(detail: dict[str, Any], at: CampaignLinks) -> dict[str, object]:
    topic, docno = detail["topic"], detail["docno"]
    return {"docno": at.document(topic, docno), "topic": at.topic(topic)}


def _topics(numbers: list[str], at: CampaignLinks) -> object:
    return at.topic(numbers[0]) if len(numbers) == 1 else shorten_list(numbers)


PEOPLE_SENTENCES: dict[str, Saying] = {
    "account": plain(gettext_lazy("made an account for {person}")),
    "role": role_sentence,
    "role removed": role_removed_sentence,
    "assigned": assigned_sentence,
    "taken back": unassigned_sentence,
    "dealt": assigned_evenly_sentence,
    "trained": plain(
        gettext_lazy("finished the training, attempt {attempt}: {agreed} of {items} as expected")
    ),
    "mails": emails_sentence,
    "invited": invited_sentence,
    "invitation reminded": plain(gettext_lazy("reminded {address} of the invitation")),
    "invitation revoked": invitation_revoked_sentence,
    "invitation restored": invitation_restored_sentence,
    "joined": joined_sentence,
    "person paused": plain(gettext_lazy("paused {person}")),
    "person resumed": plain(gettext_lazy("ended the pause of {person}")),
    "person reminded": plain(gettext_lazy("reminded {person} of the judgments left")),
    "question asked": question_asked_sentence,
    "question answered": question_answered_sentence,
    "excluded": excluded_sentence,
    "included": included_sentence,
    "token made": token_made_sentence,
    "token revoked": plain(gettext_lazy("revoked the API token “{token}”")),
    "reset link": plain(gettext_lazy("made a link by which {person} sets a new password")),
    "account deactivated": plain(gettext_lazy("deactivated the account of {person}")),
    "account reactivated": plain(gettext_lazy("reactivated the account of {person}")),
    "second factor removed": plain(gettext_lazy("removed the second factor of {person}")),
}


def webhook_added_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    words = _("added a webhook to {host}: {events}")
    return sentence(words, host=at.page("webhooks", detail["host"]), events=_events(detail["events"]))


def webhook_changed_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    changes = "; ".join(_change(name, old, new) for name, (old, new) in detail["changes"].items())
    words = _("changed the webhook to {host}: {changes}")
    return sentence(words, host=at.page("webhooks", detail["host"]), changes=changes)


def _change(name: str, old: Any, new: Any) -> str:
    if name == "active":
        return _("switched on") if new else _("switched off")
    if name == "events":
        return f"{_events(old)} → {_events(new)}"
    return _("another address") if old == new else f"{old} → {new}"


def webhook_unreachable_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    words = _("switched the webhook to {host} off, as nothing had arrived since {since}")
    since = zoned(datetime.fromisoformat(detail["since"]))
    return sentence(words, host=at.page("webhooks", detail["host"]), since=since)


def _events(names: list[str]) -> str:
    labels = dict(WebhookEvent.choices)
    return ", ".join(str(labels.get(name, name)) for name in names)


WEBHOOK_SENTENCES: dict[str, Saying] = {
    "webhook added": webhook_added_sentence,
    "webhook changed": webhook_changed_sentence,
    "webhook secret": plain(gettext_lazy("made a new secret for the webhook to {host}"), host="webhooks"),
    "webhook removed": plain(gettext_lazy("removed the webhook to {host}")),
    "webhook gone": plain(
        gettext_lazy("switched the webhook to {host} off: it answered 410 Gone"), host="webhooks"
    ),
    "webhook unreachable": webhook_unreachable_sentence,
}
