"""The invitations page: a list of addresses, the link of a class, and what is done with open invitations."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext_lazy

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.core.links import secret_link
from campaigns.models import Campaign, Deed, Invitation
from campaigns.notifications.emails import can_email
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts, redirect_with
from campaigns.pages.people.people import INVITATION_DAYS, new_link
from campaigns.pages.tables import Column, TablePage, table_page
from campaigns.people import invitations as services
from campaigns.people.invitation_lists import InvitationList, read_list, send_list
from campaigns.people.open_invitations import act_on
from campaigns.people.second_factors import scannable
from campaigns.templatetags.contexts import CampaignContext, render_page

_UNDO = "invitations-undo"

COLUMNS: list[Column[Invitation]] = [
    Column("to", gettext_lazy("Invitation"), lambda one: one.address.casefold() or None),
    Column("role", gettext_lazy("Role"), lambda one: one.role),
    Column("state", gettext_lazy("State"), lambda one: (one.state, one.expires_at)),
    Column("made", pgettext_lazy("invitation", "Created"), lambda one: one.id, falls=True),
    Column("reminded", gettext_lazy("Reminded"), lambda one: one.reminded_at, falls=True),
]


def _preview(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    days = digits_or_zero(request.POST.get("days", "14"))
    return {"preview": read_list(campaign=campaign, text=request.POST.get("text", ""), days=days)}


def _send(request: HttpRequest, campaign: Campaign) -> dict[str, Any] | HttpResponse:
    preview = _preview(request, campaign)
    if not preview["preview"].can_send:
        return preview
    _, made = send_list(
        campaign=campaign,
        text=request.POST.get("text", ""),
        inviter=signed_in_user(request),
        link_of=secret_link(request, "join"),
        days=digits_or_zero(request.POST.get("days", "14")),
    )
    if not can_email():
        return {"links": made}
    words = ngettext("One invitation is emailed.", "%(count)s invitations are emailed.", len(made))
    return redirect_with(request, words % {"count": len(made)}, request.path)


def _class_link(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    posted = request.POST
    capacity = digits_or_zero(posted.get("capacity", ""))
    if capacity < 2:
        detail = gettext("from 2 to %(most)s people can join by the link of a class")
        detail %= {"most": services.LARGEST_CLASS}
        raise Refusal("bad_capacity", detail, field="capacity")
    topics = posted.get("topics", "").replace(",", " ").split()
    new_link(request, campaign, role="assessor", topics=topics, capacity=capacity)
    said = gettext("The link for the class is made: show its code, or copy it.")
    return redirect_with(request, said, f"{request.path}#class-title")


def _change(request: HttpRequest, campaign: Campaign, *, act: str) -> str:
    ids = [digits_or_zero(id) for id in request.POST.getlist("invitation")]
    if not ids:
        raise Refusal("nothing_selected", gettext("select at least one invitation"), field="invitation")
    done = act_on(
        campaign=campaign,
        act=act,
        invitations=ids,
        actor=signed_in_user(request),
        link_of=secret_link(request, "join"),
    )
    said = _DONE[act](len(done.changed)) % {"count": len(done.changed)}
    if done.skipped:
        words = ngettext("One was left as it was.", "%(count)s were left as they were.", len(done.skipped))
        said = f"{said} {words % {'count': len(done.skipped)}}"
    if act == "revoke":
        request.session[_UNDO] = {"campaign": campaign.id, "said": said, "ids": json.dumps(done.changed)}
        return ""
    return said


_DONE: dict[str, Callable[[int], str]] = {
    "remind": lambda count: ngettext(
        "One reminder is emailed, with a new link.", "%(count)s reminders are emailed, with new links.", count
    ),
    "revoke": lambda count: ngettext(
        "One invitation is revoked: its link no longer works.",
        "%(count)s invitations are revoked: their links no longer work.",
        count,
    ),
    "restore": lambda count: ngettext(
        "One invitation is open again.", "%(count)s invitations are open again.", count
    ),
}


def _undo(request: HttpRequest, campaign: Campaign) -> str:
    try:
        owner, ids = signing.loads(request.POST.get("undo", ""), salt=_UNDO)
    except signing.BadSignature:
        owner, ids = None, "[]"
    if owner != campaign.id:
        raise Refusal("bad_undo", gettext("there is nothing to undo"), field="undo")
    done = act_on(
        campaign=campaign,
        act="restore",
        invitations=json.loads(ids),
        actor=signed_in_user(request),
        link_of=secret_link(request, "join"),
    )
    return _DONE["restore"](len(done.changed)) % {"count": len(done.changed)}


def _address(request: HttpRequest, campaign: Campaign) -> str:
    path = reverse("campaigns:invitations", args=[campaign.slug])
    return f"{path}?show=all" if request.POST.get("show") == "all" else path


@dataclass(frozen=True)
class ClassLink:
    """An open link of a class. `code`: the link as a QR code, an SVG element."""

    invitation: Invitation
    link: str
    code: SafeString


def _class_links(request: HttpRequest, campaign: Campaign) -> list[ClassLink]:
    link_of = secret_link(request, "join")
    links = [(one, link_of(secret)) for one, secret in services.class_secrets(campaign=campaign)]
    return [ClassLink(one, link, mark_safe(scannable(link))) for one, link in links]  # noqa: S308


class InvitationsPage(CampaignContext, template="campaigns/people/invitations.html"):
    table: TablePage[Invitation]
    rows: list[tuple[Invitation, list[str]]]
    open_count: int
    other_count: int
    show_all: bool
    can_email: bool
    undo: Mapping[str, str] | None
    refused: Refusal | None
    preview: InvitationList | None = None
    links: Sequence[tuple[Invitation, str]] = ()
    class_links: Sequence[ClassLink] = ()
    days: Sequence[int] = INVITATION_DAYS
    most: int = services.LARGEST_CLASS


@page_with_acts(
    organiser_page,
    acts={
        "preview": _preview,
        "send": _send,
        "link": _class_link,
        "undo": _undo,
        **{name: partial(_change, act=name) for name in _DONE},
    },
    back=_address,
)
def invitations(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    rows = campaign.invitations.select_related("used_by", "created_by").order_by("-id")
    open_count = services.open_invitations(campaign=campaign).count()
    show_all = request.GET.get("show") == "all" or not open_count
    if not show_all:
        rows = rows.filter(id__in=services.open_invitations(campaign=campaign))
    table: TablePage[Invitation] = table_page(
        request, list(rows), COLUMNS, path=reverse("campaigns:invitations", args=[campaign.slug])
    )
    page = InvitationsPage(
        campaign=campaign,
        table=table,
        rows=_with_names(campaign, table.rows),
        open_count=open_count,
        other_count=campaign.invitations.count() - open_count,
        show_all=show_all,
        can_email=can_email(),
        undo=_undo_to_offer(request, campaign),
        refused=answer.refused,
        class_links=_class_links(request, campaign),
        **answer.shown,
    )
    return render_page(request, page)


def _with_names(campaign: Campaign, rows: list[Invitation]) -> list[tuple[Invitation, list[str]]]:
    """Each invitation and, of the link of a class, who joined by it, as the history has it."""
    names: dict[int, list[str]] = {one.id: [] for one in rows}
    links = [one.id for one in rows if one.is_for_class and one.joined]
    deeds = Deed.objects.filter(campaign=campaign, kind="joined", detail__invitation__in=links)
    for id, name in deeds.order_by("id").values_list("detail__invitation", "actor_name") if links else ():
        names[id].append(name)
    return [(one, names[one.id]) for one in rows]


def _undo_to_offer(request: HttpRequest, campaign: Campaign) -> dict[str, str] | None:
    left = request.session.pop(_UNDO, None)
    if left is None or left["campaign"] != campaign.id:
        return None
    return {"said": left["said"], "ids": signing.dumps([campaign.id, left["ids"]], salt=_UNDO)}
