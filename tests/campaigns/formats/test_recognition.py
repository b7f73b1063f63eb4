"""Files are recognised by their content: real ones, look-alikes, and files given as another kind."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from campaigns.formats.compressed_files import PrefixedStream
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.qrels import read_qrels
from campaigns.formats.recognition.content import Kind, Layout, recognise
from campaigns.formats.recognition.heads import HEAD_BYTES, recognise_file
from campaigns.formats.recognition.previews import preview_file
from campaigns.formats.runs.files import read_runs
from campaigns.formats.topics import read_topics
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data, refusal

RUN = "1 Q0 d1 1 9.5 tag\n1 Q0 d2 2 9.25 tag\n"
QRELS = "1 0 d1 1\n1 0 d2 0\n"
PRELS = "1 d1 1 1 0.25\n1 d2 0 2 1\n"
SGML = "<top>\n<num> Number: 1\n<title> rows\n</top>\n"
LONG = "a text of many words " * 20

KINDS: dict[str, tuple[Kind, Layout | None]] = {
    RUN: (Kind.RUN, Layout.COLUMNS),
    RUN.replace(" ", "\t"): (Kind.RUN, Layout.COLUMNS),
    # One broken line in three hides nothing.
    RUN + "1 Q0 d3 3\n": (Kind.RUN, Layout.COLUMNS),
    "1 Q0 d 1 9 tag and more\n": (Kind.RUN, Layout.COLUMNS),
    QRELS: (Kind.QRELS, Layout.COLUMNS),
    "\ufeff# judged in May\n\n" + QRELS: (Kind.QRELS, Layout.COLUMNS),
    QRELS.replace(" ", "\t"): (Kind.QRELS, Layout.COLUMNS),
    QRELS.replace("\n", "\r\n"): (Kind.QRELS, Layout.COLUMNS),
    PRELS: (Kind.PRELS, Layout.COLUMNS),
    "1 d1 1 0 NA\n": (Kind.PRELS, Layout.COLUMNS),
    "1 0 d1 2 1\n1 0 184 1 -1\n": (Kind.SAMPLED_QRELS, Layout.COLUMNS),
    "1\td1\t1\tit says so\n": (Kind.TRAINING, Layout.TABS),
    SGML: (Kind.TOPICS, Layout.TREC),
    "<?xml version='1.0'?><topics><topic number='1'><query>a</query>": (Kind.TOPICS, Layout.XML),
    '{"qid": 1, "query": "rows"}\n': (Kind.TOPICS, Layout.JSON),
    '{"_id": "1", "text": "rows and columns"}\n': (Kind.TOPICS, Layout.JSON),
    # Three words after a tab are no columns, whatever the last one is.
    "1\tcovid in 2020\n2\trows in 1999\n": (Kind.TOPICS, Layout.TABS),
    "1\trows\tall about rows\tand columns\n": (Kind.TOPICS, Layout.TABS),
    ".I 1\n.W\nwhat similarity laws\n": (Kind.TOPICS, Layout.SMART),
    ".I 1\n.T\nrows\n.W\nwords\n": (Kind.DOCUMENTS, Layout.SMART),
    f".I 1\n.W\n{LONG}\n": (Kind.DOCUMENTS, Layout.SMART),
    "<DOC>\n<DOCNO> d1 </DOCNO>\n<top>not a topic</top></DOC>": (Kind.DOCUMENTS, Layout.TREC),
    '{"docno": "d1", "text": "short"}\n': (Kind.DOCUMENTS, Layout.JSON),
    '{"_id": "d1", "title": "rows", "text": "short"}\n': (Kind.DOCUMENTS, Layout.JSON),
    json.dumps({"_id": "d1", "text": LONG}): (Kind.DOCUMENTS, Layout.JSON),
    '{"id": "d1", "text": "' + "cut off " * 9: (Kind.DOCUMENTS, Layout.JSON),
    f"d1\t{LONG}\nd2\t{LONG}\n": (Kind.DOCUMENTS, Layout.TABS),
    f"id\ttitle\ttext\nd1\tT\t{LONG}\n": (Kind.DOCUMENTS, Layout.TABS),
    f"_id\ttext\ttitle\nd1\t{LONG}\tT\n": (Kind.DOCUMENTS, Layout.TABS),
    f"id\ttext\nd1\t{LONG}\n": (Kind.DOCUMENTS, Layout.TABS),
    "id\ttext\n1\tcats and dogs\n": (Kind.TOPICS, Layout.TABS),
    f"\nqid\ttopic\n1\t{LONG}\n": (Kind.TOPICS, Layout.TABS),
    "doc\ttext\nd1\tshort\n": (Kind.DOCUMENTS, Layout.TABS),
    "WARC/1.0\r\nWARC-Type: warcinfo\r\n": (Kind.DOCUMENTS, Layout.WARC),
    "<!doctype html><title>A page</title>": (Kind.DOCUMENT, None),
    "<svg xmlns='http://www.w3.org/2000/svg'/>": (Kind.DOCUMENT, None),
    "1 184 2\n1 29 2\n": (Kind.QRELS, Layout.TABLE),
    # Grades as decimals, and ranks before scores.
    "1 0 d1 1.0\n1 0 d2 0.0\n": (Kind.QRELS, Layout.COLUMNS),
    "1 0 d1 0.5\n": (Kind.QRELS, Layout.COLUMNS),
    "1\td1\t1\t12.5\n1\td2\t2\t11.5\n2\td1\t1\t3\n": (Kind.RUN, Layout.TABS),
    "1 d1 1 12.5\n1 d2 2 -0.5e3\n": (Kind.RUN, Layout.TABLE),
    "id;headline;body\n1;A;one\n": (Kind.DOCUMENTS, Layout.SEMICOLONS),
    '{"1": {"d1": 0.5, "d2": 2}}': (Kind.RUN, Layout.JSON_TREE),
    '{"1": {"d1": 1, "d2": 0}}': (Kind.QRELS, Layout.JSON_TREE),
    '{"mteb_model_meta": {"name": "a"}, "default": {"test": {"1": {"d1": 0.5}}}}': (
        Kind.RUN,
        Layout.JSON_TREE,
    ),
    '{"meta": {"pages": 3, "by": "Ada"}, "docno": "d1", "text": "short"}\n': (Kind.DOCUMENTS, Layout.JSON),
    '{"pages": [{"text": "short"}], "docno": "d1"}\n': (Kind.DOCUMENTS, Layout.JSON),
    "3\ttitle 3\n2\ttitle 2\n": (Kind.TOPICS, Layout.TABS),
    ", Q0 d,1 1 0.5 t\n, Q0 d,2 2 0.25 t\n": (Kind.RUN, Layout.COLUMNS),
    "num_rel\t301\t474\nmap\tall\t0.25\n": (Kind.UNKNOWN, None),
    "run,team\na,b\nc,d\n": (Kind.UNKNOWN, Layout.CSV),
    '[{"docno": "d1"}]': (Kind.UNKNOWN, Layout.JSON_LIST),
    "Dear Ada,\nthe runs are attached.\n": (Kind.UNKNOWN, None),
    " \n": (Kind.UNKNOWN, None),
}


@pytest.mark.parametrize("text", KINDS)
def test_kind_and_layout_follow_from_the_content(text: str) -> None:
    found = recognise(text.encode())
    assert (found.kind, found.layout) == KINDS[text]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "an image"),
        (b"\xff\xd8\xff\xe0\0", "an image"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"7z\xbc\xaf\x27", "a 7z archive, which is not read: pack its files as .zip or .tar.gz"),
        (b"Rar!\x1a\x07", "a RAR archive, which is not read: pack its files as .zip or .tar.gz"),
        (b'{"splits": ["train", "test"]}', "a description of a dataset, which holds no data"),
        ("1 0 d 1".encode("utf-16"), "UTF-16 text, which is not read: save it as UTF-8"),
        (b"\x7fELF\0\0", "binary data"),
        (
            b'{"header": {"status": 0}, "response": {"numFound": 2, "docs": [{"id": "1", "text_t": ["a"]}',
            "a JSON object with records under “response.docs”; write one record a line",
        ),
        (b'{"data": [{"id": 1}]}\n', "a JSON object with records under “data”; write one record a line"),
        *(
            (columns, "JSON by columns, as pandas writes it; write one object a row")
            for columns in (
                b'{"qid": {"0": 7, "1": 7}, "docid": {"0": 1, "1": 2}, "score": {"0": 2.5, "1": 0.5}}',
                b'{"query": {"1": "a b"}, "query_id": {"1": 19}}',
            )
        ),
        (b"", "an empty file"),
    ],
)
def test_other_files_are_called_by_their_names(content: bytes, words: str) -> None:
    assert recognise(content).words == words


SWAPPED: list[tuple[Callable[..., Any], str, str]] = [
    (read_topics, QRELS.replace(" ", "\t"), "a qrels file, not topics"),
    (read_topics, RUN, "a run file, not topics"),
    (read_topics, PRELS, "a prels file, not topics"),
    (read_topics, "<DOC><DOCNO>a</DOCNO></DOC>", "a file of documents, not topics"),
    (read_qrels, RUN, "a run file, not qrels"),
    (read_qrels, PRELS, "a prels file, not qrels"),
    (read_qrels, SGML, "a topics file, not qrels"),
    (read_runs, QRELS, "a qrels file, not a run"),
    (read_runs, PRELS, "a prels file, not a run"),
    (iter_documents, QRELS, "a qrels file, not a collection"),
    (iter_documents, SGML, "a topics file, not a collection"),
    (iter_documents, "<html>", "an HTML page, not a collection of many documents; a document by itself has"),
]


@pytest.mark.parametrize(("read", "content", "words"), SWAPPED)
def test_a_swapped_file_is_refused_by_its_name(read: Callable[..., Any], content: str, words: str) -> None:
    (only,) = refusal(lambda *given: [*read(*given)], content).errors
    assert only.detail.startswith(f"this looks like {words}")


def test_packed_files_and_archives_are_looked_into() -> None:
    assert recognise_file(gzip.compress(RUN.encode())).kind is Kind.RUN
    assert recognise_file(archived("zip", {"a.run": RUN, "b.run": RUN})).words == "an archive of runs"
    mixed = archived("zip", {"__MACOSX/._t": "\0", "t.txt": SGML, "runs/": "", "runs/a.gz": RUN, "q": QRELS})
    assert recognise_file(mixed).words == "an archive of topics and runs and qrels"
    packed = recognise_file(gzip.compress(archived("tar", {"runs/a": RUN, "qrels": QRELS})))
    assert (packed.kind, packed.layout) == (Kind.ARCHIVE, Layout.TAR)
    assert packed.words == "an archive of runs and qrels"
    assert recognise_file(archived("zip", {"a.csv": "a,b\nc,d\n"})).kind is Kind.UNKNOWN
    assert recognise_file(archived("zip", {"[Content_Types].xml": "<a/>"})).words.endswith("office program")
    assert recognise_file(archived("zip", {"campaign.json": "{}", "documents.jsonl": ""})).kind is Kind.BUNDLE


def test_a_head_that_cuts_an_archive_off_is_enough() -> None:
    whole = "".join(f"1 Q0 d{n} {n} {n * 7919 % 65537} tag\n" for n in range(1, 60_000))
    for content in (
        gzip.compress(whole.encode()),
        archived("zip", {"a.run": whole}),
        gzip.compress(archived("tar", {"a.run": whole})),
    ):
        assert len(content) > HEAD_BYTES
        assert recognise_file(content[:HEAD_BYTES]).kind in (Kind.RUN, Kind.ARCHIVE)


def archived(layout: str, files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    if layout == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name, gzip.compress(text.encode()) if name.endswith(".gz") else text)
        return out.getvalue()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


@needs_data
def test_every_real_file_is_recognised() -> None:
    kinds = {
        "cranfield/cran.all.1400": Kind.DOCUMENTS,
        "cranfield/docs.jsonl": Kind.DOCUMENTS,
        "cranfield/cran.qry": Kind.TOPICS,
        "cranfield/topics.trec": Kind.TOPICS,
        "cranfield/topics.tsv": Kind.TOPICS,
        "trec-covid-r1/topics.xml": Kind.TOPICS,
        "cranfield/cranqrel": Kind.QRELS,
        "cranfield/qrels.txt": Kind.QRELS,
        "cranfield/qrels.graded.txt": Kind.QRELS,
        "trec-covid-r1/qrels.txt": Kind.QRELS,
        "README.md": Kind.DOCUMENT,
        "trec_eval/LICENSE.md": Kind.DOCUMENT,
    }
    for path in sorted(TREC_DATA.rglob("*")):
        if not path.is_file():
            continue
        name = path.relative_to(TREC_DATA).as_posix()
        with path.open("rb") as file:
            found = recognise_file(file.read(HEAD_BYTES), name=path.name)
        if path.parent.name == "runs" or path.name.startswith(("results", "prefs.results")):
            assert found.kind is Kind.RUN, name
        elif path.name.startswith("qrels"):
            assert found.kind is Kind.QRELS, name
        else:
            assert found.kind is kinds.get(name, Kind.UNKNOWN), name


@pytest.mark.parametrize(
    ("header", "content"), [("topic q0 docno rank score tag", RUN), ("topic iter docno rel", QRELS)]
)
def test_previews_show_the_record_below_a_header(header: str, content: str) -> None:
    head = f"{header}\n{content}".encode()
    assert dict(preview_file(recognise(head), head).first)["docno"] == "d1"


def test_only_the_head_is_read() -> None:
    class Counted(io.BytesIO):
        taken = 0

        def read(self, size: int | None = -1, /) -> bytes:
            Counted.taken += size or 0
            return super().read(size)

    error = refusal(
        lambda file, name: [*read_runs(PrefixedStream(b"", Counted(file.read())), name)], QRELS * 99_999
    )
    assert "qrels" in str(error)
    assert Counted.taken < 1 << 20
