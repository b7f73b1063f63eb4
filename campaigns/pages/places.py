"""Places of a campaign that some letters lead to: its pages, runs, topics and people, and what is done there.

Ctrl-K opens them over any page (static/campaigns/reading/places.js); without scripts they are a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

from django.db.models import Case, IntegerField, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_safe

from campaigns.models import Campaign, Membership, Run, Topic
from campaigns.pages.access import organiser_page
from campaigns.pages.rail import SECTIONS
from campaigns.templatetags.contexts import CampaignContext, render_page

LONGEST_QUERY = 100
Row = TypeVar("Row", Run, Topic, Membership)
# Of each kind: what is not among them needs another letter.
MOST_PLACES = 6
ACTIONS = (
    (gettext_noop("Add runs"), "setup", "?step=runs"),
    (gettext_noop("Add topics"), "setup", "?step=topics"),
    (gettext_noop("Invite assessors"), "invitations", ""),
    (gettext_noop("Download results"), "exports", ""),
    (gettext_noop("Print a report"), "report", ""),
)


@dataclass(frozen=True)
class Place:
    """`note`: what tells it from others of its name."""

    label: str
    address: str
    note: str = ""


class PlacesPage(CampaignContext, template="campaigns/places/places.html"):
    fragments = ("campaigns/places/_places.html",)

    query: str
    groups: list[tuple[str, list[Place]]]


@require_safe
@organiser_page
def places(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    query = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    page = PlacesPage(campaign, query, places_of(campaign, query))
    return render_page(request, page, template=page.fragments[0] if "HX-Request" in request.headers else "")


def places_of(campaign: Campaign, query: str) -> list[tuple[str, list[Place]]]:
    """The kinds that have such places, each with its first ones. Without a query: sections and acts."""
    groups = [(gettext("Pages"), _pages(campaign, query)), (gettext("Actions"), _actions(campaign, query))]
    if query:
        groups += [
            (gettext("Runs"), _runs(campaign, query)),
            (gettext("Topics"), _topics(campaign, query)),
            (gettext("People"), _people(campaign, query)),
        ]
    return [(label, found) for label, found in groups if found]


def _pages(campaign: Campaign, query: str) -> list[Place]:
    pages = [page for section in SECTIONS for page in (section.pages if query else section.pages[:1])]
    known = [Place(gettext(page.label), reverse(page.address, args=[campaign.slug])) for page in pages]
    return _named([*known, Place(gettext("Lab"), reverse("lab:home"))], query)


def _actions(campaign: Campaign, query: str) -> list[Place]:
    known = [
        Place(gettext(label), reverse(f"campaigns:{view}", args=[campaign.slug]) + asked)
        for label, view, asked in ACTIONS
    ]
    return _named(known, query)


def _named(known: list[Place], query: str) -> list[Place]:
    return [place for place in known if query.casefold() in place.label.casefold()]


def _runs(campaign: Campaign, query: str) -> list[Place]:
    found = _nearest(campaign.runs.filter(tag__icontains=query), "tag", query)
    return [
        Place(run.tag, reverse("campaigns:run", args=[campaign.slug, run.id]), run.group) for run in found
    ]


def _topics(campaign: Campaign, query: str) -> list[Place]:
    words = campaign.topics.filter(title__icontains=query) | campaign.topics.filter(number__icontains=query)
    return [
        Place(topic.number, reverse("campaigns:topic", args=[campaign.slug, topic.number]), topic.title)
        for topic in _nearest(words, "number", query, order="position")
    ]


def _people(campaign: Campaign, query: str) -> list[Place]:
    members = campaign.memberships.select_related("user").filter(user__username__icontains=query)
    home = reverse("campaigns:people", args=[campaign.slug])
    return [
        Place(one.user.username, f"{home}{quote(one.user.username, safe='')}/", one.get_role_display())
        for one in _nearest(members, "user__username", query)
    ]


def _nearest(rows: QuerySet[Row], field: str, query: str, *, order: str = "") -> QuerySet[Row]:
    """The first rows: the one of this name, those that begin so, all others."""
    nearness = Case(
        When(**{f"{field}__iexact": query}, then=Value(0)),
        When(**{f"{field}__istartswith": query}, then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )
    return rows.order_by(nearness, order or field)[:MOST_PLACES]
