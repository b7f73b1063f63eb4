"""Run files and qrels as what the methods that choose topics take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.formats.qrels import ParsedQrels, QrelsReport, read_qrels
from campaigns.formats.runs.files import ParsedRun, read_run_files
from campaigns.formats.runs.reader import Order
from campaigns.management.offline.files import in_topic_order
from evaluation.arrays import FloatArray
from selection.topics.lists import TopicLists

# By topic number: relevance (documents,), NaN where not judged.
TopicJudgments = dict[str, FloatArray]


def read_topics(
    files: Sequence[Path],
    qrels: Path | None,
    grading: Grading,
    depth: int,
    taken: Callable[[Path], None] | None = None,
    *,
    order: Order = "score",
) -> tuple[tuple[str, ...], dict[str, TopicLists], TopicJudgments]:
    """The runs' names, the lists of each topic that any run or the qrels name, cut at `depth`, and what is
    judged of them. `taken` is called after each file.

    Raises FormatError with every line that is wrong, or if a run gives all documents of all topics the same
    score: the classifier reads scores.
    """
    judged = (
        ParsedQrels({}, QrelsReport()) if qrels is None else read_qrels(qrels, str(qrels), fractions=True)
    )
    grading.check(judged, str(qrels))
    runs = read_run_files(files, order=order, jobs=1, taken=taken)
    for run in runs:
        _refuse_equal_scores(run)
    numbers = in_topic_order({number for run in runs for number in run.rankings} | set(judged.grades))
    lists, relevance = {}, {}
    for number in numbers:
        docnos, lists[number] = _lists(number, runs, depth)
        if grades := judged.grades.get(number):
            known = [grades.get(docno) for docno in docnos]
            gains = [np.nan if grade is None else float(grading.gain(grade) > 0) for grade in known]
            relevance[number] = np.array(gains, dtype=np.float64)
    return tuple(run.tag for run in runs), lists, relevance


def _refuse_equal_scores(run: ParsedRun) -> None:
    scores = np.concatenate(
        [ranking.scores for ranking in run.rankings.values()] or [np.zeros(0, np.float32)]
    )
    if len(scores) > 1 and scores.min() == scores.max():
        why = f"gives every document the score {scores[0]:g}; topics are chosen by scores that differ"
        raise FormatError(run.tag, [LineError(None, why)])


def _lists(number: str, runs: Sequence[ParsedRun], depth: int) -> tuple[list[str], TopicLists]:
    ranked = [run.rankings.get(number) for run in runs]
    names = [None if one is None else one.docno_bytes[:depth].tolist() for one in ranked]
    docnos = sorted(set().union(*(some for some in names if some is not None)))
    ids = {docno: place for place, docno in enumerate(docnos)}
    rankings = [
        None if some is None else np.fromiter(map(ids.__getitem__, some), np.int64, len(some))
        for some in names
    ]
    scores = [None if one is None else one.scores[:depth].astype(np.float64) for one in ranked]
    return [docno.decode() for docno in docnos], TopicLists(len(docnos), rankings, scores)
