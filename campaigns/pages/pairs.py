from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.core.database import consistent_reads
from campaigns.log.current import grades_of
from campaigns.models import Campaign
from campaigns.pages.access import organiser_page
from campaigns.results.intervals import RunInterval, intervals_of
from campaigns.results.pairs import Pair, ordered, pair_of, runs_by_base

FIRST_TOPICS = 60


@require_safe
@organiser_page
def pair(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """?one= and ?other= by run id, or twice ?run= by tag; the two best by base if none is named."""
    with consistent_reads():
        rows = runs_by_base(intervals_of(campaign=campaign, withdrawn=True))
        context: dict[str, Any] = {"campaign": campaign, "rows": rows}
        chosen = _chosen(request, rows)
        if chosen is not None:
            better, worse = ordered(*chosen)
            found = pair_of(
                campaign=campaign, better=better, worse=worse, grades=grades_of(campaign=campaign)
            )
            context |= {"better": better, "worse": worse, "pair": found, **_told(found)}
    return render(request, "campaigns/pair.html", context)


def _chosen(request: HttpRequest, rows: list[RunInterval]) -> tuple[RunInterval, RunInterval] | None:
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


def _told(pair: Pair) -> dict[str, Any]:
    """Topics in the order of how much they tell: the surest and widest gaps first."""
    topics = sorted(pair.topics, key=lambda topic: -abs(topic.difference))
    confidence = pair.confidence
    return {
        "for_better": sum(topic.decided == "better" for topic in topics),
        "for_worse": sum(topic.decided == "worse" for topic in topics),
        "open": sum(not topic.decided for topic in topics),
        "topics": topics[:FIRST_TOPICS],
        "more_topics": topics[FIRST_TOPICS:],
        # Short of the last judgment nothing is 100 % sure.
        "percent": None if confidence is None else min(int(100 * confidence), 99),
    }
