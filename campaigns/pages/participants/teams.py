"""The organiser's page of teams: who has handed in what, which runs are admitted, what is published."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaigns.core.digits import digits_or_zero, read_digits
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, HandIn, Submission, Team, TeamMember
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.people.people import INVITATION_DAYS, NewLinkPart, new_link
from campaigns.participants.admission import admit, first_priorities, submissions_of
from campaigns.participants.publication import publish_leaderboard, release_scores
from campaigns.participants.rules import database_time, is_open, rules_of, set_rules
from campaigns.participants.submissions import file_reply
from campaigns.people.invitations import open_invitations
from campaigns.people.teams import leave_team, remove_team
from campaigns.templatetags.contexts import CampaignContext, render_page


def _set_rules(request: HttpRequest, campaign: Campaign) -> str:
    most_runs = digits_or_zero(request.POST.get("most_runs", ""))
    deadline = _deadline(request.POST.get("deadline", ""))
    set_rules(campaign=campaign, deadline=deadline, most_runs=most_runs)
    return gettext("Saved.")


def _close(request: HttpRequest, campaign: Campaign) -> str:
    set_rules(campaign=campaign, deadline=database_time())
    return gettext("Handing in has ended.")


def _admit(request: HttpRequest, campaign: Campaign, *, contributes: bool) -> str:
    texts = request.POST.getlist("submission")
    ids = [id_ for text in texts if (id_ := read_digits(text, 18)) is not None]
    user = signed_in_user(request)
    count = len(admit(campaign=campaign, submissions=ids, user=user, contributes=contributes))
    if contributes:
        words = ngettext("%(count)s run contributes.", "%(count)s runs contribute.", count)
    else:
        words = ngettext("%(count)s run is non-contributing.", "%(count)s runs are non-contributing.", count)
    return words % {"count": count}


def _release(request: HttpRequest, campaign: Campaign, *, released: bool) -> str:
    release_scores(campaign=campaign, released=released)
    return gettext("Saved.")


def _publish(request: HttpRequest, campaign: Campaign) -> str:
    audience, anonymous = request.POST.get("leaderboard", ""), "anonymous" in request.POST
    publish_leaderboard(campaign=campaign, audience=audience, anonymous=anonymous)
    return gettext("Saved.")


def _remove_member(request: HttpRequest, campaign: Campaign) -> str:
    leave_team(team=_team(request, campaign), username=request.POST.get("username", ""))
    return gettext("They are no longer in the team. Their runs stay.")


def _remove_team(request: HttpRequest, campaign: Campaign) -> str:
    remove_team(team=_team(request, campaign))
    return gettext("The team is removed.")


def _deadline(typed: str) -> datetime | None:
    """In the site's time zone, as the field of the page has it."""
    try:
        return timezone.make_aware(datetime.strptime(typed, "%Y-%m-%dT%H:%M"))
    except ValueError:
        raise Refusal("bad_deadline", gettext("enter a date and a time"), field="deadline") from None


def _invite(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    team = request.POST.get("team", "")
    return {"new_link": new_link(request, campaign, role="participant", team=team)}


def _team(request: HttpRequest, campaign: Campaign) -> Team:
    team = campaign.teams.filter(id=digits_or_zero(request.POST.get("team", ""), 18)).first()
    if team is None:
        raise Refusal("unknown_team", gettext("there is no such team"), field="team", status=404)
    team.campaign = campaign
    return team


class TeamsPage(CampaignContext, template="campaigns/participants/teams.html"):
    """`chosen`: submissions that are ticked; `waiting`: how many are not admitted."""

    rules: HandIn
    zone: str
    open: bool
    submissions: list[Submission]
    chosen: set[int]
    first: int
    waiting: int
    teams: list[tuple[Team, list[str], int]]
    answer: Answer
    new_link: NewLinkPart = NewLinkPart()
    days: Sequence[int] = INVITATION_DAYS


@page_with_acts(
    never_cache,
    organiser_page,
    acts={
        "rules": _set_rules,
        "close": _close,
        "invite": _invite,
        "admit": partial(_admit, contributes=True),
        "score_only": partial(_admit, contributes=False),
        "release": partial(_release, released=True),
        "withhold": partial(_release, released=False),
        "publish": _publish,
        "remove_member": _remove_member,
        "remove_team": _remove_team,
    },
)
def teams(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    """?first= how many runs of each team are ticked, by priority."""
    rules = rules_of(campaign)
    first = digits_or_zero(request.GET.get("first", ""))
    rows = list(submissions_of(campaign))
    page = TeamsPage(
        campaign=campaign,
        rules=rules,
        zone=timezone.localtime().tzname() or "",
        open=is_open(rules),
        submissions=rows,
        chosen=set(first_priorities(campaign, first)) if first else set(),
        first=first or 1,
        waiting=sum(row.run is None for row in rows),
        teams=_teams(campaign),
        answer=answer,
        **answer.shown,
    )
    return render_page(request, page)


def _teams(campaign: Campaign) -> list[tuple[Team, list[str], int]]:
    """With the names of members, and the number of open invitations."""
    members: dict[int, list[str]] = defaultdict(list)
    for team, name in TeamMember.objects.filter(campaign=campaign).values_list("team", "user__username"):
        members[team].append(name)
    waiting = open_invitations(campaign=campaign).exclude(team=None).values_list("team", flat=True)
    invited = list(waiting)
    standing = Count("submissions", filter=Q(submissions__ended_at=None))
    counted = campaign.teams.annotate(standing=standing, all_runs=Count("submissions"))
    return [(team, sorted(members[team.id]), invited.count(team.id)) for team in counted]


@require_safe
@never_cache
@organiser_page
def submitted_file(request: HttpRequest, campaign: Campaign, submission: int) -> StreamingHttpResponse:
    row = submissions_of(campaign).filter(id=submission).first()
    if row is None:
        raise Http404
    return file_reply(row)
