"""Runs and qrels of other formats give what they hold, to the last bit, under the names that tools write."""

from __future__ import annotations

import io
import json
from collections import deque

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns.formats.conversion.converted import ConvertedStream, field_lines
from campaigns.formats.errors import ErrorList, FormatError, breaks_path
from campaigns.formats.qrels import read_qrels
from campaigns.formats.recognition.content import Kind
from campaigns.formats.recognition.heads import recognise_file
from campaigns.formats.runs.files import read_runs
from campaigns.formats.topics import read_topics
from tests.campaigns.formats.conversion.foreign_files import QRELS, RUNS, Scores, nested_json
from tests.campaigns.formats.sample_files import TREC_DATA, file_of, needs_data

SCORES = {"q1": {"d1": 14.25, "d-2": 0.1, "文3": -1e-300}, "401": {"d1": 3.0, "d9": 2.5}}
GRADES = {"q1": {"d1": 2, "d-2": 0, "文3": 1}, "401": {"d1": 3}}
names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12).filter(
    lambda name: not breaks_path(name)
)


def as_dicts(content: bytes, name: str) -> dict[str, dict[str, float]]:
    (run,) = read_runs(file_of(content), name)
    return {
        topic: dict(zip(one.docnos, one.scores.tolist(), strict=True)) for topic, one in run.rankings.items()
    }


@pytest.mark.parametrize("name", RUNS)
def test_runs_of_each_format_are_read(name: str) -> None:
    content = RUNS[name](SCORES)
    assert as_dicts(content, name) == SCORES
    if not name.endswith((".parquet", ".arrow")):
        assert recognise_file(content[: 1 << 16]).kind is Kind.RUN


@pytest.mark.parametrize("name", QRELS)
def test_qrels_of_each_format_are_read(name: str) -> None:
    content = QRELS[name](GRADES)
    assert read_qrels(file_of(content), name).grades == GRADES
    if not name.endswith((".parquet", ".arrow")):
        assert recognise_file(content[: 1 << 16]).kind is Kind.QRELS


@pytest.mark.parametrize("name", ["ranx.json", "beir.tsv", "beir.parquet"])
def test_grades_that_are_whole_decimals_are_read(name: str) -> None:
    grades = {topic: {docno: float(grade) for docno, grade in one.items()} for topic, one in GRADES.items()}
    assert read_qrels(file_of(QRELS[name](grades)), name).grades == GRADES


@settings(max_examples=8)
@given(
    scores=st.dictionaries(
        names,
        st.dictionaries(names, st.floats(allow_nan=False, allow_infinity=False), min_size=1),
        min_size=1,
    ),
    name=st.sampled_from(["ranx.json", "ranx.parquet", "hits.jsonl", "columns.tsv", "dataset.arrow"]),
)
def test_random_runs_come_back_to_the_last_bit(scores: Scores, name: str) -> None:
    found = as_dicts(RUNS[name](scores), name)
    assert found == scores


@needs_data
@pytest.mark.parametrize("name", RUNS)
def test_a_real_run_is_the_same_in_each_format(name: str) -> None:
    file = sorted((TREC_DATA / "trec-covid-r1" / "runs").iterdir())[0]
    (run,) = read_runs(file, file.name)
    scores = {
        topic: dict(zip(one.docnos, one.scores.tolist(), strict=True)) for topic, one in run.rankings.items()
    }
    (again,) = read_runs(file_of(RUNS[name](scores)), name)
    assert list(again.rankings) == list(run.rankings)
    for topic, one in run.rankings.items():
        assert again.rankings[topic].docnos == one.docnos
        assert again.rankings[topic].scores.tobytes() == one.scores.tobytes()


def test_runs_of_ms_marco_have_ranks_for_scores() -> None:
    (run,) = read_runs(file_of("q1\td7\t1\nq1\td3\t2\nq2\td7\t1\n"), "dev.tsv")
    assert run.tag == "dev"
    assert {topic: one.docnos for topic, one in run.rankings.items()} == {"q1": ["d7", "d3"], "q2": ["d7"]}
    assert run.report.as_rows()[0]["what"] == "ranks in place of scores"


def test_lists_of_docnos_are_runs_by_rank() -> None:
    (run,) = read_runs(file_of(json.dumps({"q1": ["d7", "d3", "d5"]})), "lists.json")
    assert run.rankings["q1"].docnos == ["d7", "d3", "d5"]


def test_parts_that_are_not_read_are_named() -> None:
    (run,) = read_runs(file_of(RUNS["mteb.json"](SCORES)), "mteb.json")
    rows = {row["what"]: row["count"] for row in run.report.as_rows()}
    assert rows["field “mteb_model_meta.model_name” not read"] == 1
    (run,) = read_runs(file_of(RUNS["pyterrier.csv"](SCORES)), "pyterrier.csv")
    rows = {row["what"]: row["count"] for row in run.report.as_rows()}
    assert rows["field “query” not read"] == rows["field “docid” not read"] == 5


def test_columns_are_as_the_organiser_chose() -> None:
    content = "need,text,points,other\nq1,d1,0.5,9\nq1,d2,0.75,8\n"
    with pytest.raises(FormatError, match="choose which is the topic and the docno and the score or rank"):
        read_runs(file_of(content), "odd.csv")
    chosen = {"topic": "need", "docno": "text", "score": "points"}
    (run,) = read_runs(file_of(content), "odd.csv", columns=chosen)
    assert run.rankings["q1"].docnos == ["d2", "d1"]
    with pytest.raises(FormatError, match="need, text, points, other: none is called “marks”"):
        read_runs(file_of(content), "odd.csv", columns={**chosen, "score": "marks"})


WRONG_ROWS: dict[str, tuple[str | bytes, str]] = {
    "a blank in a docno": ("qid,docno,score\nq1,d 1,0.5\n", "row 2 a docno is one word"),
    "no docno": ("qid,docno,score\nq1,d1,1\nq1,,0.5\n", "row 3 no docno"),
    "no number": ("qid,docno,score\nq1,d1,high\n", "row 2 score 'high' is no"),
    "few columns": ("qid,docno,score\nq1,d1\n", "row 2 2 columns where the first row has 3"),
    "not UTF-8": (b"qid,docno,score\nq1,d\xe9,1\n", "not UTF-8"),
    "nested too deep": (
        '{"q": {"d": 1}, "p":' + '{"q":' * 40 + "1" + "}" * 41,
        "objects in more than 32 others",
    ),
    "two splits": ('{"dev": {"q": {"d": 1}}, "test": {"q": {"d": 2}}}', "several objects of numbers"),
    "cut off": ('{"q1": {"d1": 1.5, "d2"', "no JSON"),
    "a docno twice": ("qid,docno,score\nq1,d1,1\nq1,d1,2\n", "'d1'"),
}


@pytest.mark.parametrize("case", WRONG_ROWS)
def test_wrong_rows_are_named(case: str) -> None:
    content, words = WRONG_ROWS[case]
    with pytest.raises(FormatError) as caught:
        read_runs(file_of(content), "wrong")
    assert words in str(caught.value)


def test_every_row_that_is_wrong_is_counted() -> None:
    content = "qid,docno,score\n" + "".join(f"q1,d {n},1\n" for n in range(250))
    with pytest.raises(FormatError) as caught:
        read_runs(file_of(content), "wrong.csv")
    assert caught.value.total == 250
    assert len(caught.value.errors) == 100


def test_damaged_parquet_is_refused() -> None:
    content = RUNS["ranx.parquet"](SCORES)
    for damaged in (
        content[:-20],
        content[:40] + b"\xff" * 60 + content[100:],
        b"PAR1" + bytes(5000) + b"PAR1",
    ):
        with pytest.raises(FormatError):
            read_runs(file_of(damaged), "damaged.parquet")


def test_files_that_unpack_to_far_more_are_refused() -> None:
    """One value, a hundred million times, is a kilobyte of Parquet."""
    file = io.BytesIO()
    same = pa.DictionaryArray.from_arrays(pa.array([0] * 4_000_000, pa.int32()), pa.array(["d1"]))
    with pq.ParquetWriter(
        file, pa.schema([("qid", same.type), ("docno", same.type), ("score", pa.int8())])
    ) as out:
        for _ in range(5):
            out.write_table(
                pa.table({"qid": same, "docno": same, "score": pa.array([1] * len(same), pa.int8())})
            )
    assert len(file.getvalue()) < 1 << 18
    with pytest.raises(FormatError, match="more than 1,000,000 lines"):
        read_runs(file_of(file.getvalue()), "bomb.parquet", in_memory=False)


def test_nested_json_of_both_kinds_is_read_by_both_readers() -> None:
    assert read_qrels(file_of(nested_json(GRADES)), "x").grades == GRADES
    assert as_dicts(nested_json(GRADES), "x") == GRADES


TOPICS = b'qid,query,count,intent\nq1,"lakes, and rivers",12,info\nq2,"said ""so""",3,nav\n'


def test_topics_of_csv_keep_every_column() -> None:
    first, second = read_topics(file_of(TOPICS), "log.csv")
    assert (first.number, first.title, second.title) == ("q1", "lakes, and rivers", 'said "so"')
    assert list(first.further_fields) == [("count", "12"), ("intent", "info")]


def test_topics_come_in_parquet_and_lists_of_json() -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"query_id": [7, 8], "text": ["lakes", "rivers"]}), file)
    listed = json.dumps([{"query_id": 7, "text": "lakes"}, {"query_id": 8, "text": "rivers"}])
    for content in (file.getvalue(), listed):
        topics = read_topics(file_of(content), "topics")
        assert [(topic.number, topic.title) for topic in topics] == [("7", "lakes"), ("8", "rivers")]


@pytest.mark.parametrize("rank", ["²", "+-2", "1_0", "١", "9" * 5000])
def test_ranks_that_are_no_numbers_are_named(rank: str) -> None:
    with pytest.raises(FormatError, match="row 3 rank is no whole number"):
        as_dicts(f"qid,docno,rank\n1,d1,1\n1,d2,{rank}\n".encode(), "r.csv")


@pytest.mark.parametrize("layout", ["csv", "json"])
def test_tables_of_very_many_columns_are_refused(layout: str) -> None:
    names = ["qid", "docno", "score", *(f"c{number}" for number in range(10_000))]
    rows = {"csv": ",".join(names) + "\n", "json": json.dumps([dict.fromkeys(names, 1)])}
    with pytest.raises(FormatError, match="10,003 columns, where 10,000 are read at most"):
        as_dicts(rows[layout].encode(), "r")


def test_a_reader_that_breaks_off_is_an_error_of_its_file() -> None:
    content = b"qid,docno,score\n" + b"".join(b"1,d%d,0.5\n" % number for number in range(100_000))
    with field_lines(io.BytesIO(content), Kind.RUN, ErrorList("r.csv")) as stream:
        assert isinstance(stream, ConvertedStream)
        # It waits for its reader, far from its end.
        assert stream.read(1)
        stream._process.kill()
        with pytest.raises(FormatError, match=r"r\.csv.* its reader ended \(code -9\)"):
            deque(iter(lambda: stream.read(1 << 16), b""), maxlen=0)
