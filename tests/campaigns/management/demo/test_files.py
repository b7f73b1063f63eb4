from __future__ import annotations

import os
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from campaigns.formats.runs.files import ParsedRun, read_runs
from campaigns.formats.topics import TopicRecord, read_topics
from campaigns.management.demo.corpus import Document
from campaigns.management.demo.files import TOPICS, build_apart
from campaigns.management.demo.rankers import SYSTEMS


@pytest.fixture(scope="module")
def demo_topics() -> list[TopicRecord]:
    return read_topics(TOPICS, "topics")


@pytest.fixture(scope="module")
def demo_runs(demo_folder: Path) -> dict[str, ParsedRun]:
    files = {system.tag: demo_folder / f"{system.tag}.run" for system in SYSTEMS}
    return {tag: read_runs(path, path.name)[0] for tag, path in files.items()}


def test_topics_are_complete_and_different(demo_topics: list[TopicRecord]) -> None:
    assert len({topic.title for topic in demo_topics}) == len(demo_topics) >= 25
    for topic in demo_topics:
        assert 3 <= len(topic.title.split()) <= 10
        assert topic.description
        assert all(grade in topic.narrative for grade in ("Highly relevant", "Relevant", "ot relevant"))


def test_runs_list_documents_for_every_topic(
    demo_runs: dict[str, ParsedRun], demo_topics: list[TopicRecord], demo_documents: dict[str, Document]
) -> None:
    assert len(demo_runs) >= 12
    for tag, run in demo_runs.items():
        assert run.tag == tag
        assert set(run.rankings) == {topic.number for topic in demo_topics}
        assert run.report.order_disagrees == run.report.rank_disagrees == 0
        assert min(len(ranking.docnos) for ranking in run.rankings.values()) >= 10
        assert run.report.longest_list == 100
        assert {docno for ranking in run.rankings.values() for docno in ranking.docnos} <= set(demo_documents)


def test_every_topic_has_a_pool_worth_judging(
    demo_runs: dict[str, ParsedRun], demo_topics: list[TopicRecord]
) -> None:
    for topic in demo_topics:
        pool = {docno for run in demo_runs.values() for docno in run.rankings[topic.number].docnos[:10]}
        assert len(pool) >= 25


def test_systems_differ(demo_runs: dict[str, ParsedRun]) -> None:
    tops = {
        tag: {(number, docno) for number, ranking in run.rankings.items() for docno in ranking.docnos[:10]}
        for tag, run in demo_runs.items()
    }
    for tag, top in tops.items():
        assert all(len(top & other) < 0.9 * len(top) for name, other in tops.items() if name != tag)


def test_a_second_build_gives_the_same_bytes(
    demo_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "PYTHONHASHSEED", "4711")
    monkeypatch.setitem(os.environ, "SOMETHING_OF_THIS_MACHINE", "else")
    build_apart(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in demo_folder.iterdir()}
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (demo_folder / path.name).read_bytes()


def test_a_failing_build_is_an_error(tmp_path: Path) -> None:
    occupied = tmp_path / "a-file"
    occupied.touch()
    with pytest.raises(CalledProcessError):
        build_apart(occupied)
