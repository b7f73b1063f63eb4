"""Metadata of documents: stored, chosen by organisers, shown where documents are read, and carried."""

from __future__ import annotations

import json
from typing import Any

import pytest

from campaigns.collection.documents import remove_documents
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Document
from campaigns.quality import training
from campaigns.setup import campaigns as services
from campaigns.setup.copies import copy_settings
from tests.campaigns.exchange.bundles.bundle_copies import contents, copied, packed
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

FIELDS: dict[str, dict[str, Any]] = {
    "a": {"date": "1843-10-01", "author": "Ada <b>Lovelace</b>"},
    "b": {"source": ["Notes", 7]},
}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Read", {"up": {"1": list(FIELDS)}}, opened=False)
    upload(campaign, FIELDS)
    Api(campaign, "Read-ada").post("open/")
    campaign.refresh_from_db()
    recompute(campaign.id)
    return campaign


def upload(campaign: Campaign, documents: dict[str, dict[str, Any]]) -> None:
    lines = [json.dumps({"docno": docno, "text": "t", **fields}) for docno, fields in documents.items()]
    reply = Api(campaign, "Read-ada").upload("collection/", "\n".join(lines).encode(), "some.jsonl")
    assert reply.status_code == 201
    campaign.collection.refresh_from_db()


def show(campaign: Campaign, *names: str) -> None:
    services.change_settings(campaign=campaign, shown_fields=list(names))


def pairs(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["name"], one["value"]) for one in document["metadata"]]


def test_an_import_stores_fields_and_their_names(campaign: Campaign) -> None:
    assert campaign.collection.metadata_fields == ["date", "author", "source"]
    stored = dict(Document.objects.values_list("docno", "metadata"))
    assert stored == {"a": FIELDS["a"], "b": {"source": "Notes, 7"}}
    upload(campaign, {"b": {"year": 1}})
    assert campaign.collection.metadata_fields == ["date", "author", "source", "year"]
    assert Document.objects.get(docno="b").metadata == {"year": "1"}
    described = Api(campaign, "Read-ada").get("collection/").json()
    assert described["metadata_fields"] == campaign.collection.metadata_fields


def test_fields_go_with_the_documents_that_are_removed(campaign: Campaign) -> None:
    assert remove_documents(campaign=campaign) == 2
    campaign.collection.refresh_from_db()
    assert campaign.collection.metadata_fields == []
    assert set(map(str, Document.objects.values_list("metadata", flat=True))) == {"{}"}


def test_assessors_get_the_chosen_fields_in_order(campaign: Campaign) -> None:
    grace = Api(campaign, "Read-grace")
    assert "metadata" not in grace.get("next/", topic="1").json()["document"]
    show(campaign, "author", "source", "date")
    served = [grace.get("next/", topic="1").json()["document"]]
    first = served[0]["docno"]
    ahead = grace.get("ahead/", topic="1", docno=first).json()
    served += ahead["documents"]
    following = grace.judge("1", first, 1).json()["next"]["document"]
    found = {one["docno"]: pairs(one) for one in served}
    assert found == {
        "a": [("author", "Ada <b>Lovelace</b>"), ("date", "1843-10-01")],
        "b": [("source", "Notes, 7")],
    }
    assert pairs(following) == found[following["docno"]]
    again = grace.get("next/", topic="1", docno=first).json()["document"]
    assert pairs(again) == found[first]


def test_training_shows_the_chosen_fields(campaign: Campaign) -> None:
    show(campaign, "author")
    training.add_item(campaign=campaign, topic="1", docno="a", grade=1, reason="so")
    item = Api(campaign, "Read-grace").get("training/").json()["next"]
    assert pairs(item["document"]) == [("author", "Ada <b>Lovelace</b>")]


def test_organisers_see_every_field(campaign: Campaign) -> None:
    ada = Api(campaign, "Read-ada")
    assert pairs(ada.get("documents/a/").json()) == list(FIELDS["a"].items())
    page = signed_in("Read-ada").get(f"/campaigns/{campaign.slug}/document/", {"docno": "a"}).content.decode()
    assert "Ada &lt;b&gt;Lovelace&lt;/b&gt;" in page
    assert "1843-10-01" in page


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["author", "nothing"], "no field “nothing”"),
        (["author", "author"], "only once"),
        ([f"f{place}" for place in range(9)], "at most 8"),
    ],
)
def test_only_fields_of_the_documents_can_be_shown(campaign: Campaign, names: list[str], words: str) -> None:
    with pytest.raises(Refusal, match=words):
        show(campaign, *names)


def test_organisers_choose_fields_by_rest_and_page(campaign: Campaign) -> None:
    ada, address = signed_in("Read-ada"), f"/api/v1/campaigns/{campaign.slug}/"
    reply = ada.patch(address, {"shown_fields": ["source"]}, content_type="application/json")
    assert reply.json()["shown_fields"] == ["source"]
    wrong = ada.patch(address, {"shown_fields": ["x"]}, content_type="application/json")
    assert (wrong.status_code, wrong.json()["code"]) == (400, "bad_shown_fields")
    page = ada.get(f"/campaigns/{campaign.slug}/setup/").content.decode()
    assert page.count('name="shown_fields"') == 3
    assert "<option selected>source</option>" in page


def test_copies_and_bundles_carry_the_fields(campaign: Campaign) -> None:
    show(campaign, "author")
    ada = campaign.memberships.get(user__username="Read-ada").user
    copy = copy_settings(campaign=campaign, organiser=ada, name="Next")
    assert copy.shown_fields == ["author"]
    same = copied(packed(campaign))
    assert same.shown_fields == ["author"]
    assert same.collection.metadata_fields == campaign.collection.metadata_fields
    assert dict(same.collection.documents.values_list("docno", "metadata")) == dict(
        campaign.collection.documents.values_list("docno", "metadata")
    )
    bare = copied(packed(campaign, texts=False), slug="bare")
    assert bare.collection.documents.exclude(metadata={}).count() == 0


def test_documents_without_fields_are_bundled_as_before(campaign: Campaign) -> None:
    upload(campaign, {"a": {}})
    lines = contents(packed(campaign))["documents.jsonl"].splitlines()
    assert set(json.loads(lines[0])) == {"number", "docno", "title", "body", "content_type"}
