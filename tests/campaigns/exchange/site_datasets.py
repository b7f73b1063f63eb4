"""Data sets of one's own, as a site may name a module of them in IR_DATASETS_MODULES."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, TrecQrels, TsvQueries
from ir_datasets.util import Download, LocalDownload, RequestsDownload

CRANFIELD = Path(os.environ.get("TREC_DATA") or "/nonexistent") / "cranfield"


class Page(NamedTuple):
    doc_id: str
    title: str
    text: str
    url: str

    def default_text(self) -> str:
        return f"{self.title} {self.text}"


class WebPage(NamedTuple):
    doc_id: str
    body: bytes
    body_content_type: str = "text/html"


class Need(NamedTuple):
    query_id: str
    title: str
    description: str
    narrative: str


class Grade(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


class Docs(BaseDocs):  # type: ignore[misc]
    def __init__(self, docs: list[Any]) -> None:
        self.docs = docs

    def docs_iter(self) -> Iterator[Any]:
        return iter(self.docs)

    def docs_count(self) -> int:
        return len(self.docs)


class Queries(BaseQueries):  # type: ignore[misc]
    def __init__(self, queries: list[Any]) -> None:
        self.queries = queries

    def queries_iter(self) -> Iterator[Any]:
        return iter(self.queries)


class Qrels(BaseQrels):  # type: ignore[misc]
    def __init__(self, qrels: list[Any]) -> None:
        self.qrels = qrels

    def qrels_iter(self) -> Iterator[Any]:
        return iter(self.qrels)


class CranfieldDocs(BaseDocs):  # type: ignore[misc]
    """data/cranfield/docs.jsonl, one document at a time."""

    def docs_iter(self) -> Iterator[Page]:
        with (CRANFIELD / "docs.jsonl").open() as lines:
            for row in map(json.loads, lines):
                yield Page(row["docno"], row["title"], row["text"], "")

    def docs_count(self) -> int:
        return 1400


PAGES = [
    Page("d1", "Wings  of\nbirds", "They are hollow.", "https://example.org/1"),
    Page("d2", "", "No title here.", ""),
    Page("d3", "A title alone", "", ""),
]
NEEDS = [Need("1", "wings", "How are wings\nbuilt?", "Bones count."), Need("2", "tails", "", "")]
GRADES = [Grade("1", "d1", 2), Grade("1", "d2", 0), Grade("2", "d1", -1), Grade("2", "d3", -2)]


COSTLY = [
    WebPage("good", b"<p>One <b>two</b>"),
    WebPage("costly", b"<div>" * 400_000),
    Page("long", "title " * 2000, "words", ""),
]


def elsewhere() -> Download:
    """A file that would have to be fetched; no server answers at this port."""
    return Download([RequestsDownload("http://127.0.0.1:9/queries.tsv", tries=1)])


OWN: dict[str, list[Any]] = {
    "own/tiny": [Docs(PAGES), Queries(NEEDS), Qrels(GRADES)],
    "own/pages-only": [Docs(PAGES)],
    "own/costly": [Docs(COSTLY)],
    "own/topics-only": [Queries(NEEDS)],
    "own/empty": [Docs([])],
    "own/blanks": [Docs([*PAGES, Page("d 4", "", "x", ""), Page("d1", "", "again", "")])],
    "own/wild-grades": [Docs(PAGES), Queries(NEEDS), Qrels([Grade("1", "d1", 7), Grade("9", "d1", 1)])],
    "own/torn": [Docs(PAGES), Queries([*NEEDS, Need("1", "twice", "", "")])],
    "own/far": [Docs(PAGES), TsvQueries(elsewhere())],
    "own/lost": [Docs(PAGES), TsvQueries(LocalDownload("/nonexistent/queries.tsv", mkdir=False))],
    "own/cranfield": [
        CranfieldDocs(),
        TsvQueries(LocalDownload(CRANFIELD / "topics.tsv", mkdir=False)),
        TrecQrels(LocalDownload(CRANFIELD / "qrels.txt", mkdir=False), {1: "relevant"}),
    ],
}

for name, parts in OWN.items():
    ir_datasets.registry.register(name, Dataset(*parts))
