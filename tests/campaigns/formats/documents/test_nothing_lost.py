"""Every word of a file of documents is in a record, or the report names the part that held it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.warcwriter import WARCWriter

from campaigns.formats.documents.files import iter_documents
from campaigns.formats.documents.single import docnos_by_path
from campaigns.formats.errors import FormatError, Notices
from campaigns.formats.recognition.columns import TEXTS, TITLES
from campaigns.formats.topics import DocumentRecord
from tests.campaigns.formats.sample_files import write_page

LONG = "A text that an assessor must read before any grade can be given. " * 3


def read(content: str | bytes, *, text_field: str = "") -> tuple[list[DocumentRecord], dict[str, str]]:
    """Documents of a file, and the details of its report by their names."""
    notices = Notices()
    data = content.encode() if isinstance(content, str) else content
    documents = list(iter_documents(io.BytesIO(data), "some.docs", notices=notices, text_field=text_field))
    return documents, {row["what"]: row["detail"] for row in notices.rows()}


def line(**fields: Any) -> str:
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("content", "docno", "title", "body"),
    [
        (line(id="x1", content="the words"), "x1", "", "the words"),
        (line(_id="x1", _source={"title": "T", "body": "nested words"}), "x1", "T", "nested words"),
        (line(_index="i", _id="x1", _source={"id": 7, "content": "words"}), "x1", "", "words"),
        (line(docid="s#0", title="Page", headings="H", segment="words"), "s#0", "Page", "words"),
        (line(pid=7, passage="words"), "7", "", "words"),
        (line(docid="D1", url="u", title="T", headings="H", body="words"), "D1", "T", "words"),
        (line(put="id:n:t::1", fields={"headline": "H", "text": "words"}), "id:n:t::1", "H", "words"),
        (line(_id="k", wikipedia_title="W", text=["one", "two"]), "k", "W", "one\n\ntwo"),
        (line(DocNo="a", Title="T", Text="words"), "a", "T", "words"),
        (line(id="a", text="", abstract="words"), "a", "", "words"),
        ('{"ClueWeb22-ID": "cw-1", "URL": "u", "Clean-Text": "words"}', "cw-1", "", "words"),
        (
            line(paper_id="p", metadata={"title": "T"}, body_text=[{"text": "one"}, {"text": "two"}]),
            *("p", "T", "one\n\ntwo"),
        ),
        ("id\ttext\ttitle\n1\twords\tT\n", "1", "T", "words"),
        ("doc\ttext\n1\twords\n", "1", "", "words"),
        ("\ndocument\ttitle\ttext\n1\tT\twords\n", "1", "T", "words"),
        ("corpus-id\ttext\n1\twords\n", "1", "", "words"),
        ("D1\thttps://x.example/\tT\twords\n", "D1", "T", "words"),
        (
            '<DOC id="AFP_1" type="story"><HEADLINE>T</HEADLINE><TEXT>words</TEXT></DOC>',
            "AFP_1",
            "T",
            "words",
        ),
    ],
)
def test_text_and_title_are_read_under_the_names_of_the_field(
    content: str, docno: str, title: str, body: str
) -> None:
    [document], _ = read(content)
    assert (document.docno, document.title, document.body) == (docno, title, body)


def test_several_texts_in_one_record_are_body_and_metadata() -> None:
    [document], report = read(line(id="a", abstract="short", text="long", headings="H", title="T"))
    assert (document.title, document.body) == ("T", "long")
    assert document.metadata == {"abstract": "short", "headings": "H"}
    assert not report


def test_articles_in_parts_keep_their_html_and_name_what_is_not_read() -> None:
    parts = [{"content": "1 < 2", "type": "kicker"}, None, {"content": "<b>x</b>", "mime": "text/html"}]
    [document], report = read(line(id="w", title="T", contents=[*parts, {"fullcaption": "a photo"}]))
    assert document.html == "<p>1 &lt; 2</p>\n<p><b>x</b></p>"
    assert report["field “contents.fullcaption” not read"] == "In 1 of 1 documents."


def test_a_file_of_empty_documents_beside_a_long_field_is_refused_and_the_field_named() -> None:
    records = "\n".join(line(id=str(n), meta={"story": LONG}) for n in range(3))
    with pytest.raises(FormatError, match=r"3 of 3 documents would be empty beside the field “meta.story”"):
        read(records)
    documents, report = read(records, text_field="meta.story")
    assert [one.body for one in documents] == [LONG] * 3
    assert not report


def test_a_few_empty_documents_are_counted() -> None:
    documents, report = read(
        "\n".join(line(id=str(n), text="w" if n else "", other="short") for n in range(3))
    )
    assert [one.body for one in documents] == ["", "w", "w"]
    assert report == {"documents without text": "1 of 3 documents: 0"}


def test_a_chosen_path_leads_through_lists_and_names_what_stands_beside() -> None:
    record = line(id="a", pages=[{"words": "one", "n": 1}, {"words": "two"}], text="other")
    [document], report = read(record, text_field="pages.words")
    assert (document.body, document.metadata) == ("one\n\ntwo", {"text": "other"})
    assert report == {"field “pages.n” not read": "In 1 of 1 documents."}


def test_single_values_on_the_way_to_a_chosen_text_are_named() -> None:
    record = line(id="1", pages=["intro words here", {"text": "x y"}, 7])
    [document], report = read(record, text_field="pages.text")
    assert (document.body, [*report]) == ("x y", ["field “pages (single values)” not read"])


def test_a_long_field_is_found_among_many_short_ones() -> None:
    short = {f"f{number}": "two words" for number in range(120)}
    with pytest.raises(FormatError, match=r"would be empty beside the field “fulltxt”"):
        read("\n".join(line(id=str(n), **short, fulltxt=LONG) for n in range(150)))


def test_fields_of_one_name_are_numbered() -> None:
    [document], _ = read(
        line(id="1", text="t", metadata={"id": "x"}, **{"metadata.id": "y", "a b": "p", "a  b": "q"})
    )
    assert document.metadata == {"metadata.id": "y", "a b": "p", "a b 2": "q", "metadata.id 2": "x"}


def test_notices_of_readers_are_never_among_the_others() -> None:
    notices = Notices()
    for number in range(150):
        notices.unread(f"f{number}")
    notices.add("documents without text", "{names}", name="d")
    counts = {row["what"]: row["count"] for row in notices.rows()}
    assert (counts["documents without text"], counts["other notices about documents"]) == (1, 50)


def test_a_document_without_the_chosen_field_is_read_by_the_known_names() -> None:
    [one, other], _ = read(
        line(id="a", deep={"x": "one"}) + "\n" + line(id="b", text="two"), text_field="deep.x"
    )
    assert (one.body, other.body) == ("one", "two")


WSJ = """<DOC>
<DOCNO> WSJ1 </DOCNO>
<HL> Headline </HL>
<DD> 01/02/90</DD>
<SO> WALL STREET JOURNAL (J)</SO>
<LP> The lead answers the topic.
</LP>
<TEXT> <one@example.org> wrote <see below> of x < y.
<P>Second.</P></TEXT>
<GRAPHIC>A photo of a lake</GRAPHIC>
</DOC>
"""
FBIS = """<DOC>
<DOCNO>FBIS3-1</DOCNO>
<HEADER><H2>March Reports</H2><DATE1> 3 Jan 94 </DATE1><H3> <TI> Of lakes </TI></H3></HEADER>
<TEXT>Words.</TEXT></DOC>
"""
AQUAINT = """<DOC>
<DOCNO> APW1 </DOCNO> <DATE_TIME> 1999-01-01 </DATE_TIME>
<BODY> <HEADLINE> Of lakes </HEADLINE> <TEXT> <P> One. </P> <P> Two. </P> </TEXT> </BODY>
<TRAILER> AP-NY </TRAILER>
</DOC>
"""


@pytest.mark.parametrize(
    ("content", "title", "body", "metadata"),
    [
        (
            *(WSJ, "Headline"),
            "The lead answers the topic.\n\n<one@example.org> wrote <see below> of x < y.\n\nSecond.\n\n"
            "A photo of a lake",
            {"dd": "01/02/90", "so": "WALL STREET JOURNAL (J)"},
        ),
        (FBIS, "Of lakes", "March Reports\n\nWords.", {"date1": "3 Jan 94"}),
        (AQUAINT, "Of lakes", "One.\n\nTwo.", {"date_time": "1999-01-01", "trailer": "AP-NY"}),
        (
            "<DOC><DOCNO>a</DOCNO><TEXT>Talks of <country>France</country> and\n<country>Spain</country>\n"
            "failed.</TEXT><COUNTRY>FR</COUNTRY></DOC>",
            *("", "Talks of\n\nFrance\n\nand\n\nSpain\n\nfailed.", {"country": "FR"}),
        ),
        (
            "<DOC><DOCNO>a</DOCNO>\n<TYPE>n</TYPE>\n<BODY>a <city>Bonn</city>\n<name>Ada</name> b"
            "</BODY></DOC>",
            *("", "a\n\nBonn\n\nAda\n\nb", {"type": "n"}),
        ),
        ("<DOC><DOCNO>a</DOCNO><PAGE>words</PAGE><DATE>1</DATE></DOC>", "", "words", {"date": "1"}),
        ("<DOC><DOCNO>a</DOCNO><DATE>never closed <TEXT>words</TEXT></DOC>", "", "never closed\n\nwords", {}),
        (
            "<DOC><DOCNO>a</DOCNO><HEADLINE>H</HEADLINE><HEADLINE>Second</HEADLINE>words</DOC>",
            *("H", "Second\n\nwords", {}),
        ),
    ],
    ids=["WSJ", "FBIS", "AQUAINT", "in the text", "beside words", "a page", "unclosed", "two headlines"],
)
def test_of_trec_documents_all_but_the_header_is_text_in_order(
    content: str, title: str, body: str, metadata: dict[str, str]
) -> None:
    [document], report = read(content)
    assert (document.title, document.body, document.metadata) == (title, body, metadata)
    assert not report


GOV2 = """<DOC>
<DOCNO>GX000-00-1</DOCNO>
<DOCHDR>
http://x.example/
HTTP/1.1 200 OK
</DOCHDR>
<html><head><style>.x{color:red}</style><script>if (1 < 2) alert("x")</script>%s</head>
<body><h3>News</h3><p>The lake froze.</p></body></html>
</DOC>
"""


@pytest.mark.parametrize(("head", "title"), [("<title>Lake levels</title>", "Lake levels"), ("", "")])
def test_web_pages_in_trec_files_have_the_title_of_their_page(head: str, title: str) -> None:
    [document], _ = read(GOV2 % head)
    assert (document.title, document.html) == (title, "\n<h3>News</h3><p>The lake froze.</p>")
    assert document.metadata == {"url": "http://x.example/", "dochdr": "HTTP/1.1 200 OK"}


def test_pages_of_one_name_keep_their_folder() -> None:
    paths = ["a/index.html", "b/index.html", "c.html", "x/d.pdf", "x/d.png", "two words/index.html"]
    expected = ["a/index", "b/index", "c", "x/d.pdf", "x/d.png", "two_words/index"]
    assert list(docnos_by_path(paths).values()) == expected
    # The browser has the same rule, and reads the same examples.
    for docnos in json.loads(Path("tests/front_end/docnos_by_path.json").read_text(encoding="utf-8")):
        assert docnos_by_path(list(docnos)) == docnos


@pytest.mark.parametrize(
    ("page", "what"),
    [
        ("<body><img src=x.gif></body>", ", but had pictures that are not stored"),
        ("<div id=app></div><script src=app.js></script>", ", but had scripts"),
        ("<frameset><frame src=a><frame src=b></frameset>", ", but had frames with other pages"),
        ("<form><input name=q></form><!-- <img> -->", ", but had forms"),
        ("<p>&nbsp;</p>", ""),
        ("<p>words</p><img src=x.gif>", None),
        ('<img alt="a lake" src=x.gif>', None),
    ],
)
def test_pages_that_show_nothing_are_counted_with_what_they_held(page: str, what: str | None) -> None:
    _, report = read(line(id="a", text=page, content_type="text/html"))
    assert report == ({} if what is None else {f"pages that show nothing{what}": "a"})


# Words of random files: each is written once.
WORD = st.builds(lambda number: f"w{number}q", st.integers(0, 10**9))
TEXT = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
VALUE = st.recursive(
    st.one_of(TEXT, st.lists(TEXT, max_size=3), st.integers(), st.none(), st.booleans()),
    lambda inner: st.one_of(st.dictionaries(st.sampled_from(["a", "b", *TEXTS[:4]]), inner), st.lists(inner)),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["a", "b", "x y", "x  y", "metadata.a", "a.b", "note", "metadata", "_source", "fields", *TEXTS, *TITLES]
)


def words_at(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Each word of a value, with the names of the fields around it."""
    if isinstance(value, str):
        yield from ((word, ".".join(path)) for word in value.split())
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield from words_at(inner, (*path, name))
    for inner in value if isinstance(value, list) else ():
        yield from words_at(inner, path)


def words_in(content: str) -> list[str]:
    return re.findall(r"w\d+q", content)


def stored_words(document: DocumentRecord) -> set[str]:
    return set(" ".join([document.docno, document.title, document.body, *document.metadata.values()]).split())


@given(
    st.dictionaries(NAMES, VALUE, max_size=6), st.sampled_from(["", "a", "a.b", "note.text", "_source.a.b"])
)
@settings(deadline=None)
def test_every_word_of_json_is_stored_or_its_field_named(fields: dict[str, Any], text_field: str) -> None:
    try:
        [document], report = read(line(docno="d", **fields), text_field=text_field)
    except FormatError as refusal:
        assert re.search("would be empty|is not a string", str(refusal))  # noqa: PT017 — the other outcome
        return
    found = stored_words(document) | {word.rstrip(",") for word in stored_words(document)}
    for word, path in words_at(fields):
        inner = path
        for wrapper in ("metadata.", "_source.", "fields."):
            inner = inner.removeprefix(wrapper)
        parts = [
            whole.split(".")[: end + 1] for whole in {path, inner} for end in range(whole.count(".") + 1)
        ]
        named = any(
            f"field “{' '.join('.'.join(part).split())}{which}” not read" in report
            for part in parts
            for which in ("", " 2", " (single values)")
        )
        assert word in found or named, (word, path, report)


ELEMENTS = ["TEXT", "LP", "HEADLINE", "TI", "DATE", "BYLINE", "HEADER", "P", "GRAPHIC", "H3", "F", "X-Y"]
PIECE = st.recursive(
    st.one_of(
        TEXT, TEXT.map(lambda text: f"<{text} there>"), st.sampled_from(["<TEXT>", "</TEXT>", "<DATE>", "< "])
    ),
    lambda inner: st.tuples(st.sampled_from(ELEMENTS), st.lists(inner, max_size=3)).map(
        lambda made: f"<{made[0]}> {' '.join(made[1])} </{made[0]}>"
    ),
    max_leaves=8,
)


@given(st.lists(PIECE, max_size=5))
@settings(deadline=None)
def test_every_word_of_a_trec_document_is_stored(pieces: list[str]) -> None:
    content = "\n".join(pieces)
    [document], report = read(f"<DOC>\n<DOCNO>d</DOCNO>\n{content}\n</DOC>\n")
    assert not report.keys() - {"documents without text"}
    stored = " ".join([document.title, document.body, *document.metadata.values()])
    for word in words_in(content):
        assert word in stored, content


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
@settings(deadline=None)
def test_every_word_of_tables_and_smart_items_is_stored(rows: list[tuple[str, str]]) -> None:
    numbers = count()
    table = "docno\ttitle\ttext\tnote\n" + "".join(f"d{next(numbers)}\t{a}\t{b}\t{a}\n" for a, b in rows)
    smart = "".join(f".I {n}\n.A\n{b}\n.T\n{a}\n.B\n{a}\n.W\n{b}\n.K\n{b}\n" for n, (a, b) in enumerate(rows))
    for content in (table, smart):
        documents, report = read(content)
        assert not report
        for document, (a, b) in zip(documents, rows, strict=True):
            assert {*a.split(), *b.split()} <= stored_words(document)


@given(st.lists(st.tuples(st.sampled_from(["p", "h3", "td", "div", "caption", "li"]), TEXT), max_size=6))
@settings(deadline=None)
def test_every_word_of_a_page_is_stored_and_shown(parts: list[tuple[str, str]]) -> None:
    page = "".join(f"<{tag}>{text}</{tag}>" for tag, text in parts)
    [document], _ = read(f"<DOC><DOCNO>d</DOCNO><DOCHDR>http://x</DOCHDR><html>{page}</html></DOC>")
    assert all(word in (document.html or "") for word in words_in(page))

    out = io.BytesIO()
    write_page(WARCWriter(out, gzip=False), "x", f"<html>{page}".encode())
    [document], report = read(out.getvalue())
    assert all(word in (document.html or "") for word in words_in(page))
    assert "headers of WARC and HTTP not stored" in report
