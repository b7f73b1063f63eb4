"""The same runs and judgments as dictionaries, files and data frames."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

Runs = Mapping[str, Mapping[str, Mapping[str, float]]]
Judgments = Mapping[str, Mapping[str, int]]
TREC_DATA = Path(os.environ.get("TREC_DATA", "/nowhere"))
needs_data = pytest.mark.skipif(not TREC_DATA.is_dir(), reason="TREC_DATA names no folder of collections")

# Ties, also of runs with each other; topic 3 has no run, topic 10 no judgment.
RUNS: Runs = {
    "alpha": {"1": {"a": 9.5, "b": 9.5, "c": 3.25, "d": -1.0}, "2": {"k": 2.0, "l": 2.0}, "10": {"x": 0.1}},
    "beta": {"1": {"b": 1e-3, "e": 7.0}, "2": {"m": 0.3, "k": 0.2, "n": 0.1}},
    "gamma": {"1": {"e": 5.0, "a": 4.0, "zz": 3.0}, "2": {"n": 5.0, "m": 5.0, "l": 5.0}},
}
QRELS: Judgments = {
    "1": {"a": 2, "b": 0, "e": 1, "zz": 1},
    "2": {"k": 1, "m": -2, "l": -1},
    "3": {"q": 1},
}


def write_files(
    folder: Path, runs: Runs = RUNS, qrels: Mapping[str, Mapping[str, int]] = QRELS
) -> tuple[Path, Path]:
    """A folder of run files and a file of qrels."""
    (folder / "runs").mkdir()
    for name, topics in runs.items():
        lines = [
            f"{topic} Q0 {docno} 1 {score!r} {name}\n"
            for topic, ranking in topics.items()
            for docno, score in ranking.items()
        ]
        (folder / "runs" / f"{name}.txt").write_text("".join(lines))
    lines = [
        f"{topic} 0 {docno} {grade}\n" for topic, judged in qrels.items() for docno, grade in judged.items()
    ]
    (folder / "qrels.txt").write_text("".join(lines))
    return folder / "runs", folder / "qrels.txt"


def run_columns(
    runs: Runs = RUNS, names: tuple[str, ...] = ("run", "qid", "docno", "score")
) -> dict[str, list[Any]]:
    """All lines of the runs, topic by topic, so that the runs' rows alternate."""
    rows = [
        (name, topic, docno, score)
        for topic in dict.fromkeys(topic for topics in runs.values() for topic in topics)
        for name, topics in runs.items()
        for docno, score in topics.get(topic, {}).items()
    ]
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def qrels_columns(names: tuple[str, ...] = ("qid", "docno", "label")) -> dict[str, list[Any]]:
    rows = [(topic, docno, grade) for topic, judged in QRELS.items() for docno, grade in judged.items()]
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
