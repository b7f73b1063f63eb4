"""Documents of tables and lists: the same as those of lines of JSON, and every cell is stored or named."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import math
import re
from collections.abc import Callable
from typing import Any

import lz4.frame
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns.formats.conversion.rows import Report, json_rows
from campaigns.formats.conversion.sources import Table
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.errors import FormatError, Notices
from campaigns.formats.recognition.content import Kind
from campaigns.formats.recognition.heads import recognise_file
from campaigns.formats.recognition.roles import ColumnChoice
from campaigns.formats.topics import DocumentRecord
from tests.campaigns.formats.conversion.document_files import (
    TABLES,
    arrow_file,
    arrow_stream,
    delimited,
    json_list,
    parquet,
    tabs,
)
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data, refusal

DOCUMENTS = {
    "docno": ["d1", "文2", "d-3"],
    "title": ["A title", "", 'of "quotes", commas; and more'],
    "text": ["one\ntwo\r\nthree", "漢字かな 🙂", "#no comment\n\n; ,\t|"],
    "url": ["https://x.example/?a=1,2", "u", "v"],
}
LONG = "A text that an assessor must read before any grade can be given. " * 3


def read(content: str | bytes, **options: Any) -> tuple[list[DocumentRecord], dict[str, int]]:
    """Documents of a file, and the counts of its report by their names."""
    notices = Notices()
    data = content.encode() if isinstance(content, str) else content
    documents = list(iter_documents(io.BytesIO(data), "some.docs", notices=notices, **options))
    return documents, {row["what"]: row["count"] for row in notices.rows()}


def texts(documents: list[DocumentRecord]) -> list[tuple[str, str, str]]:
    return [(one.docno, one.title, one.body) for one in documents]


@pytest.mark.parametrize("name", TABLES)
def test_documents_of_each_format_are_read(name: str) -> None:
    content = TABLES[name](DOCUMENTS)
    documents, report = read(content)
    assert texts(documents) == list(zip(*list(DOCUMENTS.values())[:3], strict=True))
    assert [one.metadata for one in documents] == [{"url": url} for url in DOCUMENTS["url"]]
    assert not report
    if not name.endswith((".parquet", ".arrow", ".feather")):
        assert recognise_file(content).kind is Kind.DOCUMENTS


@needs_data
@pytest.mark.parametrize("name", TABLES)
def test_cranfield_is_the_same_in_each_format(name: str) -> None:
    with (TREC_DATA / "cranfield" / "docs.jsonl").open("rb") as file:
        expected = list(iter_documents(file, "docs.jsonl"))
    columns = {
        "docno": [one.docno for one in expected],
        "title": [one.title for one in expected],
        "text": [one.body for one in expected],
    }
    documents, _ = read(TABLES[name](columns))
    assert texts(documents) == texts(expected)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
    "lz4": lz4.frame.compress,
}


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("name", ["docs.parquet", "docs.arrow", "docs.csv", "docs.json", "docs.jsonl"])
def test_packed_tables_are_read(name: str, pack: str) -> None:
    documents, _ = read(PACKERS[pack](TABLES[name](DOCUMENTS)))
    assert texts(documents) == list(zip(*list(DOCUMENTS.values())[:3], strict=True))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("7\tSome passage.\n8\tOther passage.\n", [("7", "", "Some passage."), ("8", "", "Other passage.")]),
        (
            f"D1\thttps://x.example/\tT\t{LONG}\nD2\thttp://y.example/\t\t{LONG}\n",
            [("D1", "T", LONG.strip()), ("D2", "", LONG.strip())],
        ),
        (tabs({"pid": ["7"], "passage": ["words"]}), [("7", "", "words")]),
        ('7,"Some, passage"\n8,Other\n', [("7", "", "Some, passage"), ("8", "", "Other")]),
        ("7;T;Some\n8;;Other\n", [("7", "T", "Some"), ("8", "", "Other")]),
        ("cord_uid,title,abstract\nu1,T,words\nu2,U,more\n", [("u1", "T", "words"), ("u2", "U", "more")]),
        ("Doc ID,Text\n1,words\n2,more\n", [("1", "", "words"), ("2", "", "more")]),
        (parquet({"_id": [7, 8], "Text": ["a", "b"]}), [("7", "", "a"), ("8", "", "b")]),
        (parquet({"id": [7.0], "text": ["a"]}), [("7", "", "a")]),
        (parquet({"doc": ["x"], "contents": [["one", "two"]]}), [("x", "", "one\n\ntwo")]),
        (
            parquet({"_id": ["x"], "metadata": [{"title": "T", "body": "words"}]}),
            [("x", "T", "words")],
        ),
        (json_list({"_id": ["x"], "_source": [{"title": "T", "body": "words"}]}), [("x", "T", "words")]),
    ],
)
def test_columns_are_known_by_their_names_or_their_number(
    content: str | bytes, expected: list[tuple[str, str, str]]
) -> None:
    documents, report = read(content)
    assert texts(documents) == expected
    assert not report


def test_a_list_whose_first_object_is_long_is_read() -> None:
    [document], _ = read(json_list({"id": ["a"], "text": ["x " * 50_000 + "end"]}))
    assert document.body.endswith(" end")


def test_a_chosen_text_or_column_is_read() -> None:
    content = parquet({"key": ["a"], "story": [LONG], "text": ["short"]})
    with pytest.raises(FormatError, match="docno"):
        read(content)
    [document], _ = read(content, columns={"docno": "key", "text": "story"})
    assert (document.docno, document.body, document.metadata) == ("a", LONG, {"text 2": "short"})
    content = parquet({"id": ["a"], "story": [LONG]})
    with pytest.raises(FormatError, match="story"):
        read(content)
    [document], _ = read(content, text_field="story")
    assert document.body == LONG
    nested = parquet({"id": ["a"], "parts": [[{"words": "one"}, {"words": "two"}]]})
    [document], _ = read(nested, text_field="parts.words")
    assert document.body == "one\n\ntwo"


def test_chosen_columns_of_lines_are_read() -> None:
    for content in (tabs({"key": ["k1"], "n": ["x"], "story": ["words"]}), '{"key": "k1", "story": "words"}'):
        [document], _ = read(content, columns={"docno": "key", "text": "story"})
        assert (document.docno, document.body) == ("k1", "words")


WRONG: dict[str, tuple[str | bytes, str]] = {
    "no docno": ("a,b\nc,d\ne,f\n", "choose which is the docno"),
    "no docno in Parquet": (parquet({"text": ["x"]}), "choose which is the docno"),
    "a null docno": (parquet({"docno": ["a", None], "text": ["x", "y"]}), "row 2 no docno"),
    "a docno twice": (
        parquet({"docno": ["a", "b", "a"], "text": ["x"] * 3}),
        "row 3 docno 'a' a second time",
    ),
    "a blank in a docno": ("docno,text\nd 1,words\n", "row 2 a docno is one word"),
    "few columns": ("docno,text\na,words\nb\n", "row 3 1 columns where the first row has 2"),
    "many columns": ("docno,text\na,words, more\n", "row 2 3 columns where the first row has 2"),
    "an open quote": ('docno,text\na,"words\nb,more\n', "unexpected end of data"),
    "words behind a quote": ('docno,text\na,"words" more\n', "row 2 is no row of CSV"),
    "not UTF-8": (b"docno,text\na,caf\xe9\n", "is not UTF-8"),
    "a run": ("qid,docno,score\nq1,d1,0.5\n", "this looks like a run in comma-separated values"),
    "no rows": (
        parquet({"docno": pa.array([], pa.string()), "text": pa.array([], pa.string())}),
        "no document",
    ),
    "a header alone": ("docno,text\n", "no document"),
    "cut short": (parquet(DOCUMENTS)[:-10], "damaged or cut short"),
    "another footer": (parquet(DOCUMENTS)[:-8] + b"\xff\xff\xff\x7fPAR1", "damaged or cut short"),
    "a footer of zeros": (b"PAR1" + bytes(4000) + b"PAR1", "damaged or cut short"),
    "an Arrow file cut short": (arrow_file(DOCUMENTS)[:-300], "damaged"),
    "an Arrow stream cut short": (arrow_stream(DOCUMENTS)[:-200], "damaged"),
    "no object": ('[{"id": "a", "text": "x"}, 7]', "row 2 is no object"),
    "a list cut short": ('[{"id": "a", "text": "x"}, {"id": ', "no JSON"),
    "long texts under an odd name": (
        parquet({"id": ["a", "b"], "story": [LONG, LONG]}),
        "2 of 2 documents would be empty beside the field “story”",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_tables_are_refused_by_row_and_reason(case: str) -> None:
    content, words = WRONG[case]
    assert words in str(refusal(iter_documents, content))


@pytest.mark.parametrize("write", [parquet, arrow_file, arrow_stream])
def test_damage_anywhere_is_an_error_or_changes_a_text_alone(write: Callable[[Any], bytes]) -> None:
    content = write({"docno": [f"d{n}" for n in range(50)], "text": [f"text {n}" for n in range(50)]})
    for place in range(8, len(content), len(content) // 7):
        damaged = (
            content[:place] + bytes(byte ^ 0xFF for byte in content[place : place + 4]) + content[place + 4 :]
        )
        try:
            documents, _ = read(damaged)
        except FormatError:
            continue
        assert len(documents) == 50


def test_missing_values_are_empty_and_counted_where_the_text_lacks() -> None:
    content = parquet(
        {
            "docno": ["a", "b", "c"],
            "text": ["x", None, ""],
            "title": [None, "T", None],
            "n": [1.5, math.nan, None],
        }
    )
    documents, report = read(content)
    assert texts(documents) == [("a", "", "x"), ("b", "T", ""), ("c", "", "")]
    assert [one.metadata for one in documents] == [{"n": "1.5"}, {}, {}]
    assert report == {"documents without text": 2}


def test_values_that_are_no_text_are_named() -> None:
    content = parquet(
        {
            "docno": ["a", "b"],
            "text": ["x", "y"],
            "picture": [{"bytes": b"\x89PNG", "path": "a.png"}, None],
            "raw": [b"\0\1", b"words"],
            "vectors": [[[0.5]], [[1.0], []]],
        }
    )
    _, report = read(content)
    assert report == {"field “picture” not read": 1, "field “vectors” not read": 2, "field “raw” not read": 2}


def test_columns_of_one_name_and_without_a_name_are_stored_or_counted() -> None:
    documents, report = read(",docno,text,text,note\n0,a,one,two,x\n1,b,three,,\n")
    assert [one.metadata for one in documents] == [{"text 2": "two", "note": "x"}, {}]
    assert report == {"metadata fields left out: too many or too long": 2}


def test_fields_that_only_later_objects_of_a_list_have_are_read() -> None:
    objects = [{"id": str(n), "text": "x"} for n in range(250)] + [
        {"id": "z", "abstract": "late", "by": "Ada"}
    ]
    documents, report = read(json.dumps(objects))
    assert (documents[-1].body, documents[-1].metadata) == ("late", {"by": "Ada"})
    assert not report


WORD = st.builds(lambda number: f"w{number}q", st.integers(0, 10**9))
TEXT = st.lists(WORD, max_size=4).map(" ".join)
NAMES = ["title", "text", "Body", "abstract", "note", "x y", "n.o", "metadata", "", "fields"]
COLUMN: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXT,
    "null": st.none() | TEXT,
    "list": st.lists(TEXT, max_size=3),
    "nested": st.lists(st.lists(TEXT, max_size=2), max_size=2),
    "struct": st.fixed_dictionaries({"text": TEXT, "k": st.none() | TEXT}),
    "structs": st.lists(st.fixed_dictionaries({"content": TEXT, "by": TEXT}), max_size=2),
    "binary": st.binary(min_size=1, max_size=3),
}


@st.composite
def tables(draw: st.DrawFn) -> dict[str, pa.Array]:
    rows = draw(st.integers(1, 4))
    columns = {"docno": pa.array([f"d{n}" for n in range(rows)])}
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5)):
        values = COLUMN[draw(st.sampled_from(sorted(COLUMN)))]
        columns[name] = pa.array(draw(st.lists(values, min_size=rows, max_size=rows)))
    return columns


@settings(deadline=None, max_examples=25)
@given(tables(), st.sampled_from([parquet, arrow_stream]))
def test_every_cell_is_in_a_record_or_named(
    columns: dict[str, pa.Array], write: Callable[[Any], bytes]
) -> None:
    try:
        documents, report = read(write(columns))
    except FormatError as error:
        assert re.search("would be empty|is not a string", str(error))  # noqa: PT017 — the other outcome
        return
    assert [one.docno for one in documents] == columns["docno"].to_pylist()
    for name, column in columns.items():
        named = any(what.startswith((f"field “{name}", "metadata fields left out")) for what in report)
        for inner in ("text", "k"):
            named = named or f"field “{inner}” not read" in report
        for document, value in zip(documents, column.to_pylist(), strict=True):
            stored = " ".join([document.docno, document.title, document.body, *document.metadata.values()])
            for word in re.findall(r"w\d+q", str(value)):
                assert word in stored or named, (word, name, report)
            if isinstance(value, bytes):
                assert named


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.tuples(TEXT, st.text(st.characters(codec="utf-8", exclude_categories=["C"])))),
    st.sampled_from(",;"),
)
def test_every_cell_of_csv_is_in_a_record(rows: list[tuple[str, str]], delimiter: str) -> None:
    columns = {
        "docno": [f"d{n}" for n in range(len(rows) + 1)],
        "text": ["first", *(text for text, _ in rows)],
        "note": ["n", *(note for _, note in rows)],
    }
    documents, _ = read(delimited(delimiter)(columns))
    assert [one.body for one in documents] == columns["text"]
    assert [one.metadata.get("note", "") for one in documents] == [
        " ".join(note.split()) for note in columns["note"]
    ]


def test_a_table_of_texts_without_end_is_refused_within_memory() -> None:
    content = parquet({"docno": ["a"], "text": ["x" * (850 << 20)]}, compression="zstd")
    assert len(content) < 1 << 20
    assert re.search("MiB to read|its reader ended|unpacks to more", str(refusal(iter_documents, content)))


LISTS: dict[str, dict[str, list[Any]]] = {
    "qrels": {"query_id": ["1", "2"], "doc_id": ["d1", "d2"], "relevance": [1, 0]},
    "run": {"qid": ["1", "2"], "docno": ["d1", "d2"], "score": [0.25, 14.5]},
}


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("name", TABLES)
def test_runs_and_qrels_are_documents_only_by_choice(name: str, kind: str) -> None:
    content = TABLES[name](LISTS[kind])
    docno = list(LISTS[kind])[1]
    for_others = ColumnChoice({}, [{"columns": ["key", "story"], "roles": {"docno": "key"}}])
    for columns in (ColumnChoice(), for_others):
        with pytest.raises(FormatError, match=r"this looks like .*, not a collection of many documents"):
            read(content, columns=columns)
    documents, _ = read(content, columns=ColumnChoice({"docno": docno}))
    assert [one.docno for one in documents] == ["d1", "d2"]


def test_columns_of_one_name_are_told_apart_in_linear_time() -> None:
    names = ["docno", *["a"] * 9_990, "a 2"]
    row = ["d1", *map(str, range(9_991))]
    (line,) = json_rows(Table(names, iter([(1, row)])), "documents", {}, Report())
    assert list(json.loads(line).values()) == row
