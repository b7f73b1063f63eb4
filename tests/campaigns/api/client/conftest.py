from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from campaigns.api.client import Campaign, Client
from campaigns.models import Campaign as Rows
from campaigns.models import TokenScope
from campaigns.people import members, tokens
from tests.campaigns.api.client.collection_folders import small
from tests.campaigns.factories import make_user


@pytest.fixture
def client(live_site: str) -> Client:
    return client_of(live_site, make_user("ada"))


def client_of(site: str, user: User) -> Client:
    _, secret = tokens.make(user=user, name="script", scopes=TokenScope.values)
    return Client(site, secret, tries=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small(tmp_path)


@pytest.fixture
def campaign(client: Client, folder: Path) -> Campaign:
    made = client.create("Small", p=0.5, min_judgments=0)
    made.upload("collection", folder / "docs.jsonl")
    made.upload("topics", folder / "topics.tsv")
    made.upload("runs", folder / "runs")
    made.open()
    return made


@pytest.fixture
def assessor(campaign: Campaign, live_site: str) -> Campaign:
    """The same campaign as its assessor sees it."""
    grace = make_user("grace")
    members.add_member(campaign=Rows.objects.get(slug=campaign.slug), username="grace", role="assessor")
    return client_of(live_site, grace).campaign(campaign.slug)
