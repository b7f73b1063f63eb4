"""The files that an organiser brings: Cranfield where the test collections are at hand, else a small one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns.factories import run_text
from tests.campaigns.formats.sample_files import TREC_DATA

TOPICS, DOCUMENTS = 3, 24


@dataclass(frozen=True)
class Files:
    """`late`: the run that comes once judging has begun; `topic`: one that every run answers."""

    documents: Path
    topics: Path
    runs: list[Path]
    late: Path
    topic: str


def files_to_bring(folder: Path) -> Files:
    cranfield = TREC_DATA / "cranfield"
    if not cranfield.is_dir():
        return _small(folder)
    *runs, late = sorted((cranfield / "runs").iterdir())
    return Files(cranfield / "docs.jsonl", cranfield / "topics.tsv", runs, late, "1")


def _small(folder: Path) -> Files:
    pools = {
        f"{number}": [f"t{number}d{each:02}" for each in range(DOCUMENTS)] for number in range(1, TOPICS + 1)
    }
    texts = [
        json.dumps({"docno": docno, "title": f"On {docno}", "body": f"{docno} is about rows and columns."})
        for pool in pools.values()
        for docno in pool
    ]
    documents = _write(folder / "documents.jsonl", "\n".join(texts).encode())
    topics = _write(folder / "topics.tsv", "".join(f"{n}\trows and columns {n}\n" for n in pools).encode())
    *runs, late = (
        _write(
            folder / f"run{turn}.txt",
            run_text(f"run{turn}", {n: pool[turn * 3 :] + pool[: turn * 3] for n, pool in pools.items()}),
        )
        for turn in range(5)
    )
    return Files(documents, topics, runs, late, "1")


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
