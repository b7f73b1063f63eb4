"""Actions of organisers on invitations, one or several at once: remind, revoke and restore."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, get_args

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.log import audit
from campaigns.models import Campaign, Invitation
from campaigns.notifications.emails import can_email
from campaigns.notifications.notices import invite
from campaigns.notifications.outbox import sealed_in_email
from campaigns.people.invitations import hash_secret, revoke

InvitationAct = Literal["remind", "revoke", "restore"]
# So that no address is flooded.
REMINDER_PAUSE = timedelta(hours=24)
MOST_SELECTED = 1000


@dataclass(frozen=True)
class InvitationChanges:
    """Ids of the invitations that the act changed, and of those that it left as they were."""

    changed: list[int]
    skipped: list[int]


def act_on(
    *,
    campaign: Campaign,
    act: str,
    invitations: Collection[int],
    actor: User,
    link_of: Callable[[str], str],
) -> InvitationChanges:
    """Do it to each of these invitations that it fits; refuse it if it fits none."""
    if act not in get_args(InvitationAct):
        raise Refusal("unknown_act", gettext("choose remind, revoke or restore"), field="act")
    if len(invitations) > MOST_SELECTED:
        detail = gettext("select at most %(most)s invitations") % {"most": MOST_SELECTED}
        raise Refusal("too_many", detail, field="invitations")
    if act == "remind" and not can_email():
        raise Refusal("no_mail_server", gettext("this site sends no emails"), status=409)
    with transaction.atomic():
        changed = []
        for one in _selected(campaign, invitations):
            if not _fits(one, act):
                continue
            match act:
                case "remind":
                    _remind(one, actor, link_of)
                case "revoke":
                    revoke(one)
                case _:
                    _restore(one)
            changed.append(one.id)
        if not changed:
            raise _none(act)
    return InvitationChanges(changed, [id for id in invitations if id not in changed])


def _selected(campaign: Campaign, ids: Collection[int]) -> QuerySet[Invitation]:
    rows = Invitation.objects.select_for_update(of=("self",)).select_related("campaign")
    # Postgres refuses numbers that no id can have.
    return rows.filter(campaign=campaign, id__in=[id for id in ids if id < 2**63]).order_by("id")


def _fits(invitation: Invitation, act: str) -> bool:
    now = timezone.now()
    match act:
        case "remind":
            since = invitation.reminded_at
            rested = since is None or since <= now - REMINDER_PAUSE
            return invitation.state == "open" and bool(invitation.address) and rested
        case "revoke":
            return invitation.state == "open"
        case _:
            return invitation.state == "revoked" and now < invitation.expires_at


def _none(act: str) -> Refusal:
    messages = {
        "remind": gettext(
            "none of these can be reminded: an open invitation with an email address, once in 24 hours"
        ),
        "revoke": gettext("none of these invitations is open"),
        "restore": gettext("none of these invitations can be restored: they are used, open or expired"),
    }
    return Refusal("nothing_to_do", messages[act], field="invitations", status=409)


def _remind(invitation: Invitation, actor: User, link_of: Callable[[str], str]) -> None:
    """Email a new link, as only the hash of the first one is stored. The first one stops working, and the end
    stays."""
    secret = secrets.token_urlsafe(32)
    invitation.token_hash, invitation.reminded_at = hash_secret(secret), timezone.now()
    invitation.save(update_fields=["token_hash", "reminded_at"])
    audit.note(campaign=invitation.campaign, kind="invitation reminded", address=invitation.address)
    invite(
        campaign=invitation.campaign,
        address=invitation.address,
        link=link_of(sealed_in_email(secret)),
        role=invitation.role,
        inviter=actor.get_username(),
        expires=invitation.expires_at,
        is_reminder=True,
    )


def _restore(invitation: Invitation) -> None:
    invitation.revoked_at = None
    invitation.save(update_fields=["revoked_at"])
    detail = {"role": invitation.role, "address": invitation.address}
    audit.note(campaign=invitation.campaign, kind="invitation restored", **detail)
