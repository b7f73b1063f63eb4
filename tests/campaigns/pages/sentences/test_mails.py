"""Sentences of emails."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from campaigns.models import Delivery, Webhook
from campaigns.pages.sentences.mails import (
    account_sentence,
    account_subject,
    invitation_opening,
    invitation_subject,
    webhook_trouble,
)

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
WHEN = "2 March 2026, 12:00 UTC"
OF = "your account “eve” at assess.example"


@pytest.mark.parametrize(
    ("change", "subject", "sentence"),
    [
        (
            "password",
            "Your password was changed",
            f"On {WHEN}, the password of {OF} was changed. All other sessions are ended.",
        ),
        (
            "address",
            "Your email address was changed",
            f"On {WHEN}, the email address of {OF} was changed. Emails no longer go to this address.",
        ),
        (
            "second factor on",
            "Your second factor was turned on",
            f"On {WHEN}, a second factor was turned on for {OF}. From now on, signing in takes a code of the "
            "authenticator app. All other sessions are ended.",
        ),
        (
            "second factor off",
            "Your second factor was turned off",
            f"On {WHEN}, the second factor of {OF} was turned off. From now on, the password is enough to "
            "sign in.",
        ),
        (
            "provider",
            "You now sign in by your provider",
            f"On {WHEN}, {OF} was first used through the identity provider, with this email address. From "
            "now on you sign in through it. The password was removed, all sessions were ended and all API "
            "tokens revoked.",
        ),
    ],
)
def test_change_of_an_account_has_a_subject_and_a_sentence(change: str, subject: str, sentence: str) -> None:
    assert account_subject(change) == subject
    assert account_sentence(change, name="eve", site="assess.example", at=AT) == sentence


@pytest.mark.parametrize(
    ("role", "subject", "opening"),
    [
        (
            "organiser",
            "Organise “Birds”",
            "eve invites you to organise the relevance assessment campaign “Birds” together.",
        ),
        (
            "participant",
            "Take part in “Birds”",
            "eve invites your team to hand in runs for the evaluation campaign “Birds”.",
        ),
        (
            "assessor",
            "Judge documents for “Birds”",
            "eve invites you to judge documents for the relevance assessment campaign “Birds”.",
        ),
    ],
)
def test_invitation_is_worded_by_the_role(role: str, subject: str, opening: str) -> None:
    assert invitation_subject(role, "Birds") == subject
    assert invitation_opening(role, "Birds", "eve") == opening


@pytest.mark.parametrize(
    ("webhook", "sentence"),
    [
        (
            Webhook(gone=True, unreachable=True),
            "hooks.example answered that it wants no more events (410 Gone). The webhook is switched off.",
        ),
        (
            Webhook(unreachable=True),
            f"Since {WHEN} nothing has arrived at hooks.example, so the webhook is switched off. The latest "
            "try: no answer",
        ),
        (
            Webhook(),
            f"hooks.example has not accepted an event since {WHEN}, and the delivery was given up after 8 "
            "attempts. Latest error: no answer",
        ),
    ],
)
def test_trouble_of_a_webhook_is_worded_by_its_state(webhook: Webhook, sentence: str) -> None:
    delivery = Delivery(error="no answer", attempts=8)
    assert webhook_trouble(webhook, delivery, "hooks.example", AT) == sentence
