"""The parts of the dashboard that change as judging goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.template.loader import render_to_string

from campaigns.models import Campaign
from campaigns.people.workload import bars, days_of
from campaigns.results.overview import TopicRow, judging_now, topics_of
from campaigns.stopping.advice import stopping_advice_of

MOST_BOARD_TOPICS = 400
BOARD_DAYS = 21


def dashboard_part(campaign: Campaign, name: str) -> str:
    """A part of the page that changes as judging goes on: the same for every organiser of one language."""
    template, context_of = DASHBOARD_PARTS[name]
    return render_to_string(template, {"campaign": campaign, **context_of(campaign)})


def _stop(campaign: Campaign) -> dict[str, Any]:
    return {"stopping": stopping_advice_of(campaign=campaign)}


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
            for topic in topics[:MOST_BOARD_TOPICS]
        ],
        "further": max(len(topics) - MOST_BOARD_TOPICS, 0),
        "judging": _by_person(now, {topic.id: topic for topic in topics}),
        "days": bars(days_of(campaign=campaign, days=BOARD_DAYS)),
    }


def _by_person(now: dict[int, list[str]], topics: dict[int, TopicRow]) -> list[tuple[str, list[TopicRow]]]:
    found: dict[str, list[TopicRow]] = {}
    for topic, names in now.items():
        for name in names:
            found.setdefault(name, []).append(topics[topic])
    return sorted(found.items())


DASHBOARD_PARTS: dict[str, tuple[str, Callable[[Campaign], dict[str, Any]]]] = {
    "stop": ("campaigns/dashboard/_stop.html", _stop),
    "progress": ("campaigns/dashboard/_progress.html", _progress),
    "board": ("campaigns/dashboard/_board.html", _board),
}
