"""Somebody's role in a campaign, and the campaign: what every request to the API begins by looking up. Asked
by a statement of its own, as the ORM puts its SQL together anew each time, which takes longer than all else
that it does here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model

from campaigns.core.database import Statement
from campaigns.models import Campaign, Membership

Found = TypeVar("Found", bound=Model)


def _columns(model: type[Model], alias: str) -> str:
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


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


def role_of(*, user: User, slug: str) -> Membership | None:
    """With the campaign beside it; None for strangers."""
    row = _ROLE.row({"user": user.id, "slug": slug})
    if row is None:
        return None
    own = len(Membership._meta.concrete_fields)
    membership = _read(Membership, row[:own])
    membership.campaign = _read(Campaign, row[own:])
    membership.user = user
    return membership


def _read(model: type[Found], row: Sequence[Any]) -> Found:
    fields = model._meta.concrete_fields
    values = [
        field.from_db_value(value, None, connection) if hasattr(field, "from_db_value") else value
        for field, value in zip(fields, row, strict=True)
    ]
    return model.from_db(DEFAULT_DB_ALIAS, [field.attname for field in fields], values)
