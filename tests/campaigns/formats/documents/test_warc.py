"""WARC files as warcio writes them, as other crawlers do, and broken ones."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable

import pytest
from warcio.warcwriter import WARCWriter

from campaigns.formats.content_types import HTML
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.errors import Notices
from tests.campaigns.formats.sample_files import file_of, refusal, write_page

PAGE = b"<html><title>About &amp; of rows</title><body>Rows.</body></html>"


def written(write: Callable[[WARCWriter], object], *, packed: bool = True) -> bytes:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=packed)
    writer.write_record(writer.create_warcinfo_record("crawl.warc.gz", {"software": "test"}))
    write(writer)
    return out.getvalue()


@pytest.mark.parametrize("packed", [True, False])
def test_pages_are_documents_and_other_records_are_counted(packed: bool) -> None:
    def write(writer: WARCWriter) -> None:
        write_page(writer, "clueweb09-en0000-00-00000", PAGE)
        writer.write_record(
            writer.create_warc_record("https://example.org/", "request", io.BytesIO(b"GET /"))
        )
        write_page(writer, "logo", b"\x89PNG\r\n", content_type="image/png")
        write_page(writer, "gone", b"<p>no such page", status="404 Not Found")
        write_page(writer, "x", "<p>größer".encode("latin-1"), content_type="text/html; charset=ISO-8859-1")

    notices = Notices()
    found = list(iter_documents(file_of(written(write, packed=packed)), "crawl", notices=notices))
    assert [(one.docno, one.title, one.body) for one in found] == [
        ("clueweb09-en0000-00-00000", "About & of rows", PAGE.decode()),
        ("x", "", "<p>größer"),
    ]
    assert {one.content_type for one in found} == {HTML}
    others = {"warcinfo": 1, "request": 1, "response without an HTML page": 2}
    assert {row["what"].removeprefix("records left out: "): row["count"] for row in notices.rows()} == {
        **others,
        "headers of WARC and HTTP not stored": 2,
    }


def test_pages_come_without_the_packing_in_which_they_were_sent() -> None:
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (PAGE[:20], PAGE[20:])) + b"0\r\n\r\n"

    def write(writer: WARCWriter) -> None:
        write_page(writer, "a", chunks, Transfer_Encoding="chunked")
        write_page(writer, "b", gzip.compress(PAGE), Content_Encoding="gzip")
        write_page(writer, "c", PAGE, Content_Encoding="gzip")

    assert [one.body for one in iter_documents(file_of(written(write)), "crawl")] == [PAGE.decode()] * 3


def test_a_record_without_a_trec_id_is_known_by_its_own() -> None:
    content = written(lambda writer: write_page(writer, "", PAGE), packed=False)
    (only,) = iter_documents(file_of(content), "crawl")
    assert f"WARC-Record-ID: <urn:uuid:{only.docno}>".encode() in content


def two_pages(*, packed: bool) -> bytes:
    def write(writer: WARCWriter) -> None:
        for name in "ab":
            write_page(writer, name, PAGE)

    return written(write, packed=packed)


def test_a_file_that_is_cut_short_names_record_and_place() -> None:
    plain = two_pages(packed=False)
    place = plain.rindex(b"WARC/1")
    inside = refusal(iter_documents, plain[:-20]).errors[0].detail
    assert inside == f"record 3 at byte {place:,}: cut short: the file ends 16 bytes before the record does"
    header = refusal(iter_documents, plain[: place + 30]).errors[0].detail
    assert header == f"record 3 at byte {place:,}: cut short: the file ends in the record's header"
    packed = refusal(iter_documents, two_pages(packed=True)[:-20]).errors[0].detail
    assert packed.startswith(f"record 3 at byte {place:,}: the gzip file is cut short")


@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        (b"Content-Length: ", b"Content-Size: ", "no Content-Length"),
        (b"Content-Length: ", b"Content-Length: -", "Content-Length is a number of bytes, not '-"),
        (b"WARC/1.0", b"ARC/1.0", "a record begins with WARC/ and its version, not with 'ARC/1.0'"),
        (b"WARC-TREC-ID: b", b"X: " + b"y" * 70_000, "a header longer than 65,536 bytes"),
    ],
)
def test_a_broken_record_names_what_is_wrong(old: bytes, new: bytes, detail: str) -> None:
    plain = two_pages(packed=False)
    place = plain.rindex(b"WARC/1.0")
    (only,) = refusal(iter_documents, plain[:place] + plain[place:].replace(old, new, 1)).errors
    assert only.detail.startswith(f"record 3 at byte {place:,}: {detail}")


def test_other_errors_name_their_records() -> None:
    def write(writer: WARCWriter) -> None:
        for name in ("a", "two words", "a"):
            write_page(writer, name, PAGE)
        write_page(writer, "large", b"x" * ((8 << 20) + 1))
        write_page(writer, "bomb", gzip.compress(bytes(64 << 20)), Content_Encoding="gzip")

    details = sorted(error.detail for error in refusal(iter_documents, written(write)).errors)
    assert [detail.split(":")[0].split(" at ")[0] for detail in details] == [
        "record 3 a docno is one word, without blanks and control characters",
        "record 4 docno 'a' a second time (first in record 2)",
        "record 5",
        "record 6",
    ]
    assert details[3].endswith("a page larger than 8,388,608 bytes")


def test_a_crawl_without_a_page_is_refused() -> None:
    assert "no document in it" in str(refusal(iter_documents, written(lambda writer: None)))


def test_blank_lines_before_a_record_are_passed_over() -> None:
    blanks = b"\r\n" * 300_000 + b" \n\t\n"
    content = written(lambda writer: write_page(writer, "a", PAGE), packed=False)
    (page,) = iter_documents(file_of(content + blanks), "crawl")
    assert page.docno == "a"
    again = content[content.rindex(b"WARC/1.") :]
    [error] = refusal(iter_documents, content + blanks + again).errors
    assert "docno 'a' a second time" in error.detail
    [error] = refusal(iter_documents, content + blanks + b"x").errors
    assert f"at byte {len(content + blanks):,}" in error.detail
