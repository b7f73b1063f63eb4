"""One program that evaluates a folder of run files, from files to scores, alone in its process:
`python -m tests.bench.kernels.evaluators NAME QRELS FOLDER` prints its megabytes at their peak."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from campaigns.formats.compressed_files import find_files
from tests.bench.judging.readers import peak_megabytes

OURS, OURS_TWICE = "evaluate", "evaluate --jobs 2"
# The path of Moffat and Zobel's program, which has no package.
RBP_EVAL_VARIABLE = "RBP_EVAL"

# Takes qrels and run files, and scores each run.
Evaluator = Callable[[Path, Sequence[Path]], None]


def _ours(qrels: Path, files: Sequence[Path], jobs: int = 1) -> None:
    import manage

    runs = ["--runs", *map(str, files), "--qrels", str(qrels), "--jobs", str(jobs)]
    if code := manage.main(["manage.py", "evaluate", *runs, "--measure", "RBP(p=0.8)", "--no-cache"]):
        sys.exit(code)


def _ours_twice(qrels: Path, files: Sequence[Path]) -> None:
    _ours(qrels, files, jobs=2)


def _rbp_eval(qrels: Path, files: Sequence[Path]) -> None:
    for file in files:
        command = [os.environ[RBP_EVAL_VARIABLE], "-W", "-p", "0.8", "-d", "0", str(qrels), str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _pytrec_eval(qrels: Path, files: Sequence[Path]) -> None:
    import pytrec_eval

    with qrels.open() as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), ["map"])
    for file in files:
        with file.open() as lines:
            evaluator.evaluate(pytrec_eval.parse_run(lines))


def _ir_measures(qrels: Path, files: Sequence[Path]) -> None:
    import ir_measures

    read_qrels: Callable[[str], Iterable[object]] = ir_measures.read_trec_qrels
    read_run: Callable[[str], Iterable[object]] = ir_measures.read_trec_run
    evaluator = ir_measures.evaluator([ir_measures.AP], list(read_qrels(str(qrels))))
    for file in files:
        evaluator.calc_aggregate(read_run(str(file)))


def _ranx(qrels: Path, files: Sequence[Path]) -> None:
    import ranx

    judged = ranx.Qrels.from_file(str(qrels), kind="trec")
    for file in files:
        ranx.evaluate(judged, ranx.Run.from_file(str(file), kind="trec"), "rbp.80", make_comparable=True)


# AP where a peer has no RBP of its own: reading takes most of the time.
EVALUATORS: dict[str, tuple[Evaluator, str]] = {
    OURS: (_ours, "RBP"),
    OURS_TWICE: (_ours_twice, "RBP"),
    "rbp_eval": (_rbp_eval, "RBP"),
    "pytrec_eval": (_pytrec_eval, "AP"),
    "ir_measures": (_ir_measures, "AP"),
    "ranx": (_ranx, "RBP"),
}


def installed(name: str) -> bool:
    """Whether a program of others is here: importable, or named by the environment."""
    return bool(os.environ.get(RBP_EVAL_VARIABLE)) if name == "rbp_eval" else find_spec(name) is not None


def main(name: str, qrels: str, folder: str) -> None:
    evaluate, _ = EVALUATORS[name]
    evaluate(Path(qrels), find_files([Path(folder)]))
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    print(max(peak_megabytes(), children), flush=True)
    # Taking a million small objects apart at the end is no part of the evaluation.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
