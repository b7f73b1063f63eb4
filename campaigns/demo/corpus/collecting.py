from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from campaigns.demo.corpus.discovery import canonical_objects
from campaigns.demo.corpus.documents import Document, without_twins
from campaigns.demo.corpus.importing import import_all
from campaigns.demo.corpus.libraries import importable_modules
from campaigns.demo.corpus.living import documents_of
from campaigns.demo.corpus.sources import documents_in_sources

Progress = Callable[[float], None]

PROJECT = Path(__file__).resolve().parents[3]


def collect(progress: Progress = lambda share: None) -> list[Document]:
    """Every document of this installation, docnos ascending."""
    modules = import_all(importable_modules(), lambda share: progress(0.4 * share))
    living = list(documents_of(modules, canonical_objects(modules)))
    progress(0.8)
    sources = list(documents_in_sources("django"))
    return without_twins([*living, *sources])


def collect_apart(target: Path, progress: Progress = lambda share: None) -> None:
    """Write the documents to ``target`` as JSON lines, from a process of its own.

    It imports every module there is, which would not do in a process with other work. Some docstrings
    are put together by their libraries from sets, so a fixed hash seed makes them the same every time.
    """
    command = [sys.executable, "-m", "campaigns.demo.corpus", str(target.absolute())]
    fixed = {"PYTHONHASHSEED": "0", "PYTHONOPTIMIZE": "", "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(
        command, cwd=PROJECT, env={**os.environ, **fixed}, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        for line in child.stdout:
            progress(float(line))
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)


def read_documents(path: Path) -> Iterator[Document]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield Document(row["docno"], row["title"], row["body"])
