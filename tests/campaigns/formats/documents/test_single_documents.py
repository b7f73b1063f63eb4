"""Files that are one document each, and documents whose bodies are bytes."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

import pytest

from campaigns.formats.documents.files import iter_documents
from campaigns.formats.documents.single import unpacked_bytes
from campaigns.formats.errors import FormatError
from campaigns.formats.topics import DocumentRecord

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64))
PDF = b"%PDF-1.4\n%\xe2\xe3\n1 0 obj\n"
SVG = b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>"


def read(content: bytes, name: str) -> list[DocumentRecord]:
    return list(iter_documents(io.BytesIO(content), name))


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("d-1.html", b"<title>A &amp; B\n c</title><p>x", ("d-1", "A & B c", "text/html")),
        ("d.2.HTM", b"<p>x", ("d.2", "", "text/html")),
        ("notes.md", b"# x\n", ("notes", "", "text/markdown")),
        ("words.text", b"x\ty\n", ("words", "", "text/plain")),
    ],
)
def test_texts_by_the_ends_of_their_names(name: str, content: bytes, expected: tuple[str, ...]) -> None:
    (document,) = read(content, f"some/folder/{name}")
    assert (document.docno, document.title, document.content_type) == expected
    assert document.body == content.decode()


@pytest.mark.parametrize(
    ("name", "content", "content_type"),
    [("a.png", PNG, "image/png"), ("a.pdf", PDF, "application/pdf"), ("a.svg", SVG, "image/svg+xml")],
)
def test_bytes_come_back_as_they_were(name: str, content: bytes, content_type: str) -> None:
    (document,) = read(content, name)
    assert document.content_type == content_type
    assert unpacked_bytes(document.body) == content


def test_a_packed_page_and_one_on_disk(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(b"<p>one"))
    assert [(d.docno, d.body) for d in iter_documents(path, str(path))] == [("page", "<p>one")]
    (tmp_path / "dot.png").write_bytes(PNG)
    assert [d.docno for d in iter_documents(tmp_path / "dot.png", "dot.png")] == ["dot"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<meta charset=windows-1252>caf\xe9 €".encode("cp1252"), "café €"),
        (b"\xef\xbb\xbf<p>caf\xc3\xa9", "<p>café"),
        ("<p>café".encode("utf-16"), "<p>café"),
        (b"<p>caf\xe9 and on", "<p>caf� and on"),
        (b"<meta charset=no-such-thing>caf\xe9", "caf�"),
        (b"<p>a\0b", "<p>a�b"),
        (b"", ""),
    ],
)
def test_what_cannot_be_decoded_leaves_the_rest_readable(content: bytes, text: str) -> None:
    assert read(content, "d.html")[0].body.endswith(text)


@pytest.mark.parametrize(
    ("name", "content", "detail"),
    [
        ("a.png", PDF, "these bytes are not image/png"),
        ("a.pdf", b"", "these bytes are not application/pdf"),
        ("two words.html", b"<p>", "two words"),
    ],
)
def test_files_that_are_not_what_they_are_called(name: str, content: bytes, detail: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(content, name)
    assert detail in str(caught.value)


def line(**fields: str) -> bytes:
    return json.dumps({"docno": "d", **fields}).encode() + b"\n"


def test_lines_of_json_give_bytes_as_base64() -> None:
    packed = base64.encodebytes(PNG).decode()
    (document,) = read(line(text=packed, content_type="image/png"), "c.jsonl")
    assert unpacked_bytes(document.body) == PNG
    (drawing,) = read(line(text=SVG.decode(), content_type="image/svg+xml"), "c.jsonl")
    assert unpacked_bytes(drawing.body) == SVG
    (missing,) = read(line(content_type="image/png"), "c.jsonl")
    assert missing.body == ""


@pytest.mark.parametrize(
    ("text", "detail"), [("not base64!", "is base64"), (base64.b64encode(PDF).decode(), "not image/png")]
)
def test_lines_whose_bytes_are_none_are_named(text: str, detail: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(b"\n" + line(text=text, content_type="image/png"), "c.jsonl")
    (error,) = caught.value.errors
    assert (error.line, error.field) == (2, "text")
    assert detail in error.detail
