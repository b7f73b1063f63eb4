"""The second factor of a sign-in: codes of an authenticator app (TOTP, RFC 6238), and recovery codes.

django-allauth computes and stores them, with secrets sealed by the site's key. Its pages are not used: they
would be a second set of sign-in, password and email pages. `SECOND_FACTOR` offers or demands it.
"""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlsplit

from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.adapter import DefaultMFAAdapter, get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.log import audit
from campaigns.models import Campaign
from campaigns.notifications.delivery_signatures import UnreadableSecret, seal, unseal
from campaigns.notifications.notices import email_account_change
from campaigns.people.accounts import check_administrator
from campaigns.people.sessions import end_sessions

logger = logging.getLogger(__name__)

Type = Authenticator.Type
# In the data of an app's row: the latest 30 seconds whose code was used.
USED = "used"


class SealedAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Site's part of django-allauth: storage of secrets, and their names in an app."""

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text)

    def get_totp_label(self, user: User) -> str:
        return user.get_username()

    def get_totp_issuer(self) -> str:
        return f"Assess ({urlsplit(settings.SITE_URL).hostname})"


def is_asked(user: User) -> bool:
    """True if this account needs a code to sign in. Without the setting no query is made."""
    return settings.SECOND_FACTOR and _rows(user, Type.TOTP).exists()


def is_missing(user: User) -> bool:
    """True if this account must set up a second factor before anything else. An account without a password of
    its own signs in by an identity provider, which checks its own second factor."""
    return settings.SECOND_FACTOR_REQUIRED and user.has_usable_password() and not is_asked(user)


def app_of(user: User) -> Authenticator | None:
    return _rows(user, Type.TOTP).first()


def has_app(user: OuterRef) -> Exists:
    """For a queryset of accounts."""
    return Exists(Authenticator.objects.filter(user=user, type=Type.TOTP))


def new_secret() -> str:
    secret: str = generate_totp_secret()
    return secret


def qr_code(user: User, secret: str) -> str:
    """An SVG element that an authenticator app scans."""
    return scannable(get_adapter().build_totp_url(user, secret))


def scannable(text: str) -> str:
    """The text as a QR code, an SVG element."""
    svg: str = get_adapter().build_totp_svg(text)
    return svg[svg.index("<svg") :]


def turn_on(*, user: User, secret: str, code: str, session: str | None) -> list[str]:
    """Ask for codes from now on, once a first one shows that the app has the secret. All sessions but
    `session` end. Return the recovery codes."""
    with transaction.atomic():
        user = User.objects.select_for_update().get(id=user.id)
        if _rows(user, Type.TOTP).exists():
            raise Refusal("on_already", gettext("your second factor is on already"), status=409)
        row: Authenticator = TOTP.activate(user, secret).instance
        if not _use_app_code(row, code):
            raise Refusal("wrong_code", gettext("this code is not the app’s current one"), field="code")
        end_sessions(user=user, besides=session)
        email_account_change(user=user, change="second factor on", address=user.email)
        return _new_codes(user)


def renew_recovery_codes(*, user: User) -> list[str]:
    """Replace all of them, also those that are unused."""
    with transaction.atomic():
        user = User.objects.select_for_update().get(id=user.id)
        _check_on(user)
        return _new_codes(user)


def recovery_codes_left(user: User) -> int:
    row = _rows(user, Type.RECOVERY_CODES).first()
    try:
        return len(RecoveryCodes(row).get_unused_codes()) if row else 0
    except UnreadableSecret:
        return 0


def turn_off(*, user: User) -> None:
    with transaction.atomic():
        user = User.objects.select_for_update().get(id=user.id)
        _check_on(user)
        Authenticator.objects.filter(user=user).delete()
        email_account_change(user=user, change="second factor off", address=user.email)


def remove(*, user: User, administrator: User) -> None:
    """Turn it off for a person who lost app and recovery codes. It is in the history of their campaigns."""
    check_administrator(administrator)
    turn_off(user=user)
    campaigns = Campaign.objects.filter(memberships__user=user)
    audit.note_all(campaigns=campaigns, kind="second factor removed", person=user.get_username())


def use_code(*, user: User, code: str) -> bool:
    """Use a code of the app or a recovery code; false if it is neither. Each is valid once, over all
    processes."""
    with transaction.atomic():
        rows = {row.type: row for row in Authenticator.objects.select_for_update().filter(user=user)}
        app, recovery = rows.get(Type.TOTP), rows.get(Type.RECOVERY_CODES)
        if app is None:
            return False
        try:
            return _use_app_code(app, code) or (
                recovery is not None and RecoveryCodes(recovery).validate_code(code)
            )
        except UnreadableSecret:
            logger.warning("the second factor of account %s was sealed with another SECRET_KEY", user.id)
            return False


def _use_app_code(row: Authenticator, code: str) -> bool:
    """django-allauth remembers used codes in a cache of this process, for 30 seconds: too short where codes
    are valid a step earlier and later, and other processes do not know. So the row says which were used."""
    secret = unseal(row.data["secret"])
    steps = list(yield_hotp_counters_from_time())
    used = row.data.get(USED, 0)
    # A later step than any of now was used before the clock was set back.
    earliest = used + 1 if used <= steps[-1] else 0
    for step in steps:
        if compare_user_code(actual=code, expected=format_hotp_value(hotp_value(secret, step))):
            if step < earliest:
                return False
            row.data[USED] = step
            row.last_used_at = timezone.now()
            row.save(update_fields=["data", "last_used_at"])
            return True
    return False


def _new_codes(user: User) -> list[str]:
    _rows(user, Type.RECOVERY_CODES).delete()
    codes: list[str] = RecoveryCodes.activate(user).generate_codes()
    return codes


def _check_on(user: User) -> None:
    if not _rows(user, Type.TOTP).exists():
        words = gettext("“%(name)s” has no second factor") % {"name": user.get_username()}
        raise Refusal("off_already", words, status=409)


def _rows(user: User, kind: str) -> QuerySet[Any]:
    rows: QuerySet[Any] = Authenticator.objects.filter(user=user, type=kind)
    return rows
