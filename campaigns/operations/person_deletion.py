"""Deleting a person's data for good, by an administrator.

What the account owns goes with it: sessions, tokens, roles, emails, claims, training. What is a campaign's
evidence, such as judgments, notes, uploads and the history, stays under a pseudonym that nothing leads back
from; it goes when the campaign is deleted. The models say which is which: CASCADE goes, PROTECT stays.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db import models, transaction
from django.db.models import ForeignObjectRel, Model, Q
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.log.privileges import forget_person
from campaigns.models import (
    Campaign,
    Deed,
    Delivery,
    Event,
    Invitation,
    Membership,
    ResetRequest,
    WaitingEmail,
)
from campaigns.people.accounts import is_administrator
from campaigns.people.sessions import end_sessions

logger = logging.getLogger(__name__)

# Where stored JSON names people: as a value under one of these, or as a key below `dealt`.
NAMES = ("person", "assessor", "username")
SHARES = "dealt"


def delete_person(*, person: User, administrator: User, confirmation: str) -> str:
    """Delete the person if the confirmation is their account's name; return the pseudonym of what stays, or
    nothing if nothing does."""
    if confirmation != person.username:
        words = gettext("type the account’s name, “%(name)s”, to delete it") % {"name": person.username}
        raise Refusal("not_confirmed", words, field="confirm")
    with transaction.atomic():
        held = User.objects.select_for_update().get(id=person.id)
        _check(held, administrator)
        pseudonym = f"person-{secrets.token_hex(4)}"
        end_sessions(user=held)
        _delete_emails(held)
        _rename_in_messages(held, pseudonym)
        for _, rows in _rows(held, models.CASCADE):
            rows.delete()
        evidence = any(rows.exists() for _, rows in _rows(held, models.PROTECT))
        forget_person(person=held.id, address=held.email, pseudonym=pseudonym, keys=NAMES, gone=not evidence)
        if evidence:
            _make_nobody(held, pseudonym)
        else:
            _delete_account(held)
    logger.warning("account %s deleted for good by %s", person.id, administrator.username)
    return pseudonym if evidence else ""


def only_organiser_of(person: User) -> list[str]:
    """Names of the campaigns that would be left without an organiser."""
    organisers = Membership.objects.filter(role=Membership.Role.ORGANISER)
    led = organisers.filter(user=person).values("campaign")
    shared = organisers.filter(campaign__in=led).exclude(user=person).values("campaign")
    left = Campaign.objects.filter(id__in=led).exclude(id__in=shared)
    return list(left.order_by("name").values_list("name", flat=True))


def _check(person: User, administrator: User) -> None:
    if not is_administrator(administrator):
        raise Refusal("not_allowed", gettext("you may not delete this account"), status=403)
    if person.id == administrator.id:
        detail = gettext("you cannot delete your own account; ask another administrator")
        raise Refusal("own_account", detail, status=409)
    if names := only_organiser_of(person):
        detail = gettext("only this person organises %(names)s: add an organiser, or delete the campaign")
        raise Refusal("last_organiser", detail % {"names": ", ".join(names)}, status=409)


def _rows(person: User, on_delete: Any) -> Iterator[tuple[str, models.QuerySet[Model]]]:
    """Columns and rows, in every table, that point at the account with this `on_delete`."""
    for relation in User._meta.get_fields(include_hidden=True):
        if not isinstance(relation, ForeignObjectRel) or relation.on_delete is not on_delete:
            continue
        model: type[Model] = relation.related_model
        yield relation.field.name, model._base_manager.filter(**{relation.field.name: person.id})


def _delete_emails(person: User) -> None:
    """Delete emails on their way: no column of them points at an account."""
    for rows in (WaitingEmail.objects.all(), ResetRequest.objects.all()):
        rows.filter(address__iexact=person.email).delete()


def _make_nobody(person: User, pseudonym: str) -> None:
    person.username = pseudonym
    person.first_name = person.last_name = person.email = ""
    person.is_active = person.is_staff = person.is_superuser = False
    person.last_login, person.date_joined = None, timezone.now()
    person.set_unusable_password()
    person.save()


def _delete_account(person: User) -> None:
    """Nothing of the person's own is left, and the history no longer points at the account."""
    for column, rows in _rows(person, models.SET_NULL):
        if rows.model is not Deed:
            rows.update(**{column: None})
    User.objects.filter(id=person.id)._raw_delete("default")


def _rename_in_messages(person: User, pseudonym: str) -> None:
    """Live events, webhook deliveries and invitations name people in words."""
    if person.email:
        used = Q(used_by=person.id) | Q(address__iexact=person.email)
        Invitation.objects.filter(used).update(address="")
    among = Campaign.objects.filter(Q(memberships__user=person.id) | Q(judgments__assessor=person.id))
    quoted = json.dumps(person.username, ensure_ascii=False)
    names = re.compile(rf'("(?:{"|".join(NAMES)})":\s*){re.escape(quoted)}')
    for delivery in Delivery.objects.filter(webhook__campaign__in=among, body__contains=quoted):
        delivery.body = names.sub(lambda match: f'{match[1]}"{pseudonym}"', delivery.body)
        delivery.save(update_fields=["body"])
    for event in Event.objects.filter(campaign__in=among).exclude(kind="intervals"):
        if (data := _renamed(event.data, person.username, pseudonym)) != event.data:
            event.data = data
            event.save(update_fields=["data"])


def _renamed(data: dict[str, Any], name: str, pseudonym: str) -> dict[str, Any]:
    changed = {key: pseudonym if key in NAMES and value == name else value for key, value in data.items()}
    if isinstance(shares := changed.get(SHARES), dict) and name in shares:
        changed[SHARES] = {pseudonym if who == name else who: what for who, what in shares.items()}
    return changed
