"""Run files and qrels as the arrays that the kernels take, topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from campaigns.formats.compressed_files import open_stream
from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.formats.qrels import ParsedQrels, QrelsReport, read_qrels
from campaigns.formats.runs.cache import RunCache
from campaigns.formats.runs.files import distinct_names, read_and_keep, whole_run
from campaigns.formats.runs.joined import JoinedRuns, JoinedTopic, join_runs
from campaigns.formats.runs.reader import Order
from campaigns.formats.topics import in_topic_order
from campaigns.management.offline.judged_documents import JudgedDocuments, JudgedRankings, ties_of
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from evaluation.arrays import BoolArray, IntArray
from evaluation.measures.ordering import ScorePrecision
from evaluation.name_suggestions import nearest_name

LIMIT = 10_000_000


def unknown_run(name: str, runs: Sequence[str]) -> str:
    near = nearest_name(name, runs)
    return f"no run is named '{name}'" + (f"; did you mean '{near}'?" if near else "")


def read_contributing(file: Path | None, runs: Sequence[str]) -> BoolArray:
    """Mark the runs that the file names (`_named_runs`); all without a file."""
    if file is None:
        return np.ones(len(runs), dtype=np.bool_)
    contributing = np.zeros(len(runs), dtype=np.bool_)
    contributing[list(_named_runs(file, runs).values())] = True
    return contributing


def read_order(file: Path, runs: Sequence[str]) -> IntArray:
    """The runs that the file names (`_named_runs`), best first, as places in `runs`.

    Raises FormatError if a run is named twice, or fewer than two are.
    """
    named = _named_runs(file, runs)
    first: dict[int, int] = {}
    twice = []
    for line, run in named.items():
        if first.setdefault(run, line) < line:
            twice.append(LineError(line, f"run '{runs[run]}' is named in line {first[run]} already"))
    if twice:
        raise FormatError(str(file), twice[:100], len(twice))
    if len(named) < 2:
        raise FormatError(str(file), [LineError(None, "names one run only; an order needs two")])
    return np.array(list(named.values()), dtype=np.int64)


def read_groups(file: Path, runs: Sequence[str]) -> IntArray:
    """The participant of each run, as a number (runs,), from lines of a run and, after a space or comma, its
    participant; other runs may be named too. A run that no line names is a participant of its own.

    Raises FormatError if a line has no participant, or no line names one of the runs.
    """
    named: dict[str, str] = {}
    wrong = []
    for n, line in _text_lines(file).items():
        run, _, group = line.replace(",", " ", 1).partition(" ")
        if not group.strip():
            wrong.append(LineError(n, f"names no participant of run '{run}'"))
        named[run] = group.strip()
    if wrong or not named.keys() & set(runs):
        raise FormatError(
            str(file), wrong[:100] or [LineError(None, "names none of the runs")], len(wrong) or 1
        )
    return group_numbers(named, runs)


def group_numbers(named: Mapping[str, str], runs: Sequence[str]) -> IntArray:
    """The participant of each run as a number, (runs,), by their names; a run that is not named is
    a participant of its own."""
    groups = [("of", named[run]) if run in named else ("alone", run) for run in runs]
    return np.unique(np.array([" ".join(group) for group in groups]), return_inverse=True)[1]


def _text_lines(file: Path) -> dict[int, str]:
    """Lines that say something, by number; blank lines and comments (#) do not."""
    with open_stream(file, str(file), max_bytes=LIMIT) as stream:
        try:
            lines = stream.read().decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise FormatError(str(file), [LineError(None, "is not UTF-8 text")]) from error
    return {n: line.strip() for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")}


def _named_runs(file: Path, runs: Sequence[str]) -> dict[int, int]:
    """The run (by its place in `runs`) that each line names; blank lines and comments (#) name none.

    Raises FormatError with the lines that name an unknown run, or if no line names a run.
    """
    place = {run: index for index, run in enumerate(runs)}
    named = _text_lines(file)
    unknown = [LineError(n, unknown_run(name, runs)) for n, name in named.items() if name not in place]
    if unknown or not named:
        raise FormatError(str(file), unknown[:100] or [LineError(None, "names no run")], len(unknown) or 1)
    return {line: place[name] for line, name in named.items()}


def read_files(
    files: Sequence[Path],
    qrels: Path | None,
    grading: Grading,
    taken: Callable[[Path], None] | None = None,
    *,
    order: Order = "score",
    score_precision: ScorePrecision = 64,
    jobs: int = 1,
    only_named: bool = False,
    cached: bool = False,
) -> JudgedCollection:
    """The campaign that these files make; without qrels nothing is judged.

    `jobs` processes read the runs; `taken` is called after each. `only_named`: documents that the qrels do
    not name share one id, which takes half the time and memory. An `order` other than by score has
    no ties. `cached`: use the cache beside the files, and write it.

    Raises FormatError with every line that is wrong.
    """
    # The qrels first: they are short, and an error in them should not take long to show.
    judged = ParsedQrels({}, QrelsReport())
    if qrels is not None:
        judged = read_qrels(qrels, str(qrels), fractions=True)
    grading.check(judged, str(qrels))
    cache = RunCache.of(files, order, score_precision) if cached else None
    joined = None if cache is None else cache.load()
    if joined is None and only_named and not (cache is not None and cache.is_writable):
        documents = JudgedDocuments.of(judged)
        names, lists = read_and_keep(
            files, documents.rankings, order=order, score_precision=score_precision, jobs=jobs, taken=taken
        )
        campaign = _of_named_documents(names, lists, documents, judged)
    else:
        joined = joined or _join(files, cache, order, score_precision, jobs, taken)
        names = distinct_names(joined.tags, [str(file) for file in files])
        campaign = build(names, joined, judged)
    return campaign if order == "score" else campaign.without_ties()


def joined_runs(
    files: Sequence[Path], *, order: Order, score_precision: ScorePrecision, jobs: int, cached: bool
) -> JoinedRuns:
    """The runs of these files side by side; errors and `cached` as in `read_files`."""
    cache = RunCache.of(files, order, score_precision) if cached else None
    joined = None if cache is None else cache.load()
    return joined or _join(files, cache, order, score_precision, jobs, None)


def _join(
    files: Sequence[Path],
    cache: RunCache | None,
    order: Order,
    score_precision: ScorePrecision,
    jobs: int,
    taken: Callable[[Path], None] | None,
) -> JoinedRuns:
    # Looked up before reading, so that files which change meanwhile are not cached.
    writes = cache is not None and cache.is_writable
    _, runs = read_and_keep(
        files, whole_run, order=order, score_precision=score_precision, jobs=jobs, taken=taken
    )
    joined = join_runs(runs)
    if cache is not None and writes:
        cache.save(joined)
    return joined


def _of_named_documents(
    names: Sequence[str], runs: Sequence[JudgedRankings], documents: JudgedDocuments, qrels: ParsedQrels
) -> JudgedCollection:
    numbers = {number for run in runs for number in run.ids} | set(qrels.grades)
    topics = [
        JudgedTopic(
            number,
            documents.of_topic(number).docnos,
            [run.ids.get(number) for run in runs],
            qrels.grades.get(number, {}),
            qrels.not_judged.get(number, frozenset()),
            ties=[run.ties.get(number) for run in runs],
        )
        for number in in_topic_order(numbers)
    ]
    tags, reports = tuple(run.tag for run in runs), tuple(run.report for run in runs)
    return JudgedCollection(tuple(names), tuple(topics), tags, reports)


def build(names: Sequence[str], runs: JoinedRuns, qrels: ParsedQrels) -> JudgedCollection:
    joined = {topic.number: topic for topic in runs.topics}
    nothing: list[None] = [None] * len(names)
    topics = []
    for number in in_topic_order(joined.keys() | qrels.grades.keys()):
        topic = joined.get(number) or JoinedTopic(number, [], [*nothing], [*nothing])
        topics.append(
            JudgedTopic(
                number,
                topic.docnos,
                list(topic.rankings),
                qrels.grades.get(number, {}),
                qrels.not_judged.get(number, frozenset()),
                ties=[None if one is None else ties_of(one) for one in topic.scores],
                scores=topic.scores,
            )
        )
    return JudgedCollection(tuple(names), tuple(topics), runs.tags, runs.reports)
