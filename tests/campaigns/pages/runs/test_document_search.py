"""The search page of documents, and training items picked from it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from campaigns.collection import search
from campaigns.collection.documents import store_documents
from campaigns.collection.tasks import index_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Deed, TrainingItem
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/found/documents/"
TRAINING = "/campaigns/found/training/"
TEXTS = [
    DocumentRecord("wing-1", "Wing & flutter", "A wing at <b>high</b> speed shows flutter."),
    DocumentRecord("wing-2", "Heat", "No flutter is seen here."),
    *(DocumentRecord(f"many-{n:02}", "", "a turbine") for n in range(25)),
]


@pytest.fixture
def client() -> Client:
    campaign = make_campaign("Found", {"r": {"1": [record.docno for record in TEXTS]}})
    store_documents(collection=campaign.collection, records=TEXTS, file="texts")
    index_documents(campaign.collection_id)
    return signed_in("Found-ada")


def docnos(page: str) -> list[str]:
    return re.findall(r'value="([^"]+)" form="pick-acts"', page)


def test_search_shows_snippets_and_keeps_the_query(client: Client) -> None:
    page = client.get(PAGE, {"search": "flutter"}).content.decode()
    assert docnos(page) == ["wing-1", "wing-2"]
    assert "<mark>flutter</mark> is seen" in page
    assert "Wing &amp; flutter" in page
    assert 'value="flutter"' in page
    assert "2 documents contain these words" in page


def test_part_alone_for_the_examples_page(client: Client) -> None:
    part = client.get(PAGE, {"search": "flutter"}, headers={"HX-Request": "true"}).content.decode()
    assert docnos(part) == ["wing-1", "wing-2"]
    assert "<html" not in part


def test_pages_of_results(client: Client) -> None:
    first = client.get(PAGE, {"search": "turbine"}).content.decode()
    assert len(docnos(first)) == 20
    assert 'rel="next" href="/campaigns/found/documents/?search=turbine&amp;page=2"' in first
    second = client.get(PAGE, {"search": "turbine", "page": "2"}).content.decode()
    assert len(docnos(second)) == 5
    assert 'rel="next"' not in second
    assert 'rel="prev"' in second


@pytest.mark.parametrize("page", ["0", "-1", "x", "9" * 30])
def test_odd_pages_are_no_errors(client: Client, page: str) -> None:
    assert client.get(PAGE, {"search": "turbine", "page": page}).status_code == 200


def test_nothing_found_and_nothing_asked_say_so(client: Client) -> None:
    assert (
        "No document matches “&lt;b&gt;nothing”"
        in client.get(PAGE, {"search": "<b>nothing"}).content.decode()
    )
    reply = client.get(PAGE, {"search": " "})
    assert reply.status_code == 400
    assert "Enter a word or the beginning of a docno." in reply.content.decode()


def test_incomplete_index_is_said(client: Client) -> None:
    campaign = Campaign.objects.get()
    store_documents(collection=campaign.collection, records=[DocumentRecord("late", "", "turbine")], file="f")
    assert "still indexing" in client.get(PAGE, {"search": "turbine"}).content.decode()


def test_slow_search_says_what_to_do(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SEARCH_SECONDS", 0.05)
    monkeypatch.setattr(search, "_RANKED", "SELECT pg_sleep(20), 0")
    reply = client.get(PAGE, {"search": "turbine"})
    assert reply.status_code == 409
    assert "add a rarer word" in reply.content.decode()


def test_selected_documents_become_training_items(client: Client) -> None:
    wish = {"act": "add", "docno": ["", "wing-1", "wing-2"], "topic": "1", "grade": "1", "reason": "flutter"}
    page = client.post(TRAINING, wish, follow=True).content.decode()
    assert "2 documents are training items now." in page
    items = TrainingItem.objects.values_list("document__docno", "grade", "reason")
    assert list(items) == [("wing-1", 1, "flutter"), ("wing-2", 1, "flutter")]
    (deed,) = Deed.objects.filter(kind="training added")
    assert len(deed.detail["items"]) == 2
    assert (
        "added 2 items of topic 1 to the training" in client.get("/campaigns/found/history/").content.decode()
    )


def test_one_wrong_document_adds_none(client: Client) -> None:
    wish = {"act": "add", "docno": ["wing-1", "nowhere"], "topic": "1", "grade": "1", "reason": "flutter"}
    reply = client.post(TRAINING, wish)
    assert reply.status_code == 400
    assert "no document nowhere" in reply.content.decode()
    assert not TrainingItem.objects.exists()


def test_no_document_is_refused(client: Client) -> None:
    reply = client.post(TRAINING, {"act": "add", "topic": "1", "grade": "1", "reason": "flutter"})
    assert reply.status_code == 400
    assert "Select a document or enter a docno." in reply.content.decode()


def test_only_organisers_search(client: Client) -> None:
    assert signed_in("Found-grace").get(PAGE, {"search": "flutter"}).status_code == 403
    make_campaign("Other")
    assert signed_in("Other-ada").get(PAGE, {"search": "flutter"}).status_code == 404
    assert Client().get(PAGE, {"search": "flutter"}).status_code == 302
    assert client.post(PAGE, {"search": "flutter"}).status_code == 405


def test_results_are_sorted_by_the_address(client: Client) -> None:
    first = client.get(PAGE, {"search": "turbine", "sort": "-docno"}).content.decode()
    assert docnos(first)[:2] == ["many-24", "many-23"]
    assert "25 documents match" in first
    assert '<th scope="col" aria-sort="descending">' in first
    assert 'rel="next" href="/campaigns/found/documents/?search=turbine&amp;sort=-docno&amp;page=2"' in first
    assert 'href="/campaigns/found/documents/?search=turbine">Sort by relevance' in first
    second = client.get(PAGE, {"search": "turbine", "sort": "-docno", "page": "2"}).content.decode()
    assert docnos(second) == [f"many-{n:02}" for n in range(4, -1, -1)]
    assert 'href="/campaigns/found/documents/?search=turbine&amp;sort=docno"' in second


def test_results_keep_their_order_for_an_unknown_sort(client: Client) -> None:
    page = client.get(PAGE, {"search": "flutter", "sort": "text"}).content.decode()
    assert docnos(page) == ["wing-1", "wing-2"]
    assert "the best match first" in page


def test_headings_sort_in_place_on_the_examples_page(client: Client) -> None:
    part = client.get(PAGE, {"search": "flutter"}, headers={"HX-Request": "true"}).content.decode()
    assert 'hx-get="/campaigns/found/documents/?search=flutter&amp;sort=docno" hx-target="#found"' in part
    assert "hx-get" not in client.get(PAGE, {"search": "flutter"}).content.decode().split('id="found"')[1]
