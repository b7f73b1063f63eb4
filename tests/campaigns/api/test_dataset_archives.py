"""Archives of whole datasets: of BEIR, and of Hugging Face as folders on disk."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command

from campaigns.management.commands.import_collection import Command
from campaigns.models import Campaign, Document, Judgment, Run, Topic
from campaigns.setup import campaigns as campaign_services
from tests.campaigns.api.test_archives import archived, tarred
from tests.campaigns.factories import Api, make_user
from tests.campaigns.formats.conversion.document_files import Columns, arrow_stream, delimited, parquet
from tests.campaigns.formats.conversion.foreign_files import mteb_json, ranx_lz4
from tests.campaigns.formats.conversion.foreign_files import parquet as ranked_parquet

pytestmark = pytest.mark.django_db

Pack = Callable[[dict[str, bytes]], bytes]
WORDS = "a passage of many words that answers a need " * 8
CORPUS = {"_id": ["d1", "d2"], "title": ["Lakes", "Rivers"], "text": [WORDS, f"{WORDS} more"]}
QUERIES = {"_id": ["q1", "q2"], "text": ["how deep are lakes", "where rivers begin"]}
SCORES = {"q1": {"d1": 2.5, "d2": 1.25}, "q2": {"d2": 7.125}}


def lines(columns: dict[str, list[str]], **more: object) -> bytes:
    rows = zip(*columns.values(), strict=True)
    return b"".join(json.dumps(dict(zip(columns, row, strict=True)) | more).encode() + b"\n" for row in rows)


BEIR = {
    "nf/corpus.jsonl": lines(CORPUS, metadata={"url": "u", "parts": [{"n": 1}]}),
    "nf/queries.jsonl": lines(QUERIES, metadata={}),
    "nf/qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n",
    "nf/qrels/train.tsv": b"query-id\tcorpus-id\tscore\nq1\td2\t0\n",
}
INFO = json.dumps(
    {
        "citation": "",
        "description": "Passages with a query each.",
        "features": {"_id": {"dtype": "string", "_type": "Value"}},
        "license": "",
    },
    indent=2,
).encode()
STATE = json.dumps(
    {
        "_data_files": [{"filename": "data-00000-of-00002.arrow"}],
        "_fingerprint": "a1",
        "_format_type": None,
        "_split": "train",
    },
    indent=2,
).encode()
SPLITS = b'{"splits": ["corpus", "queries"]}'
README = b"---\nlicense: mit\n---\n# A dataset\n"


@pytest.fixture
def campaign() -> Campaign:
    return campaign_services.create(organiser=make_user("ada"), name="Fresh")


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "ada")


def taken(ada: Api, content: bytes) -> tuple[dict[str, int], dict[str, str]]:
    """Counts and notices of the report on an archive."""
    reply = ada.upload("files/", content, "dataset.archive")
    assert reply.status_code == 201, reply.content
    body = reply.json()
    counts = {what: count for what, count in body["taken"].items() if count}
    return counts, {row["what"]: row["detail"] for row in body["noticed"]}


@pytest.mark.parametrize("pack", [archived, tarred])
def test_an_archive_of_beir_fills_an_empty_campaign(ada: Api, pack: Pack) -> None:
    content = pack(BEIR)
    assert ada.upload("recognition/", content[: 1 << 16], "nf.zip").json()["kind"] == "archive"
    counts, noticed = taken(ada, content)
    assert counts == {"documents": 2, "new": 2, "topics": 2, "judgments": 3}
    assert Document.objects.get(docno="d1").title == "Lakes"
    assert Document.objects.get(docno="d1").metadata == {"url": "u"}
    assert Topic.objects.get(number="q1").title == "how deep are lakes"
    assert "field “parts” not read" in noticed


@pytest.mark.parametrize("pack", [archived, tarred])
def test_a_folder_of_hugging_face_is_read_by_its_shards(ada: Api, pack: Pack) -> None:
    first, second = ({name: [values[place]] for name, values in CORPUS.items()} for place in (0, 1))
    files = {
        "set/dataset_dict.json": SPLITS,
        "set/README.md": README,
        "set/corpus/dataset_info.json": INFO,
        "set/corpus/state.json": STATE,
        "set/corpus/data-00000-of-00002.arrow": arrow_stream(first),
        "set/corpus/data-00001-of-00002.arrow": arrow_stream(second),
        "set/queries/data-00000-of-00001.arrow": arrow_stream(QUERIES),
    }
    content = pack(files)
    assert ada.upload("recognition/", content[: 1 << 16], "set.zip").json()["kind"] == "archive"
    counts, noticed = taken(ada, content)
    assert counts == {"documents": 2, "new": 2, "topics": 2}
    assert Document.objects.get(docno="d2").body == f"{WORDS} more"
    for file in ("dataset_dict.json", "corpus/dataset_info.json", "corpus/state.json"):
        assert (
            noticed[f"left out: set/{file}"]
            == "It looks like a description of a dataset, which holds no data."
        )
    assert "left out: set/README.md" in noticed


def test_parquet_shards_are_documents_topics_and_qrels_by_their_columns(ada: Api) -> None:
    judged: Columns = {"query-id": ["q1", "q2"], "corpus-id": ["d1", "d2"], "score": [1, 0]}
    files = {
        "README.md": README,
        "corpus/corpus-00000-of-00001.parquet": parquet(CORPUS),
        "queries/queries-00000-of-00001.parquet": parquet({**QUERIES, "title": ["", ""]}),
        "data/test-00000-of-00001.parquet": parquet(judged),
        "odd.parquet": parquet({"a": [1], "b": ["x"]}),
    }
    counts, noticed = taken(ada, archived(files))
    assert counts == {"documents": 2, "new": 2, "topics": 2, "judgments": 2}
    assert "a, b" in noticed["left out: odd.parquet"].replace("“", "").replace("”", "")


def test_an_archive_of_shards_and_a_card_is_documents_alone(ada: Api) -> None:
    counts, noticed = taken(ada, archived({"README.md": README, "data/train.parquet": parquet(CORPUS)}))
    assert counts == {"documents": 2, "new": 2}
    assert not Document.objects.filter(docno="README").exists()
    assert "left out: README.md" in noticed


def test_files_of_every_kind_are_read_packed_in_an_archive(ada: Api) -> None:
    files = {
        "collection.tsv.gz": gzip.compress(f"d1\t{WORDS}\nd2\t{WORDS}x\n".encode()),
        "queries.csv": delimited(",")({"qid": ["q1", "q2"], "query": QUERIES["text"]}),
        "run.lz4": ranx_lz4(SCORES),
        "mteb.json.gz": gzip.compress(mteb_json(SCORES)),
        "ranx.parquet": ranked_parquet("q_id", "doc_id", "score")(SCORES),
        "qrels.parquet": parquet({"qid": ["q1"], "docid": ["d2"], "label": [1]}),
    }
    counts, _ = taken(ada, archived(files))
    assert counts == {"documents": 2, "new": 2, "topics": 2, "runs": 3, "judgments": 1}
    assert Run.objects.count() == 3
    assert Judgment.objects.get().grade == 1


def test_a_broken_shard_refuses_the_archive_by_its_name(ada: Api) -> None:
    whole = parquet(CORPUS)
    reply = ada.upload("files/", archived({"a.parquet": whole, "docs.csv": b'docno,text\na,"x\n'}), "set.zip")
    assert reply.status_code == 400
    assert "set.zip/docs.csv" in reply.json()["detail"]
    assert not Document.objects.exists()


@pytest.mark.parametrize("name", ["docs.parquet", "docs.csv"])
def test_tables_are_uploaded_as_documents(ada: Api, name: str) -> None:
    content = parquet(CORPUS) if name.endswith("parquet") else delimited(",")(CORPUS)
    reply = ada.upload("collection/", content, name)
    assert reply.status_code == 201, reply.content
    assert Document.objects.get(docno="d1").body == CORPUS["text"][0]


@pytest.mark.parametrize("path", ["collection/", "files/", "topics/", "runs/", "qrels/"])
def test_7z_archives_are_refused_with_a_way_out(ada: Api, path: str) -> None:
    reply = ada.upload(path, b"7z\xbc\xaf\x27\x1c" + bytes(99), "all.7z")
    assert reply.status_code == 400
    assert "pack its files as .zip or .tar.gz" in reply.json()["errors"][0]["detail"]


def test_a_folder_of_hugging_face_is_imported_by_the_command(
    campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:

    folder = tmp_path / "set"
    (folder / "train").mkdir(parents=True)
    (folder / "dataset_dict.json").write_bytes(SPLITS)
    (folder / "README.md").write_bytes(README)
    (folder / "train" / "dataset_info.json").write_bytes(INFO)
    (folder / "train" / "state.json").write_bytes(STATE)
    (folder / "train" / "data-00000-of-00001.arrow").write_bytes(arrow_stream(CORPUS))
    call_command(Command(), campaign.slug, str(folder))
    said = capsys.readouterr().out
    assert "train/state.json: left out: a description of a dataset" in said
    assert "README.md: left out" in said
    assert set(Document.objects.values_list("docno", flat=True)) == {"d1", "d2"}
