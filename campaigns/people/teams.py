"""Teams of participants, and the people in them. A person has one role in a campaign: a participant is
neither organiser nor assessor there."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.log import audit
from campaigns.models import Campaign, Membership, Team, TeamMember
from campaigns.models.participants import LONGEST_TEAM_NAME


def ensure_team(*, campaign: Campaign, name: str) -> Team:
    """The team with this name, made where there is none."""
    name = " ".join(name.split())
    if not name or not name.isprintable() or len(name) > LONGEST_TEAM_NAME:
        detail = gettext("a team’s name has 1 to %(most)s printable characters")
        raise Refusal("bad_team", detail % {"most": LONGEST_TEAM_NAME}, field="team")
    with transaction.atomic():
        team, made = Team.objects.get_or_create(campaign=campaign, name=name)
        if made:
            audit.note(campaign=campaign, kind="team made", team=name)
    return team


def lock_team(team: Team) -> Team:
    """Within a transaction; refused if the team was removed meanwhile."""
    held = Team.objects.select_for_update().filter(id=team.id).first()
    if held is None:
        raise Refusal("unknown_team", gettext("there is no such team"), field="team", status=404)
    return held


def remove_team(*, team: Team) -> None:
    """Refused once it has handed in a run: that is evidence."""
    with transaction.atomic():
        held = lock_team(team)
        if held.submissions.exists():
            detail = gettext("%(team)s has handed in runs, so it stays") % {"team": held.name}
            raise Refusal("team_has_runs", detail, status=409)
        audit.note(campaign=held.campaign, kind="team removed", team=held.name)
        held.delete()


def lock_roles(user: User) -> None:
    """Within a transaction: of two roles that a person gets at once, the second sees the first."""
    User.objects.select_for_update(no_key=True).get(id=user.id)


def join_team(*, team: Team, user: User) -> TeamMember:
    """The caller has locked the person's roles, and checked that there is none in the campaign."""
    return TeamMember.objects.create(team=team, campaign_id=team.campaign_id, user=user)


def leave_team(*, team: Team, username: str) -> None:
    """Take a participant's place away. What they handed in stays the team's."""
    with transaction.atomic():
        place = team.members.filter(user__username=username.replace("\0", "")).first()
        if place is None:
            detail = gettext("“%(username)s” is not in this team") % {"username": username[:150]}
            raise Refusal("not_in_team", detail, field="username", status=404)
        place.delete()
        audit.note(campaign=team.campaign, kind="team left", person=username, team=team.name)


def place_of(*, user: User, slug: str) -> TeamMember | None:
    """With team and campaign beside it; None for all but the campaign's participants."""
    rows = TeamMember.objects.select_related("team", "campaign__collection")
    place = rows.filter(user=user, campaign__slug=slug).first()
    if place is not None:
        place.team.campaign = place.campaign
    return place


def has_role(*, user: User, campaign: Campaign) -> bool:
    """True for an organiser, assessor or participant of the campaign."""
    members = Membership.objects.filter(user=user, campaign=campaign)
    return members.exists() or is_participant(user=user, campaign=campaign)


def is_participant(*, user: User, campaign: Campaign) -> bool:
    return TeamMember.objects.filter(user=user, campaign=campaign).exists()


def check_no_participant(*, user: User, campaign: Campaign) -> None:
    """Before the person gets another role."""
    if is_participant(user=user, campaign=campaign):
        detail = gettext("“%(username)s” is a participant here: take them out of their team first")
        detail %= {"username": user.get_username()}
        raise Refusal("participant", detail, field="username", status=409)
