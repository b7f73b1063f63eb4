"""Full-text search of a collection, and the index behind it."""

from __future__ import annotations

import base64

import pytest
from django.db import connection

from campaigns.collection import search, search_index
from campaigns.collection.documents import remove_documents, store_documents
from campaigns.collection.search import search_documents
from campaigns.collection.search_index import due_collections
from campaigns.collection.tasks import index_documents
from campaigns.core.errors import Refusal
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Collection, DocumentWords
from campaigns.operations.campaign_deletion import delete_campaign
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db

TEXTS = [
    DocumentRecord("wing-1", "Wing flutter", "A wing at high speed shows flutter."),
    DocumentRecord("wing-10", "Heat", "Heating of a blunt body; no flutter of wings is seen here."),
    DocumentRecord("wing-2", "", "A study of boundary layers."),
    DocumentRecord("page", "", "<p>Shock <b>waves</b> <script>flutter()</script></p>", "text/html"),
    DocumentRecord("scan", "Scanned", base64.b64encode(b"flutter of a wing").decode(), "application/pdf"),
]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Found", {"r": {"1": [record.docno for record in TEXTS]}}, opened=False)
    store(campaign.collection)
    return campaign


def store(collection: Collection, records: list[DocumentRecord] = TEXTS) -> None:
    store_documents(collection=collection, records=records, file="texts")
    index_documents(collection.id)


def docnos(
    collection: Collection, query: str, *, order: str = "", page: int = 1, limit: int = 20
) -> list[str]:
    found = search_documents(collection=collection, query=query, order=order, page=page, limit=limit)
    return [row.docno for row in found.rows]


def test_words_of_the_title_weigh_most(campaign: Campaign) -> None:
    assert docnos(campaign.collection, "flutter") == ["wing-1", "wing-10"]


def test_words_are_found_in_other_forms(campaign: Campaign) -> None:
    assert docnos(campaign.collection, "studies boundaries") == ["wing-2"]


@pytest.mark.parametrize("pump", ["<!--", "a_", "<!-- a_"])
def test_texts_that_postgres_parses_slowly_are_indexed(campaign: Campaign, pump: str) -> None:
    """Each would take minutes, and the lock of the collection with it."""
    text = f"curious {pump * 30_000}"
    store(campaign.collection, [DocumentRecord("slow", text[:4000], text)])
    assert docnos(campaign.collection, "curious") == ["slow"]
    store(campaign.collection, [DocumentRecord("joined", "", "<p>snake_case_name</p> <!-- x -->")])
    [row] = search_documents(collection=campaign.collection, query="snake_case_name").rows
    assert "snake_case_name" in "".join(text for text, _ in row.snippet)


def test_a_text_that_takes_too_long_is_split_into_words(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Words are taken from the text as it is, as if no slow construct of Postgres were known."""
    slow = search_index._PARSED.replace("'<!--', ' '", "'<!--', '<!--'")
    monkeypatch.setattr(search_index, "_PARSED", slow)
    monkeypatch.setattr(search_index, "SECONDS_A_STATEMENT", 2.0)
    monkeypatch.setattr(search_index, "BATCH_IDS", 4)
    others = [DocumentRecord(f"quick-{n}", "", "curious studies") for n in range(9)]
    text = f"<b>curious</b> flying {'<!-- ' * 20_000}"
    store(campaign.collection, [*others[:5], DocumentRecord("slow", "Late", text), *others[5:]])
    assert due_collections() == []
    assert docnos(campaign.collection, "curious -study") == ["slow"]
    assert docnos(campaign.collection, "fly late") == ["slow"]
    assert len(docnos(campaign.collection, '"curious studies"')) == len(others)
    assert [record.args[0] for record in caplog.records if record.args] == ["slow"]  # type: ignore[index]


def test_phrases_and_exclusions_are_understood(campaign: Campaign) -> None:
    assert docnos(campaign.collection, '"high speed"') == ["wing-1"]
    assert docnos(campaign.collection, "flutter -blunt") == ["wing-1"]


def test_docno_comes_first_then_those_that_begin_so(campaign: Campaign) -> None:
    assert docnos(campaign.collection, "wing-1")[:2] == ["wing-1", "wing-10"]
    found = search_documents(collection=campaign.collection, query="wing-1").rows
    assert [row.by_docno for row in found][:2] == [True, True]


def test_docno_without_text_is_found(campaign: Campaign) -> None:
    bare = make_campaign("Bare", {"r": {"1": ["only-docno"]}}, opened=False)
    assert docnos(bare.collection, "only") == ["only-docno"]
    assert not DocumentWords.objects.filter(document__collection=bare.collection).exists()


def test_scans_are_found_by_their_title_only(campaign: Campaign) -> None:
    assert docnos(campaign.collection, "scanned") == ["scan"]


def test_snippet_marks_the_match(campaign: Campaign) -> None:
    (row,) = search_documents(collection=campaign.collection, query="speed").rows
    assert ("speed", True) in row.snippet
    assert row.excerpt == "A wing at high speed shows flutter."


def test_markup_is_no_part_of_a_snippet(campaign: Campaign) -> None:
    (row,) = search_documents(collection=campaign.collection, query="shock").rows
    assert "<" not in row.excerpt


def test_stop_words_find_nothing(campaign: Campaign) -> None:
    assert docnos(campaign.collection, "the of a") == []


def test_other_collections_are_not_searched(campaign: Campaign) -> None:
    other = make_campaign("Other", {"r": {"1": ["o"]}}, opened=False)
    store(other.collection, [DocumentRecord("o", "Flutter", "flutter flutter")])
    assert docnos(campaign.collection, "flutter") == ["wing-1", "wing-10"]
    assert docnos(other.collection, "flutter") == ["o"]


@pytest.mark.parametrize("query", ["", "  ", "\0"])
def test_empty_query_is_refused(campaign: Campaign, query: str) -> None:
    with pytest.raises(Refusal, match="enter a word"):
        search_documents(collection=campaign.collection, query=query)


@pytest.mark.parametrize("query", ["'", '"', "a & | ! (", "\\", "<->", ":*", "x" * 5000])
def test_odd_queries_are_no_errors(campaign: Campaign, query: str) -> None:
    assert docnos(campaign.collection, query) == []


def test_pages_follow_each_other(campaign: Campaign) -> None:
    first = search_documents(collection=campaign.collection, query="flutter", limit=1)
    second = search_documents(collection=campaign.collection, query="flutter", limit=1, page=2)
    assert [page.rows[0].docno for page in (first, second)] == ["wing-1", "wing-10"]
    assert (first.is_last, second.is_last) == (False, True)
    assert first.matching == 2


def test_too_many_matches_are_not_counted(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_RANKED", 2)
    assert search_documents(collection=campaign.collection, query="flutter").matching is None


def test_slow_search_ends_with_a_plain_sentence(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SEARCH_SECONDS", 0.05)
    monkeypatch.setattr(search, "_RANKED", "SELECT pg_sleep(20), 0")
    with pytest.raises(Refusal, match="add a rarer word") as refused:
        search_documents(collection=campaign.collection, query="flutter")
    assert refused.value.code == "search_timeout"
    with connection.cursor() as cursor:
        # The connection goes on as before.
        cursor.execute("SELECT current_setting('statement_timeout')")
        assert cursor.fetchone() == ("0",)


def test_replaced_texts_are_indexed_again(campaign: Campaign) -> None:
    store(campaign.collection, [DocumentRecord("wing-1", "Nothing", "about rockets"), TEXTS[2]])
    assert docnos(campaign.collection, "rockets") == ["wing-1"]
    assert docnos(campaign.collection, "flutter") == ["wing-10"]


def test_search_says_that_the_index_is_incomplete(campaign: Campaign) -> None:
    late = [DocumentRecord("late", "", "flutter at last")]
    store_documents(collection=campaign.collection, records=late, file="texts")
    assert due_collections() == [campaign.collection_id]
    assert search_documents(collection=campaign.collection, query="flutter").incomplete
    index_documents(campaign.collection_id)
    assert due_collections() == []
    assert not search_documents(collection=campaign.collection, query="flutter").incomplete
    assert "late" in docnos(campaign.collection, "flutter")


def test_index_goes_on_batch_by_batch(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [DocumentRecord(f"many-{n:02}", "", f"turbine {n}") for n in range(30)]
    monkeypatch.setattr(search_index, "BATCH_IDS", 7)
    store(campaign.collection, many)
    assert len(docnos(campaign.collection, "turbine", limit=50)) == 30


def test_turn_of_the_index_ends(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    store_documents(
        collection=campaign.collection,
        records=[DocumentRecord(f"many-{n}", "", "turbine") for n in range(9)],
        file="texts",
    )
    monkeypatch.setattr(search_index, "SECONDS_A_TURN", 0.0)
    monkeypatch.setattr(search_index, "BATCH_IDS", 4)
    assert search_index.index_for_a_while(collection=campaign.collection_id)
    assert due_collections() == [campaign.collection_id]


def test_removed_documents_leave_the_index(campaign: Campaign) -> None:
    remove_documents(campaign=campaign)
    assert not DocumentWords.objects.exists()
    assert docnos(campaign.collection, "flutter") == []


def test_deleted_campaign_leaves_no_words(campaign: Campaign) -> None:
    delete_campaign(campaign=campaign, confirmation=campaign.slug)
    assert not DocumentWords.objects.exists()


@pytest.mark.parametrize(
    ("order", "falls", "expected"),
    [
        ("docno", False, ["wing-1", "wing-10", "wing-2"]),
        ("docno", True, ["wing-2", "wing-10", "wing-1"]),
        ("title", False, ["wing-10", "wing-1", "wing-2"]),
        # Without a title last, either way.
        ("title", True, ["wing-1", "wing-10", "wing-2"]),
        ("length", False, ["wing-2", "wing-1", "wing-10"]),
        ("length", True, ["wing-10", "wing-1", "wing-2"]),
    ],
)
def test_results_are_sorted_with_what_the_docno_finds(
    campaign: Campaign, order: str, falls: bool, expected: list[str]
) -> None:
    # Words find two of them, the beginning of the docno all three.
    found = search_documents(collection=campaign.collection, query="wing", order=order, falls=falls)
    assert [row.docno for row in found.rows] == expected
    assert found.matching == 3


def test_lengths_are_of_the_text(campaign: Campaign) -> None:
    (row,) = search_documents(collection=campaign.collection, query="speed").rows
    assert row.length == len("A wing at high speed shows flutter.")


def test_pages_of_sorted_results_share_no_document(campaign: Campaign) -> None:
    same = [DocumentRecord(f"same-{n}", "Turbine", "a turbine") for n in range(7)]
    store(campaign.collection, same)
    pages = [docnos(campaign.collection, "turbine", page=page, limit=3, order="length") for page in (1, 2, 3)]
    assert pages == [["same-0", "same-1", "same-2"], ["same-3", "same-4", "same-5"], ["same-6"]]
