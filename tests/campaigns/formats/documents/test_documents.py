from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Iterator

import pytest

from campaigns.formats.documents.files import iter_documents
from campaigns.formats.errors import DOCUMENT_BYTES
from campaigns.formats.topics import DocumentRecord
from tests.campaigns.formats.sample_files import details, file_of, refusal


def read(content: str | bytes) -> list[DocumentRecord]:
    return list(iter_documents(file_of(content), "some.docs"))


@pytest.mark.parametrize(
    ("record", "document"),
    [
        ({"_id": "d1", "title": "T  t", "text": "a\nb"}, DocumentRecord("d1", "T t", "a\nb")),
        ({"id": 12, "contents": "a"}, DocumentRecord("12", "", "a")),
        (
            {"docno": "x", "body": "<p>", "content_type": "text/html"},
            DocumentRecord("x", "", "<p>", "text/html"),
        ),
        ({"doc_id": "only-a-docno"}, DocumentRecord("only-a-docno", "", "")),
        ({"docid": "é", "text": "\u0000\ud83d"}, DocumentRecord("é", "", "��")),
    ],
)
def test_json_lines_under_the_names_of_several_tools(
    record: dict[str, object], document: DocumentRecord
) -> None:
    assert read("\n" + json.dumps(record) + "\n\n") == [document]


def test_tab_separated_lines() -> None:
    assert read("\ufeffd1\tsome text\r\nd2\tmore") == [
        DocumentRecord("d1", "", "some text"),
        DocumentRecord("d2", "", "more"),
    ]
    assert read("d1\ttitle\ttext\n") == [DocumentRecord("d1", "title", "text")]
    error = refusal(iter_documents, "d1\ttitle\ttext\nd2\ttext\nd3\ta\tb\tc\n")
    assert [line for line, _ in details(error)] == [2, 3]
    assert "where 3 (docno, title, text) are wanted" in str(error)


NEWS = """<?xml version="1.0"?>
<docs>
<DOC>
<DOCNO> FT911-3 </DOCNO>
<PROFILE>_AN-BEOA7AAIFT</PROFILE>
<HEADLINE>
FT  14 MAY 91 / World &amp; News
</HEADLINE>
<TEXT>
First paragraph,
on two lines.
<P>Second <F P=106>[marked]</F> one.</P>

x < y
</TEXT>
<TEXT>More text.</TEXT>
<PUB>The Financial Times</PUB>
</DOC>
<DOC><DOCNO>A</DOCNO>no text tag</DOC> <doc><docno>B</docno>
<!-- hidden --><title>t</title>lower case</doc>
</docs>
"""


def test_trec_documents() -> None:
    first, second, third = read(NEWS)
    assert first == DocumentRecord(
        "FT911-3",
        "FT 14 MAY 91 / World & News",
        "First paragraph, on two lines.\n\nSecond [marked] one.\n\nx < y\n\nMore text.",
        metadata={"profile": "_AN-BEOA7AAIFT", "pub": "The Financial Times"},
    )
    assert (second, third) == (DocumentRecord("A", "", "no text tag"), DocumentRecord("B", "t", "lower case"))
    assert [document.line for document in (first, second, third)] == [3, 19, 19]


def test_tags_that_are_never_closed_cost_no_more_than_others() -> None:
    for tag in ("<TEXT>", "<TITLE>", "<!--", "<DOCNO>", "<P>", "<"):
        text = f"<DOC>\n<DOCNO>a</DOCNO>\n{tag * 20_000}\n</DOC>\n"
        assert [document.docno for document in read(text)] == ["a"]


@pytest.mark.parametrize("tags", ["<TITLE><H3>\n", "<DOCNO>\n", "<!-- <!-- \n"])
def test_a_document_of_opening_tags_is_read_once(tags: str) -> None:
    # Four megabytes: to look as far for each closing tag would take half a minute.
    (document,) = read(f"<DOC>\n<DOCNO>a</DOCNO>\n{tags * (4_000_000 // len(tags))}end</DOC>\n")
    assert (document.docno, document.title) == ("a", "")
    assert document.body.endswith("end")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("a <!-- b <P> -- > c --> d", "a d"),
        ("a<!--b-->c<!--d-->e", "a c e"),
        ("a <!-- b <!-- c --> d -->", "a d -->"),
        ("a <!-- b", "a <!-- b"),
        ("a --> b", "a --> b"),
        (f"a <!-- {'b' * 5000} <!-- c --> d", f"a <!-- {'b' * 5000} d"),
    ],
)
def test_comments_of_trec_documents_are_left_out(text: str, body: str) -> None:
    (document,) = read(f"<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n")
    assert document.body == body


def test_web_documents_keep_their_page() -> None:
    page = "<html><head><title>Cows &amp; more</title></head>\n<body><p>Moo.</body></html>"
    text = f"<DOC>\n<DOCNO>WTX001-B01-1</DOCNO>\n<DOCHDR>\nhttp://x HTTP/1.0\n</DOCHDR>\n{page}\n</DOC>\n"
    assert read(text) == [
        DocumentRecord(
            *("WTX001-B01-1", "Cows & more", page, "text/html"),
            metadata={"url": "http://x", "dochdr": "HTTP/1.0"},
        )
    ]


@pytest.mark.parametrize(
    ("text", "line", "detail"),
    [
        (
            "<DOC>\n<DOCNO>a</DOCNO>\n<DOC>\n<DOCNO>b</DOCNO>\n</DOC>\n",
            3,
            "a <DOC> inside the <DOC> of line 1",
        ),
        ("<DOC>\n<DOCNO>a</DOCNO>\n</DOC>\n<DOC>\n<DOCNO>b</DOCNO>\n", 4, "a <DOC> without </DOC>"),
        ("<DOC>\ntext\n</DOC>\n", 1, "a <DOC> without <DOCNO>"),
        ("<DOC><DOCNO>a b</DOCNO></DOC>\n", 1, "a docno is one word"),
        ("<DOC><DOCNO>a</DOCNO></DOC>\nstray\n", 2, "text outside of a <DOC>: 'stray'"),
        (
            "<DOC><DOCNO>a</DOCNO></DOC><DOC><DOCNO>a</DOCNO></DOC>",
            1,
            "docno 'a' a second time (first in line 1)",
        ),
    ],
)
def test_broken_trec_documents_name_the_line(text: str, line: int, detail: str) -> None:
    error = refusal(iter_documents, text)
    assert (error.total, error.errors[0].line) == (1, line)
    assert detail in error.errors[0].detail


def test_smart_documents() -> None:
    first = ".I 1\n.T\na\ntitle .\n.A\nting-yili\n.B\nj. ae. scs.\n.W\na\ntitle .\n  body .\n.X\n1 2 3\n"
    text = first + ".I 2\n.W\n"
    metadata = {"author": "ting-yili", "source": "j. ae. scs."}
    assert read(text) == [
        DocumentRecord("1", "a title .", "a title . body .", metadata=metadata),
        DocumentRecord("2", "", ""),
    ]
    error = refusal(iter_documents, ".I 1\nstray\n.W\nx\n.I\n.W\n")
    assert details(error)[0] == (2, "text that belongs to no field: 'stray'")
    assert details(error)[1][0] == 5
    assert "the docno is empty" in details(error)[1][1]


def test_all_errors_are_listed_after_the_good_documents_before_them() -> None:
    lines = [
        '{"_id": "a"}',
        '{"_id": ',
        '{"_id": "b"}',
        '{"_id": "a"}',
        '{"title": "x"}',
        '{"_id": "c", "text": 1}',
    ]
    given: list[str] = []

    def take(*args: object) -> Iterator[None]:
        for document in iter_documents(*args):  # type: ignore[arg-type]
            given.append(document.docno)
            yield

    error = refusal(take, "\n".join(lines))
    assert [one.line for one in error.errors] == [2, 4, 5, 6]
    assert given == ["a"]


def test_repeats_are_found_across_a_large_file() -> None:
    count = 150_000
    lines = [f"doc-{i}\tx" for i in range(count)]
    lines[70_000] = "doc-3\tx"
    lines[149_999] = "doc-70001\tx"
    lines[149_998] = "doc-149997\tx"
    error = refusal(iter_documents, "\n".join(lines))
    assert details(error) == [
        (70_001, "docno 'doc-3' a second time (first in line 4)"),
        (149_999, "docno 'doc-149997' a second time (first in line 149998)"),
        (150_000, "docno 'doc-70001' a second time (first in line 70002)"),
    ]


def test_a_docno_three_times_names_its_first_line() -> None:
    error = refusal(iter_documents, "a\tx\nb\tx\na\tx\na\tx\n")
    assert [detail for _, detail in details(error)] == ["docno 'a' a second time (first in line 1)"] * 2


class Endless:
    """Gigabytes of JSON lines that exist only as they are read."""

    def __init__(self, size: int) -> None:
        self._left, self._number, self._waiting = size, 0, b""

    def read(self, size: int, /) -> bytes:
        while len(self._waiting) < size and self._left > 0:
            line = b'{"_id": "%d", "text": "%s"}\n' % (self._number, b"x" * 50_000)
            self._number += 1
            self._left -= len(line)
            self._waiting += line
        piece, self._waiting = self._waiting[:size], self._waiting[size:]
        return piece


def test_a_collection_is_never_in_memory() -> None:
    tracemalloc.start()
    count = sum(1 for _ in iter_documents(Endless(120 << 20), "endless"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count > 2000
    assert peak < 16 << 20


def test_a_packed_collection_over_the_limit_is_refused() -> None:
    packed = gzip.compress(b'{"_id": "a", "text": "' + b"x" * 5_000_000 + b'"}')
    error = refusal(iter_documents, packed, max_bytes=1 << 20)
    assert "larger than 1 MiB (1,048,576 bytes) when unpacked" in str(error)


@pytest.mark.parametrize("begin", ['{"_id": "a", "text": "', "<DOC><DOCNO>a</DOCNO>\n", ".I 1\n.W\n", "a\t"])
def test_a_document_without_end_stops_the_reading(begin: str) -> None:
    text = begin + ("x" * 1000 + ("\n" if begin[0] in "<." else "")) * (DOCUMENT_BYTES // 900)
    longest = "33,554,432 bytes" if begin[0] == "{" else "8,388,608 bytes"
    assert longest in str(refusal(iter_documents, text))


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        ('"' + "x" * 9_000_000 + '"', "a text longer than 8,388,608 characters"),
        (
            '"' + "x" * 9_000_000 + '😀"',
            "a line longer than 8,388,608 bytes with '😀': write",
        ),
        ('"x", "more": [' + "[]," * 400_000 + "1]", "more than 100,000 values in one object"),
    ],
    ids=["long", "character", "lists"],
)
def test_an_object_that_takes_much_memory_is_refused(value: str, detail: str) -> None:
    assert detail in str(refusal(iter_documents, f'{{"id": "a", "text": {value}}}\n'))


def test_commas_and_brackets_in_a_long_text_are_no_values() -> None:
    text = '[{,"\\' * 250_000
    (document,) = iter_documents(file_of(json.dumps({"id": "a", "text": text})), "f")
    assert document.body == text


@pytest.mark.parametrize("content", ['["a"]', "plain text", "<unheard of='it'>"])
def test_unknown_formats_say_what_is_known_and_what_was_found(content: str) -> None:
    error = refusal(iter_documents, content)
    assert error.errors[0].line == 1
    assert "not a collection that is read here (JSON lines, tab-separated lines, TREC <DOC>" in str(error)


def test_empty_and_undecodable_files() -> None:
    assert "an empty file" in str(refusal(iter_documents, "\n \n"))
    assert "no document in it" in str(refusal(iter_documents, "<doc-set></doc-set>\n"))
    for text in (
        "d1\ta\nd2\tcafé\n",
        '{"_id": "1"}\n{"_id": "é"}\n',
        ".I 1\n.W é\n",
        "<DOC>\n<DOCNO>é</DOCNO></DOC>",
    ):
        error = refusal(iter_documents, text.encode("latin-1"))
        assert error.errors[0].line == 2
        assert "byte 0xe9 at position" in error.errors[0].detail
    assert "UTF-16" in str(refusal(iter_documents, "d1\ta\n".encode("utf-16")))
