"""The people page: members, their work, and acts on their roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, gettext_noop, ngettext

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.core.links import secret_link
from campaigns.due_dates.reminders import remind
from campaigns.due_dates.work_left import WorkLeft, work_left
from campaigns.judging.overlap_and_repeats import WaitingCounts, waiting_of
from campaigns.judging.topic_closure import CompletedTopics, completed_by_each
from campaigns.log.overlap import count_undecided
from campaigns.models import Campaign, Invitation, Membership
from campaigns.models.campaign import Status
from campaigns.notifications.emails import can_email
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.accounts.reset import ResetLinkPart, new_reset_link
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.tables import Column, TablePage, table_page
from campaigns.people import invitations
from campaigns.people import members as services
from campaigns.people.workload import Workload, workload_of
from campaigns.quality.agreement import AssessorAgreement, SelfAgreement, agreement_of, self_agreement_of
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page

# How long a link may be valid.
INVITATION_DAYS = (1, 7, 14, 30, 90)

LONGEST_SEARCH = 200

COLUMNS: list[Column[Workload]] = [
    Column("name", gettext_lazy("Name"), lambda person: person.username.casefold()),
    Column("role", gettext_lazy("Role"), lambda person: person.role),
    Column("judged", gettext_lazy("Judged"), lambda person: person.judged, numeric=True, falls=True),
    Column("day", gettext_lazy("Per day"), lambda person: person.per_day, numeric=True, falls=True),
    Column("time", gettext_lazy("Median time"), lambda person: person.seconds, numeric=True),
    Column("topics", gettext_lazy("Topics"), lambda person: person.topics, numeric=True, falls=True),
    Column("open", gettext_lazy("Assigned, open"), lambda person: person.given, numeric=True, falls=True),
    Column("last", gettext_lazy("Last judgment"), lambda person: person.last, falls=True),
]


def _add(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    username, role = _name(request), request.POST.get("role", "")
    services.add_member(campaign=campaign, username=username, role=role)
    words = (
        gettext("%(username)s is now an organiser of this campaign.")
        if role == Membership.Role.ORGANISER
        else gettext("%(username)s is now an assessor of this campaign.")
    )
    return {"said": words % {"username": username}}


def _create(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    username, role = _name(request), request.POST.get("role", "")
    _, password = services.create_account(campaign=campaign, username=username, role=role)
    return {"created": {"username": username, "password": password}}


def _change(
    request: HttpRequest, campaign: Campaign, *, change: Callable[..., None], words: str
) -> dict[str, Any]:
    username = _name(request)
    change(campaign=campaign, username=username)
    return {"said": gettext(words) % {"username": username}}


def _name(request: HttpRequest) -> str:
    return request.POST.get("username", "").strip()


def _pause_selected(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    paused = _each_selected(campaign, request, services.pause_member, paused=False)
    words = ngettext("One person is paused.", "%(count)s people are paused.", paused)
    return {"said": words % {"count": paused}}


def _resume_selected(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    resumed = _each_selected(campaign, request, services.resume_member, paused=True)
    words = ngettext("One person can judge again.", "%(count)s people can judge again.", resumed)
    return {"said": words % {"count": resumed}}


def _each_selected(
    campaign: Campaign, request: HttpRequest, act: Callable[..., None], *, paused: bool
) -> int:
    """Act on the selected people to whom it applies, all or none; returns their number."""
    names = request.POST.getlist("person")
    members = campaign.memberships.filter(user__username__in=[name for name in names if "\0" not in name])
    found = list(members.values_list("user__username", "paused_at"))
    if not found:
        raise Refusal("no_selection", gettext("select at least one person"), field="person")
    chosen = [name for name, since in found if (since is not None) == paused]
    with transaction.atomic():
        for name in chosen:
            act(campaign=campaign, username=name)
    return len(chosen)


def _remind(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    names = request.POST.getlist("person")
    reminded = remind(campaign=campaign, organiser=signed_in_user(request), usernames=names)
    words = ngettext("One reminder is emailed.", "%(count)s reminders are emailed.", len(reminded))
    said = words % {"count": len(reminded)}
    if skipped := len(set(names)) - len(reminded):
        words = ngettext("One person gets none.", "%(count)s people get none.", skipped)
        why = gettext(
            "A reminder needs judgments left, an email address, and emails that are not switched off. It "
            "goes out once in 24 hours."
        )
        said = f"{said} {words % {'count': skipped}} {why}"
    return {"said": said}


def _invite(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    role, topics = request.POST.get("role", ""), request.POST.get("topics", "").replace(",", " ").split()
    return {"new_link": new_link(request, campaign, role=role, topics=topics)}


def _reset_link(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    username = _name(request)
    user = User.objects.filter(memberships__campaign=campaign, username=username.replace("\0", "")).first()
    if user is None:
        detail = gettext("“%(username)s” has no role here") % {"username": username}
        raise Refusal("not_a_member", detail, field="username", status=404)
    return {"reset": new_reset_link(request, user)}


class NewLinkPart(PageContext, template="campaigns/people/_new_link.html"):
    made: Invitation | None = None
    link: str = ""
    emailed: bool = False


def new_link(request: HttpRequest, campaign: Campaign, **given: Any) -> NewLinkPart:
    made, link = invitations.create(
        campaign=campaign,
        inviter=signed_in_user(request),
        link_of=secret_link(request, "join"),
        days=digits_or_zero(request.POST.get("days", "14")),
        address=request.POST.get("address", "").strip(),
        **given,
    )
    return NewLinkPart(made, link, bool(made.address) and can_email())


class PeoplePart(CampaignContext, template="campaigns/people/_people.html"):
    """`in_step`: it stands in a step of the set-up, one heading deeper; `table`: None there."""

    people: list[Workload]
    me: User
    in_step: bool
    table: TablePage[Workload] | None = None
    answer: Answer = Answer()
    said: str = ""
    created: Mapping[str, str] | None = None
    reset: ResetLinkPart = ResetLinkPart()
    new_link: NewLinkPart = NewLinkPart()
    days: Sequence[int] = INVITATION_DAYS

    @property
    def can_remind(self) -> bool:
        return can_email() and self.campaign.status == Status.OPEN


class PeoplePage(CampaignContext, template="campaigns/people/people.html"):
    part: PeoplePart
    words: str
    invited: int
    agreement: AssessorAgreement
    steadiness: list[SelfAgreement]
    waiting: WaitingCounts
    disputes: int


@page_with_acts(
    organiser_page,
    acts={
        "add": _add,
        "create": _create,
        "remove": partial(
            _change,
            change=services.remove_member,
            words=gettext_noop("%(username)s has no role here any more. What they judged stays."),
        ),
        "pause": partial(
            _change,
            change=services.pause_member,
            words=gettext_noop("%(username)s is paused: they get nothing to judge until you end the pause."),
        ),
        "resume": partial(
            _change,
            change=services.resume_member,
            words=gettext_noop("%(username)s can judge again."),
        ),
        "pause_selected": _pause_selected,
        "resume_selected": _resume_selected,
        "remind_selected": _remind,
        "invite": _invite,
        "reset": _reset_link,
    },
)
def people(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    if request.method == "POST" and not _still_organises(campaign, request):
        return _away(request)
    words = request.GET.get("words", "").strip()[:LONGEST_SEARCH]
    people = [person for person in people_of(campaign) if words.casefold() in person.username.casefold()]
    table = table_page(request, people, COLUMNS, path=reverse("campaigns:people", args=[campaign.slug]))
    in_step = "/setup/" in request.headers.get("HX-Current-URL", "")
    part = PeoplePart(campaign, table.rows, signed_in_user(request), in_step, table, answer, **answer.shown)
    if request.headers.get("HX-Request"):
        return render_page(request, part)
    invited = invitations.open_invitations(campaign=campaign).count()
    agreement, own = agreement_of(campaign=campaign), self_agreement_of(campaign=campaign)
    waiting, disputes = waiting_of(campaign=campaign), count_undecided(campaign=campaign)
    return render_page(request, PeoplePage(campaign, part, words, invited, agreement, own, waiting, disputes))


def people_of(campaign: Campaign) -> list[Workload]:
    done, left = completed_by_each(campaign=campaign), work_left(campaign=campaign)
    found = []
    for one in workload_of(campaign=campaign):
        ended = done.get(one.username, CompletedTopics(0, 0))
        own = left.get(one.person, WorkLeft()).judgments
        found.append(replace(one, done=ended.topics, overlap_left=ended.overlap_left, left=own))
    return found


def _still_organises(campaign: Campaign, request: HttpRequest) -> bool:
    """Still an organiser? The role may have been given up just now."""
    return Membership.objects.filter(
        campaign=campaign, user=signed_in_user(request), role=Membership.Role.ORGANISER
    ).exists()


def _away(request: HttpRequest) -> HttpResponse:
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Redirect": "/"})
    return redirect("home")
