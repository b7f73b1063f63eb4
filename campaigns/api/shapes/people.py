"""Shapes of members and invitations."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Choice, Shape, Strict, Text, Whole, name
from campaigns.models import Membership
from campaigns.notifications.emails import LONGEST_EMAIL
from campaigns.people.invitations import LONGEST_INVITATION_DAYS


class InvitationIn(Strict):
    role = Choice(choices=Membership.Role.choices)
    days = Whole(required=False, default=14, min_value=1, max_value=LONGEST_INVITATION_DAYS)
    address = Text(
        required=False,
        default="",
        allow_blank=True,
        max_length=LONGEST_EMAIL,
        help_text="where the link is mailed to, if anywhere",
    )
    topics = serializers.ListField(
        child=name(),
        required=False,
        default=list,
        max_length=10_000,
        help_text="that come with the role",
    )

    example = {"role": "assessor", "days": 14, "topics": ["401"]}


class Invitation(Shape):
    id = serializers.IntegerField()
    role = serializers.CharField()
    topics = serializers.ListField(child=serializers.CharField())
    address = serializers.CharField()
    state = serializers.ChoiceField(choices=["open", "used", "revoked", "expired"])
    invited_by = serializers.CharField(allow_null=True)
    used_by = serializers.CharField(allow_null=True)
    created = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()

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
    """Told once: of the link only a hash is kept."""

    link = serializers.URLField()

    example = {**Invitation.example, "link": "https://assess.example.org/join/#Zm9yIG9uZSBwZXJzb24"}


class Member(Shape):
    username = serializers.CharField()
    role = serializers.CharField()
    paused_at = serializers.DateTimeField(allow_null=True)
    since = serializers.DateTimeField()

    example = {"username": "grace", "role": "assessor", "paused_at": None, "since": "2026-05-04T09:00:00Z"}
