"""Campaigns whose topics are released in an order."""

from __future__ import annotations

from typing import Any

import numpy as np

from campaigns.models import Campaign, Topic
from campaigns.models.topics import Release
from campaigns.topic_order import releases
from campaigns.topic_order.tasks import order_topics
from tests.campaigns.factories import Api, Lists, make_campaign


def many_topics(topics: int = 8, runs: int = 6, documents: int = 8) -> Lists:
    """Better runs rank d0 … before the others, each with its own noise."""
    rng = np.random.default_rng(4)
    return {
        f"r{run}": {
            str(topic): [
                f"t{topic}d{n}" for n in np.argsort(np.arange(documents) + rng.normal(0, run, documents))
            ]
            for topic in range(1, topics + 1)
        }
        for run in range(1, runs + 1)
    }


def ordered(method: str = "adaptive", *, lists: Lists | None = None, **wish: Any) -> Campaign:
    """With two assessors, one topic ahead and two judgments as the minimum."""
    campaign = make_campaign("Order", many_topics() if lists is None else lists, min_judgments=2)
    releases.set_order(campaign=campaign, method=method, **{"ahead": 1, **wish})
    return campaign


def work(campaign: Campaign) -> None:
    """What the worker does, in this process."""
    order_topics(campaign.id)


def released(campaign: Campaign) -> list[str]:
    rows = campaign.topics.filter(release=Release.RELEASED, released_at__isnull=False).order_by("released_at")
    return list(rows.values_list("number", flat=True))


def judge(campaign: Campaign, topic: str, grades: str = "20") -> None:
    """The first documents, until the topic's minimum."""
    grace = Api(campaign, f"{campaign.name}-grace")
    for place, grade in enumerate(grades):
        reply = grace.judge(topic, f"t{topic}d{place}", int(grade))
        assert reply.status_code == 201, reply.content


def topic(campaign: Campaign, number: str) -> Topic:
    return campaign.topics.get(number=number)
