from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from campaigns.models import Campaign, Membership
from campaigns.models.campaign import Status
from campaigns.pages.access import organiser_page
from campaigns.pages.assessors import bars
from campaigns.services.advice import stopping_of
from campaigns.services.assessor_reading import days_of
from campaigns.services.intervals import intervals_of, summary_of
from campaigns.services.overview import TopicRow, judging_now, topics_of

MOST_TOPICS = 400
DAYS = 21


@require_safe
@organiser_page
def dashboard(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    runs = intervals_of(campaign=campaign)
    intervals = {
        **summary_of(campaign=campaign),
        "topic": None,
        "runs": [asdict(run) for run in runs],
        "status": campaign.status,
    }
    withdrawn = list(campaign.runs.exclude(withdrawn_at=None).order_by("tag"))
    context = {"campaign": campaign, "intervals": intervals, "withdrawn": withdrawn}
    context |= {**_progress(campaign), **_stop(campaign)}
    context["unattended"] = campaign.status == Status.OPEN and not _is_attended(campaign)
    return render(request, "campaigns/dashboard.html", context)


def _is_attended(campaign: Campaign) -> bool:
    """Whether anybody judges here or has judged."""
    return campaign.judgments.exists() or campaign.memberships.filter(role=Membership.Role.ASSESSOR).exists()


@require_safe
@organiser_page
def progress(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    return HttpResponse(part_of(campaign, "progress"))


@require_safe
@organiser_page
def stop(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    return HttpResponse(part_of(campaign, "stop"))


@require_safe
@organiser_page
def board(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    return HttpResponse(part_of(campaign, "board"))


def part_of(campaign: Campaign, name: str) -> str:
    """A part of the page that changes as judging goes on: the same for every organiser of one language."""
    template, context_of = PARTS[name]
    return render_to_string(template, {"campaign": campaign, **context_of(campaign)})


def _stop(campaign: Campaign) -> dict[str, Any]:
    return {"stopping": stopping_of(campaign=campaign)}


def _progress(campaign: Campaign) -> dict[str, Any]:
    topics = topics_of(campaign=campaign)
    return {
        "topics": len(topics),
        "under_minimum": sum(topic.judged < campaign.min_judgments for topic in topics),
        "pool": sum(topic.pool or 0 for topic in topics),
    }


def _board(campaign: Campaign) -> dict[str, Any]:
    """Topics by how far they are, who judges now, and how much each day brought."""
    topics = topics_of(campaign=campaign)
    now = judging_now(campaign=campaign)
    closed = set(campaign.topics.exclude(closed_at=None).values_list("id", flat=True))
    goal = campaign.min_judgments or max((topic.judged for topic in topics), default=0) or 1
    return {
        "topics": [
            (topic, min(100 * topic.judged / goal, 100), topic.id in closed, now.get(topic.id, []))
            for topic in topics[:MOST_TOPICS]
        ],
        "further": max(len(topics) - MOST_TOPICS, 0),
        "judging": _by_person(now, {topic.id: topic for topic in topics}),
        "days": bars(days_of(campaign=campaign, days=DAYS)),
    }


def _by_person(now: dict[int, list[str]], topics: dict[int, TopicRow]) -> list[tuple[str, list[TopicRow]]]:
    found: dict[str, list[TopicRow]] = {}
    for topic, names in now.items():
        for name in names:
            found.setdefault(name, []).append(topics[topic])
    return sorted(found.items())


PARTS: dict[str, tuple[str, Callable[[Campaign], dict[str, Any]]]] = {
    "stop": ("campaigns/_stop.html", _stop),
    "progress": ("campaigns/_progress.html", _progress),
    "board": ("campaigns/_board.html", _board),
}
