"""The page on which an assessor searches a topic's collection."""

from __future__ import annotations

import pytest
from django.test import Client

from campaigns.collection.documents import store_documents
from campaigns.collection.tasks import index_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Claim
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

SEARCH = "/judge/small/1/search"


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small", search_judging=True)
    texts = [DocumentRecord(docno, f"Title {docno}", f"Words of {docno}.") for docno in ("a", "unranked")]
    store_documents(collection=campaign.collection, records=texts, file="texts")
    index_documents(campaign.collection_id)
    return campaign


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-grace")


def test_page_finds_opens_and_shows_own_grade(campaign: Campaign, client: Client) -> None:
    assert 'name="docno"' not in client.get(SEARCH).content.decode()
    page = client.get(SEARCH, {"search": "words"}).content.decode()
    assert page.count('name="docno"') == 2
    reply = client.post(f"{SEARCH}?search=words", {"docno": "unranked"})
    assert reply.headers["Location"] == "/judge/small/1/#open=unranked"
    assert Claim.objects.get().method == "search"
    Api(campaign, "Small-grace").judge("1", "unranked", 2)
    assert "your grade: 2" in client.get(SEARCH, {"search": "words"}).content.decode()
    assert "your grade" not in signed_in("Small-alan").get(SEARCH, {"search": "words"}).content.decode()


def test_page_shows_refusals(campaign: Campaign, client: Client) -> None:
    Api(campaign, "Small-alan").post("search/", {"topic": "1", "docno": "a"})
    reply = client.post(f"{SEARCH}?search=words", {"docno": "a"})
    assert reply.status_code == 409
    assert "another assessor has a open" in reply.content.decode().lower()
    assert client.post(SEARCH, {"docno": "nowhere"}).status_code == 404
    services.pause(campaign=campaign)
    reply = client.get(SEARCH, {"search": "words"})
    assert (reply.status_code, b'name="docno"' in reply.content) == (409, False)


def test_page_is_for_members_of_a_campaign_that_allows_it(campaign: Campaign, client: Client) -> None:
    make_campaign("Other")
    assert signed_in("Other-grace").get(SEARCH).status_code == 404
    assert signed_in("Other-grace").post(SEARCH, {"docno": "a"}).status_code == 404
    assert client.get("/judge/small/9/search").status_code == 404
    assert client.delete(SEARCH).status_code == 405
    assert Client().get(SEARCH).headers["Location"].startswith("/sign-in/")
    link = f'href="{SEARCH}"'
    Api(campaign, "Small-grace").judge("1", "a", 1)
    assert link in client.get("/judge/small/").content.decode()
    assert link in client.get("/judge/small/1/").content.decode()
    services.change_settings(campaign=campaign, search_judging=False)
    assert client.get(SEARCH).status_code == 404
    assert link not in client.get("/judge/small/").content.decode()
    assert link not in client.get("/judge/small/1/").content.decode()
