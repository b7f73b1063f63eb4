"""From the libraries on this machine to files: documents, topics and runs in the formats of the field."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from campaigns.demo.corpus import Document, collect
from campaigns.demo.files import DemoFiles, Progress
from campaigns.demo.index import Floats
from campaigns.demo.indexes import build_indexes
from campaigns.demo.systems import SYSTEMS, rank_all
from campaigns.formats.run_writing import write_run
from campaigns.formats.runs import ParsedRanking
from campaigns.formats.topics import TopicRecord, read_topics

HERE = Path(__file__).parent
DEPTH = 100


def build(folder: Path, progress: Progress = lambda stage, share: None) -> DemoFiles:
    """Make all files of the demonstration anew. Call `build_apart`, unless this process has no other work:
    this imports every module that the documents come from."""
    files = DemoFiles.below(folder)
    files.runs.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(HERE / "topics.trec", files.topics)
    topics = read_topics(files.topics, files.topics.name)
    documents = collect(lambda share: progress("Collecting documents", share))
    with files.collection.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(asdict(document), ensure_ascii=False) + "\n" for document in documents)
    indexes = build_indexes(documents, lambda share: progress("Indexing", share))
    scores = rank_all(indexes, topics, lambda share: progress("Ranking", share))
    for place, system in enumerate(SYSTEMS, start=1):
        rankings = best_documents(scores[system.tag], documents, topics)
        files.run(system.tag).write_bytes(packed_run(rankings, system.tag))
        progress("Writing runs", place / len(SYSTEMS))
    return files


def read_documents(path: Path) -> Iterator[Document]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield Document(**json.loads(line))


def best_documents(
    scores: Floats, documents: Sequence[Document], topics: Sequence[TopicRecord]
) -> list[ParsedRanking]:
    """Each topic's first hundred. A topic for which the system finds nothing is missing from its run."""
    # Fewer digits than the computation has, so that another machine's rounding does not show.
    rounded = np.round(scores, 6).astype(np.float32)
    ascending = np.arange(len(documents))
    rankings = []
    for topic, row in zip(topics, rounded, strict=True):
        # Documents are in docno order, and ties go by docno descending, as in the evaluation.
        best = np.lexsort((-ascending, -row))[:DEPTH]
        best = best[np.isfinite(row[best])]
        if len(best):
            rankings.append(ParsedRanking.of(topic.number, [documents[i].docno for i in best], row[best]))
    return rankings


def packed_run(rankings: Sequence[ParsedRanking], tag: str) -> bytes:
    text = io.StringIO()
    write_run(rankings, tag, text)
    # gzip would note the time, and two files of the same run would differ.
    return gzip.compress(text.getvalue().encode(), mtime=0)
