from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from campaigns.core.errors import Refused
from campaigns.models import Campaign, Judgment, Topic
from campaigns.pages.access import organiser_page
from campaigns.pages.setup.methods import label_of
from campaigns.results.queues import Behind, why

FIRST_RUNS = 12


@require_safe
@organiser_page
def place_in_queue(request: HttpRequest, campaign: Campaign, number: str) -> HttpResponse:
    """Why a document comes where it does in a topic's queue: a page, or a panel of the topic's page."""
    topic = get_object_or_404(campaign.topics, number=number)
    topic.campaign = campaign
    context: dict[str, Any] = {"campaign": campaign, "topic": topic, "docno": request.GET.get("docno", "")}
    status = 200
    try:
        context |= _found(campaign, topic, context["docno"])
    except Refused as refused:
        context["refused"] = refused
        status = refused.status
    # htmx shows a refusal only if it comes as a success.
    if request.headers.get("HX-Request"):
        return render(request, "campaigns/_why.html", context)
    return render(request, "campaigns/why.html", context, status=status)


def _found(campaign: Campaign, topic: Topic, docno: str) -> dict[str, Any]:
    found = why(campaign=campaign, topic=topic, docno=docno)
    bars = _bars(found.behind)
    return {
        "why": found,
        "method": label_of(found.method),
        "bars": bars[:FIRST_RUNS],
        "more": bars[FIRST_RUNS:],
        "judgments": _judgments(campaign, topic, docno),
    }


@dataclass(frozen=True)
class Bar:
    """`length` in hundredths of the longest."""

    run: str
    rank: int
    share: float
    length: float


def _bars(behind: list[Behind]) -> list[Bar]:
    longest = max((abs(run.share) for run in behind), default=0.0) or 1.0
    return [Bar(run.run, run.rank, run.share, 100 * abs(run.share) / longest) for run in behind]


@dataclass(frozen=True)
class Act:
    act: Judgment
    label: str


def _judgments(campaign: Campaign, topic: Topic, docno: str) -> list[Act]:
    labels = {row["grade"]: row["label"] for row in campaign.grades} | {-2: gettext("junk")}
    rows = Judgment.objects.filter(topic=topic, document__docno=docno).select_related("assessor")
    return [Act(row, labels.get(row.grade, "")) for row in rows.order_by("sequence")]
