"""P@5 as ours and as an evaluator that is not ours."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from campaigns.formats.runs.files import read_runs
from config.embedded.machine import PROJECT
from tests.plumbing.programs import finished

# It is not installed on ARM Linux and Python 3.14.
ir_measures = pytest.importorskip("ir_measures")

# The interpreter of the tests, whatever the system has.
PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"


def run(program: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = finished(program, cwd=folder, env=environment)
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr)
    return done.stdout


def same_precision(folder: Path, name: str) -> None:
    """P@5 of every run in every topic that was judged, by `evaluate` and by ir_measures:
    the folder `name`/runs scored with `name`.qrels."""
    wish = f"--runs {name}/runs --qrels {name}.qrels --measure P@5 --per-topic --format json"
    command = [sys.executable, str(PROJECT / "manage.py"), "evaluate", *wish.split()]
    found = run(command, folder, {"PATH": PATH})
    ours = {(row["run"], row["topic"]): row["score"] for row in json.loads(found)["scores"]}
    lines = (folder / f"{name}.qrels").read_text().splitlines()
    columns = [line.split() for line in lines]
    judged = [ir_measures.Qrel(topic, docno, int(grade)) for topic, _, docno, grade in columns]
    seen = 0
    for path in (folder / name / "runs").glob("[!.]*"):
        (parsed,) = read_runs(path, path.name)
        ranked = [
            ir_measures.ScoredDoc(topic, docno, -float(place))
            for topic, ranking in parsed.rankings.items()
            for place, docno in enumerate(ranking.docnos)
        ]
        for theirs in ir_measures.iter_calc([ir_measures.P @ 5], judged, ranked):
            assert ours[parsed.tag, theirs.query_id] == pytest.approx(theirs.value)
            seen += 1
    assert seen >= 3
