"""A client that has the current bundle gets a 304 without a new one being made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from campaigns.collection import documents
from campaigns.exchange.bundles.tables import TABLES, rows_of
from campaigns.exchange.bundles.writer import of_bundle
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Anchor, Campaign, Collection, Deed, Document, Judgment, Postponement, Repeat
from tests.campaigns.exchange.bundles.bundle_copies import packed
from tests.campaigns.exchange.bundles.test_bundles import rich
from tests.campaigns.factories import Api, add_run, make_campaign

pytestmark = pytest.mark.django_db

LATER = timezone.now()
# Something of each table that may be written again, and what comes of it.
WRITTEN: dict[str, dict[str, Any]] = {
    "replaced-texts": {"body": "as it never was"},
    "members": {"trouble_mail": True},
    "topics": {"description": "other"},
    "wordings": {"description": "other"},
    "assignments": {"created": LATER},
    "topic-draws": {"taken": "2"},
    "runs": {"group": "ours"},
    "rankings": {"scores": b"\0" * 12},
    "samples": {"seed": 77},
    "anchors": {"seed": 77},
    "training": {"reason": "other"},
    "training-answers": {"milliseconds": 77},
    "examples": {"reason": "other"},
    "repeats": {"milliseconds": 77},
    "annotations": {"note": "other"},
    "set-aside": {"exact": True},
    "imports": {"file": "other"},
    "exclusions": {"created": LATER},
    "deeds": {"kind": "other"},
}
REMOVED = {
    *("assignments", "training-answers", "examples", "repeats", "annotations", "set-aside", "exclusions"),
    "deeds",
}


def ask(campaign: Campaign, known: str = "", query: str = "") -> Any:
    api = Api(campaign, f"{campaign.name}-ada")
    headers = {"If-None-Match": known} if known else {}
    return api.client.get(f"{api.root}bundle/{query}", headers=headers)


def fetched(campaign: Campaign, query: str = "") -> str:
    reply = ask(campaign, query=query)
    assert reply.status_code == 200
    assert b"".join(reply)[:2] == b"PK"
    return str(reply.headers["ETag"])


@pytest.mark.parametrize("query", ["", "?texts=false", "?pseudonyms=true"])
def test_it_is_not_sent_again(query: str) -> None:
    campaign = rich()
    tag = fetched(campaign, query)
    before, deeds = packed(campaign), Deed.objects.count()
    for _ in range(2):
        again = ask(campaign, tag, query)
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert Deed.objects.count() == deeds
    assert packed(campaign) == before
    # Another person fetches a file: that stands in the history, and the history in the bundle.
    assert b"".join(Api(campaign, "Small-ada").get("qrels/"))
    assert packed(campaign) != before
    assert ask(campaign, tag, query).status_code == 200


@pytest.fixture(scope="module")
def stored(module_rows: None) -> int:
    """A campaign with something in every table, which each test changes and gets back as it was."""
    campaign = rich("Whole", method="statap")
    first = Judgment.objects.filter(campaign=campaign, grade__isnull=False).order_by("sequence")[0]
    same = {"topic": first.topic, "document": first.document, "assessor": first.assessor}
    Repeat.objects.create(first=first, campaign=campaign, grade=1, milliseconds=5, created=LATER, **same)
    Postponement.objects.create(**same)
    Anchor.objects.create(topic=first.topic, document=first.document, place=0, seed=1, as_of=0)
    # The first text is the training's: each use names a text that is kept.
    record = DocumentRecord(first.document.docno, "replaced", "with another body", "text/plain")
    documents.store_documents(collection=campaign.collection, records=[record], file="other", replace=True)
    return campaign.id


@pytest.fixture
def whole(stored: int) -> Campaign:
    return Campaign.objects.get(id=stored)


def differs(campaign: Campaign, change: Callable[[], object]) -> bool:
    """Whether the bundle does; its version has to in any case."""
    before, version = packed(campaign), of_bundle(campaign)
    with transaction.atomic():
        change()
    assert of_bundle(campaign) != version
    return packed(campaign) != before


@pytest.mark.parametrize("name", [table.name for table in TABLES if table.model is not Judgment])
def test_every_row_counts(whole: Campaign, name: str) -> None:
    (table,) = (table for table in TABLES if table.name == name)
    row = rows_of(table, whole).order_by("pk").last()
    assert row is not None
    rows = table.model._default_manager.filter(pk=row.pk)
    assert differs(whole, lambda: rows.update(**WRITTEN[name]))
    if name in REMOVED:
        assert differs(whole, rows.delete)


def renamed(campaign: Campaign) -> None:
    User.objects.filter(username=f"{campaign.name}-grace").update(username="hopper")


def judged(campaign: Campaign) -> None:
    assert Api(campaign, f"{campaign.name}-grace").judge("1", "b", 0).status_code == 201


def called_otherwise(campaign: Campaign) -> None:
    Campaign.objects.filter(id=campaign.id).update(name="Other")


def collection_called_otherwise(campaign: Campaign) -> None:
    Collection.objects.filter(id=campaign.collection_id).update(name="another")


def other_texts(campaign: Campaign) -> None:
    record = DocumentRecord("a", "another title", "another body", "text/plain")
    documents.store_documents(collection=campaign.collection, records=[record], file="late", replace=True)


OTHERWISE = [renamed, judged, called_otherwise, collection_called_otherwise, other_texts]


@pytest.mark.parametrize("change", OTHERWISE)
def test_whatever_else_it_says_counts(whole: Campaign, change: Callable[[Campaign], None]) -> None:
    assert differs(whole, lambda: change(whole))


def test_documents_that_another_campaign_brings() -> None:
    campaign, other = make_campaign("Small"), make_campaign("Other")
    Campaign.objects.filter(id=other.id).update(collection=campaign.collection)
    Collection.objects.filter(id=campaign.collection_id).update(complete=False)
    campaign.refresh_from_db()
    other.refresh_from_db()
    assert differs(campaign, lambda: add_run(other, "late", {"1": ["new", "a"]}))
    assert Document.objects.filter(collection=campaign.collection, docno="new").exists()


def test_another_key_signs_otherwise(settings: Settings) -> None:
    campaign = make_campaign("Small")
    tag = fetched(campaign)
    assert ask(campaign, tag).status_code == 304
    settings.BUNDLE_KEY = "another"
    assert ask(campaign, tag).status_code == 200
