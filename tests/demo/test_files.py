from __future__ import annotations

import os
from pathlib import Path

import pytest

from campaigns.demo.corpus import Document
from campaigns.demo.files import BuildFailed, DemoFiles, build_apart
from campaigns.demo.systems import SYSTEMS
from campaigns.formats.runs import ParsedRun, read_runs
from campaigns.formats.topics import TopicRecord, read_topics

Documents = dict[str, Document]


@pytest.fixture(scope="module")
def demo_topics(demo_files: DemoFiles) -> list[TopicRecord]:
    return read_topics(demo_files.topics, "topics")


@pytest.fixture(scope="module")
def demo_runs(demo_files: DemoFiles) -> dict[str, ParsedRun]:
    return {system.tag: read_runs(demo_files.run(system.tag), system.tag)[0] for system in SYSTEMS}


def test_topics_are_complete_and_different(demo_topics: list[TopicRecord]) -> None:
    assert len(demo_topics) >= 25
    assert len({topic.title for topic in demo_topics}) == len(demo_topics)
    for topic in demo_topics:
        assert 3 <= len(topic.title.split()) <= 10
        assert topic.description
        told = [words for words in ("Highly relevant", "Relevant", "ot relevant") if words in topic.narrative]
        assert len(told) == 3


def test_runs_are_tidy(demo_runs: dict[str, ParsedRun], demo_topics: list[TopicRecord]) -> None:
    assert len(demo_runs) >= 12
    for tag, run in demo_runs.items():
        assert run.tag == tag
        assert set(run.rankings) == {topic.number for topic in demo_topics}
        assert run.report.order_disagrees == run.report.rank_disagrees == 0
        assert min(len(ranking.docnos) for ranking in run.rankings.values()) >= 10
        assert run.report.longest_list == 100


def test_runs_know_only_documents_of_the_collection(
    demo_runs: dict[str, ParsedRun], demo_documents: Documents
) -> None:
    for run in demo_runs.values():
        assert {docno for ranking in run.rankings.values() for docno in ranking.docnos} <= set(demo_documents)


def test_every_topic_has_a_pool_worth_judging(
    demo_runs: dict[str, ParsedRun], demo_topics: list[TopicRecord]
) -> None:
    for topic in demo_topics:
        pool = {docno for run in demo_runs.values() for docno in run.rankings[topic.number].docnos[:10]}
        assert len(pool) >= 30


def test_systems_differ(demo_runs: dict[str, ParsedRun]) -> None:
    lists = {tag: [r.docnos for r in run.rankings.values()] for tag, run in demo_runs.items()}
    for tag, docnos in lists.items():
        assert [other for other, theirs in lists.items() if theirs == docnos] == [tag]


def test_the_same_bytes_again(demo_files: DemoFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "PYTHONHASHSEED", "4711")
    stages: list[str] = []
    again = build_apart(tmp_path, lambda stage, share: stages.append(stage))
    assert list(dict.fromkeys(stages)) == ["Collecting documents", "Indexing", "Ranking", "Writing runs"]
    for system in SYSTEMS:
        assert again.run(system.tag).read_bytes() == demo_files.run(system.tag).read_bytes()
    assert again.collection.read_bytes() == demo_files.collection.read_bytes()


def test_a_build_that_fails_says_so(tmp_path: Path) -> None:
    occupied = tmp_path / "a-file"
    occupied.touch()
    with pytest.raises(BuildFailed, match="exit code 1"):
        build_apart(occupied)
