"""A run's page, and the data of the curves."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.collection import run_changes
from campaigns.core.database import consistent_reads
from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal, unknown_act
from campaigns.log.tallies import judged_in
from campaigns.models import Campaign, Run
from campaigns.pages.access import organiser_page
from campaigns.pages.tables import table_page
from campaigns.predictions.differences import Difference, topic_scores_of
from campaigns.predictions.standings import standings_of
from campaigns.results.curves import curves_of
from campaigns.results.pairs import runs_by_base
from campaigns.results.runs import MANY_TOPICS, TopicScoreRange, most_open_documents, topic_score_ranges
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of

MOST_OPEN_DOCUMENTS = 15
NEIGHBOURS = 2
MOST_CURVES = 12


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def run(request: HttpRequest, campaign: Campaign, run: int) -> HttpResponse:
    found = get_object_or_404(campaign.runs.select_related("uploaded_by"), id=run)
    found.campaign = campaign
    answer: dict[str, Any] = {}
    if request.method == "POST":
        try:
            messages.success(request, _act(request, found))
        except Refusal as refused:
            answer = {"refused": refused}
        else:
            return redirect("campaigns:run", slug=campaign.slug, run=run)
    with consistent_reads():
        context = {"campaign": campaign, "run": found, **_figures(request, campaign, found), **answer}
    status = answer["refused"].status if answer else 200
    return render(request, "campaigns/runs/run.html", context, status=status)


def _figures(request: HttpRequest, campaign: Campaign, run: Run) -> dict[str, Any]:
    every = score_ranges_of(campaign=campaign, withdrawn=True)
    order = runs_by_base([row for row in every if not row.withdrawn])
    own = next(row for row in every if row.id == run.id)
    topics = topic_score_ranges(campaign=campaign, run=run, judged=judged_in(campaign=campaign))
    place = next((at for at, row in enumerate(order) if row.id == run.id), None)
    standings = standings_of(campaign=campaign)
    predicted = topic_scores_of(campaign=campaign, run=run.id)
    table = table_page(request, topics, ())
    return {
        "own": own,
        "standing": standings.of_run(run.id),
        "why": standings.verdict.why,
        "among": standings.distinct,
        "neighbours": _neighbours(order, place),
        "topic_count": len(topics),
        "table": table,
        "topics": [_line(topic, predicted.topics.get(topic.topic)) for topic in table.rows],
        "coming": predicted.coming,
        "wanted": most_open_documents(campaign=campaign, run=run, ranges=topics, limit=MOST_OPEN_DOCUMENTS),
        "looked_through": MANY_TOPICS if len(topics) > MANY_TOPICS else None,
    }


@dataclass(frozen=True)
class TopicLine:
    """`predicted`: None where it is not known."""

    topic: TopicScoreRange
    predicted: Difference | None


def _line(topic: TopicScoreRange, predicted: Difference | None) -> TopicLine:
    return TopicLine(topic, None if predicted is None else predicted.within(topic.base, topic.top))


def _neighbours(order: list[RunScoreRange], place: int | None) -> list[RunScoreRange]:
    """The best run, and those next to this one: whom one would compare it with."""
    if place is None:
        return order[:1]
    near = range(max(place - NEIGHBOURS, 0), min(place + NEIGHBOURS + 1, len(order)))
    return [order[at] for at in sorted({0, *near}) if at != place]


def _act(request: HttpRequest, run: Run) -> str:
    match request.POST.get("act"):
        case "withdraw":
            run_changes.withdraw(run=run)
            said = _("%(run)s is withdrawn: it is in no queue and no picture. It can be brought back here.")
        case "bring_back":
            run_changes.reinstate(run=run)
            said = _("%(run)s takes part again. Queues are computed again.")
        case "propose":
            run_changes.set_contributes(run=run, contributes=True)
            said = _("%(run)s is now a contributing run. Queues are computed again.")
        case "only_score":
            run_changes.set_contributes(run=run, contributes=False)
            said = _("%(run)s is now a non-contributing run. Queues are computed again.")
        case "group":
            run_changes.set_group(run=run, group=request.POST.get("group", ""))
            said = _("%(run)s is of the group %(group)s.") if run.group else _("%(run)s is of no group.")
        case other:
            raise unknown_act(other)
    return said % {"run": run.tag, "group": run.group}


@require_safe
@organiser_page
def curves(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Data for the script of the curves: ?run= and ids, in the order wished."""
    ids = [id for typed in request.GET.getlist("run") if (id := read_digits(typed, 18)) is not None]
    runs = campaign.runs.in_bulk(ids[:MOST_CURVES])
    found = curves_of(campaign=campaign, runs=[runs[id] for id in dict.fromkeys(ids) if id in runs])
    return JsonResponse(asdict(found))
