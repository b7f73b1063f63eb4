"""Accounts: their passwords and email addresses, and deactivation by an administrator."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.contrib.auth.models import User
from django.core.checks import CheckMessage, Warning
from django.core.exceptions import ValidationError
from django.db import Error, IntegrityError, connection, transaction
from django.db.models import Count, Q, QuerySet, Value
from django.db.models.functions import Replace, Upper
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.formats.errors import breaks_path
from campaigns.log import audit
from campaigns.models import ApiToken, Campaign, Membership, TemporaryPassword
from campaigns.notifications.emails import check_email_address
from campaigns.notifications.notices import email_account_change
from campaigns.people.sessions import end_sessions

# After so many days a temporary password opens nothing any more: an organiser makes a reset link.
TEMPORARY_PASSWORD_DAYS = 14


# Scripts that names of one language have side by side.
_WRITTEN_TOGETHER = ({"CJK", "HIRAGANA", "KATAKANA"}, {"CJK", "HANGUL"}, {"CJK", "BOPOMOFO"})
_LONGEST_NAME = 150
# Composing shortens a text to a third at most: what is longer stays too long for a name.
_LONGEST_TYPED = 1000
# `folded_name` in upper case, for the letters that Postgres leaves as they are.
_FOLDED = Upper(Replace(Replace("username", Value("ß"), Value("ss")), Value("ẞ"), Value("ss")))


def checked_name(username: str) -> str:
    """The name of a new account as it is stored (NFKC). Refuses one that is no name, that can be taken for
    another by letters of several scripts, or that an account has, in whatever case."""
    name = valid_name(username)
    scripts = _scripts(name)
    if len(scripts) > 1 and not any(scripts <= together for together in _WRITTEN_TOGETHER):
        names = sorted(one if one == "CJK" else one.capitalize() for one in scripts)
        values = {"name": name, "scripts": ", ".join(names)}
        detail = gettext("“%(name)s” mixes letters of several scripts (%(scripts)s): use one") % values
        raise Refusal("bad_username", detail, field="username")
    if accounts_named(name):
        raise _taken(name)
    return name


def _taken(name: str) -> Refusal:
    detail = gettext("“%(username)s” cannot be the name of a new account; choose another, or sign in")
    return Refusal("user_exists", detail % {"username": name}, field="username")


def make_account(*, username: str, password: str | None = None, email: str = "") -> User:
    """Make an account of a checked name; refused where another has got the name since, in whatever case."""
    try:
        with transaction.atomic():
            return User.objects.create_user(username=username, password=password, email=email)
    except IntegrityError:
        raise _taken(username) from None


def valid_name(username: str) -> str:
    """The name as it is stored (NFKC), whether or not it can be taken for another."""
    name = User.normalize_username(username[:_LONGEST_TYPED])
    try:
        User(username=name).clean_fields(exclude=["password"])
    except ValidationError:
        detail = gettext("an account name has 1 to 150 letters, digits and @ . + - _")
        raise Refusal("bad_username", detail, field="username") from None
    if breaks_path(name):
        detail = gettext("“%(name)s” cannot be a name: addresses give it another meaning")
        raise Refusal("bad_username", detail % {"name": name}, field="username")
    return name


def _scripts(name: str) -> set[str]:
    """Scripts of the letters: the first words of their names in Unicode. Signs such as the ʻ of Kaʻiulani and
    the 々 of 佐々木 belong to several."""
    letters = [each for each in name if each.isalpha() and unicodedata.category(each) != "Lm"]
    return {unicodedata.name(letter, "?").split()[0] for letter in letters}


def folded_name(name: str) -> str:
    """The name without differences of case and form: accounts, sign-in and its tries compare this."""
    whole = unicodedata.normalize("NFKC", name[:_LONGEST_TYPED].strip()).strip()
    return unicodedata.normalize("NFKC", whole.upper().casefold())


def accounts_named(name: str) -> list[str]:
    """Names of the accounts that have this name in whatever case."""
    folded = folded_name(name)
    users = User.objects.alias(folded=_FOLDED).filter(Q(username=name) | Q(folded=folded.upper()))
    return [one for one in users.values_list("username", flat=True) if folded_name(one) == folded]


def names_alike() -> list[list[str]]:
    """Names of older accounts that differ in case alone. Of all others, the database holds each once."""
    users = User.objects.annotate(folded=_FOLDED)
    several = users.values("folded").annotate(n=Count("id")).filter(n__gt=1).values("folded")
    rows = users.filter(folded__in=several).order_by("folded", "username").values_list("folded", "username")
    return [[name for _, name in alike] for _, alike in groupby(rows, key=itemgetter(0))]


def warn_of_names_alike(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    # A worker makes all checks as it starts, and needs no database for that.
    if not databases:
        return []
    try:
        alike = names_alike()
    except Error:
        # There is no database yet, or no table in it.
        connection.close()
        return []
    hint = "Each signs in by exactly its name. Delete or deactivate one of them: Administration → Accounts."
    words = "Accounts that differ only in case: %s."
    return [Warning(words % ", ".join(names), hint=hint, id="campaigns.W002") for names in alike]


def free_name(name: str) -> str:
    """The name, or else with a number; names that differ in case alone would be taken for one another."""
    start = name[: _LONGEST_NAME - 8]
    users = User.objects.alias(folded=_FOLDED).filter(folded__startswith=folded_name(start).upper())
    taken = {folded_name(one) for one in users.values_list("username", flat=True)}
    others = (f"{start}-{number}" for number in range(2, len(taken) + 3))
    return next(one for one in (name, *others) if folded_name(one) not in taken)


def signing_in_as(typed: str) -> str:
    """The name of the account that a person means: exactly this one, or else the only one that differs from
    it in case or form."""
    name = User.normalize_username(typed)
    known = accounts_named(name) if "\0" not in name else []
    return known[0] if len(known) == 1 else name


def is_administrator(user: User) -> bool:
    return user.is_active and user.is_superuser


def is_password_expired(user: User) -> bool:
    oldest = timezone.now() - timedelta(days=TEMPORARY_PASSWORD_DAYS)
    return TemporaryPassword.objects.filter(user=user, created__lt=oldest).exists()


def settle_password(*, user: User, session: str | None = None) -> None:
    """After its owner chose a password: the temporary one is over, and so are all sessions but `session`. The
    owner gets an email."""
    with transaction.atomic():
        TemporaryPassword.objects.filter(user=user).delete()
        end_sessions(user=user, besides=session)
        email_account_change(user=user, change="password", address=user.email)


def change_address(*, user: User, address: str) -> None:
    """Emails to this address can set the account's password, so the old one gets an email. An empty
    address switches all emails off."""
    address, before = address.strip(), user.email
    if address:
        check_email_address(address)
    with transaction.atomic():
        user.email = address
        user.save(update_fields=["email"])
        if not address:
            user.memberships.update(progress_mail=False, trouble_mail=False)
        if address != before:
            email_account_change(user=user, change="address", address=before)


def deactivate(*, user: User, administrator: User) -> list[str]:
    """Shut an account out at once: its sessions and tokens end, what it had open is free for others.
    Judgments, roles and assigned topics stay. Return the campaigns left without an active organiser."""
    check_administrator(administrator)
    if user.id == administrator.id:
        raise Refusal("own_account", gettext("you cannot deactivate your own account"), status=409)
    with transaction.atomic():
        user = User.objects.select_for_update().get(id=user.id)
        if not user.is_active:
            words = gettext("“%(name)s” is deactivated already") % {"name": user.get_username()}
            raise Refusal("deactivated_already", words, status=409)
        user.is_active = False
        user.save(update_fields=["is_active"])
        end_sessions(user=user)
        ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=timezone.now())
        user.claims.all().delete()
        _note(user, "account deactivated")
    return _without_organiser(user)


def reactivate(*, user: User, administrator: User) -> None:
    """Undo a deactivation. Ended sessions and revoked tokens stay so."""
    check_administrator(administrator)
    with transaction.atomic():
        user = User.objects.select_for_update().get(id=user.id)
        if user.is_active:
            words = gettext("“%(name)s” is active") % {"name": user.get_username()}
            raise Refusal("active_already", words, status=409)
        user.is_active = True
        user.save(update_fields=["is_active"])
        _note(user, "account reactivated")


def find_accounts(words: str = "") -> QuerySet[User]:
    """Find accounts by a part of the name or email address, with the number of campaigns
    (`campaigns_count`)."""
    rows = User.objects.annotate(campaigns_count=Count("memberships")).order_by("username")
    if not words:
        return rows
    return rows.filter(Q(username__icontains=words) | Q(email__icontains=words))


def check_administrator(administrator: User) -> None:
    if not is_administrator(administrator):
        raise Refusal("not_allowed", gettext("only administrators may do this"), status=403)


def _note(user: User, kind: str) -> None:
    """In the history of each campaign in which the account has a role."""
    campaigns = Campaign.objects.filter(memberships__user=user)
    audit.note_all(campaigns=campaigns, kind=kind, person=user.get_username())


def _without_organiser(user: User) -> list[str]:
    organisers = Membership.objects.filter(role=Membership.Role.ORGANISER, user__is_active=True)
    left = Campaign.objects.filter(memberships__user=user, memberships__role=Membership.Role.ORGANISER)
    return list(left.exclude(memberships__in=organisers).order_by("name").values_list("name", flat=True))
