"""What only a real server can be sent: the tests' own client speaks no HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
from django.contrib.auth.models import User

from campaigns.models import Campaign
from campaigns.people import tokens
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db(transaction=True)


def in_chunks() -> Iterator[bytes]:
    yield b'{"p": '
    yield b"0.95}"


def test_a_body_in_chunks_is_refused_and_not_taken_for_an_empty_one(live_site: str) -> None:
    make_campaign("Small")
    _, secret = tokens.make(user=User.objects.get(username="Small-ada"), name="a", scopes=["organise"])
    headers = {"Authorization": f"Token {secret}", "Content-Type": "application/json"}
    address = f"{live_site}/api/v1/campaigns/small/"
    refused = requests.patch(address, data=in_chunks(), headers=headers, timeout=30)
    assert (refused.status_code, refused.json()["code"]) == (411, "length_required")
    changed = requests.patch(address, data=b"".join(in_chunks()), headers=headers, timeout=30)
    assert (changed.status_code, Campaign.objects.get().p) == (200, 0.95)
