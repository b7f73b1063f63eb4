"""Threads of the site read in linear time: the frames of files, headers and names."""

from __future__ import annotations

import gc
import io
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from campaigns.collection.terms import fold
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.errors import FormatError
from campaigns.formats.qrels import read_qrels
from campaigns.formats.reading.contents import page_title, parse_http_header
from campaigns.formats.reading.encodings import decode_text
from campaigns.formats.reading.json_objects import what_is_too_much
from campaigns.formats.reading.plain_text import one_line
from campaigns.formats.reading.rendering import plain_html
from campaigns.formats.reading.trec import read_trec_text
from campaigns.formats.recognition.content import recognise
from campaigns.formats.runs.files import read_runs
from campaigns.formats.topics import read_topics
from campaigns.judging.topic_development import changes
from evaluation.name_suggestions import nearest_name
from evaluation.names import parse_measures

# Of four times the text, halfway between what is linear (4 times as long, more where caches overflow) and
# what is quadratic (16 times).
SIZE, MOST, REPEATS = 1 << 14, 8.0, 3
# Nothing linear takes longer; below, the clock and what does not depend on the text count for more.
SHORT = 0.02
PUMPS = (
    *(
        "<",
        "<a",
        "<a ",
        "<DOC",
        "<DOC ",
        "<DOCNO>",
        "</DOC>",
        "<TEXT>",
        "<TITLE>",
        "<P",
        "<!--",
        "<title",
        "<top>",
    ),
    *(
        "<num>",
        "<meta",
        "<meta charset=x",
        "&amp;",
        "&#1;",
        "&#",
        '"',
        '\\"',
        "\\",
        "[",
        "{",
        '{"a":',
        "(",
        ",",
        "1",
        "9e9",
    ),
    *(
        "a ",
        "\t",
        "\r",
        "\n",
        " ",
        "\n\n",
        ".I 1\n",
        ".W\n",
        "WARC/1.0\r\n",
        "a: b\r\n",
        "a\tb\n",
        "\xe9",
        "%PDF-",
    ),
)


@pytest.fixture(autouse=True)
def _no_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def documents(before: str, after: str = "", name: str = "c") -> Callable[[str], object]:
    return lambda text: sum(1 for _ in iter_documents(io.BytesIO(f"{before}{text}{after}".encode()), name))


def topics(before: str, after: str = "") -> Callable[[str], object]:
    return lambda text: read_topics(io.BytesIO(f"{before}{text}{after}".encode()), "t")


WARC = "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99\r\n"
READERS: dict[str, Callable[[str], object]] = {
    "TREC": documents("<DOC>\n<DOCNO>a</DOCNO>\n", "\n</DOC>\n"),
    "TREC without a docno": documents("<DOC>\n", "\n</DOC>\n"),
    "TREC between documents": documents("<DOC><DOCNO>a</DOCNO></DOC>"),
    "JSON": documents('{"docno": "a", "text": "'),
    "JSON object": documents('{"docno": "a", "x": '),
    "TSV": documents("a\tb"),
    "TREC text": lambda text: read_trec_text(text),
    "SMART": documents(".I 1\n.W\n"),
    "WARC": documents(WARC),
    "WARC version": documents("WARC/"),
    "SVG": documents("<svg", name="a.svg"),
    "SGML topics": topics("<top>\n<num> 1\n<title> "),
    "XML topics": topics("<topics><topic number='1'><query>"),
    "XML attribute": topics("<topics><topic number='"),
    "entities": topics("<!DOCTYPE a [<!ENTITY b '"),
    "unknown": lambda text: recognise(text.encode()),
    "run": lambda text: read_runs(io.BytesIO(f"1 Q0 a 1 1 t\n{text}".encode()), "r"),
    "qrels": lambda text: read_qrels(io.BytesIO(f"1 0 a 1\n{text}".encode()), "q"),
    "HTTP header": lambda text: parse_http_header(f"HTTP/1.1 200 OK\r\n{text}\r\n".encode()),
    "title": lambda text: page_title(f"<title>{text}"),
    "page": lambda text: decode_text(b"\xe9" + text.encode("latin-1"), declares=True),
    "plain HTML": lambda text: plain_html(text, "text/html"),
    "plain Markdown": lambda text: plain_html(text, "text/markdown"),
    "values": lambda text: what_is_too_much((text * 70).encode()),
    "measures": lambda text: parse_measures(f"RBP(p={text}"),
    "names": lambda text: nearest_name(text, ["RBP", "AP", "nDCG"]),
}
ENCODINGS = (
    "utf-8",
    "windows-1252",
    "koi8-r",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gbk",
    "gb18030",
    "big5",
    "euc-kr",
)


@pytest.mark.parametrize("reader", READERS)
def test_reading_takes_time_by_the_length_of_the_text(reader: str) -> None:
    slow = {pump: times for pump in PUMPS if (times := _times_as_long(READERS[reader], pump)) > MOST}
    assert slow == {}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_decoding_takes_time_by_the_length_of_the_text(encoding: str) -> None:
    def decode(text: str) -> str:
        return decode_text(b"\xff" + text.encode("latin-1"), declares=False, charset=encoding)

    pumps = ("\xff", "\x81", "\xe9a", "\x1b$B", "\x8f\xa1", "\x813")
    assert {pump: times for pump in pumps if (times := _times_as_long(decode, pump)) > MOST} == {}


@pytest.mark.parametrize("words", ["a ", "a b ", "a\n", " "])
def test_wordings_that_repeat_words_are_compared_soon(words: str) -> None:
    def compare(text: str) -> list[object]:
        return list(changes(text, f"b {text[::-1]} c"))

    assert _times_as_long(compare, words) <= MOST


@pytest.mark.parametrize("marks", ["\u0301\u0323", "\U0001d165\u0323", "\u0344\u0323"])
def test_letters_with_many_marks_are_folded_soon(marks: str) -> None:
    assert _times_as_long(fold, marks) <= MOST


def test_a_measure_takes_no_quadratic_list_of_persistences() -> None:
    assert _times_as_long(lambda text: parse_measures(f"RBP(p=.5{text}"), ",.5") <= MOST


def _times_as_long(read: Callable[[str], object], pump: str) -> float:
    once, longer = (pump * (size // len(pump)) for size in (SIZE, 4 * SIZE))
    if _seconds(read, longer, 1) < SHORT:
        return 0.0
    # Other processes may disturb a measurement: what is quadratic is so each time.
    return min(_seconds(read, longer, REPEATS) / _seconds(read, once, REPEATS) for _ in range(3))


def _seconds(read: Callable[[str], object], text: str, repeats: int) -> float:
    taken = []
    for _ in range(repeats):
        begun = time.thread_time()
        # Most of these are no files: how soon they are refused is what counts.
        with suppress(FormatError, ValueError):
            read(text)
        taken.append(time.thread_time() - begun)
    return min(taken)


@pytest.mark.parametrize("pump", ["a ", "ab", " ", "\n", "a\u2003 b\n\n"])
@pytest.mark.parametrize("before", range(4))
def test_a_long_text_on_one_line_is_as_a_short_one(pump: str, before: int) -> None:
    text = "x" * before + pump * 60_000
    assert one_line(text) == " ".join(text.split())
