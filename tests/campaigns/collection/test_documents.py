"""Storing documents: what a file says twice, and the order in which rows go in."""

from __future__ import annotations

import pytest
from django.db import connection

from campaigns.collection.documents import ensure_ids_by_docno, store_documents
from campaigns.formats.errors import FormatError
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Collection, Document
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> Collection:
    return make_campaign().collection


def records(*docnos: str, text: str = "") -> list[DocumentRecord]:
    return [DocumentRecord(docno, "", text) for docno in docnos]


def test_rows_go_in_by_docno_so_that_the_index_grows_at_its_end(collection: Collection) -> None:
    docnos = [f"new-{n * 7919 % 1000:03}" for n in range(1000)]
    assert store_documents(collection=collection, records=records(*docnos), file="f").new == 1000
    stored = collection.documents.filter(docno__startswith="new-").order_by("id")
    assert list(stored.values_list("docno", flat=True)) == sorted(docnos)


@pytest.mark.parametrize("known", [False, True])
def test_a_docno_twice_refuses_the_file_and_stores_nothing(collection: Collection, known: bool) -> None:
    if known:
        store_documents(collection=collection, records=records("b", text="earlier"), file="f")
    else:
        collection.documents.all().delete()
    before = collection.documents.count()
    with pytest.raises(FormatError) as caught:
        store_documents(collection=collection, records=records("b", "a", "b", "b", "a"), file="f")
    assert [error.detail for error in caught.value.errors] == [
        "document 3 has the docno of document 1: b",
        "document 5 has the docno of document 2: a",
    ]
    assert collection.documents.count() == before


def test_known_docnos_get_their_text_and_keep_their_rows(collection: Collection) -> None:
    store_documents(collection=collection, records=records("b", "a"), file="f")
    ids = dict(collection.documents.values_list("docno", "id"))
    store_documents(collection=collection, records=records("c", "a", text="later"), file="f")
    rows = {
        docno: (id_, body) for docno, id_, body in collection.documents.values_list("docno", "id", "body")
    }
    assert rows["a"] == (ids["a"], "later")
    assert rows["b"] == (ids["b"], "")
    assert rows["c"][1] == "later"


def test_documents_of_a_large_upload_are_found_by_docno_before_it_commits(collection: Collection) -> None:
    """Postgres then plans by what it knew before: no document of the collection."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE campaigns_document")
    new = Collection.objects.create(name="new", owner=collection.owner)
    docnos = [f"new-{n:05}" for n in range(20_000)]
    ids = ensure_ids_by_docno(collection=new, docnos=docnos)
    assert len(set(ids.values())) == len(docnos)
    with connection.cursor() as cursor:
        # A table of a test is small enough to be read as a whole.
        cursor.execute("SET LOCAL enable_seqscan = off")
    plan = Document.objects.filter(collection=new, docno__in=docnos[:100]).explain()
    assert "document_docno" in plan
    assert "docno" in plan.partition("Index Cond:")[2].partition("Filter:")[0]
