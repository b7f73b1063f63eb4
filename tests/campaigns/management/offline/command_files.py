"""Small run files and qrels, and the commands that read them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management import call_command

Lists = Mapping[str, Sequence[str]]

RUNS: dict[str, Lists] = {
    "alpha": {"1": ["a", "b", "c", "d"], "2": ["k", "l"], "10": ["x"]},
    "beta": {"1": ["b", "e"], "2": ["m", "k", "n"]},
}
# Topic 10 has no judgments; topic 3 no run.
QRELS = "1 0 a 2\n1 0 b 0\n1 0 e 1\n1 0 zz 1\n2 0 k 1\n2 0 m -2\n2 0 l -1\n3 0 q 1\n"


def write_runs(folder: Path, runs: Mapping[str, Lists] = RUNS) -> Path:
    folder.mkdir(exist_ok=True)
    for tag, lists in runs.items():
        lines = [
            f"{topic} Q0 {docno} {rank} {100 - rank} {tag}\n"
            for topic, docnos in lists.items()
            for rank, docno in enumerate(docnos)
        ]
        (folder / f"{tag}.txt").write_text("".join(lines))
    return folder


def write_qrels(folder: Path, text: str = QRELS) -> Path:
    file = folder / "qrels.txt"
    file.write_text(text)
    return file


def run_command(name: str, *arguments: Any) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(name, *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def run_json(name: str, *arguments: Any) -> Any:
    return json.loads(run_command(name, *arguments, "--format", "json")[0])
