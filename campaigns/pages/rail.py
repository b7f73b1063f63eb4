"""The sections of a campaign, in the rail, and the pages of a section above each of them.

A template loads this as the library `rail` (config/settings.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import template
from django.contrib.auth.models import User
from django.db.models import Count, QuerySet, Subquery
from django.template import Context
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop, ngettext, pgettext

from campaigns.collection.assignments import unassigned_topics
from campaigns.computing.health import stalled_by
from campaigns.core.phrases import group_digits
from campaigns.judging.questions import open_questions
from campaigns.log.overlap import count_undecided
from campaigns.log.tallies import judged_in
from campaigns.models import Campaign, Membership
from campaigns.models.campaign import Status, TopicChoice
from campaigns.people.invitations import open_invitations
from campaigns.results.topic_rows import with_counts
from campaigns.templatetags.contexts import CampaignContext, PageContext
from campaigns.templatetags.counts import count_text

register = template.Library()

MOST_OTHERS = 8


@dataclass(frozen=True)
class PageLink:
    """`view`: the name of the address; `label`: the page's title; `within`: views that belong to the page."""

    view: str
    label: str
    within: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        return f"campaigns:{self.view}"


@dataclass(frozen=True)
class Section:
    """The pages of a section, its first page first. The rail leads to that one. `computed`: they show figures
    that the worker makes."""

    pages: tuple[PageLink, ...]
    computed: bool = False

    @property
    def home(self) -> PageLink:
        return self.pages[0]


SECTIONS = (
    Section((PageLink("dashboard", gettext_noop("Overview")),), computed=True),
    Section(
        (
            PageLink("runs", gettext_noop("Runs"), ("run", "pair")),
            PageLink("engines", gettext_noop("Search engines"), ("engine",)),
            PageLink("teams", gettext_noop("Teams")),
        ),
        computed=True,
    ),
    Section(
        (
            PageLink("topics", gettext_noop("Topics"), ("topic", "why")),
            PageLink("topic-order", gettext_noop("Topic order")),
            PageLink("documents", gettext_noop("Documents"), ("document",)),
            PageLink("duplicates", gettext_noop("Near-duplicates")),
        ),
        computed=True,
    ),
    Section((PageLink("adjudicate", gettext_noop("Adjudication")),)),
    Section(
        (
            PageLink("people", gettext_noop("People"), ("assessor", "invitations")),
            PageLink("quality", gettext_noop("Quality")),
            PageLink("questions", gettext_noop("Questions")),
        ),
    ),
    Section(
        (
            PageLink("exports", gettext_noop("Results"), ("figure", "report")),
            PageLink("history", gettext_noop("History")),
        ),
        computed=True,
    ),
    Section(
        (
            PageLink("planner", gettext_noop("Plan")),
            PageLink("counterfactual", gettext_noop("Another method")),
        ),
        computed=True,
    ),
    Section(
        (
            PageLink("setup", gettext_noop("Configure"), ("delete", "copy")),
            PageLink("examples", gettext_noop("Examples")),
            PageLink("training", gettext_noop("Training")),
            PageLink("webhooks", gettext_noop("Webhooks"), ("webhook",)),
            PageLink("mails", gettext_noop("Email settings")),
        ),
    ),
)


@dataclass(frozen=True)
class Badge:
    """A figure beside a section. `said`: what it counts; `kind`: as `data-counted` names it; `calls`: whether
    it asks for work."""

    figure: str
    said: str
    calls: bool = False
    kind: str = ""


class Rail(CampaignContext, template="campaigns/rail/_rail.html"):
    """`rows`: label, view (also the name of its icon), value of aria-current, badge."""

    rows: list[tuple[str, str, str, Badge | None]]


@register.filter
def organises(user: User) -> bool:
    return Campaign.objects.organised_by(user).exists()


@register.filter
def judges(user: User) -> bool:
    return Membership.objects.filter(user=user).exists()


@register.simple_tag(takes_context=True)
def rail(context: Context) -> SafeString:
    campaign, view = context["campaign"], _view(context)
    badges = _badges(campaign)
    rows = [
        (gettext(one.home.label), one.home.view, _current(one.pages, view), badges.get(one.home.view))
        for one in SECTIONS
    ]
    return Rail(campaign, rows).html()


class Switcher(CampaignContext, template="campaigns/rail/_switcher.html"):
    others: list[Campaign]


@register.simple_tag(takes_context=True)
def campaign_switcher(context: Context) -> SafeString:
    """Name of the campaign, and a menu of the newest other ones that the person organises."""
    campaign = context["campaign"]
    own = Campaign.objects.organised_by(context["request"].user).filter(archived_at=None)
    others = own.exclude(id=campaign.id).only("name", "slug").order_by("-id")[:MOST_OTHERS]
    return Switcher(campaign, list(others)).html()


class StalledNotice(PageContext, template="campaigns/_stalled.html"):
    waiting: int


@register.simple_tag(takes_context=True)
def stalled_notice(context: Context) -> SafeString:
    """Number of judgments that a page's figures lack, once the worker computes nothing. The overview keeps it
    up to date."""
    section = _section(_view(context))
    computed = section is not None and section.computed
    return StalledNotice(stalled_by(campaign=context["campaign"]) if computed else 0).html()


class SectionPages(CampaignContext, template="campaigns/rail/_pages.html"):
    section: str
    rows: list[tuple[str, str, str]]


@register.simple_tag(takes_context=True)
def section_pages(context: Context) -> SafeString:
    """The pages of the section that this page belongs to, if there are several."""
    view = _view(context)
    section = _section(view)
    if section is None or len(section.pages) == 1:
        return SafeString("")
    rows = [(gettext(page.label), page.address, _current((page,), view)) for page in section.pages]
    return SectionPages(context["campaign"], gettext(section.home.label), rows).html()


def _section(view: str) -> Section | None:
    return next((one for one in SECTIONS if _current(one.pages, view)), None)


def _view(context: Context) -> str:
    match = context["request"].resolver_match
    return match.url_name if match else ""


def _current(pages: tuple[PageLink, ...], view: str) -> str:
    """The value of aria-current: the page itself, or something that holds it."""
    if len(pages) == 1 and view == pages[0].view:
        return "page"
    return "true" if any(view in (page.view, *page.within) for page in pages) else ""


def _count(rows: QuerySet[Any]) -> Subquery:
    """Within the one statement that reads all badges of rows."""
    return Subquery(rows.order_by().values("campaign").annotate(n=Count("pk")).values("n"))


def _badges(campaign: Campaign) -> dict[str, Badge]:
    lacking = unassigned_topics(campaign=campaign)
    counted: Any = (
        with_counts(Campaign.objects.filter(id=campaign.id))
        .annotate(
            unassigned=_count(lacking),
            invited=_count(open_invitations(campaign=campaign)),
            asked=_count(open_questions(campaign=campaign)),
        )
        .get()
    )
    runs, topics = counted.run_count, counted.topic_count
    assigned_only = campaign.topic_choice == TopicChoice.ASSIGNED and campaign.status != Status.CLOSED
    begun = sum(judged > 0 for judged, _ in judged_in(campaign=campaign).values())
    undecided = count_undecided(campaign=campaign)
    badges = {}
    if runs:
        badges["runs"] = Badge(group_digits(runs), count_text("runs", runs), kind="runs")
    if assigned_only and counted.unassigned:
        words = ngettext(
            "%(count)s topic has no assessor", "%(count)s topics have no assessor", counted.unassigned
        )
        figure = group_digits(counted.unassigned)
        badges["topics"] = Badge(figure, words % {"count": figure}, calls=True)
    elif topics:
        figures = {"begun": group_digits(begun), "all": group_digits(topics)}
        said = gettext("%(begun)s of %(all)s topics begun") % figures
        badges["topics"] = Badge("{begun} / {all}".format(**figures), said, kind="topics-begun")
    if undecided:
        words = pgettext("documents", "%(count)s to adjudicate") % {"count": group_digits(undecided)}
        badges["adjudicate"] = Badge(group_digits(undecided), words, calls=True)
    if counted.asked:
        words = ngettext("%(count)s open question", "%(count)s open questions", counted.asked)
        figure = group_digits(counted.asked)
        badges["people"] = Badge(figure, words % {"count": figure}, calls=True)
    elif counted.invited:
        words = ngettext("%(count)s open invitation", "%(count)s open invitations", counted.invited)
        badges["people"] = Badge(
            group_digits(counted.invited), words % {"count": group_digits(counted.invited)}
        )
    return badges
