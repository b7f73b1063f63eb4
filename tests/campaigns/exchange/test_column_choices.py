"""Choices of columns are remembered without waiting for who holds the collection."""

from __future__ import annotations

import threading

import pytest
from django.db import transaction

from campaigns.collection.documents import hold
from campaigns.exchange.column_choices import remember_choice
from campaigns.formats.recognition.roles import ColumnChoice
from campaigns.models import Collection
from tests.campaigns.concurrency import together
from tests.campaigns.factories import make_campaign


def choice(docno: str) -> ColumnChoice:
    made = ColumnChoice({"docno": docno})
    made.names, made.used = [docno, "text"], {"docno": docno}
    return made


def remembered() -> list[str]:
    return [row["roles"]["docno"] for row in Collection.objects.get().column_choices]


@pytest.mark.django_db(transaction=True)
def test_choices_wait_for_no_import_and_keep_each_other() -> None:
    campaign = make_campaign()
    held, done = threading.Event(), threading.Event()

    def import_documents() -> bool:
        with transaction.atomic():
            hold(campaign.collection)
            held.set()
            return done.wait(60)

    def remember_meanwhile() -> None:
        held.wait(60)
        remember_choice(collection=Collection.objects.get(), kind="documents", choice=choice("lost"))
        done.set()

    assert together([import_documents, remember_meanwhile]) == [True, None]
    assert remembered() == []
    # Read before the other was stored.
    one, other = Collection.objects.get(), Collection.objects.get()
    remember_choice(collection=one, kind="documents", choice=choice("a"))
    remember_choice(collection=other, kind="documents", choice=choice("b"))
    assert remembered() == ["b", "a"]
