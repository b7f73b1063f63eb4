"""Archives of a whole campaign, read by the very libraries for which they are, and by this program."""

from __future__ import annotations

import csv
import gzip
import importlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import ir_datasets
import pytest
import yaml
from django.core.management import call_command
from ir_datasets.datasets.beir import BeirDocs, BeirQrels, BeirQueries
from ir_datasets.util import LocalDownload

from campaigns.log.current import current_qrels
from campaigns.models import Campaign, Collection
from campaigns.quality.agreement import agreement_of
from tests.campaigns.exchange.test_export_formats import collection, fetched, lists_of
from tests.campaigns.factories import Api, make_campaign
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data

pytestmark = pytest.mark.django_db

DOCS = [
    {"docno": "plain", "title": "On lakes", "text": "Deep\nwater, “quoted”.", "author": "Ada"},
    {"docno": "日本", "title": "", "text": "湖\ttab"},
    {"docno": "empty", "title": "Only a title", "text": ""},
]
HTML = "<html><head><title>A page</title><script>no()</script></head><body><p>One &amp; two</p></body></html>"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)
TOPICS = [
    {"number": "1", "title": "lakes", "description": "Where?", "narrative": "All of them.", "summary": "so"},
    {"number": "007", "title": "seven"},
]
DOCNOS = {"plain", "日本", "empty", "page", "picture"}


def zipped(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return file.getvalue()


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small-1", {}, opened=False)
    ada = Api(campaign, "Small-1-ada")
    files = {"docs.jsonl": lines(DOCS), "page.html": HTML.encode(), "picture.png": PNG}
    for path, name, content in (
        ("files/", "docs.zip", zipped(files)),
        ("topics/", "topics.jsonl", lines(TOPICS)),
        ("runs/", "x.run", "1 Q0 plain 1 0.1 x\n1 Q0 日本 2 0.1 x\n007 Q0 page 1 3 x\n".encode()),
        ("runs/", "y.run", b"1 Q0 picture 1 5e-324 x/Y\n1 Q0 empty 2 0 x/Y\n"),
    ):
        reply = ada.upload(path, content, name)
        assert reply.status_code == 201, reply.content
    assert ada.post("open/").status_code == 200
    grace, alan = Api(campaign, "Small-1-grace"), Api(campaign, "Small-1-alan")
    for person, topic, docno, grade in (
        (grace, "1", "plain", 2),
        (alan, "1", "plain", 1),
        (grace, "1", "日本", 0),
        (grace, "007", "page", 1),
    ):
        assert person.judge(topic, docno, grade).status_code == 201
    return campaign


def unpacked(campaign: Campaign, what: str, folder: Path, **query: str) -> Path:
    with ZipFile(io.BytesIO(fetched(campaign, what, **query))) as packed:
        assert packed.testzip() is None
        packed.extractall(folder)
    return folder / campaign.slug


def judged(campaign: Campaign) -> list[tuple[str, str, int]]:
    return list(current_qrels(campaign=campaign))


TEXTS = {
    "plain": ("On lakes", "Deep\nwater, “quoted”."),
    "日本": ("", "湖\ttab"),
    "empty": ("Only a title", ""),
    "page": ("A page", "One & two"),
    "picture": ("", ""),
}


def test_beir_folder_as_its_loader_reads_it(campaign: Campaign, tmp_path: Path) -> None:
    folder = unpacked(campaign, "beir", tmp_path)
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf8")]
    assert {row["_id"]: (row["title"], row["text"].strip()) for row in corpus} == TEXTS
    assert {row["_id"]: row["metadata"] for row in corpus}["plain"] == {"author": "Ada"}
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf8")]
    assert {row["_id"]: row["text"] for row in queries} == {"1": "lakes", "007": "seven"}
    assert queries[0]["metadata"] == {"description": "Where?", "narrative": "All of them.", "summary": "so"}
    # Its loader skips the header, and takes three columns.
    with (folder / "qrels" / "test.tsv").open(encoding="utf8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
    assert header == ["query-id", "corpus-id", "score"]
    assert [(topic, docno, int(grade)) for topic, docno, grade in rows] == judged(campaign)


class BeirDoc(NamedTuple):
    doc_id: str
    text: str
    title: str


class BeirQuery(NamedTuple):
    query_id: str
    text: str
    description: str
    narrative: str


def test_beir_folder_as_ir_datasets_reads_it(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    folder = unpacked(campaign, "beir", tmp_path)
    docs = BeirDocs("small", LocalDownload(folder / "corpus.jsonl"), BeirDoc)
    assert {doc.doc_id: (doc.title, doc.text.strip()) for doc in docs.docs_iter()} == TEXTS
    queries = BeirQueries("small", LocalDownload(folder / "queries.jsonl"), BeirQuery)
    assert [tuple(query) for query in queries.queries_iter()] == [
        ("1", "lakes", "Where?", "All of them."),
        ("007", "seven", "", ""),
    ]
    qrels = BeirQrels(LocalDownload(folder / "qrels" / "test.tsv"), {})
    assert [tuple(row)[:3] for row in qrels.qrels_iter()] == judged(campaign)


def test_beir_folder_comes_back(campaign: Campaign, tmp_path: Path) -> None:
    folder = unpacked(campaign, "beir", tmp_path)
    again = make_campaign("Again", {}, opened=False)
    ada = Api(again, "Again-ada")
    for path, file in (
        ("collection/", folder / "corpus.jsonl"),
        ("topics/", folder / "queries.jsonl"),
        ("qrels/", folder / "qrels" / "test.tsv"),
    ):
        reply = ada.upload(path, file.read_bytes(), file.name)
        assert reply.status_code == 201, reply.content
    assert judged(again) == judged(campaign)
    assert set(Collection.objects.get(campaigns=again).documents.values_list("docno", flat=True)) == DOCNOS
    assert list(again.topics.values_list("number", "title")) == [("1", "lakes"), ("007", "seven")]


LOADED = """
import json, sys
from datasets import load_dataset
folder, *names = sys.argv[1:]
found = {}
for name in names:
    for split, rows in load_dataset(folder, name).items():
        found[name] = [split, [dict(row) for row in rows]]
print(json.dumps(found))
"""


def loaded(folder: Path, *names: str) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """What the library makes of a folder, without a network."""
    switches = dict.fromkeys(("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"), "1")
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(folder), *names],
        env={**os.environ, **switches, "HF_HOME": str(folder.parent / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {name: (split, rows) for name, (split, rows) in json.loads(done.stdout).items()}


def header_of(card: str) -> dict[str, Any]:
    _, header, _ = card.split("---\n", 2)
    return dict(yaml.safe_load(header))


def test_hugging_face_folder_loads(campaign: Campaign, tmp_path: Path) -> None:
    folder = unpacked(campaign, "huggingface", tmp_path)
    found = loaded(folder, "corpus", "queries", "qrels", "runs")
    assert [(name, split) for name, (split, _) in found.items()] == [
        ("corpus", "corpus"),
        ("queries", "queries"),
        ("qrels", "test"),
        ("runs", "runs"),
    ]
    rows = {name: of for name, (_, of) in found.items()}
    assert {row["_id"]: (row["title"], row["text"].strip()) for row in rows["corpus"]} == TEXTS
    assert json.loads({row["_id"]: row["metadata"] for row in rows["corpus"]}["plain"]) == {"author": "Ada"}
    assert [row["text"] for row in rows["queries"]] == ["lakes", "seven"]
    assert json.loads(rows["queries"][0]["further_fields"]) == {"summary": "so"}
    assert [tuple(row.values()) for row in rows["qrels"]] == judged(campaign)
    assert [tuple(row.values()) for row in rows["runs"]] == [
        ("1", "日本", 1, 0.1, "x"),
        ("1", "plain", 2, 0.1, "x"),
        ("007", "page", 1, 3.0, "x"),
        ("1", "picture", 1, 5e-324, "x/Y"),
        ("1", "empty", 2, 0.0, "x/Y"),
    ]


def test_card_says_what_is_in_the_folder(campaign: Campaign, tmp_path: Path) -> None:
    Campaign.objects.filter(id=campaign.id).update(name="Lakes | “odd”: a #name\n---")
    folder = unpacked(campaign, "huggingface", tmp_path)
    card = (folder / "README.md").read_text(encoding="utf8")
    header = header_of(card)
    assert header["pretty_name"] == "Lakes | “odd”: a #name ---"
    assert header["license"] == "unknown"
    assert [config["config_name"] for config in header["configs"]] == ["corpus", "queries", "qrels", "runs"]
    for line in (
        "| documents | 5 |",
        "| topics | 2 |",
        "| topics with a judgment | 2 |",
        "| judged documents | 3 |",
        "| runs | 2 |",
        "| 0 | not relevant | 0 | 1 |",
        "| 1 | relevant | 0.5 | 2 |",
        "| 2 | highly relevant | 1 | 0 |",
    ):
        assert f"\n{line}\n" in card
    assert "2 of 5 documents have no text" in card
    assert "The method `C` selected documents for assessors.\nThe measure is `RBP(p=0.8)`." in card
    assert "The log has 4 entries by assessors and 0 imported from files" in card
    assert "Documents judged by two assessors or more: 1, too few for a figure." in card
    assert "Not stated." in card


def test_card_has_the_agreement_of_assessors(tmp_path: Path) -> None:
    docnos = [f"d{number:02}" for number in range(12)]
    campaign = make_campaign("Both", {"x": {"1": docnos}})
    for person, grades in (("grace", [0, 1, 2] * 4), ("alan", [0, 1, 2] * 3 + [0, 0, 0])):
        Api(campaign, f"Both-{person}").judge_all("1", dict(zip(docnos, grades, strict=True)))
    card = (unpacked(campaign, "huggingface", tmp_path) / "README.md").read_text(encoding="utf8")
    found = agreement_of(campaign=campaign)
    assert found.krippendorff
    assert found.cohen
    assert f"Krippendorff’s alpha (ordinal): {found.krippendorff.value:.3f} (95% interval" in card
    assert f"Cohen’s kappa: {found.cohen.value:.3f} (95% interval" in card
    assert "12 of 12 documents have no text" in card


def test_folders_without_texts_runs_and_judgments(tmp_path: Path) -> None:
    campaign = make_campaign("Bare", {"x": {"1": ["a"]}})
    folder = unpacked(campaign, "huggingface", tmp_path, texts="false")
    assert "The texts of the documents were left out" in (folder / "README.md").read_text()
    found = loaded(folder, "corpus", "runs")
    assert [row["text"] for row in found["corpus"][1]] == [""]
    # The library refuses to load what has no row.
    configs = header_of((folder / "README.md").read_text())["configs"]
    assert [config["config_name"] for config in configs] == ["corpus", "queries", "runs"]
    campaign.runs.update(withdrawn_at=campaign.runs.get().created)
    folder = unpacked(campaign, "huggingface", tmp_path / "none")
    assert "runs" not in [
        one["config_name"] for one in header_of((folder / "README.md").read_text())["configs"]
    ]
    assert not (folder / "runs").exists()


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Imports the module of a folder; its datasets are gone after the test."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))

    def load(folder: Path) -> None:
        [path] = folder.glob("assess_*.py")
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
        importlib.import_module(path.stem)

    yield load
    known = ir_datasets.registry._registered
    for name in [name for name in known if name.startswith("assess/")]:
        del known[name]


def test_ir_datasets_loads_its_definition(campaign: Campaign, tmp_path: Path, registered: Any) -> None:
    registered(unpacked(campaign, "ir-datasets", tmp_path))
    dataset = ir_datasets.load("assess/small-1")
    docs = {doc.doc_id: (doc.title, doc.text.strip()) for doc in dataset.docs_iter()}
    assert docs == TEXTS
    assert dataset.docs_store().get("plain").metadata == {"author": "Ada"}
    assert dataset.docs_store().get("日本").default_text() == "湖\ttab"
    first, second = dataset.queries_iter()
    assert tuple(first) == ("1", "lakes", "Where?", "All of them.", {"summary": "so"})
    assert (second.query_id, second.default_text()) == ("007", "seven")
    assert [tuple(row)[:3] for row in dataset.qrels_iter()] == judged(campaign)
    run = ir_datasets.load("assess/small-1/runs/x/Y")
    assert [tuple(row) for row in run.scoreddocs_iter()] == [("1", "picture", 5e-324), ("1", "empty", 0.0)]
    assert len(list(ir_datasets.load("assess/small-1/runs/x").scoreddocs_iter())) == 3


def test_a_site_imports_the_definition(campaign: Campaign, tmp_path: Path, registered: Any) -> None:
    registered(unpacked(campaign, "ir-datasets", tmp_path))
    again = make_campaign("Again", {}, opened=False)
    call_command("import_collection", "again", ir_dataset="assess/small-1", qrels=True, stdout=io.StringIO())
    assert judged(again) == judged(campaign)
    topics = list(again.topics.values_list("number", "title", "description", "narrative"))
    assert topics == list(campaign.topics.values_list("number", "title", "description", "narrative"))
    texts = again.collection.documents.values_list("docno", "title", "body")
    assert {docno: (title, body.strip()) for docno, title, body in texts} == TEXTS


def test_runs_have_names_that_file_systems_take(tmp_path: Path) -> None:
    tags = ["a/b", "a\\b", "A_b", ".hidden", "con:x", "ok"]
    campaign = make_campaign("Tags", {tag: {"1": ["a", "b"]} for tag in tags})
    names = ZipFile(io.BytesIO(fetched(campaign, "runs"))).namelist()
    assert names == [f"tags/{name}.txt" for name in ("a_b", "a_b~2", "A_b~3", "run.hidden", "con_x", "ok")]
    again = make_campaign("Again", {}, opened=False)
    Api(again, "Again-ada").upload("topics/", b"1\tone\n", "topics.tsv")
    reply = Api(again, "Again-ada").upload("files/", fetched(campaign, "runs"), "runs.zip")
    assert reply.status_code == 201, reply.content
    assert lists_of(again) == lists_of(campaign)


@needs_data
def test_cranfield_survives_its_definition(tmp_path: Path, registered: Any) -> None:
    data = TREC_DATA / "cranfield"
    first = collection("First", data / "topics.trec")
    call_command("import_collection", first.slug, str(data / "docs.jsonl"), stdout=io.StringIO())
    run = sorted((data / "runs").iterdir())[0]
    call_command("import_runs", first.slug, str(run), stdout=io.StringIO())
    call_command("import_qrels", first.slug, str(data / "qrels.txt"), stdout=io.StringIO())
    registered(unpacked(first, "ir-datasets", tmp_path))
    dataset = ir_datasets.load("assess/first")
    documents = first.collection.documents.order_by("id")
    assert [doc[:3] for doc in dataset.docs_iter()] == list(documents.values_list("docno", "title", "body"))
    assert [tuple(row)[:3] for row in dataset.qrels_iter()] == judged(first)
    with gzip.open(run, "rt") as file:
        given = [line.split() for line in file]
    tag = given[0][5]
    scored = ir_datasets.load(f"assess/first/runs/{tag}").scoreddocs_iter()
    assert sorted(map(tuple, scored)) == sorted((words[0], words[2], float(words[4])) for words in given)
