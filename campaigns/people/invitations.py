"""Invitations: a link that gives a role in a campaign, for a time, to one person or to a class."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection import assignments
from campaigns.core.actors import Actor, acting_as
from campaigns.core.errors import Refusal
from campaigns.log import audit
from campaigns.models import Campaign, Deed, Invitation, Membership, TeamMember
from campaigns.models.people import PARTICIPANT
from campaigns.notifications.delivery_signatures import UnreadableSecret, seal, unseal
from campaigns.notifications.emails import check_email_address
from campaigns.notifications.notices import invite
from campaigns.notifications.outbox import sealed_in_email
from campaigns.people.accounts import checked_name, make_account
from campaigns.people.members import add_member
from campaigns.people.teams import ensure_team, has_role, join_team, lock_roles

LONGEST_INVITATION_DAYS = 90
LONGEST_PASSWORD = 1000
LARGEST_CLASS = 1000


def create(
    *,
    campaign: Campaign,
    role: str,
    inviter: User,
    link_of: Callable[[str], str],
    days: int = 14,
    address: str = "",
    topics: Sequence[str] = (),
    capacity: int = 1,
    team: str = "",
) -> tuple[Invitation, str]:
    """Make an invitation, and mail it if there is an address. Its link, made of a secret by `link_of`, is
    returned once; only that of a class can be read again. `capacity`: how many may join by it.
    `team`: a participant's, made where there is none of the name."""
    check_terms(campaign, role=role, days=days, address=address, topics=topics, team=team)
    _check_capacity(capacity, role=role, address=address)
    secret = secrets.token_urlsafe(32)
    expires = timezone.now() + timedelta(days=days)
    with transaction.atomic():
        invitation = Invitation.objects.create(
            campaign=campaign,
            token_hash=hash_secret(secret),
            sealed=seal(secret) if capacity > 1 else "",
            role=role,
            team=ensure_team(campaign=campaign, name=team) if team else None,
            topics=list(topics),
            address=address,
            capacity=capacity,
            created_by=inviter,
            expires_at=expires,
        )
        detail = {"role": role, "address": address, "topics": list(topics), "days": days}
        detail |= {"capacity": capacity} if capacity > 1 else {}
        detail |= {"team": invitation.team.name} if invitation.team else {}
        audit.note(campaign=campaign, kind="invited", **detail)
        if address:
            name, link = inviter.get_username(), link_of(sealed_in_email(secret))
            invite(campaign=campaign, address=address, link=link, role=role, inviter=name, expires=expires)
    return invitation, link_of(secret)


def check_terms(
    campaign: Campaign,
    *,
    role: str,
    days: int,
    address: str = "",
    topics: Sequence[str] = (),
    team: str = "",
) -> None:
    if role not in (*Membership.Role.values, PARTICIPANT):
        raise Refusal("unknown_role", gettext("%(role)s is not a role") % {"role": role[:40]}, field="role")
    if not 1 <= days <= LONGEST_INVITATION_DAYS:
        detail = gettext("a link is valid for 1 to %(most)s days") % {"most": LONGEST_INVITATION_DAYS}
        raise Refusal("bad_days", detail, field="days")
    if address:
        check_email_address(address)
    _check_topics(campaign, topics)
    _check_team(role, topics, team)


def _check_capacity(capacity: int, *, role: str, address: str) -> None:
    if not 1 <= capacity <= LARGEST_CLASS:
        detail = gettext("from 1 to %(most)s people can join by a link") % {"most": LARGEST_CLASS}
        raise Refusal("bad_capacity", detail, field="capacity")
    if capacity > 1 and role == Membership.Role.ORGANISER:
        detail = gettext("a link for several people cannot give the role of organiser")
        raise Refusal("bad_capacity", detail, field="role")
    if capacity > 1 and address:
        detail = gettext("a link for several people is not emailed to one address")
        raise Refusal("bad_capacity", detail, field="address")


def _check_team(role: str, topics: Sequence[str], team: str) -> None:
    """Participants have a team and no topics, all others the reverse."""
    if (role == PARTICIPANT) != bool(team.strip()):
        raise Refusal("bad_team", gettext("participants, and only they, have a team"), field="team")
    if role == PARTICIPANT and topics:
        raise Refusal("bad_topics", gettext("participants get no topics"), field="topics")


def _check_topics(campaign: Campaign, numbers: Sequence[str]) -> None:
    wanted = [number for number in numbers if "\0" not in number]
    known = set(campaign.topics.filter(number__in=wanted).values_list("number", flat=True))
    unknown = [number for number in numbers if number not in known]
    if unknown:
        detail = gettext("there is no topic %(topic)s") % {"topic": unknown[0][:40]}
        raise Refusal("unknown_topic", detail, field="topics")


def open_invitations(*, campaign: Campaign) -> QuerySet[Invitation]:
    """Filter the invitations whose links would still give a role."""
    waiting = campaign.invitations.filter(used_at=None, revoked_at=None)
    return waiting.filter(expires_at__gt=timezone.now())


def class_secrets(*, campaign: Campaign) -> list[tuple[Invitation, str]]:
    """Open links of classes with their secrets, the newest first; without those that cannot be read, as an
    earlier version or another key made them."""
    secrets_of: list[tuple[Invitation, str]] = []
    for one in open_invitations(campaign=campaign).exclude(sealed="").order_by("-id"):
        with suppress(UnreadableSecret):
            secrets_of.append((one, unseal(one.sealed)))
    return secrets_of


def find_invitation(token: str) -> Invitation | None:
    return Invitation.objects.filter(token_hash=hash_secret(token)).first()


def read_invitation(id: int) -> Invitation | None:
    rows = Invitation.objects.select_related("campaign", "used_by", "created_by", "team")
    return rows.filter(id=id).first()


def revoke_invitation(*, campaign: Campaign, invitation: int) -> None:
    with transaction.atomic():
        rows = Invitation.objects.select_for_update(of=("self",)).select_related("campaign")
        row = rows.filter(campaign=campaign, id=invitation).first()
        if row is None:
            detail = gettext("there is no such invitation")
            raise Refusal("unknown_invitation", detail, status=404)
        if row.state in ("used", "revoked"):
            raise _over(row)
        revoke(row)


def revoke(invitation: Invitation) -> None:
    """The caller holds the row's lock."""
    invitation.revoked_at = timezone.now()
    invitation.save(update_fields=["revoked_at"])
    detail = {"role": invitation.role, "address": invitation.address}
    audit.note(campaign=invitation.campaign, kind="invitation revoked", **detail)


def accept(*, invitation_id: int, user: User) -> Membership | TeamMember:
    """Give the role to an account that has none in the campaign yet; only that takes a place of the link. The
    caller has checked the secret (`find_invitation`)."""
    with transaction.atomic(), acting_as(Actor(user.id, user.get_username())):
        invitation = _lock_open(invitation_id)
        campaign = invitation.campaign
        lock_roles(user)
        if has_role(user=user, campaign=campaign):
            detail = gettext("“%(username)s” belongs to this campaign already: an organiser changes roles")
            raise Refusal("member_already", detail % {"username": user.get_username()}, status=409)
        _take_place(invitation, user)
        if invitation.team is not None:
            return join_team(team=invitation.team, user=user)
        name = user.get_username()
        membership = add_member(campaign=campaign, username=name, role=invitation.role)
        topics = list(campaign.topics.filter(number__in=invitation.topics))
        if topics:
            giver = invitation.created_by or user
            assignments.assign(campaign=campaign, topics=topics, username=name, organiser=giver)
    return membership


def _take_place(invitation: Invitation, user: User) -> None:
    """The last place closes the link. A removed member does not come back by the link of a class."""
    joined: dict[str, object] = {"role": invitation.role}
    joined |= {"team": invitation.team.name} if invitation.team else {}
    if invitation.is_for_class:
        joined |= {"invitation": invitation.id}
        if Deed.objects.filter(
            campaign=invitation.campaign, actor=user, kind="joined", detail=joined
        ).exists():
            detail = gettext("“%(username)s” has joined by this link before: ask an organiser")
            raise Refusal("joined_before", detail % {"username": user.get_username()}, status=409)
    else:
        invitation.used_by = user
    invitation.joined += 1
    if invitation.joined >= invitation.capacity:
        invitation.used_at = timezone.now()
    invitation.save(update_fields=["used_at", "used_by", "joined"])
    audit.note(campaign=invitation.campaign, kind="joined", **joined)


def accept_with_new_account(
    *, invitation_id: int, username: str, password: str, address: str = ""
) -> Membership | TeamMember:
    """The same with an account made for it; nothing is made where anything is refused."""
    with transaction.atomic():
        _lock_open(invitation_id)
        username = checked_name(username)
        _check_password(password, username)
        if address:
            check_email_address(address)
        user = make_account(username=username, password=password, email=address)
        return accept(invitation_id=invitation_id, user=user)


def _check_password(password: str, username: str) -> None:
    try:
        if len(password) > LONGEST_PASSWORD:
            raise ValidationError(gettext("A password has at most 1000 characters."))
        validate_password(password, User(username=username))
    except ValidationError as error:
        detail = " ".join(error.messages).rstrip(".")
        raise Refusal("bad_password", detail, field="password") from None


def _lock_open(id: int) -> Invitation:
    """Two who follow one link come in one after the other: the second finds it used."""
    rows = Invitation.objects.select_for_update(of=("self",)).select_related("campaign", "created_by", "team")
    invitation = rows.filter(id=id).first()
    if invitation is None:
        raise Refusal("unknown_invitation", gettext("there is no such invitation"), status=404)
    if invitation.state != "open":
        raise _over(invitation)
    return invitation


def _over(invitation: Invitation) -> Refusal:
    if invitation.state == "revoked":
        return Refusal("invitation_revoked", gettext("this invitation was revoked"), status=410)
    if invitation.state == "expired":
        return Refusal("invitation_expired", gettext("this invitation has expired"), status=410)
    if invitation.is_for_class:
        return Refusal("invitation_used", gettext("this link has reached its limit"), status=410)
    return Refusal("invitation_used", gettext("this invitation has been used"), status=410)


def hash_secret(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
