"""Campaigns in which teams take part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from campaigns.models import Campaign, Submission, Team
from campaigns.participants import rules, submissions
from campaigns.people.teams import ensure_team, join_team
from tests.campaigns.factories import make_campaign, make_user, run_text

LISTS = {"1": ["a", "b", "c"], "2": ["k", "l"]}


def now() -> datetime:
    return timezone.now()


def team_campaign(name: str = "Small", **settings: Any) -> Campaign:
    """An open hand-in, two runs a team: `<name>-carl` of the team Delft, `<name>-dora` of the team Essen."""
    campaign = make_campaign(name, **settings)
    for team, person in (("Delft", "carl"), ("Essen", "dora")):
        join_team(team=ensure_team(campaign=campaign, name=team), user=make_user(f"{name}-{person}"))
    rules.set_rules(campaign=campaign, deadline=now() + timedelta(hours=1), most_runs=2)
    return campaign


def team_of(campaign: Campaign, name: str) -> Team:
    team = campaign.teams.get(name=name)
    team.campaign = campaign
    return team


def handed_in(
    team: Team,
    tag: str,
    priority: int = 1,
    lists: Mapping[str, Sequence[str]] = LISTS,
    **more: Any,
) -> Submission:
    user = User.objects.get(team_places__team=team)
    file = SimpleUploadedFile(f"{tag}.run", run_text(tag, lists))
    return submissions.hand_in(team=team, user=user, upload=file, priority=priority, **more)


def end(campaign: Campaign) -> None:
    """The deadline is now."""
    rules.set_rules(campaign=campaign, deadline=rules.database_time())
