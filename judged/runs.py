"""Runs from files and from memory, read once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from judged.sources import AnyPath, Frame, NamedTuples, Nested, columns_of, paths_of
from judged.tables import Row, Table, Value, notice_table

if TYPE_CHECKING:
    from campaigns.formats.runs.files import ParsedRun
    from campaigns.formats.runs.joined import JoinedRuns
    from campaigns.formats.runs.reader import Order
    from evaluation.measures.ordering import ScorePrecision

# The name of a run that has none.
UNNAMED = "run"

OneSource: TypeAlias = AnyPath | Sequence[AnyPath] | Nested | Frame | NamedTuples
RunsSource: TypeAlias = "Runs | OneSource | Mapping[str, OneSource]"


class Runs(Mapping[str, dict[str, dict[str, float]]]):
    """Runs by name, each as {topic: {docno: score}} with the best document first.

    They are read once: give them to several functions in place of their source. `joined`: the same as
    arrays. `notices`: sentences on what may be misread.
    """

    def __init__(
        self, names: Sequence[str], joined: JoinedRuns, order: Order, notices: Sequence[str] = ()
    ) -> None:
        self.names, self.joined, self.order, self.notices = tuple(names), joined, order, tuple(notices)

    def __getitem__(self, name: str) -> dict[str, dict[str, float]]:
        if name not in self.names:
            raise KeyError(name)
        place = self.names.index(name)
        rankings: dict[str, dict[str, float]] = {}
        for topic in self.joined.topics:
            ids, scores = topic.rankings[place], topic.scores[place]
            if ids is not None and scores is not None:
                docnos = map(topic.docnos.__getitem__, ids.tolist())
                rankings[topic.number] = dict(zip(docnos, scores.tolist(), strict=True))
        return rankings

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def table(self) -> Table[Row]:
        """All lines: run, topic, docno, rank from 1, and score."""
        rows: Iterator[dict[str, Value]] = (
            {"run": name, "topic": topic, "docno": docno, "rank": rank, "score": score}
            for name in self
            for topic, ranking in self[name].items()
            for rank, (docno, score) in enumerate(ranking.items(), 1)
        )
        return Table(rows, ("run", "topic", "docno"), Row, notices=self.notices)

    @property
    def report(self) -> Table[Row]:
        """Counts of what was noticed in each run: run, what, count, and a sentence on it."""
        named = zip(self.names, self.joined.reports, strict=True)
        return notice_table([({"run": name}, report.as_rows()) for name, report in named], ("run", "what"))

    def __repr__(self) -> str:
        return f"{len(self)} runs on {len(self.joined.topics)} topics: {', '.join(self.names[:5])}" + (
            " …" if len(self) > 5 else ""
        )


def read_runs(
    runs: RunsSource,
    *,
    order: Order | None = None,
    score_precision: ScorePrecision = 64,
    jobs: int = 1,
    cache: bool = False,
) -> Runs:
    """Read runs from any source.

    Parameters
    ----------
    runs : path, list of paths or folder; {topic: {docno: score}}; data frame of pandas, polars or pyarrow;
        ScoredDoc of ir_measures or ir_datasets; or {run: one of these}
        A data frame has columns of topics (`qid`, `query_id`, `topic` …), docnos (`docno`, `doc_id` …) and
        scores or ranks. A column `run`, `tag`, `system` or `name` separates several runs.
    order : "score", "line" or "rank"
        Order of a run's documents: score (default), ties by docno descending; their place in the source;
        or the rank column, ties by place.
    score_precision : 64 or 32
        Bits of the floats as which scores are compared: 64 as in trec_eval 10.0, 32 as in trec_eval up to
        9.0.8.
    jobs : int
        Processes that read files.
    cache : bool
        Whether to use, and write, the cache of read files in the folder `.run-cache` beside the first.

    Raises
    ------
    FormatError
        Listing each line or row that is wrong, as the commands do: a score that is no finite number, a docno
        twice in a topic, missing columns.
    TypeError
        For another type of source.

    Examples
    --------
    >>> runs = read_runs({"BM25": {"401": {"d1": 2.5, "d2": 3.5}}})
    >>> runs["BM25"]["401"], runs
    ({'d2': 3.5, 'd1': 2.5}, 1 runs on 1 topics: BM25)
    """
    from campaigns.formats.runs.joined import join_runs

    if isinstance(runs, Runs):
        if order not in (None, runs.order):
            raise ValueError(f"the runs are read in the order of {runs.order}, and {order} is asked for")
        return runs
    order = order or "score"
    if paths := paths_of(runs):
        return _of_files(paths, order, score_precision, jobs, cache)
    parsed: list[ParsedRun] = []
    notices: list[str] = []
    for name, source in _named(runs):
        of_source = _parsed(name, source, order, score_precision, notices)
        if name and len(of_source) > 1:
            raise ValueError(f"{name!r} holds {len(of_source)} runs; give each its own name")
        parsed += [replace(run, tag=name) if name else run for run in of_source]
    return Runs([run.tag for run in parsed], join_runs(parsed), order, notices)


def _of_files(
    paths: Sequence[Path], order: Order, score_precision: ScorePrecision, jobs: int, cache: bool
) -> Runs:
    from campaigns.formats.compressed_files import find_files
    from campaigns.formats.runs.files import distinct_names
    from campaigns.management.offline.files import joined_runs
    from campaigns.scoring.scored_topics import run_notices

    files = find_files(paths)
    joined = joined_runs(files, order=order, score_precision=score_precision, jobs=jobs, cached=cache)
    names = distinct_names(joined.tags, [str(file) for file in files])
    return Runs(names, joined, order, list(run_notices(files, names, joined.tags, joined.reports)))


def _named(runs: object) -> Iterator[tuple[str, object]]:
    """Each source with its name; a single one has none."""
    if isinstance(runs, Mapping) and runs and not _is_nested(runs):
        for name, source in runs.items():
            if not isinstance(name, str):
                raise TypeError(f"the name of a run is {name!r}, not text")
            yield name, source
    else:
        yield "", runs


def _is_nested(runs: Mapping[object, object]) -> bool:
    """True for {topic: {docno: score}}, false for {run: source}."""
    inner = [value for value in runs.values() if not isinstance(value, Mapping) or value]
    if not inner:
        return True
    return isinstance(inner[0], Mapping) and not isinstance(next(iter(inner[0].values())), Mapping)


def _parsed(
    name: str, source: object, order: Order, score_precision: ScorePrecision, notices: list[str]
) -> list[ParsedRun]:
    from campaigns.formats.compressed_files import find_files
    from campaigns.formats.runs.files import read_run_files
    from campaigns.formats.values import runs_of_values

    if paths := paths_of(source):
        return read_run_files(find_files(paths), order=order, score_precision=score_precision)
    columns = columns_of(source, "run", f"run {name!r}" if name else "")
    if columns.empty:
        notices.append(f"{columns.name}: no documents for topics {', '.join(columns.empty[:5])}")
    return runs_of_values(
        columns.values,
        columns.name,
        tag=name or UNNAMED,
        unit=columns.unit,
        labels=columns.labels,
        order=order,
        score_precision=score_precision,
    )
