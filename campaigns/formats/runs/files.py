"""TREC runs: six columns a line, `topic Q0 docno rank score tag`, as files really are."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TextIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.compressed_files import Source, open_stream, plain_name
from campaigns.formats.conversion.converted import ConvertedStream, field_lines
from campaigns.formats.errors import RUN_BYTES, TAG_BYTES, ErrorList, FormatError, LineError, check_name
from campaigns.formats.lines import LineBlocks
from campaigns.formats.recognition.content import Kind
from campaigns.formats.runs.columns import Words
from campaigns.formats.runs.reader import Order, RunReader
from campaigns.formats.runs.report import RunReport
from evaluation.measures.ordering import SCORE_TYPES, ScorePrecision, Scores, ranking_order

Kept = TypeVar("Kept")
Read = TypeVar("Read")
# What a process that reads files does with each; set where the process begins.
_read: Callable[[Path], Any]


@dataclass(frozen=True, eq=False)
class ParsedRanking:
    """One topic's list in the order it was read by: score descending, ties by docno descending by default.

    `docno_bytes` holds the docnos as UTF-8 (as objects where one is much longer than the others), `scores`
    float32 or float64, as they were compared, `lines` the line each came from (int32, 0 if none did); all of
    shape (n,). Read many runs at once by `docno_bytes`: a fifth of the memory of `docnos`.
    """

    topic: str
    docno_bytes: Words
    scores: Scores
    lines: NDArray[np.int32]

    @cached_property
    def docnos(self) -> list[str]:
        # No docno holds a newline, and decoding all at once is twice as fast as one by one.
        return b"\n".join(self.docno_bytes.tolist()).decode().split("\n") if len(self.docno_bytes) else []

    @property
    def line(self) -> int | None:
        """The first line of the topic in its file."""
        return int(self.lines.min(initial=np.iinfo(np.int32).max)) if self.lines.any() else None

    @classmethod
    def of(
        cls, topic: str, docnos: Sequence[str], scores: Iterable[float], score_precision: ScorePrecision = 64
    ) -> ParsedRanking:
        """A ranking made in memory, put in evaluation order."""
        values = np.array(list(scores), dtype=SCORE_TYPES[score_precision])
        order = ranking_order(values, list(docnos), score_precision)
        names = np.array([docno.encode() for docno in docnos] or np.empty(0, "S1"))
        return cls(topic, names[order], values[order], np.zeros(len(order), dtype=np.int32))


@dataclass(frozen=True)
class ParsedRun:
    """A run: its name, one ranking a topic in the order of the file, what was noticed while reading, and the
    bits of the floats as which scores were compared."""

    tag: str
    rankings: Mapping[str, ParsedRanking]
    report: RunReport
    score_precision: ScorePrecision = 64

    def line_of(self, topic: str, docno: str) -> int | None:
        """Line on which the file names a docno in a topic."""
        ranking = self.rankings[topic]
        places = np.flatnonzero(ranking.docno_bytes == docno.encode())
        return int(ranking.lines[places[0]]) if len(places) else None


class StoredRankings(Mapping[str, ParsedRanking]):
    """The lists of a run that a temporary file holds: a group of topics is in memory at a time.

    Read them in their order: each change of the group reads that group again.
    """

    def __init__(self, reader: RunReader) -> None:
        self._reader = reader
        self._topics = [topic.decode() for topic in reader.topics]
        self._places = {topic: place for place, topic in enumerate(self._topics)}
        self._groups = reader.groups()
        self._starts = [group.start for group in self._groups]
        self._group: slice | None = None
        self._lists: dict[str, ParsedRanking] = {}

    def __getitem__(self, topic: str) -> ParsedRanking:
        group = self._groups[bisect_right(self._starts, self._places[topic]) - 1]
        if group != self._group:
            # Freed first: two groups would take twice the memory.
            self._lists = {}
            self._lists = dict(zip(self._topics[group], self._read(group), strict=True))
            self._group = group
        return self._lists[topic]

    def __iter__(self) -> Iterator[str]:
        return iter(self._topics)

    def __len__(self) -> int:
        return len(self._topics)

    def _read(self, group: slice) -> Iterator[ParsedRanking]:
        for topic, lines in zip(self._topics[group], self._reader.lists(group), strict=True):
            yield ParsedRanking(topic, lines.docnos, self._reader.compared(lines), lines.numbers)


def read_runs(
    source: Source,
    name: str,
    *,
    lenient: bool = False,
    order: Order = "score",
    score_precision: ScorePrecision = 64,
    max_bytes: int | None = RUN_BYTES,
    in_memory: bool = True,
    folder: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> list[ParsedRun]:
    """The run that a file holds, as a list of one. Tables and nested JSON are converted to its lines.

    A file is one run, whatever its sixth column says. Its name is its tag, or its file name if the lines
    carry several tags; `read_run_files` separates runs of one name. The second column is ignored, the rank
    column unless `order` names it; the report counts their anomalies.

    Parameters
    ----------
    lenient : keep the best of a docno that a topic lists twice, close the gap, and leave out columns after
        the sixth, counting both. Otherwise each is an error.
    order : what documents are ordered by: `score`, ties by docno descending; `line`, their place in the file;
        or `rank` ascending, ties by line. The report counts ties and disorder for `score` only.
    score_precision : bits of the floats as which scores are compared: 64 as in trec_eval 10.0, 32 as in
        trec_eval up to 9.0.8.
    max_bytes : the most that the file may unpack to.
    columns : of a table, the column of each role (topic, docno, score, rank, tag), where names do not say it.
    in_memory : whether all lists are. Otherwise those of a long file stay in a temporary file in `folder`,
        and reading takes 300 MiB at most.

    Raises
    ------
    FormatError : listing every line that is not six columns with a decimal score (NaN, infinity and what a
        float of `score_precision` bits cannot hold are none), is not UTF-8, holds control characters, repeats
        a docno, has a column longer than its limit (100 bytes for a topic, 200 for a tag, 64 for rank and
        score, 512 for the others), or has a rank that is no whole number where ranks are the order; a topic
        with more than a million lines.
    """
    errors, report = ErrorList(name), RunReport()
    reader = RunReader(
        errors, report, lenient=lenient, order=order, score_precision=score_precision, folder=folder
    )
    with (
        open_stream(source, name, max_bytes=max_bytes) as stream,
        field_lines(stream, Kind.RUN, errors, limit=max_bytes, columns=columns, folder=folder) as lines,
    ):
        reader.read(LineBlocks(lines, errors))
    run = run_of(reader, errors, report, in_memory=in_memory)
    if isinstance(lines, ConvertedStream):
        report.note_conversion(lines.notices, lines.without_ranks)
    return [run]


def run_of(reader: RunReader, errors: ErrorList, report: RunReport, *, in_memory: bool = True) -> ParsedRun:
    """The run whose lines a reader has taken; `errors.file` names it where the lines carry several tags.

    Raises FormatError if there are errors, or no lines.
    """
    rankings: Mapping[str, ParsedRanking] = StoredRankings(reader)
    if in_memory:
        rankings = dict(rankings.items())
    if not rankings and not errors.total:
        errors.add(None, "no lines in it: an empty file")
    lengths = [len(ranking.scores) for ranking in rankings.values()]
    errors.raise_if_any()
    tag = next(iter(reader.tags)).decode() if len(reader.tags) == 1 else plain_name(errors.file)
    if len(tag.encode()) > TAG_BYTES:
        errors.add(None, f"several tags, and a file name longer than {TAG_BYTES} bytes", "tag")
        errors.raise_if_any()
    report.topics, report.longest_list = len(lengths), max(lengths)
    report.short_lists = sum(length < report.longest_list for length in lengths)
    report.tags = len(reader.tags)
    reader.stop_counting()
    return ParsedRun(tag, rankings, report, reader.score_precision)


def read_run_files(
    files: Sequence[Path],
    *,
    order: Order = "score",
    score_precision: ScorePrecision = 64,
    jobs: int = 1,
    taken: Callable[[Path], None] | None = None,
) -> list[ParsedRun]:
    """The runs of several files, in their order, under names that differ.

    A run is named by its tag; by its file where the file holds several tags or another run has the name;
    and by its folders too, where the files have the same name. `jobs` processes read; `taken` is called
    after each file.

    Raises FormatError for the first file that has errors, whichever process reads it.
    """
    names, runs = read_and_keep(
        files, whole_run, order=order, score_precision=score_precision, jobs=jobs, taken=taken
    )
    return [replace(run, tag=name) for name, run in zip(names, runs, strict=True)]


def read_and_keep(
    files: Sequence[Path],
    keep: Callable[[ParsedRun], Kept],
    *,
    order: Order,
    score_precision: ScorePrecision,
    jobs: int,
    taken: Callable[[Path], None] | None,
) -> tuple[list[str], list[Kept]]:
    """The names of `read_run_files`, and what `keep` makes of each run in the process that reads it."""
    tags, runs = [], []
    with _applied(partial(_read_one, keep, order, score_precision), min(jobs, len(files))) as read:
        for file, (tag, kept) in zip(files, read(files), strict=True):
            tags.append(tag)
            runs.append(kept)
            if taken is not None:
                taken(file)
    return distinct_names(tags, [str(file) for file in files]), runs


def whole_run(run: ParsedRun) -> ParsedRun:
    """For `read_and_keep`: everything, and the tag of the file."""
    return run


def _read_one(
    keep: Callable[[ParsedRun], Kept], order: Order, score_precision: ScorePrecision, file: Path
) -> tuple[str, Kept]:
    (run,) = read_runs(file, str(file), order=order, score_precision=score_precision)
    return run.tag, keep(run)


@contextmanager
def _applied(read: Callable[[Path], Read], jobs: int) -> Iterator[Callable[[Sequence[Path]], Iterator[Read]]]:
    """`read` for each of many files, in order, in `jobs` processes."""
    if jobs < 2:
        yield partial(map, read)
        return
    # Imported only where processes are asked for, as this takes longer than reading a small file.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # A forked process would inherit the thread of the progress bar in the middle of its work.
    with ProcessPoolExecutor(jobs, get_context("spawn"), _prepare_process, (read,)) as processes:
        yield partial(processes.map, _read_in_process)


def _prepare_process(read: Callable[[Path], Any]) -> None:
    global _read
    _read = read


def _read_in_process(file: Path) -> Any:
    return _read(file)


def distinct_names(tags: Sequence[str], files: Sequence[str]) -> list[str]:
    """For each run its tag, or as much of its file's path as distinguishes it from the others."""
    if repeated := [file for file, count in Counter(files).items() if count > 1]:
        raise FormatError(repeated[0], [LineError(None, "the same file twice")])
    candidates = [_names_of(tag, file) for tag, file in zip(tags, files, strict=True)]
    step = [0] * len(tags)
    while True:
        names = [names[min(at, len(names) - 1)] for names, at in zip(candidates, step, strict=True)]
        counts = Counter(names)
        clashing = [place for place, name in enumerate(names) if counts[name] > 1]
        movable = [place for place in clashing if step[place] < len(candidates[place]) - 1]
        if not clashing:
            return names
        if not movable:
            file = files[clashing[0]]
            raise FormatError(file, [LineError(None, f"two runs cannot both be named {names[clashing[0]]}")])
        for place in movable:
            step[place] += 1


def _names_of(tag: str, file: str) -> list[str]:
    """The names a run may go by, the short one first."""
    *folders, _ = Path(file).parts
    own = plain_name(file)
    return [
        tag,
        *("/".join([*folders[len(folders) - depth :], own]) for depth in range(len(folders) + 1)),
        file,
    ]


def write_run(rankings: Mapping[str, ParsedRanking] | Iterable[ParsedRanking], tag: str, out: TextIO) -> int:
    """Writes rankings in evaluation order with ranks from 1; returns how many lines.

    Scores are written with the digits that give the same float back.
    """
    check_name("tag", tag)
    count = 0
    for ranking in rankings.values() if isinstance(rankings, Mapping) else rankings:
        check_name("topic", ranking.topic)
        for rank, (docno, score) in enumerate(zip(ranking.docnos, ranking.scores, strict=True), 1):
            check_name("docno", docno)
            out.write(f"{ranking.topic} Q0 {docno} {rank} {score!s} {tag}\n")
            count += 1
    return count
