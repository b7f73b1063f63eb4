"""The table of runs: where each stands, and what is done to all selected ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext

from campaigns.collection import run_changes
from campaigns.core.digits import natural_key, read_digits
from campaigns.core.errors import Refusal, unknown_act
from campaigns.models import Campaign, Run
from campaigns.pages.access import organiser_page
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.tables import Column, TablePage, address, table_page
from campaigns.predictions.standings import RunStanding, Standings, standings_of
from campaigns.templatetags.contexts import CampaignContext, render_page

LONGEST_SEARCH = 200


@dataclass(frozen=True)
class RunLine:
    """`standing`: None of a withdrawn run; of identical ones, that of the first."""

    id: int
    tag: str
    group: str
    contributes: bool
    standing: RunStanding | None

    @property
    def same(self) -> str:
        """The run that it is identical to, if it has no standing of its own."""
        return self.standing.run if self.standing and self.standing.id != self.id else ""


def _of_standing(name: str) -> Callable[[RunLine], float | None]:
    return lambda line: getattr(line.standing, name, None)


COLUMNS: list[Column[RunLine]] = [
    Column("rank", gettext_lazy("Rank"), _of_standing("first"), numeric=True),
    Column("run", gettext_lazy("Run"), lambda line: natural_key(line.tag)),
    Column("group", gettext_lazy("Group"), lambda line: line.group.casefold() or None),
    Column("best", gettext_lazy("P(best)"), _of_standing("best"), numeric=True, falls=True),
    Column("expected", gettext_lazy("Expected"), _of_standing("expected"), numeric=True, falls=True),
    Column("base", gettext_lazy("Score range"), _of_standing("base"), numeric=True, falls=True),
]


class RunsPage(CampaignContext, template="campaigns/runs/runs.html"):
    standings: Standings
    total: int
    withdrawn: int
    words: str
    table: TablePage[RunLine]


@transaction.atomic
def _act(request: HttpRequest, campaign: Campaign) -> str:
    ids = [id_ for text in request.POST.getlist("run") if (id_ := read_digits(text, 18)) is not None]
    found = list(campaign.runs.filter(id__in=ids).order_by("tag"))
    if not found:
        raise Refusal("no_run", gettext("select at least one run"), field="run", status=404)
    match request.POST.get("act"):
        case "withdraw":
            changed = _each(found, lambda run: run.withdrawn_at is None, run_changes.withdraw)
            said = ngettext("One run is withdrawn.", "%(count)s runs are withdrawn.", changed)
        case "bring_back":
            changed = _each(found, lambda run: run.withdrawn_at is not None, run_changes.reinstate)
            said = ngettext("One run takes part again.", "%(count)s runs take part again.", changed)
        case "propose" | "only_score" as act:
            wish = act == "propose"
            changed = _each(
                found,
                lambda run: run.contributes_to_pool != wish,
                partial(run_changes.set_contributes, contributes=wish),
            )
            said = (
                ngettext("One run is now contributing.", "%(count)s runs are now contributing.", changed)
                if wish
                else ngettext(
                    "One run is now non-contributing.", "%(count)s runs are now non-contributing.", changed
                )
            )
        case other:
            raise unknown_act(other)
    return said % {"count": changed}


def _back(request: HttpRequest, campaign: Campaign) -> str:
    return address(request, request.path)


@page_with_acts(organiser_page, act=_act, back=_back, in_messages=True)
def runs(request: HttpRequest, campaign: Campaign, _answer: Answer) -> HttpResponse:
    """Every run with its place, its expected score and its score range, over all topics."""
    path = reverse("campaigns:runs", args=[campaign.slug])
    standings = standings_of(campaign=campaign)
    words = request.GET.get("words", "").strip()[:LONGEST_SEARCH]
    named = campaign.runs.values_list("id", "tag", "group", "contributes_to_pool")
    lines = [RunLine(*row, standings.of_run(row[0])) for row in named.order_by("tag")]
    place = {row.id: at for at, row in enumerate(standings.rows)}
    lines.sort(key=lambda line: place[line.standing.id] if line.standing else len(place))
    shown = [line for line in lines if _has(line, words.casefold().split())]
    table = table_page(request, shown, COLUMNS, path=path)
    withdrawn = len(lines) - standings.runs
    return render_page(request, RunsPage(campaign, standings, len(lines), withdrawn, words, table))


def _has(line: RunLine, words: list[str]) -> bool:
    text = f"{line.tag} {line.group}".casefold()
    return all(word in text for word in words)


def _each(runs: list[Run], wanted: Callable[[Run], bool], change: Callable[..., None]) -> int:
    """Change the runs that are not so already, and return their number."""
    changed = [run for run in runs if wanted(run)]
    for run in changed:
        change(run=run)
    return len(changed)
