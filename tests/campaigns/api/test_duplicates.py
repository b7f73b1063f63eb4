"""Duplicates in the API."""

from __future__ import annotations

import pytest

from campaigns.collection.documents import store_documents
from campaigns.duplicates.tasks import compare_documents
from campaigns.formats.topics import DocumentRecord
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db


def test_duplicates_are_listed_and_counted() -> None:
    campaign = make_campaign("Alike", {}, opened=False)
    ada = Api(campaign, "Alike-ada")
    story = [f"word{n}" for n in range(60)]
    texts = {"a": story, "b": [*story[:-1], "other"], "c": story}
    records = [DocumentRecord(docno, "", " ".join(words)) for docno, words in texts.items()]
    store_documents(collection=campaign.collection, records=records, file="texts")
    assert ada.get("collection/").json()["compared"] is False
    compare_documents(campaign.collection_id)
    counted = ada.get("collection/").json()
    assert (counted["compared"], counted["duplicates"], counted["duplicate_groups"]) == (True, 2, 1)
    first = ada.get("duplicates/", limit=1).json()
    assert first["results"] == [
        {"docno": "b", "representative": "a", "same": False, "similarity": pytest.approx(57 / 59)}
    ]
    [second] = ada.client.get(first["next"]).json()["results"]
    assert second == {"docno": "c", "representative": "a", "same": True, "similarity": 1.0}
    assert Api(campaign, "Alike-grace").get("duplicates/").status_code == 403
    assert ada.post("duplicates/", {}).status_code == 405
    assert ada.get("duplicates/", other=1).status_code == 400
