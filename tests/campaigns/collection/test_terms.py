"""Terms in every script: the same in search, snippets, classifier and browser."""

from __future__ import annotations

import json
import tracemalloc
import unicodedata
from pathlib import Path

import pytest
from django.db import connection

from campaigns.collection import search, search_index
from campaigns.collection.documents import store_documents
from campaigns.collection.search import search_documents
from campaigns.collection.search_index import prepared
from campaigns.collection.tasks import index_documents
from campaigns.collection.terms import MOST_READ, divisions, features, fold, grams, terms_of_run
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Collection
from tests.campaigns.factories import make_campaign

TABLE = json.loads(Path("tests/front_end/scripts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "folded"), TABLE["folded"])
def test_texts_are_folded_as_in_the_browser(text: str, folded: str) -> None:
    assert fold(text) == unicodedata.normalize("NFC", folded)


@pytest.mark.parametrize(("run", "terms"), TABLE["runs"])
def test_runs_ask_for_the_same_words_as_in_the_browser(run: str, terms: list[str]) -> None:
    assert terms_of_run(fold(run)) == [fold(term) for term in terms]


@pytest.mark.django_db
@pytest.mark.parametrize(("title", "text", "pieces"), TABLE["matches"])
def test_search_finds_and_marks_what_the_browser_marks(title: str, text: str, pieces: list[str]) -> None:
    collection = collection_of(text, "nothing of the kind")
    rows = search_documents(collection=collection, query=title).rows
    assert [row.docno for row in rows] == (["d0"] if pieces else [])
    assert [piece for row in rows for piece, matched in row.snippet if matched] == pieces


def collection_of(*texts: str) -> Collection:
    records = [DocumentRecord(f"d{n}", "", text) for n, text in enumerate(texts)]
    campaign = make_campaign("Scripts", {"r": {"1": [record.docno for record in records]}}, opened=False)
    store_documents(collection=campaign.collection, records=records, file="texts")
    index_documents(campaign.collection_id)
    return campaign.collection


def docnos(collection: Collection, query: str) -> list[str]:
    return sorted(row.docno for row in search_documents(collection=collection, query=query).rows)


@pytest.mark.django_db
def test_queries_of_any_script_combine_words() -> None:
    collection = collection_of(
        "大学图书馆的评价", "大学生在图书馆", "iPhone手机", "도서관의 iPhone", "학교 도서관"
    )
    assert docnos(collection, "图书馆") == ["d0", "d1"]
    assert docnos(collection, "图书馆 -大学生") == ["d0"]
    assert docnos(collection, '"大学图书馆"') == ["d0"]
    assert docnos(collection, "大学图书馆评价") == ["d0"]
    assert docnos(collection, "大学生 or 手机") == ["d1", "d2"]
    assert docnos(collection, "iPhone手机") == ["d2"]
    assert docnos(collection, '"iphone手机"') == ["d2"]
    assert docnos(collection, "도서관") == ["d3", "d4"]
    assert docnos(collection, "도서관이 -iphone") == ["d4"]
    assert docnos(collection, "学") == ["d0", "d1"]
    # Both of its pairs are there, but not together.
    assert docnos(collection, "大学图生在") == []


@pytest.mark.django_db
def test_long_texts_are_found_by_words_at_their_end() -> None:
    letters = [chr(0x4E00 + n * 7 % 20_000) for n in range(59_000)]
    long = "".join(letters) + "图书馆 fast 很好吃"
    collection = collection_of(long, "图书。书馆 fast", "\n".join("word" for _ in range(17_000)) + "\n图书馆")
    assert docnos(collection, "图书馆") == ["d0", "d2"]
    assert docnos(collection, "图书馆 -很好") == ["d2"]
    assert docnos(collection, "fast -很好吃") == ["d1"]
    assert docnos(collection, "fast -学生会") == ["d0", "d1"]


@pytest.mark.parametrize("text", ["a\n", "a,", "a-b-c ", "<p>a</p>\n", "a. ", "ก่า\n", "3.14 "])
@pytest.mark.django_db
def test_texts_count_as_long_before_postgres_counts_no_further(text: str) -> None:
    collection = collection_of(f"{text * 3000} zebra", f"{(text * 50_000)[:99_990]} zebra")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT words @@ '#long'::tsquery,"
            " (SELECT max(place) FROM unnest(words), unnest(positions) place WHERE lexeme = 'zebra')"
            " FROM campaigns_documentwords JOIN campaigns_document d ON d.id = document_id"
            " WHERE collection_id = %s ORDER BY docno",
            [collection.id],
        )
        texts = cursor.fetchall()
    assert [is_long or place < 16_383 for is_long, place in texts] == [True, True]
    assert [place > 6000 for is_long, place in texts if is_long] in ([True], [True, True])


@pytest.mark.django_db
@pytest.mark.parametrize(("title", "text", "pieces"), TABLE["matches"])
def test_texts_that_are_only_split_are_found_in_every_script(
    title: str, text: str, pieces: list[str]
) -> None:
    collection = collection_of(text, "nothing of the kind")
    collection.refresh_from_db()
    search_index._index_ids(collection, 0, collection.texts_until, split=True)
    assert docnos(collection, title) == (["d0"] if pieces else [])


@pytest.mark.django_db
def test_texts_of_megabytes_and_of_the_rarest_letters_are_indexed() -> None:
    collection = collection_of(
        "图书馆" * 400_000,
        "".join(chr(0x20000 + n * n % 42_000) for n in range(120_000)) + "湖",
        "ﷺ" * 100_000,
        "湖" + "\u0e31" * 100_000,
        "＜＜湖",
    )
    assert docnos(collection, "图书馆") == ["d0"]
    assert docnos(collection, "湖") == ["d4"]


def test_prepared_texts_hold_each_letter_once_as_a_beginning() -> None:
    assert prepared("Über 图书馆!").split() == ["uber", "图书", "书馆", "馆", "!"]
    assert prepared("<p>湖</p>") == "<p> 湖 </p>"


def marked(collection: Collection, query: str) -> list[str]:
    rows = search_documents(collection=collection, query=query).rows
    return [piece for row in rows for piece, matched in row.snippet if matched]


@pytest.mark.django_db
def test_snippets_mark_phrases_only_where_their_words_follow_each_other() -> None:
    collection = collection_of(
        "A new plan for York. It is new in New  York!",
        "An old state of the art, an art",
        "学图书 新iphone手机",
    )
    assert marked(collection, '"new york"') == ["New", "York"]
    assert marked(collection, "new york") == ["new", "York", "new", "New", "York"]
    assert marked(collection, '"the states of the art"') == ["state", "of", "the", "art"]
    assert marked(collection, '"iphone手机"') == ["iphone手机"]


@pytest.mark.django_db
def test_a_page_whose_time_is_over_has_no_snippets(monkeypatch: pytest.MonkeyPatch) -> None:
    collection = collection_of("fish 图书馆")
    monkeypatch.setattr(search, "SNIPPET_SECONDS", 0.0)
    rows = search_documents(collection=collection, query="fish").rows
    assert [(row.docno, row.snippet) for row in rows] == [("d0", [])]


def test_classifier_reads_pairs_and_words() -> None:
    assert features("图书馆 и iPhone手机") == ["图书", "书馆", "馆", "iphone", "手机", "机"]
    assert features("도서관의 책") == ["도서관"]
    assert features("a Cat cat_2") == ["cat", "cat_2"]


def test_divisions_are_all_ways_into_words_of_two_to_four_letters() -> None:
    assert divisions("图书馆") == [["图书馆"]]
    assert divisions("图书馆评价")[1:] == [["图书", "馆评价"], ["图书馆", "评价"]]
    assert max(len(divisions("一二三四五六七八九"[:n])) for n in range(1, 10)) < 10


@pytest.mark.parametrize(
    "text", ["＜b>", "﹤b>", "≮b>", "<\u0338b>", "<\u200bb>", "<／b>", "<！－－ b", "<!－－ b"]
)
def test_folded_texts_have_no_tag_that_they_had_not(text: str) -> None:
    assert "<" not in fold(text)


def test_letters_keep_their_signs() -> None:
    assert grams("สมุด") == ["สมุ", "มุด", "ด"]


@pytest.mark.parametrize(
    "letters", ["word ", "wörter ", "图书馆", "ﷺ", "ก่า", "湖" + "\u0e31" * 99, "도서관이 "]
)
def test_a_classifier_reads_the_beginning_of_a_long_text(letters: str) -> None:
    tracemalloc.start()
    try:
        read = features(letters * (30_000_000 // len(letters)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0 < sum(map(len, read)) <= 2 * MOST_READ + len(letters)
    # Beside the text itself, which takes up to two bytes a character.
    assert peak < 60_000_000 + 300 * MOST_READ
    short = letters * 20
    assert features(short) == features(f"{short} ")
