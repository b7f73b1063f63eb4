"""Runs and qrels in formats beside TREC's, as the tools of the field write them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping

import lz4.frame
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

Scores = Mapping[str, Mapping[str, float]]
Writer = Callable[[Scores], bytes]


def _rows(scores: Scores) -> Iterator[tuple[str, str, int, float]]:
    for topic, of_topic in scores.items():
        for rank, (docno, score) in enumerate(of_topic.items(), 1):
            yield topic, docno, rank, score


def nested_json(scores: Scores) -> bytes:
    return json.dumps(scores).encode()


def ranx_lz4(scores: Scores) -> bytes:
    return bytes(lz4.frame.compress(nested_json(scores)))


def mteb_json(scores: Scores) -> bytes:
    about = {"model_name": "org/model", "revision": "a1"}
    return json.dumps({"mteb_model_meta": about, "default": {"test": scores}}, indent=2).encode()


def table(*names: str, delimiter: str = ",") -> Writer:
    """Columns of these names; the other columns that PyTerrier and pandas write come with `docid` and ``."""

    def write(scores: Scores) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter)
        writer.writerow(names)
        writer.writerows(_columns(scores, names))
        return text.getvalue().encode()

    return write


def _columns(scores: Scores, names: tuple[str, ...]) -> Iterator[list[object]]:
    for place, (topic, docno, rank, score) in enumerate(_rows(scores)):
        others = {"": place, "docid": 7 * place + 1, "rank": rank, "query": "a query, of words"}
        by_place = [topic, docno]
        yield [
            others[name] if name in others and (name != "docid" or "docno" in names)
            else (by_place.pop(0) if by_place else score)
            for name in names
        ]  # fmt: skip


def parquet(*names: str) -> Writer:
    def write(scores: Scores) -> bytes:
        file = io.BytesIO()
        pq.write_table(_arrow_table(scores, names), file, row_group_size=100)
        return file.getvalue()

    return write


def arrow_stream(*names: str) -> Writer:
    def write(scores: Scores) -> bytes:
        made = _arrow_table(scores, names)
        file = io.BytesIO()
        with ipc.new_stream(file, made.schema) as stream:
            stream.write_table(made, max_chunksize=100)
        return file.getvalue()

    return write


def _arrow_table(scores: Scores, names: tuple[str, ...]) -> pa.Table:
    topics, docnos, _, values = zip(*_rows(scores), strict=True)
    return pa.table(dict(zip(names, (topics, docnos, values), strict=True)))


def json_lines(*names: str) -> Writer:
    def write(scores: Scores) -> bytes:
        return b"".join(line + b"\n" for line in _objects(scores, names))

    return write


def json_list(*names: str) -> Writer:
    return lambda scores: b"[" + b",\n".join(_objects(scores, names)) + b"]"


def _objects(scores: Scores, names: tuple[str, ...]) -> Iterator[bytes]:
    for topic, docno, _, score in _rows(scores):
        yield json.dumps(dict(zip(names, (topic, docno, score), strict=True))).encode()


RUNS: dict[str, Writer] = {
    "ranx.json": nested_json,
    "ranx.lz4": ranx_lz4,
    "ranx.parquet": parquet("q_id", "doc_id", "score"),
    "pyterrier.csv": table("", "qid", "docid", "docno", "rank", "score", "query"),
    "mteb.json": mteb_json,
    "semicolons.csv": table("query_id", "doc_id", "sim", delimiter=";"),
    "columns.tsv": table("topic", "docno", "score", delimiter="\t"),
    "blanks.txt": table("qid", "docno", "score", delimiter=" "),
    "hits.jsonl": json_lines("query_id", "document_id", "score"),
    "records.json": json_list("qid", "docno", "score"),
    "dataset.arrow": arrow_stream("qid", "docno", "score"),
}
QRELS: dict[str, Writer] = {
    "ranx.json": nested_json,
    "beir.tsv": table("query-id", "corpus-id", "score", delimiter="\t"),
    "beir.parquet": parquet("query-id", "corpus-id", "score"),
    "quepid.csv": table("query_id", "docid", "rating"),
    "judges.jsonl": json_lines("qid", "docid", "judgment"),
    "dataset.arrow": arrow_stream("query_id", "doc_id", "relevance"),
    "records.json": json_list("qid", "docno", "label"),
    "columns.txt": table("qid", "docno", "rel", delimiter=" "),
}
