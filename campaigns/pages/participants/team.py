"""A participant's pages: the team's runs, their receipts and files, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.models import HandIn, Submission, Team, TeamMember
from campaigns.pages.access import PageView, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.tables import TablePage, table_page
from campaigns.participants import submissions
from campaigns.participants.publication import may_see_leaderboard
from campaigns.participants.rules import is_open, rules_of
from campaigns.participants.submissions import receipt_text
from campaigns.participants.team_scores import OwnRun, own_runs
from campaigns.participants.topic_files import TOPIC_FORMS, topic_file
from campaigns.people.teams import place_of
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page


def participant_page(view: Callable[..., HttpResponseBase]) -> PageView:
    """The view gets the person's place in a team instead of the slug. All others get a 404."""

    @login_required
    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, **kwargs: object) -> HttpResponseBase:
        place = place_of(user=signed_in_user(request), slug=slug)
        if place is None:
            raise Http404
        return view(request, place, **kwargs)

    return guarded


def _hand_in(request: HttpRequest, place: TeamMember) -> str:
    row = submissions.hand_in(
        team=place.team,
        user=place.user,
        upload=_file(request),
        replaces=_submission(request) or None,
        **_description(request),
    )
    return gettext("%(run)s is handed in. Its receipt is in the table.") % {"run": row.tag}


def _change(request: HttpRequest, place: TeamMember) -> str:
    row = submissions.change(team=place.team, submission=_submission(request), **_description(request))
    return gettext("%(run)s is changed.") % {"run": row.tag}


def _withdraw(request: HttpRequest, place: TeamMember) -> str:
    submissions.withdraw(team=place.team, submission=_submission(request))
    return gettext("The run is withdrawn.")


def _submission(request: HttpRequest) -> int:
    return digits_or_zero(request.POST.get("submission", ""), 18)


def _description(request: HttpRequest) -> dict[str, Any]:
    priority = digits_or_zero(request.POST.get("priority", ""))
    return {"priority": priority, "description": request.POST.get("description", "")}


class TeamPart(PageContext):
    team: Team | None = None
    leaderboard: bool = False
    released: bool = False
    organises_this: bool = False


class TeamPage(CampaignContext, template="campaigns/participants/team.html"):
    place: TeamPart
    rules: HandIn
    submissions: list[Submission]
    priorities: Sequence[int]
    free: list[int]
    answer: Answer
    open: bool
    topic_forms: Collection[str]


@page_with_acts(participant_page, acts={"hand_in": _hand_in, "change": _change, "withdraw": _withdraw})
def team(request: HttpRequest, place: TeamMember, answer: Answer) -> HttpResponse:
    rules = rules_of(place.campaign)
    rows = place.team.submissions.standing().select_related("run", "handed_in_by").order_by("priority")
    standing = list(rows)
    taken = {row.priority for row in standing}
    priorities = range(1, rules.most_runs + 1)
    free = [priority for priority in priorities if priority not in taken]
    part, opened = navigation(place), is_open(rules) and place.campaign.archived_at is None
    forms = TOPIC_FORMS if rules.deadline else ()
    page = TeamPage(place.campaign, part, rules, standing, priorities, free, answer, opened, forms)
    return render_page(request, page)


def navigation(place: TeamMember) -> TeamPart:
    leaderboard = may_see_leaderboard(campaign=place.campaign, user=place.user)
    return TeamPart(place.team, leaderboard, rules_of(place.campaign).scores_released_at is not None)


def _file(request: HttpRequest) -> UploadedFile[Any]:
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        raise Refusal("no_file", gettext("choose a file"), field="file")
    return file


class ReceiptPage(CampaignContext, template="campaigns/participants/receipt.html"):
    place: TeamPart
    submission: Submission
    receipt: str


@require_safe
@participant_page
def receipt(request: HttpRequest, place: TeamMember, submission: int) -> HttpResponse:
    row = _own(place, submission)
    return render_page(request, ReceiptPage(place.campaign, navigation(place), row, receipt_text(row)))


@require_safe
@participant_page
def receipt_file(request: HttpRequest, place: TeamMember, submission: int) -> HttpResponse:
    row = _own(place, submission)
    headers = {"Content-Disposition": f'attachment; filename="receipt-{row.id}.txt"'}
    return HttpResponse(receipt_text(row), content_type="text/plain; charset=utf-8", headers=headers)


@require_safe
@participant_page
def file(request: HttpRequest, place: TeamMember, submission: int) -> StreamingHttpResponse:
    return submissions.file_reply(_own(place, submission))


def _own(place: TeamMember, submission: int) -> Submission:
    row = place.team.submissions.select_related("handed_in_by", "run").filter(id=submission).first()
    if row is None:
        raise Http404
    row.team = place.team
    return row


@require_safe
@participant_page
def topics(request: HttpRequest, place: TeamMember, ending: str) -> HttpResponse:
    try:
        return topic_file(place.campaign, ending)
    except Refusal:
        raise Http404 from None


class ScoresPage(CampaignContext, template="campaigns/participants/scores.html"):
    place: TeamPart
    table: TablePage[int] | None
    runs: list[OwnRun]


@require_safe
@participant_page
def scores(request: HttpRequest, place: TeamMember) -> HttpResponse:
    part, table = navigation(place), None
    if part.released:
        table = table_page(
            request, list(place.campaign.topics.order_by("position").values_list("id", flat=True)), ()
        )
    runs = own_runs(place.team, topics=table.rows) if table else []
    return render_page(request, ScoresPage(place.campaign, part, table, runs))
