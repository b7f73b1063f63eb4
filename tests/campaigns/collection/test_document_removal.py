from __future__ import annotations

import pytest
from django.test import Client

from campaigns.collection.documents import remove_documents
from campaigns.models import Campaign, Deed, Document
from campaigns.quality import training
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

DROP = "/campaigns/small/setup/drop-documents/"
WRONG = b"""{"docno": "a", "body": "not this"}
{"docno": "1", "body": "a topic"}
{"docno": "2", "body": "another"}
"""
RIGHT = b'{"docno": "a", "body": "this"}\n{"docno": "b", "body": "that"}\n'
LISTS = {"x": {"1": ["a", "b"]}, "y": {"1": ["b"]}}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small", LISTS)
    assert Api(campaign, "Small-ada").upload("collection/", WRONG, "wrong.jsonl").status_code == 201
    return campaign


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def drop(client: Client) -> str:
    return client.post(DROP, follow=True).content.decode()


def button(client: Client) -> bool:
    return "Remove all documents" in client.get("/campaigns/small/setup/").content.decode()


def test_a_wrong_file_goes_and_the_right_one_comes(client: Client, campaign: Campaign) -> None:
    assert button(client)
    page = drop(client)
    assert "All 3 documents are taken out." in page
    assert "<strong>2</strong> documents known by docno, without text" in page
    campaign.refresh_from_db()
    assert not campaign.collection.complete
    rows = Document.objects.order_by("docno").values_list("docno", "body", "content_type")
    assert list(rows) == [("a", "", "text/plain"), ("b", "", "text/plain")]
    assert not button(client)
    assert Deed.objects.get(kind="documents removed").detail == {"documents": 3}
    ada = Api(campaign, "Small-ada")
    assert ada.upload("collection/", RIGHT, "right.jsonl").status_code == 201
    assert ada.judge("1", "a", 1).status_code == 201
    assert Document.objects.get(docno="a").body == "this"


def test_all_of_a_draft_without_runs() -> None:
    campaign = services.create(organiser=make_user("ada"), name="Bare")
    Api(campaign, "ada").upload("collection/", WRONG, "wrong.jsonl")
    assert remove_documents(campaign=campaign) == 3
    assert not Document.objects.exists()


def test_judged_documents_stay(client: Client, campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 1)
    assert not button(client)
    assert "Documents were judged, so they stay" in drop(client)
    assert Document.objects.get(docno="1").body == "a topic"


def test_documents_of_the_training_stay(client: Client, campaign: Campaign) -> None:
    training.add_item(campaign=campaign, topic="1", docno="a", grade=1, reason="it is so")
    assert "take them out there first" in drop(client)
    assert Document.objects.count() == 4


def test_documents_that_others_read_stay(client: Client, campaign: Campaign) -> None:
    services.create(organiser=make_user("bob"), name="Beside", collection=campaign.collection)
    assert "Other campaigns read these documents" in drop(client)
    assert Document.objects.count() == 4


def test_who_may(campaign: Campaign) -> None:
    make_campaign("Other")
    assert signed_in("Small-grace").post(DROP).status_code == 403
    assert signed_in("Other-ada").post(DROP).status_code == 404
    assert signed_in("Small-ada").get(DROP).status_code == 405
    assert campaign.collection.documents.count() == 4
