"""Documents are read by other processes, and what is too costly for them is shown as plain text."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from campaigns.formats.documents import reading
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.documents.reading import UnreadDocument, read_contents
from campaigns.formats.errors import TITLE_CHARACTERS, FormatError, Notices
from campaigns.formats.reading import readers as readers_module
from campaigns.formats.reading.contents import Content, Task
from campaigns.formats.reading.encodings import decode_text, encoding_named
from campaigns.formats.reading.process import LONGEST_HTML, _is_too_long
from campaigns.formats.reading.readers import (
    READERS,
    Answer,
    Readers,
    UnreadReason,
    _Reader,
    read_one,
    readers,
)
from campaigns.formats.topics import DocumentRecord
from tests.plumbing.idle import wait_for

COSTLY = {
    "nested": ("<div>" * 400_000 + "words", "text/html"),
    "brackets": ("[" * 400_000, "text/markdown"),
}


def json_lines(**texts: tuple[str, str]) -> io.BytesIO:
    rows = ({"docno": d, "text": text, "content_type": kind} for d, (text, kind) in texts.items())
    return io.BytesIO("".join(json.dumps(row) + "\n" for row in rows).encode())


def children(of: int) -> list[int]:
    path = Path(f"/proc/{of}/task")
    if not path.exists():
        pytest.skip("this system does not list the children of a process")
    return [child for thread in path.iterdir() for child in _children_of_thread(thread)]


def _children_of_thread(thread: Path) -> list[int]:
    try:
        return [int(id) for id in (thread / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        # It has ended since.
        return []


def reader_processes() -> set[int]:
    return {child for child in children(os.getpid()) if _is_reader(child)}


def _is_reader(process: int) -> bool:
    try:
        return b"campaigns.formats.reading.process" in Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        # It has ended since.
        return False


@pytest.mark.parametrize("name", COSTLY)
def test_a_costly_document_is_shown_as_plain_text_and_named(name: str) -> None:
    good = ("<p>One <b>two</b>", "text/html")
    notices = Notices()
    file = json_lines(first=good, costly=COSTLY[name], last=good)
    first, costly, last = iter_documents(file, "c.jsonl", notices=notices)
    assert first.html == last.html == "<p>One <b>two</b></p>"
    assert costly.html is not None
    assert costly.html.startswith("<p>")
    assert costly.body == COSTLY[name][0]
    [row] = notices.rows()
    assert (row["count"], row["detail"].endswith(": costly")) == (1, True)


def test_a_costly_page_in_a_trec_file_is_shown_as_plain_text_and_named() -> None:
    notices = Notices()
    page = f"<DOC>\n<DOCNO> costly </DOCNO>\n<HTML>{COSTLY['nested'][0]}\n</DOC>\n"
    good = "<DOC>\n<DOCNO>good</DOCNO>\n<TEXT>Two\nwords</TEXT>\n</DOC>\n"
    costly, words = iter_documents(io.BytesIO((page + good).encode()), "c.trec", notices=notices)
    assert (costly.docno, costly.content_type, costly.html) == ("costly", "text/plain", None)
    assert (words.docno, words.body) == ("good", "Two words")
    [row] = notices.rows()
    assert (row["count"], row["detail"].endswith(": costly")) == (1, True)


def test_a_long_line_of_json_is_read_as_a_short_one_is() -> None:
    fields = {"docno": "a", "title": " A\ttitle ", "year": 1843, "tags": ["x", "y"], "half": "\ud800"}
    texts = ["short", *("words \ud800 " * 10_000, "\u20ac" * 30_000)]
    lines = [json.dumps({**fields, "docno": f"d{i}", "text": text}) for i, text in enumerate(texts)]
    short, *long = iter_documents(io.BytesIO("\n".join(lines).encode()), "c.jsonl")
    assert [one.body for one in long] == [text.replace("\ud800", "\ufffd") for text in texts[1:]]
    assert [replace(one, docno="d0", body="short") for one in long] == [short, short]


def test_long_fields_beside_the_text_are_cut_as_metadata_are() -> None:
    notices = Notices()
    line = {"docno": "a", "text": "b" * 90_000, "long": "c" * 80_000, "list": [["d"] * 20_000], "e": "f"}
    [one] = iter_documents(io.BytesIO(json.dumps(line).encode()), "c.jsonl", notices=notices)
    assert (one.body, one.metadata) == ("b" * 90_000, {"long": "c" * 1999 + "…"})
    assert {row["what"] for row in notices.rows()} == {
        "metadata fields cut",
        "field “list” not read",
        "metadata fields left out: too many or too long",
    }


LONG_TITLE = "title " * 2000


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("c.jsonl", json.dumps({"docno": "a", "title": LONG_TITLE, "text": "words"})),
        ("c.jsonl", json.dumps({"docno": "a", "title": LONG_TITLE * 10, "text": "words " * 20_000})),
        ("c.jsonl", json.dumps({"docno": "a", "title": LONG_TITLE * 100, "text": "words"})),
        ("c.tsv", f"a\t{LONG_TITLE}\twords\n"),
        ("c.smart", f".I a\n.T\n{LONG_TITLE}\n.W\nwords\n"),
    ],
    ids=["JSON", "long text", "long title", "tabs", "SMART"],
)
def test_a_long_title_is_cut_and_its_document_named(name: str, file: str) -> None:
    notices = Notices()
    [document] = iter_documents(io.BytesIO(file.encode()), name, notices=notices)
    assert document.title == LONG_TITLE[: TITLE_CHARACTERS - 1] + "…"
    assert document.body.startswith("words")
    [row] = notices.rows()
    assert (row["what"], row["count"], row["detail"][-3:]) == ("titles cut", 1, ": a")


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("[" * 90_000, "nested too deep"),
        ("1" * 90_000, "a number too long to read"),
        ('"' + "a" * 90_000, "Unterminated string"),
        ("[" + "{}," * 400_000 + "1]", "more than 100,000 values"),
        ("[" + '"",' * 400_000 + "1]", "more than 100,000 values"),
    ],
)
def test_a_long_line_that_is_no_object_is_refused_with_its_reason(text: str, detail: str) -> None:
    with pytest.raises(FormatError, match=detail):
        list(iter_documents(io.BytesIO(f'{{"docno": "a", "text": {text}'.encode()), "c.jsonl"))


def test_a_reader_answers_some_megabytes_at_a_time() -> None:
    page = Task("page", "text/html", b"<p>" + b"word " * 100_000)
    answers = readers().submit([page] * 20).result()
    assert 1 < len(answers) < 10
    pages = (UnreadDocument(f"d{i}", i, page) for i in range(20))
    assert len({document.docno for document in read_contents(pages)}) == 20


def test_of_many_costly_documents_the_first_are_named() -> None:
    notices = Notices()
    for number in range(30):
        notices.add("costly", "Rendering takes long: {names}", name=f"d{number}")
    [row] = notices.rows()
    assert row["count"] == 30
    assert row["detail"].endswith("d18, d19, …")


def test_a_page_in_chunks_of_one_byte_is_read_outside() -> None:
    header = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=punycode\r\nTransfer-Encoding: chunked\r\n"
    page = b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n"
    content = read_one(Task("sent", "text/html", page, header))
    assert content is not None
    assert content.body == "x" * 20_000


def test_a_bomb_is_too_large() -> None:
    header = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n"
    assert read_one(Task("sent", "text/html", gzip.compress(b"x" * (9 << 20)), header)) is None


def test_a_reader_that_is_stopped_from_outside_is_replaced() -> None:
    assert read_one(Task("text", "text/html", b"<p>x")) is not None
    for child in reader_processes():
        os.kill(child, signal.SIGKILL)
    for _ in range(2):
        assert read_one(Task("text", "text/html", b"<p>x")) == Content(html="<p>x</p>")


def test_there_are_two_readers_at_most_and_one_for_pages() -> None:
    own, before = Readers(), reader_processes()
    task = Task("text", "text/html", b"<p>x")
    futures = [own.submit([task]) for _ in range(20)]
    futures += [own.submit_for_page(task) for _ in range(5)]
    assert [future.result() for future in futures] == 25 * [[Content(html="<p>x</p>")]]
    assert len(reader_processes() - before) <= READERS + 1


def test_threads_have_the_same_readers() -> None:
    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(lambda _: readers(), range(8)))) == 1


_READ_AND_WAIT = """
import sys
from campaigns.formats.reading.contents import Task
from campaigns.formats.reading.readers import read_one
print(read_one(Task("text", "text/html", b"<p>x")).html, flush=True)
sys.stdin.read()
"""


def test_readers_end_with_their_process_and_know_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "of the site")
    program = [sys.executable, "-c", _READ_AND_WAIT]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"<p>x</p>\n"
        [reader] = children(process.pid)
        assert b"SECRET_KEY" not in Path(f"/proc/{reader}/environ").read_bytes()
        process.kill()
    wait_for(lambda: not Path(f"/proc/{reader}").exists() or _is_zombie(reader))


def _is_zombie(process: int) -> bool:
    try:
        return ") Z " in Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return True


@pytest.mark.parametrize(
    "label",
    ["punycode", "idna", "unicode_escape", "raw_unicode_escape", "rot13", "hex", "zlib", "utf-7", "mbcs"],
)
def test_codecs_that_are_no_encodings_of_pages_are_unknown(label: str) -> None:
    assert encoding_named(label) == ""
    assert decode_text(b"caf\xe9", declares=False, charset=label) == "caf\ufffd"


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("ISO-8859-1", "größer “so”"),
        ("windows-1251", "поиск"),
        ("koi8-r", "поиск"),
        ("Shift_JIS", "検索"),
        ("euc-kr", "검색"),
        ("gb2312", "检索"),
        ("Big5", "檢索"),
    ],
)
def test_encodings_of_pages_are_known_by_their_labels(label: str, text: str) -> None:
    data = text.encode(encoding_named(label))
    assert decode_text(data, declares=False, charset=label) == text
    page = b"<meta http-equiv=Content-Type content='text/html; charset=%s'>" % label.encode() + data
    assert decode_text(page, declares=True).endswith(text)


@pytest.fixture
def own_readers(monkeypatch: pytest.MonkeyPatch) -> Readers:
    """Readers with threads of their own, for tests that stop these."""
    own = Readers()
    monkeypatch.setattr(readers_module, "readers", lambda: own)
    monkeypatch.setattr(reading, "readers", lambda: own)
    return own


def test_after_some_costly_documents_the_rest_is_plain_without_a_reader(
    monkeypatch: pytest.MonkeyPatch, own_readers: Readers
) -> None:
    asked = []

    def refuse(tasks: Sequence[Task]) -> Future[list[Answer]]:
        asked.append(len(tasks))
        answers = Future[list[Answer]]()
        answers.set_result([UnreadReason.TOO_COSTLY])
        return answers

    monkeypatch.setattr(own_readers, "submit", refuse)
    notices = Notices()
    pages = [DocumentRecord(f"d{n}", "", "<p>One", "text/html") for n in range(1000)]
    assert [page.html for page in reading.read_contents(pages, notices=notices)] == ["<p> One</p>"] * 1000
    assert notices.costly == 1000
    # Those that were ahead had been sent already.
    assert len(asked) <= reading.MOST_COSTLY + 2 * READERS + 1
    [row] = notices.rows()
    assert (row["count"], row["detail"].endswith("after 20, the rest was not rendered")) == (1000, True)


def test_a_page_that_is_not_rendered_keeps_its_encoding(
    monkeypatch: pytest.MonkeyPatch, own_readers: Readers
) -> None:
    monkeypatch.setattr(reading, "MOST_COSTLY", 0)
    page = "<meta charset=windows-1251>поиск".encode("windows-1251")
    [found] = reading.read_contents([reading.UnreadDocument("d", 1, Task("page", "text/html", page))])
    assert found.body == "<meta charset=windows-1251>поиск"


@pytest.mark.parametrize(
    ("html", "too_long"),
    [
        (4 * 1000 + (1 << 16), False),
        (4 * 1000 + (1 << 16) + 1, True),
    ],
)
def test_safe_html_that_is_much_longer_than_its_text_is_not_taken(html: int, too_long: bool) -> None:
    task = Task("text", "text/html", b"x" * 1000)
    assert _is_too_long(Content(html="x" * html), task) is too_long


def test_safe_html_has_a_longest_length_whatever_its_text() -> None:
    task = Task("text", "text/html", b"x" * (8 << 20))
    assert _is_too_long(Content(html="x" * (LONGEST_HTML + 1)), task)
    assert not _is_too_long(Content(html="x" * LONGEST_HTML), task)


def test_a_page_waits_for_no_file(own_readers: Readers) -> None:
    free = Event()
    for _ in range(2 * READERS):
        own_readers._threads.submit(free.wait)
    try:
        assert read_one(Task("text", "text/html", b"<p>x")) == Content(html="<p>x</p>")
    finally:
        free.set()


def test_a_second_stop_from_outside_blames_no_document_read_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = _Reader()
    task = Task("text", "text/html", b"<p>x")
    for _ in range(3):
        assert reader.read([task]) == [Content(html="<p>x</p>")]
        assert reader._process is not None
        reader._process.kill()
        # It ends after the batch was given.
        monkeypatch.setattr(reader._process, "poll", lambda: None)
    assert reader.read([task]) == [Content(html="<p>x</p>")]


def test_a_document_whose_reader_is_stopped_twice_is_too_costly(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, tried = _Reader(), []

    def stopped(tasks: Sequence[Task]) -> list[Answer]:
        tried.append(tasks)
        return []

    monkeypatch.setattr(reader, "_answers", stopped)
    assert reader.read([Task("text", "text/html", b"<p>x")]) == [UnreadReason.TOO_COSTLY]
    assert len(tried) == 2


def test_a_reader_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = _Reader()
    task = Task("text", "text/html", b"<p>x")
    assert reader.read([task]) == [Content(html="<p>x</p>")]
    assert reader._process is not None
    hung = reader._process
    os.kill(hung.pid, signal.SIGSTOP)
    with monkeypatch.context() as soon:
        soon.setattr(readers_module, "LONGEST_WAIT", 0.05)
        assert reader._answers([task]) == []
    assert hung.returncode == -signal.SIGKILL
    assert reader.read([task]) == [Content(html="<p>x</p>")]
