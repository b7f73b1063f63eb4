"""Shapes of members and invitations."""

from __future__ import annotations

from campaigns.api.shapes.base import (
    Address,
    Choice,
    Flag,
    List,
    RequestShape,
    Shape,
    Text,
    Time,
    WholeNumber,
    name,
)
from campaigns.models.participants import LONGEST_TEAM_NAME
from campaigns.models.people import INVITED_ROLES
from campaigns.notifications.emails import LONGEST_EMAIL
from campaigns.people.invitation_lists import LONGEST_LIST, LineState
from campaigns.people.invitations import LARGEST_CLASS, LONGEST_INVITATION_DAYS
from campaigns.people.open_invitations import MOST_SELECTED


class InvitationIn(RequestShape):
    """An invitation to create."""

    role = Choice("role that the invitation gives", "assessor", choices=INVITED_ROLES)
    team = Text(
        "name of a participant's team, created if it is new (default: empty, for the other roles)",
        default="",
        allow_blank=True,
        max_length=LONGEST_TEAM_NAME,
    )
    days = WholeNumber(
        "days until the invitation expires (default: 14)",
        14,
        default=14,
        min_value=1,
        max_value=LONGEST_INVITATION_DAYS,
    )
    address = Text(
        "email address to send the link to (default: empty, no email)",
        default="",
        allow_blank=True,
        max_length=LONGEST_EMAIL,
    )
    topics = List(
        "numbers of topics assigned on acceptance (default: none)",
        ["401"],
        child=name(),
        default=list,
        max_length=10_000,
    )
    capacity = WholeNumber(
        "number of people who may join by the link; above 1 not for organisers, nor with an "
        "address (default: 1)",
        default=1,
        min_value=1,
        max_value=LARGEST_CLASS,
    )


class Invitation(Shape):
    """An invitation to the campaign."""

    id = WholeNumber("ID of the invitation", 3)
    role = Text("role that the invitation gives: organiser, assessor or participant", "assessor")
    team = Text.or_null("name of a participant's team; null for others", None)
    topics = List("numbers of topics assigned on acceptance", ["401"], child=Text())
    address = Text("email address that the link was sent to; empty if none", "")
    capacity = WholeNumber("number of people who may join by the link", 1)
    joined = WholeNumber("number of people who have joined by the link", 0)
    state = Choice("state of the invitation", "open", choices=["open", "used", "revoked", "expired"])
    invited_by = Text.or_null("user name of the inviting organiser; null if unknown", "ada")
    used_by = Text.or_null(
        "user name of the person who accepted; null until then, and for a link with several places", None
    )
    created = Time("time of creation", "2026-05-04T09:00:00Z")
    expires_at = Time("time at which the invitation expires", "2026-05-18T09:00:00Z")
    reminded_at = Time.or_null("time of the latest reminder; null if none was sent", None)


class NewInvitation(Invitation):
    """A new invitation with its link, which is shown only once."""

    link = Address("link that accepts the invitation", "https://assess.example.org/join/#Zm9yIG9uZSBwZXJzb24")


class InvitationListIn(RequestShape):
    """A list of people to invite."""

    text = Text(
        "list of people, one per line: email address, role, topics; separated by commas, semicolons or tabs",
        "new@example.org, assessor, 401",
        max_length=LONGEST_LIST,
        trim_whitespace=False,
    )
    days = WholeNumber(
        "days until the invitations expire (default: 14)",
        14,
        default=14,
        min_value=1,
        max_value=LONGEST_INVITATION_DAYS,
    )
    check_only = Flag("true to return each line's effect and send nothing", True, default=False)


class ListedLine(Shape):
    """A line of the list and its effect."""

    line = WholeNumber("number of the line, from 1", 1)
    address = Text("email address", "new@example.org")
    role = Text("role that the invitation gives", "assessor")
    topics = List("numbers of topics assigned on acceptance", ["401"], child=Text())
    state = Choice(
        "effect: new (an invitation), member or invited (none), or wrong",
        "new",
        choices=[state.value for state in LineState],
    )
    problem = Text("error of the line; empty if there is none", "")
    link = Address.or_null("link of a new invitation; null if none was made", None)


class InvitationListOut(Shape):
    """The list, line by line."""

    sent = WholeNumber("number of new invitations", 0)
    lines = ListedLine(many=True, help_text="lines of the list")


class InvitationActIn(RequestShape):
    """An act on several invitations."""

    act = Choice("act: remind, revoke or restore", "revoke", choices=["remind", "revoke", "restore"])
    invitations = List(
        "IDs of the invitations", [3], child=WholeNumber(min_value=1), min_length=1, max_length=MOST_SELECTED
    )


class InvitationActOut(Shape):
    """The invitations that an act changed and skipped."""

    changed = List("IDs of the invitations that the act changed", [3], child=WholeNumber())
    skipped = List("IDs of the invitations that the act did not change", [], child=WholeNumber())


class Member(Shape):
    """A member of the campaign."""

    username = Text("user name", "grace")
    role = Text("role of the member: organiser or assessor", "assessor")
    paused_at = Time.or_null("time since which the member is paused; null if active", None)
    since = Time("time at which the member joined", "2026-05-04T09:00:00Z")
