"""Emails on their way to the mail server. Each is a row until it is sent, so no broker or worker that dies
loses one; a worker that died right after sending may send it twice.
"""

from __future__ import annotations

import logging
import re
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from campaigns.models import WaitingEmail
from campaigns.notifications.delivery_signatures import UnreadableSecret, seal, unseal
from campaigns.notifications.emails import can_email

logger = logging.getLogger(__name__)

# Longer than sending takes: a worker that has not reported by then has died.
SENDING_LEASE = timedelta(minutes=5)
# From each failure to the next try twice as long, two days in all.
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=2)
MOST_TRIES = 30
# Fernet's tokens begin with its version.
_SEALED = re.compile(r"sealed\.(gAAAAA[\w=-]+)")


def sealed_in_email(secret: str) -> str:
    """In place of the secret of a link in a stored email, which thereby opens nothing to a reader of the
    database; the email that is sent has the secret."""
    return f"sealed.{seal(secret)}"


def send_due_emails() -> int:
    """Send what is due, one by one; returns how many emails went out. A worker without a mail server leaves
    them: its log must not hold the links of invitations."""
    sent = 0
    if not can_email():
        return sent
    while (email := _claim()) is not None:
        sent += _send(email)
    return sent


def _claim() -> WaitingEmail | None:
    """The one that has waited longest, which is this worker's alone until the lease is over."""
    now = timezone.now()
    # No email waits longer than this: its time was set by a clock that has been set back since.
    due = Q(next_try__lte=now) | Q(next_try__gt=now + LONGEST_PAUSE)
    with transaction.atomic():
        rows = WaitingEmail.objects.select_for_update(skip_locked=True)
        email = rows.filter(due).order_by("next_try", "id").first()
        if email is not None:
            email.attempts += 1
            email.next_try = now + SENDING_LEASE
            email.save(update_fields=["attempts", "next_try"])
    return email


def _send(email: WaitingEmail) -> bool:
    try:
        _message(email).send()
    except (SMTPException, OSError) as error:
        _put_off(email, error, timezone.now())
        return False
    except UnreadableSecret:
        # A later try would have the same keys.
        logger.error("email to %s given up: its link is sealed with an unknown SECRET_KEY", email.address)
        email.delete()
        return False
    email.delete()
    return True


def _message(email: WaitingEmail) -> EmailMessage:
    """One that can be switched off quotes what people wrote, and holds no sealed secret."""
    body = email.body if email.switch_off else _with_secrets(email.body)
    headers = unsubscribe_headers(email.switch_off) if email.switch_off else {}
    return EmailMessage(email.subject, body, None, [email.address], headers=headers)


def unsubscribe_headers(link: str) -> dict[str, str]:
    """Headers by which mail programs show a button to unsubscribe (RFC 2369). Over TLS one click is enough
    (RFC 8058)."""
    headers = {"List-Unsubscribe": f"<{link}>"}
    if link.startswith("https://"):
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return headers


def _with_secrets(body: str) -> str:
    return _SEALED.sub(lambda match: unseal(match[1]), body)


def _put_off(email: WaitingEmail, error: Exception, now: datetime) -> None:
    """The body may hold a link that lets its reader in, so it is in no log."""
    what = f"email “{email.subject}” to {email.address}"
    if email.attempts >= MOST_TRIES:
        logger.error("%s given up after %s tries: %s", what, email.attempts, error)
        email.delete()
        return
    email.next_try = now + min(FIRST_PAUSE * 2 ** (email.attempts - 1), LONGEST_PAUSE)
    email.save(update_fields=["next_try"])
    logger.warning("%s not sent, next try at %s: %s", what, email.next_try.isoformat(), error)
