"""The demo as files of the field: a collection and runs.

`python -m campaigns.management.demo.files FOLDER` makes them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from campaigns.formats.runs.files import ParsedRanking, write_run
from campaigns.formats.topics import read_topics
from campaigns.management.demo.corpus import collect
from campaigns.management.demo.rankers import Floats, rank_all

COLLECTION = "collection.jsonl"
TOPICS = Path(__file__).with_name("topics.trec")
PROJECT = Path(__file__).parents[3]
DEPTH = 100

_FIXED = {
    "PYTHONHASHSEED": "0",  # some libraries put docstrings together from sets
    "PYTHONOPTIMIZE": "",  # an optimising Python has no docstrings
    "LC_ALL": "C.UTF-8",
    # Threads of linear algebra sum in changing order.
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1"),
}


def build_apart(folder: Path) -> None:
    """Make the files in a process of its own, where the same installation gives the same bytes."""
    command = [sys.executable, "-m", __name__, str(folder.absolute())]
    environment = {**os.environ, **_FIXED}
    # Some modules print when they are imported.
    subprocess.run(command, cwd=PROJECT, env=environment, stdout=subprocess.DEVNULL, check=True)


def build(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    documents = collect()
    with (folder / COLLECTION).open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(asdict(document), ensure_ascii=False) + "\n" for document in documents)
    docnos = [document.docno for document in documents]
    topics = read_topics(TOPICS, TOPICS.name)
    for tag, scores in rank_all(documents, topics):
        rankings = [ranking(topic.number, docnos, row) for topic, row in zip(topics, scores, strict=True)]
        with (folder / f"{tag}.run").open("w", encoding="utf-8") as out:
            write_run(rankings, tag, out)


def ranking(topic: str, docnos: Sequence[str], scores: Floats) -> ParsedRanking:
    """The best hundred. A document without any term of the query has the lowest score of all."""
    # Fewer digits than computed, so that another machine's rounding does not show.
    rounded = np.round(np.round(scores, 4).astype(np.float64), 4)
    # Docnos ascend, and ties go by docno descending, as in the evaluation.
    best = np.lexsort((-np.arange(len(docnos)), -rounded))[:DEPTH]
    best = best[rounded[best] > rounded.min()]
    return ParsedRanking.of(topic, [docnos[i] for i in best], rounded[best])


if __name__ == "__main__":
    build(Path(sys.argv[1]))
