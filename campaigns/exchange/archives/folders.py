"""Archives that other tools read: runs, and the campaign as a BEIR, Hugging Face or ir_datasets folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext

from campaigns.collection.access import source_url
from campaigns.collection.terms import plain
from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal
from campaigns.exchange.archives.cards import CardFigures, card_of
from campaigns.exchange.bundles.writer import BundleZip
from campaigns.exchange.exports import (
    EXPORTS,
    PARQUET,
    TREC,
    check_form,
    encoded,
    excluded_words,
    written_table,
)
from campaigns.formats.content_types import Kind, kind_of
from campaigns.formats.errors import check_name
from campaigns.formats.reading.contents import Task
from campaigns.formats.reading.readers import ReaderUnavailable, read_one
from campaigns.formats.tables import Columns, FileFormat, TableRow, json_lines
from campaigns.models import Campaign, Document, Ranking, Run
from campaigns.models.packed import unpack_ids, unpack_scores

# A file of the archive: its path in the folder, and its bytes.
Entry = tuple[str, Iterable[bytes]]


@dataclass(frozen=True)
class Contents:
    """`form`: the format of tables, where it can be chosen. `texts`: whether documents have theirs."""

    policy: str
    form: FileFormat = TREC
    texts: bool = True


@dataclass(frozen=True)
class Archive:
    """`ending`: of the file's name. `entries`: the files. `formats`: those of the tables, if they can be
    chosen; TREC is the default. `whole`: holds grades and documents beside the runs."""

    ending: str
    entries: Callable[[Campaign, Contents], Iterator[Entry]]
    formats: tuple[FileFormat, ...] = ()
    whole: bool = True

    def check_form(self, form: str) -> FileFormat:
        if form and not self.formats:
            detail = gettext("the files of this archive have formats of their own")
            raise Refusal("bad_format", detail, field="format")
        return check_form(form, list(self.formats), TREC)

    def file_name(self, campaign: Campaign, asked: Contents) -> str:
        form = f".{asked.form}" if asked.form is not TREC else ""
        by = f".{asked.policy or campaign.policy}{excluded_words(campaign)}" if self.whole else ""
        texts = "" if asked.texts else ".without-texts"
        return f"{campaign.slug}{by}{texts}.{self.ending}{form}.zip"

    def pieces(self, campaign: Campaign, asked: Contents) -> Generator[bytes]:
        """The zip, all as it was at one moment."""
        zipping = BundleZip()
        with consistent_reads():
            for name, content in self.entries(campaign, asked):
                yield from zipping.add(f"{campaign.slug}/{name}", content)
        yield from zipping.end()


# Documents whose docnos are looked up at once.
_IDS_AT_ONCE = 20_000
_RUN: Columns = {"topic": str, "docno": str, "rank": int, "score": float, "tag": str}


def run_rows(run: Run) -> Generator[TableRow]:
    """The run's lists by topic, in the order in which they are evaluated."""
    rows = Ranking.objects.filter(run=run).order_by("topic__position")
    some: list[tuple[str, list[int], list[float]]] = []
    size = 0
    for topic, packed, scores in rows.values_list("topic__number", "documents", "scores").iterator(20):
        ids = unpack_ids(packed)
        some.append((topic, ids.tolist(), unpack_scores(scores, len(ids)).tolist()))
        size += len(ids)
        if size >= _IDS_AT_ONCE:
            yield from _named(run.tag, some)
            some, size = [], 0
    yield from _named(run.tag, some)


def _named(tag: str, lists: list[tuple[str, list[int], list[float]]]) -> Iterator[TableRow]:
    wanted = {id for _, ids, _ in lists for id in ids}
    docnos = dict(Document.objects.filter(id__in=wanted).values_list("id", "docno"))
    for topic, ids, scores in lists:
        for rank, (id, score) in enumerate(zip(ids, scores, strict=True), 1):
            yield {"topic": topic, "docno": docnos[id], "rank": rank, "score": score, "tag": tag}


def _run_lines(rows: Iterable[TableRow]) -> Generator[str]:
    for row in rows:
        for name in ("topic", "docno", "tag"):
            check_name(name, row[name])
        yield f"{row['topic']} Q0 {row['docno']} {row['rank']} {row['score']!r} {row['tag']}\n"


def _runs(campaign: Campaign) -> dict[str, Run]:
    """The runs that take part, each by a name for its file: its tag, as far as file systems allow."""
    named: dict[str, Run] = {}
    taken: set[str] = set()
    for run in campaign.runs.taking_part().only("tag"):
        own = "".join("_" if letter in '/\\:*?"<>|' else letter for letter in run.tag)
        own = f"run{own}" if own.startswith((".", "__MACOSX")) else own
        number, name = 1, own
        while name.casefold() in taken:
            number, name = number + 1, f"{own}~{number + 1}"
        taken.add(name.casefold())
        named[name] = run
    return named


def _run_entries(campaign: Campaign, asked: Contents, folder: str = "") -> Iterator[Entry]:
    for name, run in _runs(campaign).items():
        rows = run_rows(run)
        pieces = encoded(_run_lines(rows)) if asked.form is TREC else written_table(_RUN, rows, asked.form)
        yield f"{folder}{name}.{asked.form.ending}", pieces


@dataclass
class _Counted:
    """Figures of the card, counted while files are written."""

    documents: int = 0
    without_text: int = 0
    topics: int = 0
    grades: Counter[int] = field(default_factory=Counter)
    judged_topics: set[str] = field(default_factory=set)

    def figures(self, runs: int) -> CardFigures:
        return CardFigures(
            documents=self.documents,
            without_text=self.without_text,
            topics=self.topics,
            judged_topics=len(self.judged_topics),
            grades=dict(sorted(self.grades.items())),
            runs=runs,
        )


def _documents(campaign: Campaign, asked: Contents, counted: _Counted) -> Generator[TableRow]:
    rows = Document.objects.filter(collection=campaign.collection_id).order_by("id")
    if not asked.texts:
        rows = rows.only("docno")
    template = campaign.collection.url_template
    for document in rows.iterator(chunk_size=100):
        text = text_of(document) if asked.texts else ""
        counted.documents += 1
        counted.without_text += not text.strip()
        metadata = dict(document.metadata) if asked.texts else {}
        if template:
            metadata.setdefault("url", source_url(template, document.docno))
        title = document.title if asked.texts else ""
        yield {"_id": document.docno, "title": title, "text": text, "metadata": metadata}


def text_of(document: Document) -> str:
    """Words of a document without markup; empty for what is no text, such as PDF and pictures."""
    kind = kind_of(document.content_type)
    if kind is Kind.HTML and document.html:
        try:
            content = read_one(Task("words", document.content_type, document.html.encode()))
        except ReaderUnavailable:
            content = None
        if content:
            return content.body
    readable = kind in (Kind.TEXT, Kind.MARKDOWN, Kind.HTML)
    return plain(document.body, document.content_type) if readable else ""


def _topics(campaign: Campaign, counted: _Counted) -> Generator[TableRow]:
    for topic in campaign.topics.order_by("position"):
        counted.topics += 1
        yield {
            "_id": topic.number,
            "text": topic.title or topic.description or topic.narrative,
            "title": topic.title,
            "description": topic.description,
            "narrative": topic.narrative,
            "further_fields": _by_name(topic.further_fields),
        }


def _by_name(fields: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Values of one name are put together."""
    found: dict[str, list[str]] = {}
    for row in fields:
        found.setdefault(row["name"], []).append(row["value"])
    return {name: "\n".join(values) for name, values in found.items()}


def _qrels(campaign: Campaign, asked: Contents, counted: _Counted) -> Generator[TableRow]:
    for row in EXPORTS["qrels"].rows(campaign, asked.policy):
        counted.grades[row["grade"]] += 1
        counted.judged_topics.add(row["topic"])
        yield {"query-id": row["topic"], "corpus-id": row["docno"], "score": row["grade"]}


def _beir(campaign: Campaign, asked: Contents) -> Iterator[Entry]:
    counted = _Counted()
    yield "corpus.jsonl", encoded(json_lines(_documents(campaign, asked, counted)))
    yield "queries.jsonl", encoded(json_lines(map(_beir_query, _topics(campaign, counted))))
    yield "qrels/test.tsv", encoded(_tab_lines(_qrels(campaign, asked, counted)))


def _beir_query(topic: TableRow) -> TableRow:
    named = {name: topic[name] for name in ("description", "narrative")}
    return {"_id": topic["_id"], "text": topic["text"], "metadata": named | topic["further_fields"]}


def _tab_lines(rows: Iterable[TableRow]) -> Generator[str]:
    yield "query-id\tcorpus-id\tscore\n"
    for row in rows:
        yield "{query-id}\t{corpus-id}\t{score}\n".format(**row)


_CORPUS: Columns = dict.fromkeys(("_id", "title", "text", "metadata"), str)
_QUERIES: Columns = dict.fromkeys(("_id", "text", "title", "description", "narrative", "further_fields"), str)
_GRADES: Columns = {"query-id": str, "corpus-id": str, "score": int}
_SCORED: Columns = {"query-id": str, "corpus-id": str, "rank": int, "score": float, "tag": str}


def _hugging_face(campaign: Campaign, asked: Contents) -> Iterator[Entry]:
    counted = _Counted()
    corpus = (_with_json(row, "metadata") for row in _documents(campaign, asked, counted))
    queries = (_with_json(row, "further_fields") for row in _topics(campaign, counted))
    yield "corpus.parquet", written_table(_CORPUS, corpus, PARQUET)
    yield "queries.parquet", written_table(_QUERIES, queries, PARQUET)
    yield "qrels.parquet", written_table(_GRADES, _qrels(campaign, asked, counted), PARQUET)
    runs = _runs(campaign)
    for number, run in enumerate(runs.values(), 1):
        yield f"runs/{number:04}.parquet", written_table(_SCORED, _scored(run), PARQUET)
    card = card_of(campaign, asked.policy, counted.figures(len(runs)), texts=asked.texts)
    yield "README.md", [card.encode()]


def _with_json(row: TableRow, name: str) -> TableRow:
    return {**row, name: json.dumps(row[name], ensure_ascii=False)}


def _scored(run: Run) -> Generator[TableRow]:
    for row in run_rows(run):
        names = {"query-id": row["topic"], "corpus-id": row["docno"]}
        yield {**names, **{name: row[name] for name in ("rank", "score", "tag")}}


def _ir_datasets(campaign: Campaign, asked: Contents) -> Iterator[Entry]:
    counted = _Counted()
    documents = ({"doc_id": row["_id"], **row} for row in _documents(campaign, asked, counted))
    topics = ({"query_id": row["_id"], **row} for row in _topics(campaign, counted))
    yield "docs.jsonl", encoded(json_lines(documents))
    yield "queries.jsonl", encoded(json_lines(topics))
    yield "qrels.txt", EXPORTS["qrels"].pieces(campaign, asked.policy)
    yield from _run_entries(campaign, asked, "runs/")
    runs = {run.tag: f"runs/{name}.{TREC.ending}" for name, run in _runs(campaign).items()}
    module = f"assess_{campaign.slug.replace('-', '_')}.py"
    yield module, [_module(f"assess/{campaign.slug}", runs).encode()]


_MODULE = '''"""Registers the files beside it with ir_datasets, as {name} and {name}/runs/TAG."""

from pathlib import Path
from typing import NamedTuple

import ir_datasets
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import JsonlDocs, JsonlQueries, TrecQrels, TrecScoredDocs
from ir_datasets.util import LocalDownload

NAME = "{name}"
# The file of each run, by its tag.
RUNS = {runs}
GRADES = {{}}
FOLDER = Path(__file__).resolve().parent


class Doc(NamedTuple):
    doc_id: str
    title: str
    text: str
    metadata: dict

    def default_text(self):
        return f"{{self.title}} {{self.text}}".strip()


class Query(NamedTuple):
    query_id: str
    title: str
    description: str
    narrative: str
    further_fields: dict

    def default_text(self):
        return self.title or self.description or self.narrative


def file(name):
    return LocalDownload(FOLDER / name, mkdir=False)


PARTS = (
    JsonlDocs(file("docs.jsonl"), Doc),
    JsonlQueries(file("queries.jsonl"), Query),
    TrecQrels(file("qrels.txt"), GRADES),
)
if NAME not in ir_datasets.registry:
    ir_datasets.registry.register(NAME, Dataset(*PARTS))
    for tag, name in RUNS.items():
        ir_datasets.registry.register(f"{{NAME}}/runs/{{tag}}", Dataset(*PARTS, TrecScoredDocs(file(name))))
'''


def _module(name: str, runs: Mapping[str, str]) -> str:
    return _MODULE.format(name=name, runs=repr(dict(runs)))


ARCHIVES = {
    "runs": Archive("runs", _run_entries, tuple(FileFormat), whole=False),
    "beir": Archive("beir", _beir),
    "huggingface": Archive("huggingface", _hugging_face),
    "ir-datasets": Archive("ir_datasets", _ir_datasets),
}
