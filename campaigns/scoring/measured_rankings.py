"""One topic's rankings as the arrays that measures read, with probabilities of relevance where a measure
needs them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from evaluation.arrays import BoolArray, FloatArray
from evaluation.estimation.statap import JudgedSample
from evaluation.estimation.strata import NOT_POOLED, StratifiedPool
from evaluation.measure import (
    DrawnRankings,
    ExpectedRankings,
    GradedRankings,
    Need,
    Rankings,
    StratifiedRankings,
    SubtopicRankings,
    pad_rankings,
)
from evaluation.name_suggestions import unknown_name
from selection.pool import Ids

if TYPE_CHECKING:
    from campaigns.scoring.fitted_relevance import FittedRelevance

Model = Literal["model", "constant", "smoothed", "experts"]
RELEVANCE_MODELS: tuple[Model, ...] = get_args(Model)
NEUTRAL_PROBABILITY = 0.5


@dataclass(frozen=True)
class Relevance:
    """`p` is that of the constant model. The experts' is an approximation. `fitted`: of the calibrated model
    (`model`), which a whole campaign determines."""

    model: Model = "model"
    p: float = NEUTRAL_PROBABILITY
    fitted: FittedRelevance | None = None

    def __post_init__(self) -> None:
        if self.model not in RELEVANCE_MODELS:
            raise ValueError(unknown_name("model", self.model, RELEVANCE_MODELS))
        if not 0 <= self.p <= 1:
            raise ValueError(f"p = {self.p} is outside [0, 1]")

    def fit(self, campaign: JudgedCollection, grading: Grading) -> Relevance:
        """Fitted to the campaign, where the model needs that and is not yet."""
        if self.model != "model" or self.fitted is not None:
            return self
        # Only EAP needs it, and importing scipy takes longer than scoring a small file.
        from campaigns.scoring.fitted_relevance import FittedRelevance

        return replace(self, fitted=FittedRelevance(campaign, grading))

    def expected(self, topic: JudgedTopic, grading: Grading) -> ExpectedRankings:
        """The topic's whole pool: what any run ranks, and what the qrels name besides."""
        ranked = set(topic.docnos)
        others = [grade for docno, grade in topic.grades.items() if docno not in ranked]
        open_ = np.full(len(topic.not_judged - ranked), np.nan)
        gains = np.r_[topic.gains(grading), [grading.gain(grade) for grade in others], open_]
        judged = np.where(np.isnan(gains), np.nan, gains > 0)
        relevance = self._of(topic, judged)
        calibrated = None if self.fitted is None else self.fitted.calibrated(relevance, judged)
        return ExpectedRankings(topic.rankings, relevance, calibrated)

    @property
    def published(self) -> Relevance:
        """This model if it is a published one, else the experts'."""
        return Relevance("experts") if self.model == "model" else self

    @property
    def source(self) -> str:
        """The paper that a confidence by a published model follows: not to the letter, as its variance is an
        upper bound and the experts are approximated."""
        year = "2007" if self.model == "experts" else "2006"
        name = f"{self.model}={self.p:g}" if self.model == "constant" else self.model
        return f"after Carterette {year} ({name})"

    def _of(self, topic: JudgedTopic, judged: FloatArray) -> FloatArray:
        # Only EAP needs it, and importing scipy.optimize takes longer than scoring a small file.
        from evaluation.estimation.relevance import constant_relevance, expert_relevance, smoothed_relevance

        if self.model == "constant":
            return constant_relevance(judged, self.p)
        if self.model == "smoothed":
            return smoothed_relevance(judged)
        if self.model == "experts":
            return expert_relevance(topic.rankings, judged)
        assert self.fitted is not None
        return self.fitted.relevance(topic, judged)


NO_DOCUMENTS: Ids = np.zeros(0, dtype=np.int32)


def measure_rankings(
    topic: JudgedTopic,
    grading: Grading,
    needs: Set[Need | None],
    relevance: Relevance,
    highest_grade: float | None = None,
) -> Rankings:
    """A run that misses the topic has a row without documents. `highest_grade`: of all topics."""
    ids = [NO_DOCUMENTS if ranking is None else ranking for ranking in topic.rankings]
    # The id -1 is the last place: a document that the qrels do not name.
    by_id = np.append(topic.gains(grading), np.nan)
    return Rankings(
        gains=pad_rankings([by_id[ranked] for ranked in ids]),
        judged=np.array([grading.gain(grade) for grade in topic.grades.values()]),
        pooled=_placed(np.append(topic.pooled(), False), ids) if topic.not_judged else None,
        lengths=np.array([len(ranked) for ranked in ids], dtype=np.int64),
        tied=_tied(topic, ids) if "tied" in needs else None,
        graded=_graded(topic, ids, grading, highest_grade) if "graded" in needs else None,
        drawn=_drawn(topic, ids, grading) if "drawn" in needs else None,
        stratified=_stratified(topic, ids, grading) if "stratified" in needs else None,
        subtopics=_subtopics(topic, ids) if "subtopics" in needs else None,
        expected=relevance.expected(topic, grading) if "expected" in needs else None,
    )


def _placed(by_id: BoolArray, ids: Sequence[Ids]) -> BoolArray:
    placed = np.zeros((len(ids), max(map(len, ids), default=0)), dtype=np.bool_)
    for row, ranked in zip(placed, ids, strict=True):
        row[: len(ranked)] = by_id[ranked]
    return placed


def _tied(topic: JudgedTopic, ids: Sequence[Ids]) -> BoolArray | None:
    if topic.ties is None:
        return None
    tied = np.zeros((len(ids), max(map(len, ids), default=0)), dtype=np.bool_)
    for row, ties in zip(tied, topic.ties, strict=True):
        if ties is not None:
            row[: len(ties)] = ties
    return tied


def _graded(
    topic: JudgedTopic, ids: Sequence[Ids], grading: Grading, highest: float | None
) -> GradedRankings:
    by_id = np.append(topic.grades_by_id(), np.nan)
    return GradedRankings(
        pad_rankings([by_id[ranked] for ranked in ids]),
        np.array(list(topic.grades.values()), dtype=np.float64),
        has_gains=grading.gains is not None,
        highest=highest,
    )


def _drawn(topic: JudgedTopic, ids: Sequence[Ids], grading: Grading) -> DrawnRankings | None:
    if topic.drawn is None:
        return None
    known = {name: (grading.gain(one.grade), one.inclusion, one.grade) for name, one in topic.drawn.items()}
    unknown = (np.nan, np.nan, np.nan)
    by_id = np.array([known.get(docno, unknown) for docno in topic.docnos]).reshape(-1, 3)
    gains, inclusion, grades = (pad_rankings([column[ranked] for ranked in ids]) for column in by_id.T)
    return DrawnRankings(
        gains, inclusion, JudgedSample(*np.array(list(known.values())).reshape(-1, 3).T), grades
    )


def _stratified(topic: JudgedTopic, ids: Sequence[Ids], grading: Grading) -> StratifiedRankings | None:
    if topic.strata is None:
        return None
    place = {stratum: n for n, stratum in enumerate(sorted({one.stratum for one in topic.strata.values()}))}
    # infNDCG reads grades as nDCG does: of its gains, only the ratios count.
    highest = max(1, *(one.grade or 0 for one in topic.strata.values()))
    linear = Grading({grade: grade / highest for grade in range(highest + 1)})
    gain = grading.gain if grading.gains is not None else linear.gain
    known = {
        name: (np.nan if one.grade is None else gain(one.grade), place[one.stratum])
        for name, one in topic.strata.items()
    }
    by_id = np.array([known.get(docno, (np.nan, NOT_POOLED)) for docno in topic.docnos]).reshape(-1, 2)
    gains, strata = (pad_rankings([column[ranked] for ranked in ids]) for column in by_id.T)
    pool = np.array(list(known.values())).reshape(-1, 2)
    beyond = np.where(np.isnan(strata), NOT_POOLED, strata).astype(np.int64)
    return StratifiedRankings(gains, beyond, StratifiedPool(pool[:, 1].astype(np.int64), pool[:, 0]))


def _subtopics(topic: JudgedTopic, ids: Sequence[Ids]) -> SubtopicRankings | None:
    if topic.subtopics is None:
        return None
    names = sorted(set().union(*topic.subtopics.values()))
    known = {docno: [name in has for name in names] for docno, has in topic.subtopics.items()}
    none = [False] * len(names)
    # The last place is for documents without an id of their own, and for ranks that a run lacks.
    by_id = np.array([*(known.get(docno, none) for docno in topic.docnos), none], dtype=np.bool_)
    places = np.full((len(ids), max(map(len, ids), default=0)), -1)
    for row, ranked in zip(places, ids, strict=True):
        row[: len(ranked)] = ranked
    pool = np.array([known[docno] for docno in sorted(known, reverse=True)], dtype=np.bool_)
    return SubtopicRankings(by_id[places], pool)
