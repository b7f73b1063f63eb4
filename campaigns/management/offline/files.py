"""Run files and qrels as the arrays that the kernels take, topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.compressed_files import open_stream
from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.formats.prels import PooledDocument, SampledJudgment, SampledJudgments, Strata
from campaigns.formats.qrels import Grade, ParsedQrels, QrelsReport, read_qrels
from campaigns.formats.runs.files import ParsedRun, read_and_keep, read_run_files
from campaigns.formats.runs.reader import Order
from campaigns.formats.topics import in_topic_order
from campaigns.management.offline.judged_documents import JudgedDocuments, JudgedRankings, ties_of
from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.pool import Ids

LIMIT = 10_000_000


def read_contributing(file: Path | None, runs: Sequence[str]) -> BoolArray:
    """Which runs the file names (`_named_runs`); all without a file."""
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
    unknown = [LineError(n, f"no run is named '{name}'") for n, name in named.items() if name not in place]
    if unknown or not named:
        raise FormatError(str(file), unknown[:100] or [LineError(None, "names no run")], len(unknown) or 1)
    return {line: place[name] for line, name in named.items()}


@dataclass(frozen=True, eq=False)
class OfflineTopic:
    """One topic; a document's id is its place in `docnos`, which ascend by their UTF-8 bytes.

    Where `docnos` are only those that the qrels name, all others have the id -1.
    """

    number: str
    docnos: list[str]
    rankings: list[Ids | None]
    grades: Mapping[str, Grade]
    # In the pool, and not judged on purpose: sampled measures count them.
    not_judged: Set[str] = frozenset()
    drawn: Mapping[str, SampledJudgment] | None = None
    strata: Mapping[str, PooledDocument] | None = None
    # For each ranking, where a document has the score of the one before it.
    ties: Sequence[BoolArray | None] | None = None
    # For each ranking, the score of each document; () where only named documents are distinguished.
    scores: Sequence[NDArray[np.float32] | None] = ()

    @property
    def is_ranked(self) -> bool:
        return any(ranking is not None for ranking in self.rankings)

    def gains(self, grading: Grading) -> FloatArray:
        """Gains (documents,) by id, NaN where not judged."""
        judged = [self.grades.get(docno) for docno in self.docnos]
        return np.array([np.nan if grade is None else grading.gain(grade) for grade in judged])

    def pooled(self) -> BoolArray:
        """(documents,) by id: where a document is judged, or named by the qrels as not judged."""
        named = self.grades.keys() | self.not_judged
        return np.array([docno in named for docno in self.docnos], dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class OfflineCampaign:
    """All runs' names, in the order of the files, and all topics that a run or the qrels name."""

    runs: tuple[str, ...]
    topics: tuple[OfflineTopic, ...]

    @property
    def judged(self) -> int:
        return sum(len(topic.grades) for topic in self.topics)

    @property
    def without_judgments(self) -> list[str]:
        return [topic.number for topic in self.topics if not topic.grades]

    def with_samples(self, prels: SampledJudgments) -> OfflineCampaign:
        topics = tuple(replace(topic, drawn=prels.get(topic.number)) for topic in self.topics)
        return OfflineCampaign(self.runs, topics)

    def with_strata(self, strata: Strata) -> OfflineCampaign:
        topics = tuple(replace(topic, strata=strata.get(topic.number)) for topic in self.topics)
        return OfflineCampaign(self.runs, topics)

    def without_ties(self) -> OfflineCampaign:
        topics = tuple(replace(topic, ties=[None] * len(self.runs)) for topic in self.topics)
        return OfflineCampaign(self.runs, topics)

    def only_judged(self) -> OfflineCampaign:
        return OfflineCampaign(self.runs, tuple(topic for topic in self.topics if topic.grades))


def read_files(
    files: Sequence[Path],
    qrels: Path | None,
    grading: Grading,
    taken: Callable[[Path], None] | None = None,
    *,
    order: Order = "score",
    jobs: int = 1,
    only_named: bool = False,
) -> OfflineCampaign:
    """The campaign that these files make; without qrels nothing is judged.

    `jobs` processes read the runs; `taken` is called after each. `only_named`: documents that the qrels do
    not name are not told apart, which takes half the time and memory. An `order` other than by score has no
    ties.

    Raises FormatError with every line that is wrong.
    """
    # The qrels first: they are short, and an error in them should not take long to show.
    judged = ParsedQrels({}, QrelsReport())
    if qrels is not None:
        judged = read_qrels(qrels, str(qrels), fractions=True)
    grading.check(judged, str(qrels))
    if only_named:
        documents = JudgedDocuments.of(judged)
        names, runs = read_and_keep(files, documents.rankings, order=order, jobs=jobs, taken=taken)
        campaign = _of_named_documents(names, runs, documents, judged)
    else:
        campaign = build(read_run_files(files, order=order, jobs=jobs, taken=taken), judged)
    return campaign if order == "score" else campaign.without_ties()


def _of_named_documents(
    names: Sequence[str], runs: Sequence[JudgedRankings], documents: JudgedDocuments, qrels: ParsedQrels
) -> OfflineCampaign:
    numbers = {number for run in runs for number in run.ids} | set(qrels.grades)
    topics = [
        OfflineTopic(
            number,
            documents.of_topic(number).docnos,
            [run.ids.get(number) for run in runs],
            qrels.grades.get(number, {}),
            qrels.not_judged.get(number, frozenset()),
            ties=[run.ties.get(number) for run in runs],
        )
        for number in in_topic_order(numbers)
    ]
    return OfflineCampaign(tuple(names), tuple(topics))


def build(runs: Sequence[ParsedRun], qrels: ParsedQrels) -> OfflineCampaign:
    numbers = {number for run in runs for number in run.rankings} | set(qrels.grades)
    topics = [_topic(number, runs, qrels) for number in in_topic_order(numbers)]
    return OfflineCampaign(tuple(run.tag for run in runs), tuple(topics))


def _topic(number: str, runs: Sequence[ParsedRun], qrels: ParsedQrels) -> OfflineTopic:
    names = [run.rankings[number].docno_bytes.tolist() if number in run.rankings else None for run in runs]
    known = sorted(set().union(*(ranked for ranked in names if ranked is not None)))
    ids = {docno: place for place, docno in enumerate(known)}
    rankings = [
        None if ranked is None else np.fromiter(map(ids.__getitem__, ranked), np.int32, len(ranked))
        for ranked in names
    ]
    docnos = [docno.decode() for docno in known]
    not_judged: Set[str] = qrels.not_judged.get(number, frozenset())
    scores = [run.rankings[number].scores if number in run.rankings else None for run in runs]
    ties = [None if one is None else ties_of(one) for one in scores]
    return OfflineTopic(
        number, docnos, rankings, qrels.grades.get(number, {}), not_judged, ties=ties, scores=scores
    )
