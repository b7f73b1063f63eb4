"""Searching documents over the API: what it answers, and whom."""

from __future__ import annotations

import pytest
from django.test import Client

from campaigns.collection.documents import store_documents
from campaigns.collection.tasks import index_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign
from tests.campaigns.factories import Api, make_campaign, signed_in, with_token

pytestmark = pytest.mark.django_db

TEXTS = [
    DocumentRecord("wing-1", "Wing flutter", "A wing at high speed shows flutter."),
    DocumentRecord("wing-2", "Heat", "No flutter is seen here."),
]
ADDRESS = "/api/v1/campaigns/found/documents/"


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Found", {"r": {"1": [record.docno for record in TEXTS]}})
    store_documents(collection=campaign.collection, records=TEXTS, file="texts")
    index_documents(campaign.collection_id)
    return campaign


def test_search_answers_ranked_documents(campaign: Campaign) -> None:
    answer = Api(campaign, "Found-ada").get("documents/", search="flutter")
    assert answer.status_code == 200
    body = answer.json()
    assert [row["docno"] for row in body["results"]] == ["wing-1", "wing-2"]
    assert (body["matching"], body["page"], body["last"], body["incomplete"]) == (2, 1, True, False)
    assert "flutter" in body["results"][1]["snippet"]


def test_search_finds_a_docno_by_its_beginning(campaign: Campaign) -> None:
    rows = Api(campaign, "Found-ada").get("documents/", search="wing-").json()["results"]
    assert [(row["docno"], row["by_docno"]) for row in rows] == [("wing-1", True), ("wing-2", True)]


def test_pages_of_a_search(campaign: Campaign) -> None:
    api = Api(campaign, "Found-ada")
    pages = [api.get("documents/", search="flutter", limit=1, page=n).json() for n in (1, 2, 3)]
    assert [[row["docno"] for row in page["results"]] for page in pages] == [["wing-1"], ["wing-2"], []]
    assert [page["last"] for page in pages] == [False, True, True]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ("", "search"),
        ("search=", "search"),
        ("search=a&page=0", "page"),
        ("search=a&page=51", "page"),
        ("search=a&page=x", "page"),
        ("search=a&limit=0", "limit"),
        (f"search={'a' * 201}", "search"),
        ("search=a&search=b", "search"),
        ("search=a&words=b", "words"),
    ],
)
def test_wrong_parameters_are_named(campaign: Campaign, asked: str, field: str) -> None:
    answer = signed_in("Found-ada").get(f"{ADDRESS}?{asked}")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_documents_are_only_read_there(campaign: Campaign, method: str) -> None:
    answer = getattr(signed_in("Found-ada"), method)(f"{ADDRESS}?search=a")
    assert answer.status_code == 405


def test_a_body_is_refused_with_the_method(campaign: Campaign) -> None:
    answer = Api(campaign, "Found-ada").post("documents/", {"search": "flutter"})
    assert answer.status_code == 405


def test_only_organisers_search(campaign: Campaign) -> None:
    assert Api(campaign, "Found-grace").get("documents/", search="flutter").status_code == 403
    make_campaign("Other")
    assert signed_in("Other-ada").get(f"{ADDRESS}?search=flutter").status_code == 404
    assert Client().get(f"{ADDRESS}?search=flutter").status_code == 401


def test_token_needs_the_scope_of_organisers(campaign: Campaign) -> None:
    assert with_token("Found-ada", "judge").get(f"{ADDRESS}?search=flutter").status_code == 403
    assert with_token("Found-ada", "read").get(f"{ADDRESS}?search=flutter").status_code == 200
