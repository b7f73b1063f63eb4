"""Texts that search splits into words: any of them in linear time, and so that its words find it."""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import RunSQL

from campaigns.collection.documents import store_documents
from campaigns.collection.search import search_documents
from campaigns.collection.search_index import due_collections, parsed
from campaigns.collection.tasks import index_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Collection
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db

CHARACTERS = "a1eé~/.-:@<>&#+=?%;!_'\" "
LONG = 20_000
# A linear split takes some milliseconds, a quadratic one of so long a text 18 seconds and more.
MOST_SECONDS = 5.0
SPLIT = """
SELECT length(to_tsvector('english', {text})), ts_headline('english', {text}, 'curious'::tsquery)
FROM (SELECT left('curious ' || repeat(%(pump)s, %(times)s), %(most)s) AS text) pumped
"""

COMPOUNDS = {
    "email": "john_doe@example.com",
    "plain email": "a1@b2.example.org",
    "URL": "https://a.org/some_page/x_y.html",
    "query string": "http://a.org/find?page=2&sort=up_down",
    "address without protocol": "a.org/some_page/x_y.html",
    "file": "foo_bar.txt",
    "path": "/usr/lib_x/bin",
    "home": "~/notes/to_do.md",
    "relative path": "../src/main.c",
    "host": "my_host.example.com",
    "identifier": "snake_case_name",
    "alternatives": "lift/drag",
    "date": "11/27/2026",
    "handle": "@some_body",
    "version": "1.2.3-rc_1",
    "decimal": "3.14",
    "exponent": "6.02e23",
    "hyphens": "state-of-the-art",
    "short hyphen": "e-mail",
    "language": "C++",
    "umlauts": "Straßenbahngröße",
    "Chinese": "信息检索",
    "contraction": "o'clock",
    "company": "R&D",
}


def collection_of(*texts: str, content_type: str = "text/plain") -> Collection:
    records = [DocumentRecord(f"d{n}", "", text, content_type) for n, text in enumerate(texts)]
    campaign = make_campaign("Texts", {"r": {"1": [record.docno for record in records]}}, opened=False)
    store_documents(collection=campaign.collection, records=records, file="texts")
    index_documents(campaign.collection_id)
    return campaign.collection


def found(collection: Collection, query: str) -> dict[str, str]:
    rows = search_documents(collection=collection, query=query).rows
    return {
        row.docno: "".join(f"[{piece}]" if match else piece for piece, match in row.snippet) for row in rows
    }


def is_split_in_time(pump: str, text: str = parsed("text"), seconds: float = MOST_SECONDS) -> bool:
    given: dict[str, Any] = {"pump": pump, "times": LONG // len(pump), "most": LONG}
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{1000 * seconds:.0f}ms"])
            cursor.execute(SPLIT.format(text=text), given)
    except OperationalError:
        return False
    return True


def test_no_pump_of_two_characters_is_slow() -> None:
    pumps = map("".join, itertools.product(CHARACTERS, repeat=2))
    assert [pump for pump in pumps if not is_split_in_time(pump)] == []


def test_no_longer_pump_is_slow() -> None:
    """Those of three characters by a sample, beside each that was slow, and openings of tags and comments."""
    chosen = random.Random(11)
    pumps = ["".join(chosen.choices(CHARACTERS, k=chosen.choice((3, 3, 5)))) for _ in range(300)]
    slow = map("".join, itertools.chain(*map(itertools.permutations, ("a1@", "e1@"))))
    openings = [
        "<!--",
        "<!-- a_",
        "<!-->",
        "<!-- -->",
        "</a",
        "</a>",
        "<a '",
        "<script>",
        "&amp;",
        "a://",
        "1.2-",
    ]
    assert [pump for pump in [*slow, *openings, *pumps] if not is_split_in_time(pump)] == []


def test_slow_pump_is_noticed() -> None:
    assert not is_split_in_time("~/", text="text", seconds=0.5)


@pytest.mark.parametrize("compound", COMPOUNDS.values(), ids=COMPOUNDS)
def test_document_is_found_by_a_compound(compound: str) -> None:
    texts = [f"Curious: {compound}", f"see ({compound}), which", "nothing of the kind"]
    collection = collection_of(*texts)
    assert set(found(collection, compound)) == {"d0", "d1"}
    assert set(found(collection, f'"{compound}" curious')) == {"d0"}
    assert found(collection, f"curious -{compound}") == {}
    snippet = found(collection, compound)["d1"]
    assert "[" in snippet
    # As it was written, around the marks.
    assert re.sub(r"[][]", "", snippet) in texts[1]


def test_words_of_a_compound_must_follow_each_other() -> None:
    collection = collection_of("doe and john at example.com", "john_doe@example.com")
    assert set(found(collection, "john_doe@example.com")) == {"d1"}
    assert set(found(collection, "john example.com")) == {"d0", "d1"}


def test_parts_of_a_compound_find_it() -> None:
    collection = collection_of("write to john_doe@example.com", "the archive /usr/lib_x/programs")
    assert found(collection, "doe") == {"d0": "write to john_[doe]@example.com"}
    assert found(collection, "lib") == {"d1": "the archive /usr/[lib]_x/programs"}


@pytest.mark.parametrize(
    "markup",
    [
        "<p>shock <br/>waves</p>",
        "<b class=some_class>shock</b> <a href=/x/some_page.html>waves</a>",
        '<a title="1 > 0" href="http://a.org/some_page">shock</a> waves',
        "<script>page()</script>shock <style>page {}</style>waves",
        "shock <!-- some page --> waves <!--\n/page_2/ -->",
        "<tei:p>shock</tei:p><hr />waves&nbsp;&amp;",
    ],
)
def test_markup_is_neither_found_nor_shown(markup: str) -> None:
    collection = collection_of(markup, content_type="text/html")
    assert [found(collection, word) for word in ("page", "some", "class", "href", "br", "amp")] == [{}] * 6
    snippet = found(collection, "shock waves")["d0"]
    assert "[shock]" in snippet
    assert "[waves]" in snippet
    assert "<" not in snippet


@pytest.mark.parametrize("content_type", ["text/html", "text/markdown"])
def test_malformed_markup_is_found_and_shown(content_type: str) -> None:
    collection = collection_of("fish <![x[ <![ b", "fish " + "<a " * 6600, content_type=content_type)
    assert {docno: text[:6] for docno, text in found(collection, "fish").items()} == {
        "d0": "[fish]",
        "d1": "[fish]",
    }


def test_form_feeds_of_a_text_are_spaces() -> None:
    snippet = found(collection_of("first\fsecond\vthird\x0efourth page"), "page")["d0"]
    assert snippet == "first second third fourth [page]"


def test_migration_has_indexed_texts_indexed_again() -> None:
    collection = collection_of("a text")
    assert due_collections() == []
    (reindex,) = MigrationLoader(None).disk_migrations["campaigns", "0016_scripts_reindexed"].operations
    assert isinstance(reindex, RunSQL)
    with connection.cursor() as cursor:
        cursor.execute(str(reindex.sql))
    assert due_collections() == [collection.id]
    index_documents(collection.id)
    assert due_collections() == []
    assert set(found(collection, "text")) == {"d0"}
