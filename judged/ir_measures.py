"""Bounds and estimates as measures of ir_measures, so that it and PyTerrier's `Experiment` compute them.

import judged.ir_measures
from judged.ir_measures import P_top, RBP_residual

judged.ir_measures.register()
ir_measures.calc_aggregate([RBP_residual(p=0.8), P_top @ 10], qrels, run)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar, cast

import ir_measures
import numpy as np
from ir_measures import Metric, measures, providers
from ir_measures.measures.base import Agg

from campaigns.formats.grading import Grading
from campaigns.formats.prels import read_prels, read_strata
from campaigns.scoring.judged_collection import JudgedCollection
from campaigns.scoring.score_tables import over_topics, score_runs
from campaigns.scoring.scored_topics import narrowest_scale
from evaluation.measure import Measure, Rankings, Score, Scores
from evaluation.names import parse_measure
from judged.collection import GainsSource, Notices, gains_of, read_collection
from judged.qrels import read_qrels

if TYPE_CHECKING:
    from ir_measures.util import TYPE_QREL, TYPE_RUN

PROVIDER = "judged_bounds"
PARTS = ("base", "residual", "top")
# The parameters of each measure with bounds; ! marks one that is required. Each part is a measure.
_BOUNDED: Mapping[str, tuple[str, ...]] = {
    "RBP": ("p", "rel", "cutoff"),
    "P": ("rel", "judged_only", "cutoff!"),
    "DCG": ("b", "dcg", "gains", "max_rel", "cutoff!"),
    "SDCG": ("b", "dcg", "cutoff!"),
    "INSQ": ("T", "max_rel"),
    "RR": (),
}
# Measures that ir_measures has no name for.
_OTHERS: Mapping[str, tuple[str, ...]] = {
    "DCG": _BOUNDED["DCG"],
    **dict.fromkeys(("statAP", "statR", "statRprec"), ()),
    **dict.fromkeys(("statNDCG", "xinfAP", "infNDCG"), ("cutoff",)),
    "statPC": ("cutoff!",),
}
# Those of ir_measures that only packages compute which it does not install.
_FALLBACKS = ("RBP", "INST", "INSQ", "BPM")
_Judgments = TypeVar("_Judgments")


class LibraryMeasure(measures.Measure):
    """A measure, or one part of its bounds. The mean is over the topics of the qrels; topics without a value,
    which only estimates from samples have, leave it."""

    COMPUTED = ""
    PART = ""

    def value(self, cell: Score) -> float:
        return cell.score if cell.bounds is None else float(getattr(cell.bounds, self.PART or "base"))

    def aggregator(self) -> Agg:
        return _Mean(self)


class TopicScore(float):
    """A topic's value, with the bounds from which that of all topics is computed."""

    __slots__ = ("cell",)
    cell: Score


class _Mean(Agg):
    """The figure of all topics as `evaluate` computes it."""

    def __init__(self, measure: LibraryMeasure) -> None:
        self._measure, self._cells = measure, list[Score]()

    def add(self, value: float) -> None:
        self._cells.append(value.cell if isinstance(value, TopicScore) else Score(value))

    def result(self) -> float:
        return self._measure.value(over_topics(self._cells))


class _ReciprocalRank(Measure):
    """RR with its residual: for RR, the two are bounds."""

    name = "RR"

    def scores(self, topic: Rankings) -> Scores:
        base, residual = (parse_measure(name).scores(topic).score for name in ("RR", "Residual(RR)"))
        return Scores(base, (base, residual, np.zeros_like(base)))


def _computed(measure: measures.Measure) -> Measure:
    """The measure by this library's name. ValueError for a parameter outside its range."""
    name = measure.COMPUTED if isinstance(measure, LibraryMeasure) else str(measure.NAME)
    if name == "RR":
        return _ReciprocalRank()
    # What ir_measures calls log2 is the discount of trec_eval.
    text = str(measure).replace(str(measure.NAME), name, 1).replace("dcg='log2'", "log2(i+1)")
    return parse_measure(text)


_NUMBER = (int, float)
# Types and choices of parameters; P, DCG and SDCG must be cut.
_PARAMETERS: Mapping[str, measures.ParamInfo] = {
    "p": measures.ParamInfo(dtype=float, desc="persistence, 0.8 by default"),
    "rel": measures.ParamInfo(dtype=int, desc="lowest grade that is relevant, 1 by default"),
    "judged_only": measures.ParamInfo(dtype=bool, desc="true to leave unjudged documents out"),
    "b": measures.ParamInfo(dtype=_NUMBER, desc="base of the logarithm, 2 by default"),
    "dcg": measures.ParamInfo(choices=["log2"], desc="log2 discounts by log2(i + 1)"),
    "gains": measures.ParamInfo(choices=["exp"], desc="exp takes 2^grade - 1"),
    "max_rel": measures.ParamInfo(dtype=int, desc="highest grade of the scale"),
    "T": measures.ParamInfo(dtype=_NUMBER, desc="expected goal of the search, 1 by default"),
    "cutoff": measures.ParamInfo(dtype=int, desc="last rank"),
    "cutoff!": measures.ParamInfo(dtype=int, required=True, desc="last rank"),
}


def _defined(name: str, computed: str, part: str, parameters: Iterable[str]) -> LibraryMeasure:
    supported = {one.removesuffix("!"): _PARAMETERS[one] for one in parameters}
    words = {
        "__name__": name,
        "NAME": name,
        "COMPUTED": computed,
        "PART": part,
        "SUPPORTED_PARAMS": supported,
    }
    return cast("LibraryMeasure", type(name, (LibraryMeasure,), words)())


MEASURES: Mapping[str, LibraryMeasure] = {
    **{
        f"{name}_{part}": _defined(f"{name}_{part}", name, part, parameters)
        for name, parameters in _BOUNDED.items()
        for part in PARTS
    },
    **{name: _defined(name, name, "", parameters) for name, parameters in _OTHERS.items()},
}


def __getattr__(name: str) -> Any:
    if name not in MEASURES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return MEASURES[name]


class LibraryEvaluator(providers.Evaluator):
    """Scores runs against one set of qrels. A topic of the qrels without results has an empty list: its base
    is 0, and all of its score is open. Topics that the qrels do not name are left out.

    Raises ValueError for a measure that reads a column which the qrels lack; FormatError for a wrong value.
    """

    def __init__(
        self, asked: Iterable[measures.Measure], qrels: TYPE_QREL, gains: GainsSource | None
    ) -> None:
        self._asked = [(measure, _computed(measure)) for measure in sorted(asked, key=str)]
        self._chosen = [*{computed.name: computed for _, computed in self._asked}.values()]
        self._gains = gains_of(gains)
        needs = {computed.needs for computed in self._chosen}
        grading = Grading(self._gains, narrowest_scale(self._chosen))
        rows = [*_rows(qrels)]
        nested: dict[Any, dict[Any, float]] = {}
        for row in rows:
            nested.setdefault(row.query_id, {})[row.doc_id] = row.relevance
        self._qrels, self._topics = read_qrels(nested), {str(topic): topic for topic in nested}
        self._drawn = _read(read_prels, _prels(rows), grading) if "drawn" in needs else None
        self._strata = _read(read_strata, _strata(rows), grading) if "stratified" in needs else None
        super().__init__([measure for measure, _ in self._asked], list(nested))

    def _iter_calc(self, run: TYPE_RUN) -> Iterator[Metric]:
        collection, grading = self._collection(run)
        for row in score_runs(collection, self._chosen, grading).by_topic:
            for measure, computed in self._asked:
                if computed.name == row.measure and row.topic is not None:
                    yield Metric(self._topics[row.topic], measure, _value(measure, row.scored))

    def _collection(self, run: TYPE_RUN) -> tuple[JudgedCollection, Grading]:
        lists = ir_measures.util.RunConverter(run).as_dict_of_dict().items()
        ranked = {topic: ranking for topic, ranking in lists if ranking and str(topic) in self._topics}
        # Instead of no list at all, one of a topic that is left out below.
        ranked = ranked or {max(self._topics, key=len) + "-": {"-": 0.0}}
        collection, grading = read_collection(
            {"run": ranked}, self._qrels, Notices(), self._chosen, gains=self._gains, scored=False
        )
        judged = tuple(topic for topic in collection.topics if topic.number in self._topics)
        collection = replace(collection, topics=judged)
        if self._drawn is not None:
            collection = collection.with_samples(self._drawn)
        if self._strata is not None:
            collection = collection.with_strata(self._strata)
        return collection, grading


def _rows(qrels: TYPE_QREL) -> Iterable[Any]:
    """Named tuples, with the further columns of a frame."""
    if hasattr(qrels, "itertuples"):
        return cast("Iterable[Any]", qrels.itertuples(index=False))
    rows: Iterator[Any] = ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter()
    return rows


def _read(read: Callable[[Path, Grading], _Judgments], lines: Iterable[str], grading: Grading) -> _Judgments:
    with TemporaryDirectory() as folder:
        file = Path(folder, "qrels")
        file.write_text("".join(lines), encoding="utf-8")
        return read(file, grading)


def _prels(rows: Iterable[Any]) -> Iterator[str]:
    for row in rows:
        probability = _first(
            row, ("iprob", "probability"), "statAP and its like", "probability of being drawn"
        )
        if row.relevance != -1 and not isnan(probability):
            method = int(getattr(row, "method", 1))
            yield f"{row.query_id} {row.doc_id} {int(row.relevance)} {method} {float(probability)!r}\n"


def _strata(rows: Iterable[Any]) -> Iterator[str]:
    for row in rows:
        stratum = _first(row, ("stratum", "iteration"), "measures of strata", "stratum")
        yield f"{row.query_id} 0 {row.doc_id} {stratum} {int(row.relevance)}\n"


def _first(row: Any, names: tuple[str, str], measure: str, what: str) -> Any:
    """The first of these columns; ValueError without any."""
    for name in names:
        if hasattr(row, name):
            return getattr(row, name)
    raise ValueError(f"{measure} read each document's {what}: give the qrels a column {' or '.join(names)}")


def _value(measure: measures.Measure, cell: Score) -> float:
    if not isinstance(measure, LibraryMeasure):
        return cell.score
    value = TopicScore(measure.value(cell))
    value.cell = cell
    return value


class LibraryProvider(providers.Provider):
    """Computes `MEASURES`; also RBP, INST, INSQ and BPM where no other provider does."""

    NAME = PROVIDER

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.gains: GainsSource | None = None

    def supports(self, measure: measures.Measure) -> bool:
        measure.validate_params()
        if not isinstance(measure, LibraryMeasure) and measure.NAME not in _FALLBACKS:
            return False
        try:
            _computed(measure)
        except ValueError:
            if isinstance(measure, LibraryMeasure):
                raise
            return False
        return True

    def _evaluator(self, asked: Iterable[measures.Measure], qrels: TYPE_QREL) -> LibraryEvaluator:
        return LibraryEvaluator(asked, qrels, self.gains)


_provider = LibraryProvider()


def register(gains: GainsSource | None = None) -> None:
    """Let ir_measures, and so PyTerrier, know and compute `MEASURES`. A second call changes the gains only.

    Parameters
    ----------
    gains : gains of grades 0, 1, 2 …, each in [0, 1], or {grade: gain}; default: 1 from grade 1 on
    """
    gains_of(gains)
    _provider.gains = gains
    for name, measure in MEASURES.items():
        measures.registry.setdefault(name, measure)
    providers.register(_provider)
    if _provider not in ir_measures.DefaultPipeline.providers:
        # The last: whatever another provider computes stays as it was.
        ir_measures.DefaultPipeline.providers.append(_provider)


def unregister() -> None:
    """Undo `register`."""
    _provider.gains = None
    for name, measure in MEASURES.items():
        if measures.registry.get(name) is measure:
            del measures.registry[name]
    providers.registry.pop(PROVIDER, None)
    if _provider in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.remove(_provider)
