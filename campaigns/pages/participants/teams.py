"""The organiser's page of teams: who has handed in what, which runs are admitted, what is published."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.digits import digits_or_zero, read_digits
from campaigns.core.errors import Refusal, unknown_act
from campaigns.core.links import secret_link
from campaigns.formats.errors import FormatError
from campaigns.models import Campaign, Team, TeamMember
from campaigns.models.participants import Audience
from campaigns.notifications.emails import can_email
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.people.people import INVITATION_DAYS
from campaigns.participants.admission import admit, first_priorities, submissions_of
from campaigns.participants.publication import publish_leaderboard, release_scores
from campaigns.participants.rules import database_time, is_open, rules_of, set_rules
from campaigns.participants.submissions import file_reply
from campaigns.people import invitations
from campaigns.people.invitations import open_invitations
from campaigns.people.teams import leave_team, remove_team


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@organiser_page
def teams(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """?first= how many runs of each team are ticked, by priority."""
    answer: dict[str, Any] = {}
    status = 200
    if request.method == "POST":
        try:
            answer = _act(request, campaign)
        except FormatError as error:
            answer, status = {"wrong_file": error}, 400
        except Refusal as refused:
            answer, status = {"refused": refused, "typed": request.POST}, refused.status
        if "said" in answer:
            messages.success(request, answer["said"])
            return redirect("campaigns:teams", slug=campaign.slug)
    context = {**_context(request, campaign), **answer}
    return render(request, "campaigns/participants/teams.html", context, status=status)


def _context(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    rules = rules_of(campaign)
    first = digits_or_zero(request.GET.get("first", ""))
    rows = list(submissions_of(campaign))
    return {
        "campaign": campaign,
        "rules": rules,
        "deadline": timezone.localtime(rules.deadline).strftime("%Y-%m-%dT%H:%M") if rules.deadline else "",
        "zone": timezone.localtime().tzname(),
        "open": is_open(rules),
        "submissions": rows,
        "chosen": set(first_priorities(campaign, first)) if first else set(),
        "first": first or 1,
        "waiting": sum(row.run is None for row in rows),
        "teams": _teams(campaign),
        "audiences": Audience,
        "leaderboard_link": request.build_absolute_uri(
            reverse("campaigns:leaderboard", args=[campaign.slug])
        ),
        "days": INVITATION_DAYS,
    }


def _teams(campaign: Campaign) -> list[dict[str, Any]]:
    members: dict[int, list[str]] = defaultdict(list)
    for team, name in TeamMember.objects.filter(campaign=campaign).values_list("team", "user__username"):
        members[team].append(name)
    waiting = open_invitations(campaign=campaign).exclude(team=None).values_list("team", flat=True)
    invited = list(waiting)
    standing = Count("submissions", filter=Q(submissions__ended_at=None))
    counted = campaign.teams.annotate(standing=standing, all_runs=Count("submissions"))
    return [
        {
            "id": team.id,
            "name": team.name,
            "members": sorted(members[team.id]),
            "invited": invited.count(team.id),
            "runs": team.standing,
            "evidence": team.all_runs > 0,
        }
        for team in counted
    ]


def _act(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    posted = request.POST
    match posted.get("act"):
        case "rules":
            most_runs = digits_or_zero(posted.get("most_runs", ""))
            set_rules(campaign=campaign, deadline=_deadline(posted.get("deadline", "")), most_runs=most_runs)
            return {"said": gettext("Saved.")}
        case "close":
            set_rules(campaign=campaign, deadline=database_time())
            return {"said": gettext("Handing in has ended.")}
        case "invite":
            return _invite(request, campaign)
        case "admit" | "score_only" as act:
            ids = [id_ for text in posted.getlist("submission") if (id_ := read_digits(text, 18)) is not None]
            user = signed_in_user(request)
            rows = admit(campaign=campaign, submissions=ids, user=user, contributes=act == "admit")
            said = (
                ngettext("%(count)s run contributes.", "%(count)s runs contribute.", len(rows))
                if act == "admit"
                else ngettext(
                    "%(count)s run is non-contributing.", "%(count)s runs are non-contributing.", len(rows)
                )
            )
            return {"said": said % {"count": len(rows)}}
        case "release" | "withhold" as act:
            release_scores(campaign=campaign, released=act == "release")
            return {"said": gettext("Saved.")}
        case "publish":
            audience, anonymous = posted.get("leaderboard", ""), "anonymous" in posted
            publish_leaderboard(campaign=campaign, audience=audience, anonymous=anonymous)
            return {"said": gettext("Saved.")}
        case "remove_member":
            leave_team(team=_team(request, campaign), username=posted.get("username", ""))
            return {"said": gettext("They are no longer in the team. Their runs stay.")}
        case "remove_team":
            remove_team(team=_team(request, campaign))
            return {"said": gettext("The team is removed.")}
        case other:
            raise unknown_act(other)


def _deadline(typed: str) -> datetime | None:
    """In the site's time zone, as the field of the page has it."""
    try:
        return timezone.make_aware(datetime.strptime(typed, "%Y-%m-%dT%H:%M"))
    except ValueError:
        raise Refusal("bad_deadline", gettext("enter a date and a time"), field="deadline") from None


def _invite(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    posted = request.POST
    invitation, link = invitations.create(
        campaign=campaign,
        role="participant",
        inviter=signed_in_user(request),
        link_of=secret_link(request, "join"),
        days=digits_or_zero(posted.get("days", "14")),
        address=posted.get("address", "").strip(),
        team=posted.get("team", ""),
    )
    return {"made": invitation, "link": link, "emailed": invitation.address and can_email()}


def _team(request: HttpRequest, campaign: Campaign) -> Team:
    team = campaign.teams.filter(id=digits_or_zero(request.POST.get("team", ""), 18)).first()
    if team is None:
        raise Refusal("unknown_team", gettext("there is no such team"), field="team", status=404)
    team.campaign = campaign
    return team


@require_safe
@never_cache
@organiser_page
def submitted_file(request: HttpRequest, campaign: Campaign, submission: int) -> StreamingHttpResponse:
    row = submissions_of(campaign).filter(id=submission).first()
    if row is None:
        raise Http404
    return file_reply(row)
