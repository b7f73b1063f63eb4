"""Public test collections, as their makers left them."""

from __future__ import annotations

from collections import Counter

import pytest

from campaigns.formats.compressed_files import find_files
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.errors import FormatError
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs.files import read_run_files, read_runs
from campaigns.formats.topics import read_topics
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data, noticed

pytestmark = needs_data


def test_trec_covid_round_1() -> None:
    folder = TREC_DATA / "trec-covid-r1"
    files = find_files([folder / "runs"])
    runs = read_run_files(files)
    assert len(runs) == len({run.tag for run in runs}) == 143
    assert sum(run.report.lines for run in runs) == 794_284
    topics = read_topics(folder / "topics.xml", "topics.xml")
    assert [topic.number for topic in topics] == [str(number) for number in range(1, 31)]
    assert all(topic.title and topic.description and topic.narrative for topic in topics)
    assert all(set(run.rankings) <= {topic.number for topic in topics} for run in runs)
    assert max(len(ranking.scores) for run in runs for ranking in run.rankings.values()) == 200
    assert sum(bool(run.report.ties) for run in runs) > 70
    assert any(run.report.ranks_from_zero for run in runs)
    qrels = read_qrels(folder / "qrels.txt", "qrels.txt")
    assert (qrels.report.judgments, qrels.report.topics) == (8691, 30)
    grades = Counter(grade for row in qrels.grades.values() for grade in row.values())
    assert grades == {0: 6339, 1: 1115, 2: 1237}


def test_cranfield_runs_and_qrels() -> None:
    folder = TREC_DATA / "cranfield"
    runs = read_run_files(find_files([folder / "runs"]))
    assert len(runs) == 16
    assert {run.report.topics for run in runs} == {225}
    qrels = read_qrels(folder / "qrels.txt", "qrels.txt")
    assert (qrels.report.judgments, qrels.report.topics) == (1837, 225)
    graded = read_qrels(folder / "qrels.graded.txt", "qrels.graded.txt")
    assert (graded.report.judgments, graded.report.not_judged) == (1612, 225)


def test_cranfield_reads_alike_from_json_and_from_smart() -> None:
    folder = TREC_DATA / "cranfield"
    documents = list(iter_documents(folder / "docs.jsonl", "docs.jsonl"))
    smart = list(iter_documents(folder / "cran.all.1400", "cran.all.1400"))
    assert [d.docno for d in documents] == [d.docno for d in smart] == [str(n) for n in range(1, 1401)]
    for one, other in zip(documents, smart, strict=True):
        assert (one.title, one.body.split()) == (other.title, other.body.split())


def test_cranfield_topics_read_alike_in_three_formats() -> None:
    folder = TREC_DATA / "cranfield"
    tsv, trec, smart = (
        read_topics(folder / name, name) for name in ("topics.tsv", "topics.trec", "cran.qry")
    )
    assert len(tsv) == 225
    assert tsv == trec
    assert [topic.title for topic in smart] == [topic.title for topic in trec]
    # The query file counts otherwise than the judgments do: its numbers stay as written.
    assert [topic.number for topic in smart[:3]] == ["001", "002", "004"]


@pytest.mark.parametrize(
    ("name", "lines", "topics", "counts"),
    [
        ("results.test", 1500, 3, {"ties": 19, "order_disagrees": 1481}),
        ("results-302.test", 500, 1, {"ties": 4, "order_disagrees": 494}),
        ("results.comment.test", 30_100, 301, {"ties": 149}),
        ("prefs.results.test", 480, 24, {}),
    ],
)
def test_runs_of_the_reference_program(name: str, lines: int, topics: int, counts: dict[str, int]) -> None:
    (run,) = read_runs(TREC_DATA / "trec_eval" / name, name)
    assert (run.report.lines, run.report.topics) == (lines, topics)
    assert noticed(run) == counts


def test_words_after_the_tag_are_taken_only_when_lenient() -> None:
    path = TREC_DATA / "trec_eval" / "results.trunc"
    with pytest.raises(FormatError) as caught:
        read_runs(path, "results.trunc")
    assert [error.line for error in caught.value.errors] == [1, 2, 3, 4, 5]
    (run,) = read_runs(path, "results.trunc", lenient=True)
    assert (run.tag, run.report.lines, run.report.columns_dropped) == ("STANDARD", 584, 5)


@pytest.mark.parametrize(
    ("name", "judgments", "not_judged"),
    [
        ("qrels.test", 3681, 0),
        ("qrels.test.with-comments", 3681, 0),
        ("qrels-302.test", 1061, 0),
        ("qrels.comment.test", 5890, 0),
        ("qrels.rel_level", 3377, 304),
    ],
)
def test_qrels_of_the_reference_program(name: str, judgments: int, not_judged: int) -> None:
    qrels = read_qrels(TREC_DATA / "trec_eval" / name, name)
    assert (qrels.report.judgments, qrels.report.not_judged) == (judgments, not_judged)


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("qrels.123", "docno 'CR93E-1860' has grade 3 here and 0 in line 5, in topic '301'"),
        ("prefs.test", "5 columns where qrels have 4"),
    ],
)
def test_judgments_of_other_kinds_are_refused(name: str, detail: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_qrels(TREC_DATA / "trec_eval" / name, name)
    assert detail in caught.value.errors[0].detail
