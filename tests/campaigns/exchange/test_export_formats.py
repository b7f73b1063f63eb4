"""Tables in every format: read back by other libraries, and by this program to the last bit."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from campaigns.computing.tasks import recompute
from campaigns.exchange.exports import EXPORTS
from campaigns.formats.tables import FileFormat, parquet_pieces
from campaigns.log.current import current_qrels
from campaigns.measurement.measure_computation import write_measured
from campaigns.models import Campaign, Document, Judgment, Ranking
from campaigns.models.packed import unpack_ids
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data

pytestmark = pytest.mark.django_db
FORMATS = list(FileFormat)


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small")
    grace, alan = Api(campaign, "Small-grace"), Api(campaign, "Small-alan")
    grace.judge("1", "a", 2)
    grace.judge("1", "b", 1)
    grace.judge("1", "b", undo=True)
    alan.judge("1", "h", reason="other")
    alan.judge("2", "k", 0)
    recompute(campaign.id)
    write_measured(campaign)
    return campaign


def fetched(campaign: Campaign, what: str, **query: str) -> bytes:
    organiser = f"{campaign.name}-ada"
    reply = Api(campaign, organiser).get(f"exports/{what}/", **query)
    assert reply.status_code == 200, reply.content
    content = b"".join(reply)
    if query.pop("texts", "") == "false":
        query["without_texts"] = "on"
    page = signed_in(organiser).get(f"/campaigns/{campaign.slug}/exports/{what}/", query)
    assert b"".join(page) == content
    assert page.headers["Content-Disposition"] == reply.headers["Content-Disposition"]
    return content


def rows_of(content: bytes, form: FileFormat) -> list[dict[str, Any]]:
    if form is FileFormat.PARQUET:
        return list(pq.read_table(io.BytesIO(content)).to_pylist())
    if form is FileFormat.CSV:
        return list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    return [json.loads(line) for line in content.decode().splitlines()]


def in_words(row: dict[str, Any]) -> dict[str, str]:
    """As CSV has it. Postgres writes 1.0 as 1, so numbers are compared as such."""
    said = {None: "", True: "true", False: "false"}
    words = {}
    for name, value in row.items():
        if isinstance(value, datetime):
            value = value.isoformat(timespec="microseconds")
        words[name] = said[value] if value is None or isinstance(value, bool) else str(value)
    return words


@pytest.mark.parametrize(
    "what", ["qrels", "qrels-pooled", "prels", "gains", "judgments", "passages", "scores", "measures"]
)
def test_all_formats_hold_the_same_rows(campaign: Campaign, what: str) -> None:
    wish = {"id": "0f0f0f0f-0000-4000-8000-000000000001", "topic": "1", "docno": "a", "note": 'so, "there"'}
    assert Api(campaign, "Small-grace").post("annotations/", wish).status_code == 201
    tables = {form: rows_of(fetched(campaign, what, format=form), form) for form in FORMATS[1:]}
    columns = list(EXPORTS[what].columns)
    for form, rows in tables.items():
        assert rows, form
        assert {tuple(row) for row in rows} == {tuple(columns)}, form
    parquet, lines = tables[FileFormat.PARQUET], tables[FileFormat.JSON_LINES]
    assert list(map(in_words, parquet)) == list(map(in_words, lines)) == tables[FileFormat.CSV]
    kinds = EXPORTS[what].columns
    for row in parquet:
        assert all(value is None or isinstance(value, kinds[name]) for name, value in row.items())


def test_tables_of_lines_are_the_lines(campaign: Campaign) -> None:
    rows = rows_of(fetched(campaign, "qrels", format="parquet"), FileFormat.PARQUET)
    assert [tuple(row.values()) for row in rows] == list(current_qrels(campaign=campaign))
    log = rows_of(fetched(campaign, "judgments", format="parquet"), FileFormat.PARQUET)
    acts = Judgment.objects.filter(campaign=campaign).order_by("sequence")
    assert [(row["id"], row["created"]) for row in log] == [(str(act.id), act.created) for act in acts]


def test_old_names_give_their_formats(campaign: Campaign) -> None:
    for old, new, form in (
        ("judgments-csv", "judgments", "csv"),
        ("judgments-jsonl", "judgments", "jsonl"),
        ("scores-csv", "scores", "csv"),
    ):
        assert fetched(campaign, old) == fetched(campaign, new, format=form)
        assert fetched(campaign, old, format="parquet") == fetched(campaign, new, format="parquet")


@pytest.mark.parametrize(
    ("what", "query", "code"),
    [
        ("judgments", {"format": "trec"}, "bad_format"),
        ("scores", {"format": "trec"}, "bad_format"),
        ("measures", {"format": "trec"}, "bad_format"),
        ("measures", {"policy": "mean"}, "no_policy"),
        ("measures", {"topics": "judged"}, "no_scope"),
        ("qrels", {"format": "xlsx"}, "invalid"),
        ("beir", {"format": "csv"}, "bad_format"),
        ("runs", {"policy": "mean"}, "no_policy"),
        ("beir", {"topics": "judged"}, "no_scope"),
        ("runs", {"texts": "false"}, "no_texts"),
        ("qrels", {"texts": "false"}, "no_texts"),
    ],
)
def test_what_does_not_go_together_is_refused(
    campaign: Campaign, what: str, query: dict[str, str], code: str
) -> None:
    refused = Api(campaign, "Small-ada").get(f"exports/{what}/", **query)
    assert (refused.status_code, refused.json()["code"]) == (400, code)
    assert not campaign.deeds.filter(kind="exported").exists()


@pytest.mark.parametrize("options", [{"what": "scores", "format": "trec"}, {"what": "beir", "format": "csv"}])
def test_command_refuses_formats_that_are_not_there(campaign: Campaign, options: dict[str, str]) -> None:
    with pytest.raises(CommandError, match=r"not as|of their own") as refused:
        call_command("export_qrels", "small", stdout=io.StringIO(), **options)
    assert refused.value.returncode == 2


def test_command_writes_what_the_api_sends(
    campaign: Campaign, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for what, form in (
        ("qrels", "parquet"),
        ("judgments", "csv"),
        ("measures", "csv"),
        ("runs", "parquet"),
        ("beir", ""),
    ):
        capfdbinary.readouterr()
        call_command("export_qrels", "small", what=what, **({"format": form} if form else {}))
        written = capfdbinary.readouterr().out
        assert written == fetched(campaign, what, **({"format": form} if form else {}))


def test_row_groups_bound_memory() -> None:
    def rows() -> Iterator[dict[str, Any]]:
        for number in range(50):
            yield {"number": number, "text": "x" * 500_000}

    content = b"".join(parquet_pieces({"number": int, "text": str}, rows()))
    file = pq.ParquetFile(io.BytesIO(content))
    assert file.num_row_groups >= 5
    assert [row["number"] for row in file.read(["number"]).to_pylist()] == list(range(50))


def test_spreadsheets_compute_no_cell_and_other_formats_change_none() -> None:
    odd = {"x": {"1": ["=1+1", "@x", "-5", "a,b", 'q"q']}}
    campaign = make_campaign("Odd", odd)
    for docno in odd["x"]["1"]:
        assert Api(campaign, "Odd-grace").judge("1", docno, 1).status_code == 201
    docnos = sorted(odd["x"]["1"])
    for form in (FileFormat.JSON_LINES, FileFormat.PARQUET):
        assert [row["docno"] for row in rows_of(fetched(campaign, "qrels", format=form), form)] == docnos
    guarded = rows_of(fetched(campaign, "qrels", format="csv"), FileFormat.CSV)
    assert {row["docno"] for row in guarded} == {"'=1+1", "'@x", "-5", "a,b", 'q"q'}


def lists_of(campaign: Campaign) -> dict[tuple[str, str], tuple[list[str], bytes]]:
    """Docnos and the bytes of the scores of every list."""
    docnos = dict(Document.objects.filter(collection=campaign.collection).values_list("id", "docno"))
    rows = Ranking.objects.filter(run__campaign=campaign)
    return {
        (tag, topic): ([docnos[id] for id in unpack_ids(packed).tolist()], bytes(scores))
        for tag, topic, packed, scores in rows.values_list("run__tag", "topic__number", "documents", "scores")
    }


def collection(name: str, topics: Path, **settings: Any) -> Campaign:
    campaign = make_campaign(name, {}, opened=False, **settings)
    call_command("import_topics", campaign.slug, str(topics), stdout=io.StringIO())
    return campaign


def round_trip(first: Campaign, topics: Path, form: FileFormat, folder: Path, **settings: Any) -> None:
    second = collection(f"Again {form}", topics, **settings)
    with ZipFile(io.BytesIO(fetched(first, "runs", format=form))) as packed:
        packed.extractall(folder / form)
    runs = [str(path) for path in sorted((folder / form / first.slug).iterdir())]
    call_command("import_runs", second.slug, *runs, stdout=io.StringIO())
    qrels = folder / f"qrels.{form.ending}"
    qrels.write_bytes(fetched(first, "qrels", format=form))
    call_command("import_qrels", second.slug, str(qrels), stdout=io.StringIO())
    assert lists_of(second) == lists_of(first)
    assert fetched(second, "qrels") == fetched(first, "qrels")


CLOSE = [0.1 + 0.2, 0.3, 1e-300, 5e-324, 1.7976931348623157e308, 0.0, -0.0, -1 / 3]


@pytest.mark.parametrize("precision", [64, 32])
@pytest.mark.parametrize("form", FORMATS)
def test_close_scores_and_ties_survive(tmp_path: Path, form: FileFormat, precision: int) -> None:
    scores = CLOSE if precision == 64 else [0.1, 0.30000001192092896, 1 / 3, 1e-45, 0.0, 0.0, 0.0, -2.5]
    topics = tmp_path / "topics.tsv"
    topics.write_text("1\tone\n007\tseven\n")
    first = collection("First", topics, score_precision=precision)
    lines = [
        f"{topic} Q0 d{n % 3}-{n} {n} {score!r} a.b/c"
        for topic in ("1", "007")
        for n, score in enumerate(scores)
    ]
    run = tmp_path / "odd.run"
    run.write_text("\n".join(lines) + "\n")
    call_command("import_runs", first.slug, str(run), stdout=io.StringIO())
    (tmp_path / "qrels").write_text("007 0 d0-0 1\n007 0 d1-1 -2\n1 0 d2-2 0\n")
    call_command("import_qrels", first.slug, str(tmp_path / "qrels"), stdout=io.StringIO())
    assert len(lists_of(first)) == 2
    round_trip(first, topics, form, tmp_path, score_precision=precision)


@needs_data
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("name", "topics", "every"), [("cranfield", "topics.tsv", 4), ("trec-covid-r1", "topics.xml", 24)]
)
def test_collections_survive(tmp_path: Path, name: str, topics: str, every: int, form: FileFormat) -> None:
    data = TREC_DATA / name
    first = collection("First", data / topics)
    runs = [str(path) for path in sorted((data / "runs").iterdir())[::every]]
    call_command("import_runs", first.slug, *runs, stdout=io.StringIO())
    call_command("import_qrels", first.slug, str(data / "qrels.txt"), stdout=io.StringIO())
    assert len(lists_of(first)) > 100
    round_trip(first, data / topics, form, tmp_path)
    with ZipFile(io.BytesIO(fetched(first, "runs"))) as packed, gzip.open(runs[0], "rt") as original:
        lines = packed.read(packed.namelist()[0]).decode().splitlines()
        listed = [line.split() for line in original]
    assert sorted((words[0], words[2], float(words[4])) for words in map(str.split, lines)) == sorted(
        (words[0], words[2], float(words[4])) for words in listed
    )
