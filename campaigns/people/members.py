"""Members of a campaign: given a role, paused, removed, and looked up for every request to the API."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.database import Statement
from campaigns.core.errors import Refusal
from campaigns.log import audit
from campaigns.models import Campaign, Membership, TemporaryPassword
from campaigns.models.judgment import lease
from campaigns.people.accounts import checked_name, make_account
from campaigns.people.teams import check_no_participant, lock_roles

RoleModel = TypeVar("RoleModel", bound=Model)


def add_member(*, campaign: Campaign, username: str, role: str) -> Membership:
    """Give an existing account a role, or change the role it has."""
    if role not in Membership.Role.values:
        raise Refusal("unknown_role", gettext("%(role)s is not a role") % {"role": role}, field="role")
    user = User.objects.filter(username=username, is_active=True).first() if _is_name(username) else None
    if user is None:
        raise Refusal(
            "unknown_user",
            gettext("there is no account named “%(username)s”") % {"username": username},
            field="username",
        )
    with transaction.atomic():
        lock_roles(user)
        check_no_participant(user=user, campaign=campaign)
        if role != Membership.Role.ORGANISER:
            _keep_an_organiser(campaign, besides=user)
        known = Membership.objects.filter(user=user, campaign=campaign)
        before = known.values_list("role", flat=True).first()
        membership, _ = Membership.objects.update_or_create(
            user=user, campaign=campaign, defaults={"role": role}
        )
        if role != before:
            audit.note(campaign=campaign, kind="role", person=username, role=role, before=before)
    return membership


def create_account(*, campaign: Campaign, username: str, role: str) -> tuple[Membership, str]:
    """Make an account with a role in this campaign. The password is returned once, stored hashed, and must be
    replaced at the first sign-in."""
    username = checked_name(username)
    password = secrets.token_urlsafe(9)
    with transaction.atomic():
        user = make_account(username=username, password=password)
        TemporaryPassword.objects.create(user=user)
        audit.note(campaign=campaign, kind="account", person=username)
        membership = add_member(campaign=campaign, username=username, role=role)
    return membership, password


def remove_member(*, campaign: Campaign, username: str) -> None:
    """Take a person's role away. Their judgments stay, and what they had open is free again."""
    members = Membership.objects.filter(campaign=campaign, user__username=username)
    membership = members.first() if _is_name(username) else None
    if membership is None:
        raise Refusal(
            "not_a_member",
            gettext("“%(username)s” has no role here") % {"username": username},
            field="username",
            status=404,
        )
    with transaction.atomic():
        _keep_an_organiser(campaign, besides=membership.user)
        membership.user.claims.filter(topic__campaign=campaign).delete()
        membership.user.topic_assignments.filter(topic__campaign=campaign).delete()
        membership.user.topic_completions.filter(topic__campaign=campaign).delete()
        membership.delete()
        audit.note(campaign=campaign, kind="role removed", person=username, role=membership.role)


def pause_member(*, campaign: Campaign, username: str) -> None:
    """Serve them nothing for a while. What they have open is free again; what their browser still holds and
    sends is taken, for it was done before they could know."""
    with transaction.atomic():
        membership = _assessing(campaign, username)
        if membership.paused_at is not None:
            words = gettext("“%(username)s” is paused already") % {"username": username}
            raise Refusal("paused_already", words, status=409)
        membership.paused_at = timezone.now()
        membership.save(update_fields=["paused_at"])
        # Lapsed rather than gone: what comes late still knows which method had served the document.
        held = membership.user.claims.filter(topic__campaign=campaign)
        held.update(expires_at=membership.paused_at - lease())
        audit.note(campaign=campaign, kind="person paused", person=username)


def resume_member(*, campaign: Campaign, username: str) -> None:
    with transaction.atomic():
        membership = _assessing(campaign, username)
        if membership.paused_at is None:
            words = gettext("“%(username)s” is not paused") % {"username": username}
            raise Refusal("not_paused", words, status=409)
        membership.paused_at = None
        membership.save(update_fields=["paused_at"])
        audit.note(campaign=campaign, kind="person resumed", person=username)


def _assessing(campaign: Campaign, username: str) -> Membership:
    members = Membership.objects.select_for_update(of=("self",)).select_related("user")
    rows = members.filter(campaign=campaign, user__username=username)
    membership = rows.first() if _is_name(username) else None
    if membership is None:
        words = gettext("“%(username)s” has no role here") % {"username": username}
        raise Refusal("not_a_member", words, field="username", status=404)
    return membership


def _is_name(username: str) -> bool:
    # Postgres refuses to be asked for a text with a NUL in it.
    return username.isprintable() and len(username) <= 150


def _keep_an_organiser(campaign: Campaign, *, besides: User) -> None:
    organisers = Membership.objects.select_for_update().filter(
        campaign=campaign, role=Membership.Role.ORGANISER
    )
    ids = set(organisers.values_list("user_id", flat=True))
    if ids and not ids - {besides.id}:
        raise Refusal("last_organiser", gettext("a campaign keeps at least one organiser"), status=409)


def _columns(model: type[Model], alias: str) -> str:
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


# The ORM puts its SQL together again each time, which takes longer than all else that a request does here.
_ROLE = Statement(
    "role",
    f"""
SELECT {_columns(Membership, "m")}, {_columns(Campaign, "c")}
FROM campaigns_membership m JOIN campaigns_campaign c ON c.id = m.campaign_id
WHERE m.user_id = %(user)s AND c.slug = %(slug)s
""",  # noqa: S608
    user="int",
    slug="text",
)
_ACCOUNT_AND_ROLE = Statement(
    "account_and_role",
    f"""
SELECT {_columns(User, "u")}, {_columns(Membership, "m")}, {_columns(Campaign, "c")}
FROM auth_user u LEFT JOIN (
  campaigns_membership m JOIN campaigns_campaign c ON c.id = m.campaign_id AND c.slug = %(slug)s)
  ON m.user_id = u.id
WHERE u.id = %(user)s
""",  # noqa: S608
    user="int",
    slug="text",
)
_ACCOUNT_FIELDS, _OWN_FIELDS = (len(model._meta.concrete_fields) for model in (User, Membership))
# An attribute of an account: the role in a campaign, by its slug, that was read with it.
_READ_WITH = "_role_read_with_account"


def role_of(*, user: User, slug: str) -> Membership | None:
    """With the campaign beside it; None for strangers. What `account_with_role` read is taken once."""
    known: tuple[str, Membership | None] = user.__dict__.pop(_READ_WITH, ("", None))
    if known[0] == slug:
        return known[1]
    row = _ROLE.row({"user": user.id, "slug": slug})
    return None if row is None else _membership(user, row)


def account_with_role(*, user: int, slug: str) -> User | None:
    """The account; its role in the campaign is read by the same statement, for `role_of`."""
    row = _ACCOUNT_AND_ROLE.row({"user": user, "slug": slug})
    if row is None:
        return None
    account, rest = _read(User, row[:_ACCOUNT_FIELDS]), row[_ACCOUNT_FIELDS:]
    setattr(account, _READ_WITH, (slug, None if rest[0] is None else _membership(account, rest)))
    return account


def _membership(user: User, row: Sequence[Any]) -> Membership:
    membership = _read(Membership, row[:_OWN_FIELDS])
    membership.campaign = _read(Campaign, row[_OWN_FIELDS:])
    membership.user = user
    return membership


def _read(model: type[RoleModel], row: Sequence[Any]) -> RoleModel:
    fields = model._meta.concrete_fields
    values = [
        field.from_db_value(value, None, connection) if hasattr(field, "from_db_value") else value
        for field, value in zip(fields, row, strict=True)
    ]
    return model.from_db(DEFAULT_DB_ALIAS, [field.attname for field in fields], values)
