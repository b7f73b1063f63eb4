"""Test suites of other evaluators, as files that `evaluate` reads and the values that they expect.

The JSON files beside this module hold small inputs and expected numbers, as in the tests of ir_measures,
pytrec_eval and ranx, and as cwl_eval 1.0.12 prints them. trec_eval's own test files and its values for whole
collections lie in and beside the folder that TREC_DATA names.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
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
TREC_EVAL_FILES: list[tuple[str, str, str, tuple[str, ...]]] = [
    ("out.test", "results.test", "qrels.test", ()),
    ("out.test.a", "results.test", "qrels.test", ()),
    ("out.test.aq", "results.test", "qrels.test", ()),
    ("out.test.aqc", "results.trunc", "qrels.test", ()),
    ("out.test.aqcM", "results.trunc", "qrels.test", ("--depth", "100")),
    # -l2: grade 1 is not relevant; measures of grades take no notice of it.
    ("out.test.aql", "results.test", "qrels.rel_level", ("--gains", "0,0,1,1,1")),
    ("out.test.meas_params", "results.test", "qrels.test", ()),
]
# Beginnings of the names of trec_eval's measures that read grades.
GRADED = ("ndcg", "Rndcg", "G")
NO_MEASURES = ("runid", "relstring")
# trec_eval's rbp takes the share of the highest grade as gain, and has no name for other gains.
SHARES = {"qrels.rel_level": "0,0.25,0.5,0.75,1", "trec-covid-r1": "0,0.5,1"}
# trec_eval's parameters as they are written here.
PARAMETERS = {"utility_2,-1,0,0": "Utility(found=2,wrong=-1,missed=0)"}
# A measure with gains of its own; here those of --gains, relative to the highest.
OWN_GAINS = {"ndcg_1=3,2=9,4=4.5": ("ndcg", "0,0.3333333333333333,1,0,0.5")}


def trec_eval_cases(folder: Path) -> Iterator[Case]:
    """trec_eval's own test files; cut to six columns, since more of them are an error here."""
    data = DATA / "trec_eval"
    for number, (expected, results, qrels, options) in enumerate(TREC_EVAL_FILES):
        run = folder / f"trec_eval-{number}" / results
        run.parent.mkdir(parents=True)
        lines = (data / results).read_text().splitlines()
        run.write_text("".join(" ".join(line.split()[:6]) + "\n" for line in lines))
        rows = (line.split() for line in (data / expected).read_text().splitlines())
        values = _by_measure(("STANDARD", topic, measure, value) for measure, topic, value in rows)
        yield from _by_options(Case((run,), data / qrels, values, options=options), SHARES.get(qrels))


def _by_measure(rows: Iterable[tuple[str, str, str, str]]) -> dict[str, dict[str, dict[str, float]]]:
    values: dict[str, dict[str, dict[str, float]]] = {}
    for run, topic, measure, value in rows:
        if not measure.startswith(NO_MEASURES):
            values.setdefault(PARAMETERS.get(measure, measure), {}).setdefault(run, {})[topic] = float(value)
    return values


def _by_options(case: Case, shares: str | None) -> Iterator[Case]:
    """One case for the measures of each way to read grades: by relevance, grades, or gains up to 1."""
    values = dict(case.values)
    for measure, (name, gains) in OWN_GAINS.items():
        if measure in values:
            yield replace(case, values={name: values.pop(measure)}, options=("--gains", gains))
    unscaled = () if "--gains" in case.options else case.options
    scaled = ("--gains", shares) if shares else case.options
    graded = {name: found for name, found in values.items() if name.startswith(GRADED)}
    rbp = {name: values[name] for name in ("rbp",) if name in values}
    residuals = {name: values[name] for name in ("rbp_resid",) if name in values}
    apart = graded.keys() | rbp.keys() | residuals.keys()
    others = {name: found for name, found in values.items() if name not in apart}
    yield replace(case, values=others)
    yield replace(case, values=graded, options=unscaled)
    yield replace(case, values=rbp, residuals=residuals, options=scaled)


def collection_cases(collection: str) -> Iterator[Case]:
    """What trec_eval 10.0 prints for each run of a collection: means, and the topics of some runs."""
    for part in ("means", "topics"):
        file = REFERENCE / f"{collection}.{part}.tsv.gz"
        if not file.is_file():
            continue
        with gzip.open(file, "rt") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines]
        values = _by_measure((row[0], row[1] if len(row) > 3 else ALL, row[-2], row[-1]) for row in rows)
        files = _run_files(collection, {row[0] for row in rows})
        case = Case(files, DATA / collection / "qrels.txt", values)
        yield from _by_options(case, SHARES.get(collection))


def _run_files(collection: str, runs: Set[str]) -> tuple[Path, ...]:
    """The files named by these runs; a file of another name may hold any of them."""
    files = sorted((DATA / collection / "runs").iterdir())
    named = [file for file in files if file.name.removesuffix(".gz").removesuffix(".txt") in runs]
    return tuple(named if len(named) == len(runs) else files)
