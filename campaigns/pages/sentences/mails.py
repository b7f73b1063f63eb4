"""Sentences of emails: plain text."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from campaigns.models import Delivery, Webhook
from campaigns.templatetags.figures import zoned


def account_subject(change: str) -> str:
    """`change`: one that `account_sentence` has."""
    return {
        "password": _("Your password was changed"),
        "address": _("Your email address was changed"),
        "second factor on": _("Your second factor was turned on"),
        "second factor off": _("Your second factor was turned off"),
        "provider": _("You now sign in by your provider"),
    }[change]


def account_sentence(change: str, *, name: str, site: str, at: datetime) -> str:
    text = {
        "password": _(
            "On %(when)s, the password of your account “%(name)s” at %(site)s was changed. All other "
            "sessions are ended."
        ),
        "address": _(
            "On %(when)s, the email address of your account “%(name)s” at %(site)s was changed. Emails no "
            "longer go to this address."
        ),
        "second factor on": _(
            "On %(when)s, a second factor was turned on for your account “%(name)s” at %(site)s. From now "
            "on, signing in takes a code of the authenticator app. All other sessions are ended."
        ),
        "second factor off": _(
            "On %(when)s, the second factor of your account “%(name)s” at %(site)s was turned off. From now "
            "on, the password is enough to sign in."
        ),
        "provider": _(
            "On %(when)s, your account “%(name)s” at %(site)s was first used through the identity provider, "
            "with this email address. From now on you sign in through it. The password was removed, all "
            "sessions were ended and all API tokens revoked."
        ),
    }[change]
    return text % {"when": zoned(at), "name": name, "site": site}


def invitation_subject(role: str, campaign: str) -> str:
    texts = {"organiser": _("Organise “%(name)s”"), "participant": _("Take part in “%(name)s”")}
    return texts.get(role, _("Judge documents for “%(name)s”")) % {"name": campaign}


def invitation_opening(role: str, campaign: str, inviter: str) -> str:
    texts = {
        "organiser": _(
            "%(inviter)s invites you to organise the relevance assessment campaign “%(name)s” together."
        ),
        "participant": _(
            "%(inviter)s invites your team to hand in runs for the evaluation campaign “%(name)s”."
        ),
    }
    text = texts.get(
        role,
        _("%(inviter)s invites you to judge documents for the relevance assessment campaign “%(name)s”."),
    )
    return text % {"inviter": inviter, "name": campaign}


def webhook_trouble(webhook: Webhook, delivery: Delivery, host: str, since: datetime) -> str:
    values = {"host": host, "at": zoned(since), "error": delivery.error, "tries": delivery.attempts}
    if webhook.gone:
        text = _("%(host)s answered that it wants no more events (410 Gone). The webhook is switched off.")
    elif webhook.unreachable:
        text = _(
            "Since %(at)s nothing has arrived at %(host)s, so the webhook is switched off. The latest try: "
            "%(error)s"
        )
    else:
        text = _(
            "%(host)s has not accepted an event since %(at)s, and the delivery was given up after %(tries)s "
            "attempts. Latest error: %(error)s"
        )
    return text % values
