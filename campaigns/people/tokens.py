"""API tokens: made, found by their secret, revoked."""

from __future__ import annotations

import hashlib
import re
import secrets
import string
from collections.abc import Collection
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.log import audit
from campaigns.models import ApiToken, Campaign, TokenScope
from campaigns.people.teams import has_role

# By its beginning a secret is recognised: by people, in logs, and by what searches code for secrets.
BEGINNING = "assess_"
ALPHABET = string.ascii_letters + string.digits
# Of 62 characters, so 256 bits.
LENGTH = 43
SECRET = re.compile(rf"{BEGINNING}[A-Za-z0-9]{{{LENGTH}}}")
SHOWN_OF_SECRET = len(BEGINNING) + 4

LONGEST_TOKEN_NAME = 100
LONGEST_TOKEN_DAYS = 3660
MOST_GOOD = 100
# That a token was used is written down no more often than this.
USED_EVERY = timedelta(minutes=5)


def make(
    *,
    user: User,
    name: str,
    scopes: Collection[str],
    campaign: Campaign | None = None,
    days: int | None = None,
) -> tuple[ApiToken, str]:
    """Make a token. Its secret is returned once and kept nowhere; `days`: None for one without an end."""
    _check_name(name)
    _check_scopes(scopes)
    if days is not None and not 1 <= days <= LONGEST_TOKEN_DAYS:
        detail = gettext("a token is valid for 1 to %(most)s days, or without an end") % {
            "most": LONGEST_TOKEN_DAYS
        }
        raise Refusal("bad_days", detail, field="days")
    if campaign is not None and not has_role(user=user, campaign=campaign):
        raise Refusal("unknown_campaign", gettext("you have no role in this campaign"), field="campaign")
    secret = BEGINNING + "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    with transaction.atomic():
        # Two wishes at once are counted one after the other.
        User.objects.select_for_update().get(id=user.id)
        if good_of(user).count() >= MOST_GOOD:
            detail = gettext("you have %(most)s tokens already: revoke one first") % {"most": MOST_GOOD}
            raise Refusal("too_many_tokens", detail, status=409)
        token = ApiToken.objects.create(
            user=user,
            name=name,
            prefix=secret[:SHOWN_OF_SECRET],
            secret_hash=_hash(secret),
            scopes=[scope for scope in TokenScope.values if scope in scopes],
            campaign=campaign,
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
        )
        if campaign is not None:
            grant = {"person": user.get_username(), "scopes": token.scopes, "days": days}
            audit.note(campaign=campaign, kind="token made", token=name, **grant)
    return token, secret


def revoke_token(*, user: User, token: int) -> ApiToken:
    """It stops at once, and for good."""
    with transaction.atomic():
        rows = ApiToken.objects.select_for_update(of=("self",)).select_related("campaign")
        row = rows.filter(user=user, id=token).first()
        if row is None:
            raise Refusal("unknown_token", gettext("you have no such token"), status=404)
        if row.revoked_at is not None:
            raise Refusal("revoked_already", gettext("this token is revoked already"), status=409)
        row.revoked_at = timezone.now()
        row.save(update_fields=["revoked_at"])
        if row.campaign is not None:
            person = user.get_username()
            audit.note(campaign=row.campaign, kind="token revoked", token=row.name, person=person)
    return row


def find_token(secret: str) -> ApiToken | None:
    """The token with this secret, while it holds and its owner's account is active."""
    if not SECRET.fullmatch(secret):
        return None
    rows = ApiToken.objects.select_related("user").filter(secret_hash=_hash(secret), user__is_active=True)
    token = rows.first()
    return token if token is not None and token.state == "good" else None


def note_use(token: ApiToken) -> None:
    now = timezone.now()
    if token.used_at is None or token.used_at <= now - USED_EVERY:
        ApiToken.objects.filter(id=token.id, used_at=token.used_at).update(used_at=now)


def good_of(user: User) -> QuerySet[ApiToken]:
    return _good().filter(user=user)


def ended_tokens(ids: frozenset[int]) -> frozenset[int]:
    """Select those of these tokens that are no longer valid."""
    return ids - set(_good().filter(id__in=ids).values_list("id", flat=True)) if ids else ids


def _good() -> QuerySet[ApiToken]:
    over = Q(revoked_at__isnull=False) | Q(expires_at__lte=timezone.now())
    return ApiToken.objects.exclude(over)


def _hash(secret: str) -> str:
    """A fast hash without salt is enough: slow ones guard what people think up, and no one guesses 256 random
    bits. So a token is found by its index, and how long that takes shows at most how a hash begins."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _check_name(name: str) -> None:
    if not name.strip():
        raise Refusal("no_name", gettext("enter a name for the token"), field="name")
    if len(name) > LONGEST_TOKEN_NAME or not name.isprintable():
        detail = gettext("a name has up to %(most)s characters, all of which can be shown")
        raise Refusal("bad_name", detail % {"most": LONGEST_TOKEN_NAME}, field="name")


def _check_scopes(scopes: Collection[str]) -> None:
    unknown = [scope for scope in scopes if scope not in TokenScope.values]
    if unknown:
        detail = gettext("%(scope)s is no scope: there are read, judge, organise and submit")
        raise Refusal("unknown_scope", detail % {"scope": unknown[0][:40]}, field="scopes")
    if not scopes:
        raise Refusal("no_scope", gettext("say what the token may do"), field="scopes")
