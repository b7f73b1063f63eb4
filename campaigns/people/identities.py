"""Accounts of people who come in by an identity provider (OpenID Connect): found by identity, matched by a
verified email address, or made.

A row of django-allauth's `SocialAccount` holds which identity an account belongs to: issuer and `sub`. Of
what else the provider said, only the email address is kept.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.models import ApiToken, TemporaryPassword
from campaigns.notifications.emails import LONGEST_EMAIL
from campaigns.notifications.notices import email_account_change
from campaigns.people.accounts import change_address, checked_name, free_name, make_account
from campaigns.people.sessions import end_sessions

logger = logging.getLogger(__name__)

# Of an account's name, so that a number fits behind it.
LONGEST_NAME = 140
_OTHER_THAN_NAME = re.compile(r"[^\w.@+-]+")


def account_of(*, issuer: str, claims: Mapping[str, Any]) -> User:
    """The account of whom the provider names. `claims`: of a verified ID token, and of userinfo."""
    subject = claims["sub"]
    with transaction.atomic():
        # One after the other: two first sign-ins of one person, or of two who want one name.
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('campaigns.people.identities'))")
        identity = SocialAccount.objects.select_related("user").filter(provider=issuer, uid=subject).first()
        user = identity.user if identity else _matched(claims) or _made(claims)
        if not user.is_active:
            raise Refusal("deactivated", gettext("your account is deactivated"), status=403)
        if identity is None:
            SocialAccount.objects.create(user=user, provider=issuer, uid=subject)
        elif (address := verified_address(claims)) and address != user.email:
            change_address(user=user, address=address)
    return user


def verified_address(claims: Mapping[str, Any]) -> str:
    """Empty if there is none, or if the provider does not vouch for it."""
    address = claims.get("email")
    # Some providers write it as a string.
    verified = claims.get("email_verified")
    if not (verified is True or verified == "true") or not isinstance(address, str):
        return ""
    try:
        validate_email(address)
    except ValidationError:
        return ""
    return address if len(address) <= LONGEST_EMAIL else ""


def _matched(claims: Mapping[str, Any]) -> User | None:
    """The account with the verified address. It changes hands as by a reset link, which the address's reader
    could have asked for: a person who set it up with another's address must not stay in."""
    address = verified_address(claims)
    if not address:
        detail = gettext("your provider does not vouch for your email address")
        raise Refusal("unverified_email", detail, status=403)
    users = list(User.objects.select_for_update().filter(email__iexact=address)[:2])
    if len(users) > 1:
        detail = gettext("several accounts have your email address: ask an administrator")
        raise Refusal("several_accounts", detail, status=409)
    if not users or not users[0].is_active:
        return users[0] if users else None
    user = users[0]
    user.set_unusable_password()
    user.save(update_fields=["password"])
    ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=timezone.now())
    email_account_change(user=user, change="provider", address=user.email)
    TemporaryPassword.objects.filter(user=user).delete()
    end_sessions(user=user)
    logger.info("account %s now belongs to an identity of the provider", user.pk)
    return user


def _made(claims: Mapping[str, Any]) -> User:
    address = verified_address(claims)
    wanted = claims.get("preferred_username")
    name = _OTHER_THAN_NAME.sub("", wanted) if isinstance(wanted, str) else ""
    name = name or _OTHER_THAN_NAME.sub("", address.partition("@")[0]) or "account"
    name = free_name(User.normalize_username(name)[:LONGEST_NAME])
    try:
        return make_account(username=checked_name(name), email=address)
    except Refusal:
        return make_account(username=free_name("account"), email=address)
