"""A full disk, ours or the database's: an upload or import ends in a plain word and changes nothing."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from psycopg2 import OperationalError
from pytest_django import Settings

import manage
from campaigns.core.database import is_disk_full
from campaigns.models import Campaign, Collection, Deed, Document, Judgment, Run, Topic
from tests.campaigns.exchange.bundles.bundle_copies import packed
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

TABLES = (Campaign, Collection, Deed, Document, Judgment, Run, Topic, User)
# A file of more megabytes than are kept in memory.
LARGE = 4 << 20


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small")
    Api(campaign, "Small-grace").judge("1", "a", 1)
    return campaign


@pytest.fixture
def ada(campaign: Campaign) -> Client:
    client = signed_in("Small-ada")
    client.raise_request_exception = False
    return client


@contextmanager
def small_disk() -> Iterator[None]:
    """No file of this process gets longer: to its writer, the disk is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGE // 2, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def fill_database(table: str) -> None:
    """As Postgres says it when a table cannot grow: with the code of a full disk."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$"
        )
        cursor.execute(f"CREATE TRIGGER full_disk BEFORE INSERT ON {table} EXECUTE FUNCTION full_disk()")


def counts() -> list[int]:
    return [model._default_manager.count() for model in TABLES]


def document_lines(many: int = 1, size: int = 10) -> bytes:
    rows = ({"docno": f"new-{number}", "text": "x" * size} for number in range(many))
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def upload(client: Client, address: str, content: bytes, name: str = "docs.jsonl", **more: str) -> Any:
    return client.post(address, {"file": SimpleUploadedFile(name, content), **more})


def check_refused(reply: Any) -> None:
    assert reply.status_code == 507
    if reply.headers["Content-Type"] == "application/problem+json":
        assert reply.json()["code"] == "no_room"
        assert "the disk of this site is full; nothing that you sent is stored" in reply.json()["detail"]
    else:
        assert "The disk is full" in reply.content.decode()


def test_the_last_words_of_a_server_count_whatever_follows() -> None:
    words = 'PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device\nserver closed'
    first, later = OperationalError(words), OperationalError("not yet accepting connections")
    later.__context__ = RuntimeError("not whole")
    later.__context__.__cause__ = first
    assert is_disk_full(later)
    assert not is_disk_full(OperationalError("not yet accepting connections"))
    assert not is_disk_full(FileNotFoundError(2, "no such file"))
    assert not is_disk_full(None)


COLLECTION, BUNDLE = "/api/v1/campaigns/small/collection/", "/campaigns/new/bundle/"


@pytest.mark.parametrize("address", [COLLECTION, BUNDLE])
def test_an_upload_that_does_not_fit(ada: Client, address: str, tmp_path: Path, settings: Settings) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    before, content = counts(), document_lines(4, LARGE // 4)
    with small_disk():
        check_refused(upload(ada, address, content))
    assert counts() == before
    # Nor does the beginning of it fill the disk any longer.
    assert list(tmp_path.iterdir()) == []
    # With room, it is read.
    assert upload(ada, COLLECTION, content).status_code == 201


def test_documents_for_which_the_database_has_no_room(ada: Client) -> None:
    before = counts()
    fill_database("campaigns_document")
    check_refused(upload(ada, COLLECTION, document_lines()))
    assert counts() == before


@pytest.mark.parametrize("table", ["campaigns_document", "campaigns_ranking", "campaigns_judgment"])
def test_a_bundle_for_which_the_database_has_no_room(ada: Client, campaign: Campaign, table: str) -> None:
    content, before = packed(campaign), counts()
    fill_database(table)
    check_refused(upload(ada, BUNDLE, content, "small.bundle.zip", slug="copy"))
    assert counts() == before


@pytest.fixture
def filled(campaign: Campaign) -> Iterator[None]:
    """For good, as commands close their connection."""
    fill_database("campaigns_document")
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION full_disk() CASCADE")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("filled")
def test_commands_say_it_in_a_line(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle, texts = tmp_path / "small.bundle.zip", tmp_path / "docs.jsonl"
    bundle.write_bytes(packed(campaign))
    texts.write_bytes(document_lines())
    before = counts()
    # The tests' own database is there already; nothing else is looked for.
    monkeypatch.setenv("DATABASE_URL", "postgres:///none")
    for command in (
        ["import_bundle", str(bundle), "--slug", "copy"],
        ["import_collection", "small", str(texts)],
    ):
        assert manage.main(["manage.py", *command]) == 1
        said = capsys.readouterr()
        assert said.err.startswith("The disk is full; nothing more was stored.\n"), command
        assert "Traceback" not in said.err
    assert counts() == before
