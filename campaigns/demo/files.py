"""The demonstration's files, and the process that makes them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

# What is being done, and how much of it is done, 0 to 1.
Progress = Callable[[str, float], None]

_FIXED = {
    # Some docstrings are put together by their libraries from sets: the seed fixes the order.
    "PYTHONHASHSEED": "0",
    # An optimising Python would have no docstrings.
    "PYTHONOPTIMIZE": "",
    "LC_ALL": "C.UTF-8",
    # Threads of linear algebra get in each other's way on two cores, and sum in changing order.
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class DemoFiles:
    collection: Path
    topics: Path
    runs: Path

    @classmethod
    def below(cls, folder: Path) -> DemoFiles:
        return cls(folder / "collection.jsonl", folder / "topics.trec", folder / "runs")

    def run(self, tag: str) -> Path:
        return self.runs / f"{tag}.gz"


class BuildFailed(RuntimeError):
    """The process that makes the files ended early; its own words stand on the terminal."""


def build_apart(folder: Path, progress: Progress = lambda stage, share: None) -> DemoFiles:
    """Make the files in a process of its own, where the same installation gives the same bytes."""
    command = [sys.executable, "-m", "campaigns.demo", str(folder.absolute())]
    with subprocess.Popen(
        command, cwd=PROJECT, env={**os.environ, **_FIXED}, stdout=subprocess.PIPE, text=True
    ) as child:
        for line in child.stdout or ():
            stage, _, share = line.rpartition(" ")
            progress(stage, float(share))
    if child.returncode:
        raise BuildFailed(f"making the demonstration's files ended with exit code {child.returncode}")
    return DemoFiles.below(folder)
