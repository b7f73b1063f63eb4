"""Shapes of members and invitations."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Choice, Shape, Strict, Text, Whole, name
from campaigns.models import Membership
from campaigns.notifications.emails import LONGEST_EMAIL
from campaigns.people.invitations import LONGEST_INVITATION_DAYS


class InvitationIn(Strict):
    """An invitation to create."""

    role = Choice(choices=Membership.Role.choices, help_text="role that the invitation gives")
    days = Whole(
        required=False,
        default=14,
        min_value=1,
        max_value=LONGEST_INVITATION_DAYS,
        help_text="days until the invitation expires (default: 14)",
    )
    address = Text(
        required=False,
        default="",
        allow_blank=True,
        max_length=LONGEST_EMAIL,
        help_text="email address to send the link to (default: empty, no email)",
    )
    topics = serializers.ListField(
        child=name(),
        required=False,
        default=list,
        max_length=10_000,
        help_text="numbers of topics assigned on acceptance (default: none)",
    )

    example = {"role": "assessor", "days": 14, "topics": ["401"]}


class Invitation(Shape):
    """An invitation to the campaign."""

    id = serializers.IntegerField(help_text="ID of the invitation")
    role = serializers.CharField(help_text="role that the invitation gives: organiser or assessor")
    topics = serializers.ListField(
        child=serializers.CharField(), help_text="numbers of topics assigned on acceptance"
    )
    address = serializers.CharField(help_text="email address that the link was sent to; empty if none")
    state = serializers.ChoiceField(
        choices=["open", "used", "revoked", "expired"], help_text="state of the invitation"
    )
    invited_by = serializers.CharField(
        allow_null=True, help_text="user name of the inviting organiser; null if unknown"
    )
    used_by = serializers.CharField(
        allow_null=True, help_text="user name of the person who accepted; null until then"
    )
    created = serializers.DateTimeField(help_text="time of creation")
    expires_at = serializers.DateTimeField(help_text="time at which the invitation expires")

    example = {
        "id": 3,
        "role": "assessor",
        "topics": ["401"],
        "address": "",
        "state": "open",
        "invited_by": "ada",
        "used_by": None,
        "created": "2026-05-04T09:00:00Z",
        "expires_at": "2026-05-18T09:00:00Z",
    }


class NewInvitation(Invitation):
    """A new invitation with its link, which is shown only once."""

    link = serializers.URLField(help_text="link that accepts the invitation")

    example = {**Invitation.example, "link": "https://assess.example.org/join/#Zm9yIG9uZSBwZXJzb24"}


class Member(Shape):
    """A member of the campaign."""

    username = serializers.CharField(help_text="user name")
    role = serializers.CharField(help_text="role of the member: organiser or assessor")
    paused_at = serializers.DateTimeField(
        allow_null=True, help_text="time since which the member is paused; null if active"
    )
    since = serializers.DateTimeField(help_text="time at which the member joined")

    example = {"username": "grace", "role": "assessor", "paused_at": None, "since": "2026-05-04T09:00:00Z"}
