"""Safe HTML is stored with a document; those of older versions get it from a task, or when they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.db import connection

import campaigns
from campaigns.collection import shown_text
from campaigns.collection.documents import remove_documents, store_documents
from campaigns.collection.shown_text import markdown_html, shown_html, unread_collections
from campaigns.collection.tasks import read_documents
from campaigns.formats.reading.contents import Content, Task
from campaigns.formats.reading.readers import ReaderUnavailable
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Collection, Document
from campaigns.operations.backups.restore import READ_AGAIN
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db

PAGE, SHOWN = "<p onclick=x()>One<script>x()</script>", "<p>One</p>"
DOCUMENTS = [
    DocumentRecord("html", "", PAGE, "text/html"),
    DocumentRecord("markdown", "", "*One*", "text/markdown"),
    DocumentRecord("plain", "", PAGE, "text/plain"),
    DocumentRecord("nothing", "", "<script>x()</script>", "text/html"),
]


@pytest.fixture
def collection() -> Collection:
    collection = Collection.objects.create(name="Texts", owner=User.objects.create_user("ada"))
    store_documents(collection=collection, records=DOCUMENTS, file="texts")
    return collection


def stored(collection: Collection) -> dict[str, str | None]:
    return dict(collection.documents.values_list("docno", "html"))


def as_older_versions_store(collection: Collection) -> None:
    collection.documents.update(html=None)
    collection.unread_until = max(collection.documents.values_list("id", flat=True))
    collection.save()


READ = {"html": SHOWN, "markdown": "<p><em>One</em></p>\n", "nothing": ""}


def test_safe_html_is_stored_with_a_document(collection: Collection) -> None:
    assert stored(collection) == {**READ, "plain": ""}
    changed = DocumentRecord("html", "", "<p>Two", "text/html")
    store_documents(collection=collection, records=[changed], file="texts")
    assert stored(collection)["html"] == "<p>Two</p>"


def test_documents_of_older_versions_are_read_by_a_task(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_text, "BATCH_IDS", 2)
    as_older_versions_store(collection)
    assert unread_collections() == [collection.id]
    read_documents(collection.id)
    assert stored(collection) == {**READ, "plain": None}
    assert unread_collections() == []


def test_reading_goes_on_where_it_was(collection: Collection) -> None:
    as_older_versions_store(collection)
    ids = dict(collection.documents.values_list("docno", "id"))
    Collection.objects.filter(id=collection.id).update(unread_until=ids["markdown"])
    assert not shown_text.read_for_a_while(collection=collection.id)
    unread = collection.documents.filter(html=None).values_list("docno", flat=True)
    assert set(unread) == {"nothing", "plain"}


def test_a_document_of_an_older_version_is_read_once_when_it_is_shown(collection: Collection) -> None:
    as_older_versions_store(collection)
    row = collection.documents.get(docno="html")
    assert shown_html(row.id, row.body, row.content_type, stored=row.html) == SHOWN
    assert stored(collection)["html"] == SHOWN
    row = collection.documents.get(docno="html")
    assert shown_html(row.id, "<p>not read again", row.content_type, stored=row.html) == SHOWN


def test_only_html_and_markdown_are_shown_as_html(collection: Collection) -> None:
    row = collection.documents.get(docno="plain")
    assert shown_html(row.id, row.body, row.content_type, stored=row.html) is None


def test_removed_documents_leave_no_html(collection: Collection) -> None:
    campaign = make_campaign("Small")
    store_documents(collection=campaign.collection, records=DOCUMENTS, file="texts")
    remove_documents(campaign=campaign)
    assert not Document.objects.filter(collection=campaign.collection).exclude(html="").exclude(html=None)


def test_guidelines_are_read_outside_and_kept() -> None:
    shown_text._kept_markdown.cache_clear()
    assert markdown_html("*One*") == "<p><em>One</em></p>\n"
    assert markdown_html("*One*") is markdown_html("*One*")
    assert markdown_html("") == ""
    assert markdown_html("[" * 100_000).startswith("<p>[[[")


@pytest.fixture
def no_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(task: Task) -> Content:
        raise ReaderUnavailable

    shown_text._kept_markdown.cache_clear()
    with monkeypatch.context() as without:
        without.setattr(shown_text, "read_one", refuse)
        yield


@pytest.mark.usefixtures("no_reader")
def test_without_a_reader_plain_html_is_shown_and_nothing_kept(collection: Collection) -> None:
    as_older_versions_store(collection)
    row = collection.documents.get(docno="html")
    assert shown_html(row.id, row.body, row.content_type, stored=None) == "<p> One x() </p>"
    assert stored(collection)["html"] is None
    assert markdown_html("*One*") == "<p>*One*</p>"
    assert shown_text._kept_markdown.cache_info().currsize == 0


def test_guidelines_that_many_want_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shown_text._kept_markdown.cache_clear()
    read, begun, free = [], Event(), Event()

    def slowly(task: Task) -> Content:
        read.append(task)
        begun.set()
        free.wait()
        return Content(html="<p>One</p>")

    monkeypatch.setattr(shown_text, "read_one", slowly)
    with ThreadPoolExecutor(4) as threads:
        shown = [threads.submit(markdown_html, "One") for _ in range(4)]
        begun.wait()
        free.set()
    assert [one.result() for one in shown] == ["<p>One</p>"] * 4
    assert len(read) == 1


def test_a_turn_is_over_after_the_document_that_ends_it(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_older_versions_store(collection)
    monkeypatch.setattr(shown_text, "SECONDS_A_TURN", 1.5)
    # Each look at the clock takes a second: one before the turn, one before a batch, one after a document.
    monkeypatch.setattr(shown_text, "time", SimpleNamespace(monotonic=count().__next__))
    assert shown_text.read_for_a_while(collection=collection.id)
    assert sum(html is not None for html in stored(collection).values()) == 1
    monkeypatch.undo()
    assert not shown_text.read_for_a_while(collection=collection.id)
    assert stored(collection) == {**READ, "plain": None}


@pytest.mark.parametrize("docno", ["html", "plain"])
def test_a_text_that_an_older_process_replaces_keeps_no_html(collection: Collection, docno: str) -> None:
    row = collection.documents.filter(docno=docno)
    row.update(title="Another")
    assert stored(collection)[docno] == {**READ, "plain": ""}[docno]
    row.update(body="<p>Two", content_type="text/html")
    assert stored(collection)[docno] is None
    row.update(body="<p>Three", html="<p>Three</p>")
    assert stored(collection)[docno] == "<p>Three</p>"


def test_html_of_a_restored_backup_is_made_again(collection: Collection) -> None:
    collection.documents.filter(docno="html").update(html="<script>x()</script>")
    with connection.cursor() as cursor:
        cursor.execute(READ_AGAIN)
    assert stored(collection) == {"html": None, "markdown": None, "plain": "", "nothing": ""}
    read_documents(collection.id)
    assert stored(collection) == {**READ, "plain": ""}


def test_queries_that_leave_out_bodies_leave_out_their_html() -> None:
    sources = Path(campaigns.__file__).parent.rglob("*.py")
    calls = [call for file in sources for call in re.findall(r"\.defer\(([^)]*)\)", file.read_text())]
    assert any("document__body" in call for call in calls)
    assert [call for call in calls if ("document__body" in call) != ("document__html" in call)] == []
