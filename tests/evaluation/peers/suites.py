"""Test suites of other evaluators, as files that `evaluate` reads and the values that they expect.

The JSON files beside this module hold small inputs and expected numbers, as in the tests of ir_measures,
pytrec_eval and ranx, and as cwl_eval 1.0.12 prints them. trec_eval's own test files and its values for whole
collections lie in and beside the folder that TREC_DATA names.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DATA = Path(os.environ.get("TREC_DATA", "absent"))
REFERENCE = DATA.parent / "reference" / "trec_eval-10"
ALL = "all"
# measure -> run -> topic or `ALL` -> value
Values = Mapping[str, Mapping[str, Mapping[str, float]]]


@dataclass(frozen=True)
class Case:
    """One call of `evaluate`, and the values that the peer expects.

    `printed`: the peer prints its values with four decimals; otherwise its tests state numbers, exactly or
    rounded to four decimals.
    """

    runs: tuple[Path, ...]
    qrels: Path
    values: Values
    residuals: Values = field(default_factory=dict)
    options: tuple[str, ...] = ()
    printed: bool = True
    subtopics: Path | None = None


def small_cases(name: str, folder: Path) -> Iterator[Case]:
    """The cases of NAME.json, written into a folder."""
    for number, case in enumerate(json.loads((HERE / f"{name}.json").read_text())):
        at = folder / f"{name}-{number}"
        at.mkdir(parents=True)
        run, qrels = at / "run.txt", at / "qrels.txt"
        run.write_text("".join(_run_lines(case["run"])))
        several = case.get("subtopics", False)
        qrels.write_text("".join(_qrels_lines(case["qrels"], several)))
        yield Case(
            (run,),
            qrels,
            {measure: {"run": values} for measure, values in case["values"].items()},
            {measure: {"run": values} for measure, values in case.get("residuals", {}).items()},
            printed=False,
            subtopics=qrels if several else None,
        )


def _run_lines(run: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    for topic, scores in run.items():
        for docno, score in scores.items():
            yield f"{topic} Q0 {docno} 0 {score} run\n"


def _qrels_lines(qrels: Mapping[str, Mapping[str, Any]], subtopics: bool) -> Iterator[str]:
    for topic, grades in qrels.items():
        for docno, grade in grades.items():
            for subtopic, one in grade.items() if subtopics else [("0", grade)]:
                yield f"{topic} {subtopic} {docno} {one}\n"


# Expected output, run, qrels, options. -M100 is --depth 100; -c averages over all topics of the qrels.
TREC_EVAL_FILES = [
    ("out.test", "results.test", "qrels.test", ()),
    ("out.test.a", "results.test", "qrels.test", ()),
    ("out.test.aq", "results.test", "qrels.test", ()),
    ("out.test.aqc", "results.trunc", "qrels.test", ()),
    ("out.test.aqcM", "results.trunc", "qrels.test", ("--depth", "100")),
    # -l2: grade 1 is not relevant; measures of grades take no notice of it.
    ("out.test.aql", "results.test", "qrels.rel_level", ("--gains", "0,0,1,1,1")),
    ("out.test.meas_params", "results.test", "qrels.test", ()),
]
# Of any grades; the names of trec_eval's measures that begin so.
GRADED = ("ndcg", "Rndcg", "G")
NO_MEASURES = {"runid", "relstring_20", "relstring"}


def trec_eval_cases(folder: Path) -> Iterator[Case]:
    """trec_eval's own test files; cut to six columns, since more of them are an error here."""
    data = DATA / "trec_eval"
    for number, (expected, results, qrels, options) in enumerate(TREC_EVAL_FILES):
        run = folder / f"trec_eval-{number}" / results
        run.parent.mkdir(parents=True)
        lines = (data / results).read_text().splitlines()
        run.write_text("".join(" ".join(line.split()[:6]) + "\n" for line in lines))
        values: dict[str, dict[str, dict[str, float]]] = {}
        for line in (data / expected).read_text().splitlines():
            measure, topic, value = line.split()
            if measure not in NO_MEASURES:
                values.setdefault(measure, {}).setdefault("STANDARD", {})[topic] = float(value)
        graded = {name: found for name, found in values.items() if name.startswith(GRADED)}
        others = {name: found for name, found in values.items() if name not in graded}
        yield Case((run,), data / qrels, others, options=options)
        if graded:
            plain = () if "--gains" in options else options
            yield Case((run,), data / qrels, graded, options=plain)


def collection_cases(collection: str) -> Iterator[Case]:
    """What trec_eval 10.0 prints for each run of a collection: means, and the topics of some runs."""
    for part in ("means", "topics"):
        file = REFERENCE / f"{collection}.{part}.tsv.gz"
        if not file.is_file():
            continue
        values: dict[str, dict[str, dict[str, float]]] = {}
        with gzip.open(file, "rt") as lines:
            for line in lines:
                run, *topics, measure, value = line.rstrip("\n").split("\t")
                if measure not in NO_MEASURES:
                    topic = topics[0] if topics else ALL
                    values.setdefault(measure, {}).setdefault(run, {})[topic] = float(value)
        runs = {run for of_runs in values.values() for run in of_runs}
        yield Case(_run_files(collection, runs), DATA / collection / "qrels.txt", values)


def _run_files(collection: str, runs: Set[str]) -> tuple[Path, ...]:
    """The files named by these runs; a file of another name may hold any of them."""
    files = sorted((DATA / collection / "runs").iterdir())
    named = [file for file in files if file.name.removesuffix(".gz").removesuffix(".txt") in runs]
    return tuple(named if len(named) == len(runs) else files)
