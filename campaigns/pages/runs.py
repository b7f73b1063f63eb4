"""A run's page, the comparison of a pair of runs, and the data of the curves."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.collection import participation
from campaigns.core.database import consistent_reads
from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.log.current import grades_of
from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Run
from campaigns.pages.access import organiser_page, scoped_page
from campaigns.results.curves import curves_of
from campaigns.results.pairs import PairDetails, order_by_base, pair_of, runs_by_base
from campaigns.results.runs import most_open_documents, topic_score_ranges
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of
from campaigns.results.topic_scope import TopicScope, scope_counts
from campaigns.stopping.prediction import percent_of, prediction_of
from campaigns.stopping.standings import standings_of

FIRST_RUN_TOPICS = 60

MOST_OPEN_DOCUMENTS = 15
NEIGHBOURS = 2
MOST_CURVES = 12


@require_safe
@organiser_page
def runs(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Every run with its place, its expected score and its score range, over all topics."""
    context = {
        "campaign": campaign,
        "standings": standings_of(campaign=campaign),
        "withdrawn": list(campaign.runs.exclude(withdrawn_at=None).order_by("tag")),
    }
    return render(request, "campaigns/runs/runs.html", context)


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
        context = {"campaign": campaign, "run": found, **_figures(campaign, found), **answer}
    status = answer["refused"].status if answer else 200
    return render(request, "campaigns/runs/run.html", context, status=status)


def _figures(campaign: Campaign, run: Run) -> dict[str, Any]:
    every = score_ranges_of(campaign=campaign, withdrawn=True)
    order = runs_by_base([row for row in every if not row.withdrawn])
    own = next(row for row in every if row.id == run.id)
    grades = grades_of(campaign=campaign)
    topics = topic_score_ranges(campaign=campaign, run=run, grades=grades)
    place = next((at for at, row in enumerate(order) if row.id == run.id), None)
    return {
        "own": own,
        "place": None if place is None else place + 1,
        "among": len(order),
        "neighbours": _neighbours(order, place),
        "topic_count": len(topics),
        "topics": topics[:FIRST_RUN_TOPICS],
        "more_topics": topics[FIRST_RUN_TOPICS:],
        "wanted": most_open_documents(campaign=campaign, run=run, grades=grades, limit=MOST_OPEN_DOCUMENTS),
    }


def _neighbours(order: list[RunScoreRange], place: int | None) -> list[RunScoreRange]:
    """The best run, and those next to this one: whom one would compare it with."""
    if place is None:
        return order[:1]
    near = range(max(place - NEIGHBOURS, 0), min(place + NEIGHBOURS + 1, len(order)))
    return [order[at] for at in sorted({0, *near}) if at != place]


def _act(request: HttpRequest, run: Run) -> str:
    match request.POST.get("act"):
        case "withdraw":
            participation.withdraw(run=run)
            said = _("%(run)s is withdrawn: it is in no queue and no picture. It can be brought back here.")
        case "bring_back":
            participation.reinstate(run=run)
            said = _("%(run)s takes part again. The queues are made anew.")
        case "propose":
            participation.set_contributes(run=run, contributes=True)
            said = _("%(run)s proposes documents from now on. The queues are made anew.")
        case "only_score":
            participation.set_contributes(run=run, contributes=False)
            said = _("%(run)s is scored, and proposes no documents from now on. The queues are made anew.")
        case "group":
            participation.set_group(run=run, group=request.POST.get("group", ""))
            said = _("%(run)s is of the group %(group)s.") if run.group else _("%(run)s is of no group.")
        case other:
            raise Refusal(
                "unknown_act", _("there is no act “%(other)s” here") % {"other": other}, field="act"
            )
    return said % {"run": run.tag, "group": run.group}


@require_safe
@scoped_page
def pair(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    """?one= and ?other= by run id, or twice ?run= by tag; the two best by base if none is named."""
    with consistent_reads():
        rows = runs_by_base(score_ranges_of(campaign=campaign, withdrawn=True, topics=scope))
        context: dict[str, Any] = {"campaign": campaign, "rows": rows, "scope": scope}
        chosen = _chosen(request, rows)
        if chosen is not None:
            better, worse = order_by_base(*chosen)
            found = pair_of(
                campaign=campaign,
                better=better,
                worse=worse,
                grades=grades_of(campaign=campaign),
                scope=scope,
            )
            context |= {"better": better, "worse": worse, "pair": found, **_told(found)}
            context["counts"] = scope_counts(campaign=campaign)
            if not found.decided:
                context["predicted"] = _predicted(campaign, better, worse, scope)
            if scope != "all":
                context["over_all"] = _predicted(campaign, better, worse, "all")
    return render(request, "campaigns/runs/pair.html", context)


def _chosen(request: HttpRequest, rows: list[RunScoreRange]) -> tuple[RunScoreRange, RunScoreRange] | None:
    best = [row for row in rows if not row.withdrawn][:2]
    if len(best) < 2:
        return None
    by_id = {str(row.id): row for row in rows}
    if tags := request.GET.getlist("run"):
        named = [row for tag in tags for row in rows if row.run == tag]
        if len(named) != 2 or len(tags) != 2:
            raise Http404
        return named[0], named[1]
    one = by_id.get(request.GET.get("one", str(best[0].id)))
    if one is None:
        raise Http404
    other = by_id.get(request.GET.get("other", str(next(row.id for row in best if row is not one))))
    if other is None:
        raise Http404
    # A run and itself: whom it is set against by default.
    return (one, other) if one is not other else (one, next(row for row in best if row is not one))


def _told(pair: PairDetails) -> dict[str, Any]:
    """Topics in the order of how much they tell: the surest and widest gaps first."""
    topics = sorted(pair.topics, key=lambda topic: -abs(topic.difference))
    return {
        "for_better": sum(topic.decided == "better" for topic in topics),
        "for_worse": sum(topic.decided == "worse" for topic in topics),
        "open": sum(not topic.decided for topic in topics),
        "topics": topics[:FIRST_RUN_TOPICS],
        "more_topics": topics[FIRST_RUN_TOPICS:],
    }


@dataclass(frozen=True)
class PredictedOrder:
    """The likelier run of higher final score; `certain`: whatever is unjudged. `age`: judgments since."""

    likelier: str
    percent: int
    certain: bool
    age: int


def _predicted(
    campaign: Campaign, better: RunScoreRange, worse: RunScoreRange, scope: TopicScope
) -> PredictedOrder | None:
    prediction = prediction_of(campaign=campaign, topics=scope)
    confidence = None if prediction is None else prediction.confidence(better.id, worse.id)
    percent = percent_of(confidence)
    if prediction is None or confidence is None or percent is None:
        return None
    likelier, percent = (better, percent) if confidence >= 0.5 else (worse, 100 - percent)
    age = length_of(campaign=campaign) - prediction.as_of
    return PredictedOrder(likelier.run, percent, confidence in (0, 1), age)


@require_safe
@organiser_page
def curves(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What the curves' script draws: ?run= and ids, in the order wished."""
    ids = [id for typed in request.GET.getlist("run") if (id := read_digits(typed, 18)) is not None]
    runs = campaign.runs.in_bulk(ids[:MOST_CURVES])
    found = curves_of(campaign=campaign, runs=[runs[id] for id in dict.fromkeys(ids) if id in runs])
    return JsonResponse(asdict(found))
