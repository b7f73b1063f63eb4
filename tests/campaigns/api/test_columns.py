"""Columns of tables on all doors: guessed, shown, chosen, remembered, and refused in the same words."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pyarrow import ipc

from campaigns.models import Campaign, Collection, Document, Judgment, Run, Topic
from campaigns.setup import campaigns as campaign_services
from tests.campaigns.api.test_archives import archived
from tests.campaigns.factories import Api, make_user
from tests.campaigns.formats.conversion.foreign_files import QRELS, RUNS

pytestmark = pytest.mark.django_db

Columns = dict[str, list[Any]]
TEXT = "A text that an assessor must read before any grade can be given"
DOCUMENTS: Columns = {"key": ["d1", "d2"], "story": [f"{TEXT} 1", f"{TEXT} 2"], "by": ["Ada", "Bo"]}
TOPICS: Columns = {"nr": ["1", "2"], "need": ["lakes in winter", "rivers"], "about": ["frozen", "wet"]}
RANKED: Columns = {"need": ["1", "1"], "paper": ["d1", "d2"], "points": [0.5, 0.75]}
JUDGED: Columns = {"need": ["1", "1"], "paper": ["d1", "d2"], "verdict": [1, 0]}


def parquet(columns: Columns) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def arrow(columns: Columns) -> bytes:
    file = io.BytesIO()
    with ipc.new_stream(file, pa.table(columns).schema) as stream:
        stream.write_table(pa.table(columns))
    return file.getvalue()


def csv(columns: Columns) -> bytes:
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows), ""]).encode()


def objects(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def lines(columns: Columns) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in objects(columns)).encode()


def listed(columns: Columns) -> bytes:
    return json.dumps(objects(columns)).encode()


FORMATS: dict[str, tuple[Callable[[Columns], bytes], str]] = {
    "parquet": (parquet, "a Parquet file"),
    "arrow": (arrow, "an Arrow file"),
    "csv": (csv, "a file of comma-separated values"),
    "jsonl": (lines, "a file of JSON lines"),
    "json": (listed, "a JSON list"),
}
# By kind: the columns, what is missing, the choice, the address, the command, and what is stored.
KINDS: dict[str, tuple[Columns, str, dict[str, str], str, str, type[Any]]] = {
    "documents": (
        DOCUMENTS,
        "docno",
        {"docno": "key", "text": "story"},
        "collection/",
        "import_collection",
        Document,
    ),
    "topics": (TOPICS, "number", {"number": "nr", "title": "need"}, "topics/", "import_topics", Topic),
    "run": (
        RANKED,
        "topic and the docno and the score or rank",
        {"topic": "need", "docno": "paper", "score": "points"},
        "runs/",
        "import_runs",
        Run,
    ),
    "qrels": (
        JUDGED,
        "topic and the docno and the grade",
        {"topic": "need", "docno": "paper", "grade": "verdict"},
        "qrels/",
        "import_qrels",
        Judgment,
    ),
}
DOORS = ("REST", "archive", "command")


@pytest.fixture
def campaign() -> Campaign:
    return campaign_services.create(organiser=make_user("ada"), name="Fresh")


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "ada")


def with_topics(ada: Api) -> None:
    assert ada.upload("topics/", b"1\tlakes in winter\n2\trivers\n", "t.tsv").status_code == 201


def command(name: str, campaign: Campaign, file: Path, content: bytes, *more: str) -> str:
    file.write_bytes(content)
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(name, campaign.slug, str(file), *more, stdout=out, stderr=err)
    except CommandError:
        return err.getvalue()
    return out.getvalue()


def refusal(kind: str, form: str) -> str:
    columns, missing, *_ = KINDS[kind]
    if form not in ("jsonl", "json") and kind == "topics":
        missing += " and the title or description or narrative"
    return (
        f"This is {FORMATS[form][1]} with columns {', '.join(columns)}: choose which is the {missing} "
        "(columns in a request, --column in a command)"
    )


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_odd_columns_are_refused_in_the_same_words_on_all_doors(
    kind: str, form: str, ada: Api, campaign: Campaign, tmp_path: Path
) -> None:
    columns, _, _, address, name, model = KINDS[kind]
    content, words = FORMATS[form][0](columns), refusal(kind, form)
    found = ada.upload("recognition/", content, f"odd.{form}", kind=kind, size=len(content)).json()
    assert found["table"]["refusal"] == words
    assert found["table"]["names"] == list(columns)
    assert found["table"]["rows"][0] == [str(column[0]) for column in columns.values()]
    reply = ada.upload(address, content, f"odd.{form}")
    assert (reply.status_code, reply.json()["errors"][0]["detail"]) == (400, words)
    assert words in command(name, campaign, tmp_path / f"odd.{form}", content)
    assert not model.objects.exists()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_chosen_columns_are_read_on_all_doors_and_remembered(
    kind: str, form: str, ada: Api, campaign: Campaign, tmp_path: Path
) -> None:
    columns, _, choice, address, name, model = KINDS[kind]
    if kind in ("run", "qrels"):
        with_topics(ada)
    content, chosen = FORMATS[form][0](columns), json.dumps(choice)
    found = ada.upload("recognition/", content, "odd", kind=kind, size=len(content), columns=chosen).json()
    assert (found["kind"], found["table"]["missing"], found["table"]["refusal"]) == (kind, [], "")
    assert [one["value"] for one in found["first"]][:2] == [str(columns[n][0]) for n in choice.values()][:2]
    options = [f"--column={role}={column}" for role, column in choice.items()]
    doors: dict[str, Callable[[], Any]] = {
        "documents": lambda: ada.upload(address, content, "odd", columns=chosen),
        "topics": lambda: command(name, campaign, tmp_path / "odd", content, *options),
        "run": lambda: ada.upload(address, content, "odd", columns=chosen),
        "qrels": lambda: command(name, campaign, tmp_path / "odd", content, *options),
    }
    said = doors[kind]()
    assert model.objects.exists(), said
    # The next file of these columns needs no choice, and is shown as it will be read.
    again = ada.upload("recognition/", content, "odd", kind=kind, size=len(content)).json()
    assert {one["role"]: one["column"] for one in again["table"]["roles"]}.items() >= choice.items()
    before = model.objects.count()
    if kind == "run":
        reply = ada.upload(address, content, "other")
        assert (reply.status_code, Run.objects.count()) == (201, 2)
    else:
        assert ada.upload(address, content, "other").status_code == 201
        assert "refused" not in command(name, campaign, tmp_path / "other", content)
        assert model.objects.count() == before
    # Another file has other columns, and none of the choice.
    assert len(Collection.objects.get().column_choices) == 1
    other = {f"{name}2": values for name, values in columns.items()}
    assert ada.upload(address, FORMATS[form][0](other), "third").status_code == 400


def test_a_choice_is_for_the_files_of_an_archive_that_it_fits(ada: Api, campaign: Campaign) -> None:
    with_topics(ada)
    choice = KINDS["run"][2]
    mix = {"odd.csv": csv({**RANKED, "rank": [2, 1], "qid": ["9", "9"]}), "x.run": b"1 Q0 d1 1 2.0 x\n"}
    reply = ada.upload("files/", archived(mix), "mix.zip", columns=json.dumps({**choice}))
    assert reply.status_code == 201, reply.json()
    assert set(Run.objects.values_list("tag", flat=True)) == {"odd", "x"}


WRONG_CHOICES = {
    '{"topic": "need", "docno": "paper", "score": "marks"}': (
        "This is a Parquet file with columns need, paper, points: none is called “marks”, which was "
        "chosen as the score"
    ),
    '{"topic": "need", "docno": "paper", "grade": "points"}': (
        "This is a Parquet file with columns need, paper, points: “grade” is none of topic, docno, score, "
        "rank, tag, as columns of run are called"
    ),
}


@pytest.mark.parametrize("choice", WRONG_CHOICES)
def test_wrong_choices_are_refused_by_the_columns_that_there_are(choice: str, ada: Api) -> None:
    with_topics(ada)
    reply = ada.upload("runs/", parquet(RANKED), "odd", columns=choice)
    assert reply.json()["errors"][0]["detail"] == WRONG_CHOICES[choice]
    assert Collection.objects.get().column_choices == []


@pytest.mark.parametrize("columns", ["[]", "{", '{"docno": 3}', "docno=key"])
def test_choices_that_are_none_are_refused(columns: str, ada: Api) -> None:
    reply = ada.upload("collection/", csv(DOCUMENTS), "odd.csv", columns=columns)
    assert (reply.status_code, reply.json()["errors"][0]["field"]) == (400, "columns")


def test_files_without_columns_have_none_to_choose(ada: Api) -> None:
    with_topics(ada)
    reply = ada.upload("runs/", b"1 Q0 d1 1 2.0 x\n", "x.run", columns='{"topic": "need"}')
    assert "this looks like a run file, which has no columns to choose" in str(reply.json()["errors"])
    reply = ada.upload("runs/", b'{"1": {"d1": 0.5}}', "x.json", columns='{"topic": "need"}')
    assert "This is nested JSON without names of columns" in str(reply.json()["errors"])


def test_large_parquet_is_shown_by_its_pieces(ada: Api) -> None:
    count = 30_000
    words = [f"{n} {TEXT} {n * 7919 % 100_003}" for n in range(count)]
    content = parquet({"key": [f"d{n}" for n in range(count)], "story": words})
    assert len(content) > 1 << 18
    pieces, sent = [[0, 1 << 16]], 0
    while pieces:
        part = b"".join(content[begin:end] for begin, end in pieces)
        more = {"pieces": json.dumps(pieces)} if sent else {}
        found = ada.upload("recognition/", part, "big", size=len(content), kind="documents", **more).json()
        pieces, sent = found["pieces"], sent + 1
    assert sent == 3
    assert found["table"]["names"] == ["key", "story"]
    assert found["table"]["rows"][0] == ["d0", words[0]]


@pytest.mark.parametrize("name", [*RUNS, *QRELS])
def test_formats_of_other_tools_have_one_verdict(
    name: str, ada: Api, campaign: Campaign, tmp_path: Path
) -> None:
    ada.upload("topics/", b"q1\tlakes in winter\n401\trivers\n", "t.tsv")
    values = {"q1": {"d1": 1, "d-2": 0}, "401": {"d1": 1}}
    for files, kind in ((RUNS, "run"), (QRELS, "qrels")):
        if name not in files:
            continue
        _, _, _, address, its_command, model = KINDS[kind]
        scores = {
            t: {d: v + (0.25 if kind == "run" else 0) for d, v in one.items()} for t, one in values.items()
        }
        content = files[name](scores)
        found = ada.upload("recognition/", content, name, size=len(content)).json()
        assert found["kind"] == kind
        assert not (found["table"] and found["table"]["refusal"])
        assert found["first"][:2] == [{"name": "topic", "value": "q1"}, {"name": "docno", "value": "d1"}]
        assert ada.upload(address, content, name).status_code == 201
        assert model.objects.exists()
        if kind == "qrels":
            assert "3 unchanged" in command(its_command, campaign, tmp_path / name, content)
        else:
            assert "run " in command(its_command, campaign, tmp_path / f"again-{name}", content)


def test_judgments_name_topics_by_their_titles(ada: Api, campaign: Campaign, tmp_path: Path) -> None:
    ada.upload("topics/", b"1\tLakes in winter\n2\trivers\n3\tRivers\n", "t.tsv")
    rated = b"query,docid,rating\nlakes  in WINTER,d1,1\n2,d2,0\n"
    found = ada.upload("recognition/", rated, "quepid.csv", size=len(rated)).json()
    assert found["kind"] == "qrels"
    assert ada.upload("qrels/", rated, "quepid.csv").json()["taken"] == {"judgments": 2, "unchanged": 0}
    assert set(Judgment.objects.values_list("topic__number", "document__docno")) == {("1", "d1"), ("2", "d2")}
    assert "2 unchanged" in command("import_qrels", campaign, tmp_path / "quepid.csv", rated)
    wrong = b"query,docid,rating\nlakes in winter,d1,1\nsea views,d2,0\nrivers,d1,1\n"
    reply = ada.upload("qrels/", wrong, "quepid.csv")
    assert [error["detail"] for error in reply.json()["errors"]] == [
        "row 3 no topic has the title 'sea views'",
        "row 4 topics 2 and 3 are called 'rivers'",
    ]


def test_numbers_of_topics_that_differ_in_case_stay_apart(ada: Api, campaign: Campaign) -> None:
    ada.upload("topics/", b"A1\tlakes\na1\trivers\n", "t.tsv")
    rated = b"query,docid,rating\nA1,d1,1\na1,d2,0\n"
    assert ada.upload("qrels/", rated, "q.csv").status_code == 201
    assert set(Judgment.objects.values_list("topic__number", "document__docno")) == {
        ("A1", "d1"),
        ("a1", "d2"),
    }


@pytest.mark.parametrize("write", [parquet, arrow, csv, lines, listed])
def test_qrels_given_as_documents_are_refused_before_the_import(
    write: Callable[[Columns], bytes], ada: Api
) -> None:
    content = write({"query_id": ["1", "1"], "doc_id": ["d1", "d2"], "relevance": [1, 0]})
    pieces = json.dumps([[0, len(content)]])
    asked = {"size": len(content), "kind": "documents", "pieces": pieces}
    found = ada.upload("recognition/", content, "q", **asked).json()
    assert found["table"]["refusal"].startswith("this looks like qrels in ")
    reply = ada.upload("collection/", content, "q").json()
    assert [error["detail"] for error in reply["errors"]] == [found["table"]["refusal"]]
    chosen = json.dumps({"docno": "doc_id"})
    assert not ada.upload("recognition/", content, "q", **asked, columns=chosen).json()["table"]["refusal"]


NOT_SUCH = {
    "an image": ("topics", b"\x89PNG\r\n\x1a\n\0\0", "an image"),
    "UTF-16": ("topics", "1\tlakes\n".encode("utf-16"), "UTF-16"),
    "a run": ("qrels", b"1 Q0 d1 1 2.0 x\n2 Q0 d1 1 2.0 x\n", "this looks like a run file"),
    "qrels": ("run", b"1 0 d1 1\n2 0 d1 0\n", "this looks like a qrels file"),
    "Parquet that was cut": ("documents", parquet(DOCUMENTS)[:-20], "damaged or cut short"),
    "a footer that is none": ("run", b"PAR1" + bytes(5000) + b"PAR1", "damaged or cut short"),
    "CSV without header": ("qrels", b"a b,c d\ne f,g h\n", "choose which is the topic"),
    "an empty file": ("documents", b"", "an empty file"),
}


@pytest.mark.parametrize("case", NOT_SUCH)
def test_what_a_file_is_not_is_said_in_the_same_words_on_all_doors(
    case: str, ada: Api, campaign: Campaign, tmp_path: Path
) -> None:
    kind, content, words = NOT_SUCH[case]
    _, _, _, address, name, model = KINDS[kind]
    found = ada.upload("recognition/", content, "file", size=len(content)).json()
    assert found["kind"] != kind
    reply = ada.upload(address, content, "file")
    [detail] = {error["detail"] for error in reply.json()["errors"]}
    assert (reply.status_code, words in detail) == (400, True), detail
    assert detail in command(name, campaign, tmp_path / "file", content)
    assert not model.objects.exists()
