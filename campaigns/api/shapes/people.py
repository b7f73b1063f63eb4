"""Shapes of members and invitations."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Choice, Flag, RequestShape, Shape, Text, WholeNumber, name
from campaigns.models.participants import LONGEST_TEAM_NAME
from campaigns.models.people import INVITED_ROLES
from campaigns.notifications.emails import LONGEST_EMAIL
from campaigns.people.invitation_lists import LONGEST_LIST, LineState
from campaigns.people.invitations import LARGEST_CLASS, LONGEST_INVITATION_DAYS
from campaigns.people.open_invitations import MOST_SELECTED


class InvitationIn(RequestShape):
    """An invitation to create."""

    role = Choice(choices=INVITED_ROLES, help_text="role that the invitation gives")
    team = Text(
        required=False,
        default="",
        allow_blank=True,
        max_length=LONGEST_TEAM_NAME,
        help_text="name of a participant's team, created if it is new (default: empty, for the other roles)",
    )
    days = WholeNumber(
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
    capacity = WholeNumber(
        required=False,
        default=1,
        min_value=1,
        max_value=LARGEST_CLASS,
        help_text="number of people who may join by the link; above 1 not for organisers, nor with an "
        "address (default: 1)",
    )

    example = {"role": "assessor", "days": 14, "topics": ["401"]}


class Invitation(Shape):
    """An invitation to the campaign."""

    id = serializers.IntegerField(help_text="ID of the invitation")
    role = serializers.CharField(
        help_text="role that the invitation gives: organiser, assessor or participant"
    )
    team = serializers.CharField(allow_null=True, help_text="name of a participant's team; null for others")
    topics = serializers.ListField(
        child=serializers.CharField(), help_text="numbers of topics assigned on acceptance"
    )
    address = serializers.CharField(help_text="email address that the link was sent to; empty if none")
    capacity = serializers.IntegerField(help_text="number of people who may join by the link")
    joined = serializers.IntegerField(help_text="number of people who have joined by the link")
    state = serializers.ChoiceField(
        choices=["open", "used", "revoked", "expired"], help_text="state of the invitation"
    )
    invited_by = serializers.CharField(
        allow_null=True, help_text="user name of the inviting organiser; null if unknown"
    )
    used_by = serializers.CharField(
        allow_null=True,
        help_text="user name of the person who accepted; null until then, and for a link with several places",
    )
    created = serializers.DateTimeField(help_text="time of creation")
    expires_at = serializers.DateTimeField(help_text="time at which the invitation expires")
    reminded_at = serializers.DateTimeField(
        allow_null=True, help_text="time of the latest reminder; null if none was sent"
    )

    example = {
        "id": 3,
        "role": "assessor",
        "team": None,
        "topics": ["401"],
        "address": "",
        "capacity": 1,
        "joined": 0,
        "state": "open",
        "invited_by": "ada",
        "used_by": None,
        "created": "2026-05-04T09:00:00Z",
        "expires_at": "2026-05-18T09:00:00Z",
        "reminded_at": None,
    }


class NewInvitation(Invitation):
    """A new invitation with its link, which is shown only once."""

    link = serializers.URLField(help_text="link that accepts the invitation")

    example = {**Invitation.example, "link": "https://assess.example.org/join/#Zm9yIG9uZSBwZXJzb24"}


class InvitationListIn(RequestShape):
    """A list of people to invite."""

    text = Text(
        max_length=LONGEST_LIST,
        trim_whitespace=False,
        help_text="list of people, one per line: email address, role, topics; separated by commas, "
        "semicolons or tabs",
    )
    days = WholeNumber(
        required=False,
        default=14,
        min_value=1,
        max_value=LONGEST_INVITATION_DAYS,
        help_text="days until the invitations expire (default: 14)",
    )
    check_only = Flag(
        required=False, default=False, help_text="true to return each line's effect and send nothing"
    )

    example = {"text": "new@example.org, assessor, 401", "days": 14, "check_only": True}


class ListedLine(Shape):
    """A line of the list and its effect."""

    line = serializers.IntegerField(help_text="number of the line, from 1")
    address = serializers.CharField(help_text="email address")
    role = serializers.CharField(help_text="role that the invitation gives")
    topics = serializers.ListField(
        child=serializers.CharField(), help_text="numbers of topics assigned on acceptance"
    )
    state = serializers.ChoiceField(
        choices=[state.value for state in LineState],
        help_text="effect: new (an invitation), member or invited (none), or wrong",
    )
    problem = serializers.CharField(help_text="error of the line; empty if there is none")
    link = serializers.URLField(allow_null=True, help_text="link of a new invitation; null if none was made")

    example = {
        "line": 1,
        "address": "new@example.org",
        "role": "assessor",
        "topics": ["401"],
        "state": "new",
        "problem": "",
        "link": None,
    }


class InvitationListOut(Shape):
    """The list, line by line."""

    sent = serializers.IntegerField(help_text="number of new invitations")
    lines = ListedLine(many=True, help_text="lines of the list")

    example = {"sent": 0, "lines": [ListedLine.example]}


class InvitationActIn(RequestShape):
    """An act on several invitations."""

    act = Choice(choices=["remind", "revoke", "restore"], help_text="act: remind, revoke or restore")
    invitations = serializers.ListField(
        child=WholeNumber(min_value=1),
        min_length=1,
        max_length=MOST_SELECTED,
        help_text="IDs of the invitations",
    )

    example = {"act": "revoke", "invitations": [3]}


class InvitationActOut(Shape):
    """The invitations that an act changed and skipped."""

    changed = serializers.ListField(
        child=serializers.IntegerField(), help_text="IDs of the invitations that the act changed"
    )
    skipped = serializers.ListField(
        child=serializers.IntegerField(), help_text="IDs of the invitations that the act did not change"
    )

    example = {"changed": [3], "skipped": []}


class Member(Shape):
    """A member of the campaign."""

    username = serializers.CharField(help_text="user name")
    role = serializers.CharField(help_text="role of the member: organiser or assessor")
    paused_at = serializers.DateTimeField(
        allow_null=True, help_text="time since which the member is paused; null if active"
    )
    since = serializers.DateTimeField(help_text="time at which the member joined")

    example = {"username": "grace", "role": "assessor", "paused_at": None, "since": "2026-05-04T09:00:00Z"}
