"""What an assessor is sent is the same whatever method serves the topic: nothing in it tells which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.screen import screen_data
from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Priority, Topic
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

THIRTY = {
    "x": {"1": [f"d{n:02}" for n in range(30)]},
    "y": {"1": [f"d{n:02}" for n in reversed(range(30))]},
}
METHODS: dict[str, dict[str, Any]] = {
    "mtc": {},
    "statap": {"size": 5},
    "mtc+statap": {"size": 5},
    "random": {},
    "sample": {"size": 5},
    "strata": {"strata": "2:1,30:0.3"},
    "mtf": {},
}
ORGANISERS_OWN = {
    "remaining", "left", "pool_size", "weight", "weights", "method", "source", "sources", "inclusion",
    "inclusion_probability", "served_exactly", "run", "runs", "rank", "gain", "gains",
}  # fmt: skip


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        yield from keys(child)


def sent(campaign: Campaign) -> dict[str, Any]:
    """Every reply and the screen's own data along the way of three documents."""
    name = f"{campaign.name}-grace"
    api, topic = Api(campaign, name), Topic.objects.get(campaign=campaign)
    assessor = User.objects.get(username=name).id
    replies = {"next": api.get("next/", topic="1").json()}
    first = replies["next"]["docno"]
    recompute(campaign.id)
    replies["ahead"] = api.get("ahead/", topic="1", docno=first).json()
    replies["judged"] = api.judge("1", first, 1).json()
    second = replies["judged"]["next"]["docno"]
    replies["later"] = api.post("later/", {"topic": "1", "docno": second}).json()
    replies["undone"] = api.judge("1", first, undo=True).json()
    replies["back"] = api.get("next/", topic="1", docno=second).json()
    replies["history"] = api.get("judgments/", topic="1").json()
    replies["screen"] = screen_data(campaign=campaign, topic=topic, assessor=assessor)
    return replies


def test_no_reply_tells_which_method_serves_the_topic() -> None:
    progress, names = [], []
    for place, (method, options) in enumerate(METHODS.items()):
        campaign = make_campaign(f"N{place}", THIRTY, method=method, options=options)
        recompute(campaign.id)
        replies = sent(campaign)
        progress.append([replies[part].get("progress") for part in replies])
        names.append({part: set(keys(reply)) for part, reply in replies.items()})
        for part, reply in replies.items():
            assert not ORGANISERS_OWN & set(keys(reply)), (method, part)
    # The remaining data do differ: sending them would have shown the method.
    assert len(set(Priority.objects.values_list("remaining", flat=True))) > 1
    assert all(other == progress[0] for other in progress)
    assert all(other == names[0] for other in names)
