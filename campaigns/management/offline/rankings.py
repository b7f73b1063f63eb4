"""One topic's rankings as the arrays that measures read, no more of them than are read."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineTopic
from campaigns.management.offline.relevance import Relevance
from evaluation.arrays import BoolArray
from evaluation.estimation.statap import Sample
from evaluation.estimation.stratified import NOT_POOLED, StratifiedPool
from evaluation.measure import DrawnRankings, Need, Rankings, StratifiedRankings, padded
from selection.pool import Ids

MISSING: Ids = np.zeros(0, dtype=np.int32)


def rankings_of(
    topic: OfflineTopic, grading: Grading, needs: Set[Need | None], relevance: Relevance
) -> Rankings:
    """A run that misses the topic has a row without documents."""
    ids = [MISSING if ranking is None else ranking for ranking in topic.rankings]
    by_id = topic.gains(grading)
    return Rankings(
        gains=padded([by_id[ranked] for ranked in ids]),
        judged=np.array([grading.gain(grade) for grade in topic.grades.values()]),
        pooled=_placed(topic.pooled(), ids) if topic.not_judged else None,
        lengths=np.array([len(ranked) for ranked in ids], dtype=np.int64),
        tied=_tied(topic, ids) if "tied" in needs else None,
        drawn=_drawn(topic, ids, grading) if "drawn" in needs else None,
        stratified=_stratified(topic, ids, grading) if "stratified" in needs else None,
        expected=relevance.expected(topic, grading) if "expected" in needs else None,
    )


def _placed(by_id: BoolArray, ids: Sequence[Ids]) -> BoolArray:
    placed = np.zeros((len(ids), max(map(len, ids), default=0)), dtype=np.bool_)
    for row, ranked in zip(placed, ids, strict=True):
        row[: len(ranked)] = by_id[ranked]
    return placed


def _tied(topic: OfflineTopic, ids: Sequence[Ids]) -> BoolArray | None:
    if topic.ties is None:
        return None
    tied = np.zeros((len(ids), max(map(len, ids), default=0)), dtype=np.bool_)
    for row, ties in zip(tied, topic.ties, strict=True):
        if ties is not None:
            row[: len(ties)] = ties
    return tied


def _drawn(topic: OfflineTopic, ids: Sequence[Ids], grading: Grading) -> DrawnRankings | None:
    if topic.drawn is None:
        return None
    known = {name: (grading.gain(one.grade), one.inclusion, one.grade) for name, one in topic.drawn.items()}
    unknown = (np.nan, np.nan, np.nan)
    by_id = np.array([known.get(docno, unknown) for docno in topic.docnos]).reshape(-1, 3)
    gains, inclusion, grades = (padded([column[ranked] for ranked in ids]) for column in by_id.T)
    return DrawnRankings(gains, inclusion, Sample(*np.array(list(known.values())).reshape(-1, 3).T), grades)


def _stratified(topic: OfflineTopic, ids: Sequence[Ids], grading: Grading) -> StratifiedRankings | None:
    if topic.strata is None:
        return None
    place = {stratum: n for n, stratum in enumerate(sorted({one.stratum for one in topic.strata.values()}))}
    known = {
        name: (np.nan if one.grade is None else grading.gain(one.grade), place[one.stratum])
        for name, one in topic.strata.items()
    }
    by_id = np.array([known.get(docno, (np.nan, NOT_POOLED)) for docno in topic.docnos]).reshape(-1, 2)
    gains, strata = (padded([column[ranked] for ranked in ids]) for column in by_id.T)
    pool = np.array(list(known.values())).reshape(-1, 2)
    beyond = np.where(np.isnan(strata), NOT_POOLED, strata).astype(np.int64)
    return StratifiedRankings(gains, beyond, StratifiedPool(pool[:, 1].astype(np.int64), pool[:, 0]))
