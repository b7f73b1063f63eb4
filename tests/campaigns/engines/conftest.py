"""A campaign with topics, and a search engine on this machine for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from campaigns.collection.topics import store_topics
from campaigns.engines import pulling
from campaigns.formats.topics import TopicRecord
from campaigns.models import Campaign
from campaigns.setup import campaigns
from tests.campaigns.engines.fake_engines import FakeEngine, running
from tests.campaigns.factories import make_user

TITLES = ("wings", "flow", "wings flow", "flow about")


@pytest.fixture(autouse=True)
def no_pauses(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ENGINE_ALLOWED_HOSTS = ["127.0.0.1"]
    monkeypatch.setattr(pulling, "RETRY_PAUSES", (0.0, 0.0, 0.0))


@pytest.fixture
def campaign(db: None) -> Campaign:
    found = campaigns.create(organiser=make_user("ada"), name="Small")
    records = [TopicRecord(str(n), title, "", "") for n, title in enumerate(TITLES, start=1)]
    store_topics(campaign=found, user=User.objects.get(username="ada"), records=records)
    return found


@pytest.fixture
def engine() -> Iterator[FakeEngine]:
    with running("elasticsearch") as found:
        yield found
