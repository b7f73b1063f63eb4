"""Run files and qrels as the arrays that the kernels take, topic by topic."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from campaigns.formats.compressed_files import open_stream
from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.formats.prels import PooledDocument, SampledJudgment, SampledJudgments, Strata
from campaigns.formats.qrels import Grade, ParsedQrels, QrelsReport, read_qrels
from campaigns.formats.runs.cache import RunCache
from campaigns.formats.runs.files import distinct_names, read_and_keep, whole_run
from campaigns.formats.runs.joined import JoinedRuns, JoinedTopic, join_runs
from campaigns.formats.runs.reader import Order
from campaigns.formats.runs.report import RunReport
from campaigns.formats.subtopics import Subtopics
from campaigns.formats.topics import in_topic_order
from campaigns.management.offline.judged_documents import JudgedDocuments, JudgedRankings, ties_of
from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.measures.ordering import ScorePrecision, Scores
from evaluation.name_suggestions import nearest_name
from selection.pool import Ids

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
    # The subtopics that each judged document is relevant to.
    subtopics: Mapping[str, Set[str]] | None = None
    # For each ranking, where a document has the score of the one before it.
    ties: Sequence[BoolArray | None] | None = None
    # For each ranking, the score of each document; () where only named documents are distinguished.
    scores: Sequence[Scores | None] = ()

    @property
    def is_ranked(self) -> bool:
        return any(ranking is not None for ranking in self.rankings)

    def gains(self, grading: Grading) -> FloatArray:
        """Gains (documents,) by id, NaN where not judged."""
        return self._by_id(grading.gain)

    def grades_by_id(self) -> FloatArray:
        """Grades (documents,) by id, NaN where not judged."""
        return self._by_id(float)

    def _by_id(self, value: Callable[[Grade], float]) -> FloatArray:
        values = np.full(len(self.docnos), np.nan)
        docnos, ids = self._places(self.grades)
        values[ids] = [value(self.grades[docno]) for docno in docnos]
        return values

    def judged(self) -> BoolArray:
        """(documents,) by id: where a document is judged."""
        judged = np.zeros(len(self.docnos), dtype=np.bool_)
        judged[self._places(self.grades)[1]] = True
        return judged

    def pooled(self) -> BoolArray:
        """(documents,) by id: where a document is judged, or named by the qrels as not judged."""
        pooled = self.judged()
        pooled[self._places(self.not_judged)[1]] = True
        return pooled

    def to_depth(self, depth: int) -> OfflineTopic:
        """Each ranking's first documents only."""
        return self._kept([None if ids is None else np.arange(min(depth, len(ids))) for ids in self.rankings])

    def judged_lists(self) -> OfflineTopic:
        """Rankings without the documents that are not judged."""
        # Its last element is for documents without an id of their own.
        judged = np.append(self.judged(), False)
        return self._kept([None if ids is None else np.flatnonzero(judged[ids]) for ids in self.rankings])

    def _kept(self, places: Sequence[IntArray | None]) -> OfflineTopic:
        """Each ranking's documents at these places, which ascend."""
        ties, scores = self.ties or [None] * len(places), self.scores
        return replace(
            self,
            rankings=[
                None if ids is None or at is None else ids[at]
                for ids, at in zip(self.rankings, places, strict=True)
            ],
            ties=[
                None if tied is None or at is None else _ties_between(tied, at)
                for tied, at in zip(ties, places, strict=True)
            ],
            scores=[
                None if of is None or at is None else of[at] for of, at in zip(scores, places, strict=True)
            ]
            if scores
            else scores,
        )

    def _places(self, names: Iterable[str]) -> tuple[list[str], list[int]]:
        """Names that are in `docnos`, and their ids."""
        pairs = [(name, bisect_left(self.docnos, name)) for name in names]
        # Code points ascend as UTF-8 bytes do.
        known = [(name, at) for name, at in pairs if at < len(self.docnos) and self.docnos[at] == name]
        return [name for name, _ in known], [at for _, at in known]


def _ties_between(tied: BoolArray, places: IntArray) -> BoolArray:
    """Mark a document at one of the places if it has the score of the one at the place before."""
    group = np.cumsum(~tied)[places]
    ties = np.zeros(len(places), dtype=np.bool_)
    np.equal(group[1:], group[:-1], out=ties[1:])
    return ties


@dataclass(frozen=True, eq=False)
class OfflineCampaign:
    """All runs' names, in the order of the files, and all topics that a run or the qrels name. `tags`,
    `reports`: the runs' own and what was noticed in their files, where they were read from files."""

    runs: tuple[str, ...]
    topics: tuple[OfflineTopic, ...]
    tags: tuple[str, ...] = ()
    reports: tuple[RunReport, ...] = ()

    @property
    def judged(self) -> int:
        return sum(len(topic.grades) for topic in self.topics)

    @cached_property
    def grades(self) -> list[Grade]:
        """Every grade that the qrels give, ascending."""
        return sorted({grade for topic in self.topics for grade in topic.grades.values()})

    @property
    def without_judgments(self) -> list[str]:
        return [topic.number for topic in self.topics if not topic.grades]

    @property
    def without_runs(self) -> list[str]:
        return [topic.number for topic in self.topics if not topic.is_ranked]

    @property
    def unjudged_runs(self) -> list[str]:
        """Runs that rank no judged document."""
        left = set(range(len(self.runs)))
        for topic in self.topics:
            if not left:
                break
            # Its last element is for documents without an id of their own.
            judged = np.append(topic.judged(), False)
            left -= {
                run for run in left if (ranked := topic.rankings[run]) is not None and judged[ranked].any()
            }
        return [self.runs[run] for run in sorted(left)]

    @property
    def renamed_runs(self) -> dict[str, list[str]]:
        """Names of the runs of each tag that several files have."""
        by_tag: dict[str, list[str]] = {}
        for tag, name in zip(self.tags, self.runs, strict=False):
            by_tag.setdefault(tag, []).append(name)
        return {tag: names for tag, names in by_tag.items() if len(names) > 1}

    def with_samples(self, prels: SampledJudgments) -> OfflineCampaign:
        topics = tuple(replace(topic, drawn=prels.get(topic.number)) for topic in self.topics)
        return replace(self, topics=topics)

    def with_strata(self, strata: Strata) -> OfflineCampaign:
        topics = tuple(replace(topic, strata=strata.get(topic.number)) for topic in self.topics)
        return replace(self, topics=topics)

    def with_subtopics(self, subtopics: Subtopics) -> OfflineCampaign:
        topics = tuple(replace(topic, subtopics=subtopics.get(topic.number)) for topic in self.topics)
        return replace(self, topics=topics)

    def without_ties(self) -> OfflineCampaign:
        topics = tuple(replace(topic, ties=[None] * len(self.runs)) for topic in self.topics)
        return replace(self, topics=topics)

    def to_depth(self, depth: int) -> OfflineCampaign:
        """With each run's first `depth` documents of a topic only."""
        return replace(self, topics=tuple(topic.to_depth(depth) for topic in self.topics))

    def judged_lists(self) -> OfflineCampaign:
        """With runs without the documents that are not judged."""
        return replace(self, topics=tuple(topic.judged_lists() for topic in self.topics))

    def only_judged(self) -> OfflineCampaign:
        return replace(self, topics=tuple(topic for topic in self.topics if topic.grades))


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
) -> OfflineCampaign:
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
    # Looked up before reading, so that files which change meanwhile are not cached.
    writes = cache is not None and cache.is_writable
    if joined is None and only_named and not writes:
        documents = JudgedDocuments.of(judged)
        names, lists = read_and_keep(
            files, documents.rankings, order=order, score_precision=score_precision, jobs=jobs, taken=taken
        )
        campaign = _of_named_documents(names, lists, documents, judged)
    else:
        if joined is None:
            _, runs = read_and_keep(
                files, whole_run, order=order, score_precision=score_precision, jobs=jobs, taken=taken
            )
            joined = join_runs(runs)
            if cache is not None and writes:
                cache.save(joined)
        names = distinct_names(joined.tags, [str(file) for file in files])
        campaign = build(names, joined, judged)
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
    tags, reports = tuple(run.tag for run in runs), tuple(run.report for run in runs)
    return OfflineCampaign(tuple(names), tuple(topics), tags, reports)


def build(names: Sequence[str], runs: JoinedRuns, qrels: ParsedQrels) -> OfflineCampaign:
    joined = {topic.number: topic for topic in runs.topics}
    nothing: list[None] = [None] * len(names)
    topics = []
    for number in in_topic_order(joined.keys() | qrels.grades.keys()):
        topic = joined.get(number) or JoinedTopic(number, [], [*nothing], [*nothing])
        topics.append(
            OfflineTopic(
                number,
                topic.docnos,
                list(topic.rankings),
                qrels.grades.get(number, {}),
                qrels.not_judged.get(number, frozenset()),
                ties=[None if one is None else ties_of(one) for one in topic.scores],
                scores=topic.scores,
            )
        )
    return OfflineCampaign(tuple(names), tuple(topics), runs.tags, runs.reports)
