"""Every run scored on every topic, and the means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import fsum, isnan
from typing import Any

import numpy as np

from campaigns.offline.collection import OfflineCampaign, OfflineTopic
from campaigns.offline.grading import Grading
from evaluation.bounds import Bounds
from evaluation.estimates import estimates
from evaluation.measures import Measure, Scored
from evaluation.scored import DrawnRankings, Rankings, padded
from evaluation.statap import Sample
from selection.pool import Ids

MISSING: Ids = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class Row:
    """One line of the outcome; `topic` None is the mean over topics."""

    run: str
    measure: str
    topic: str | None
    scored: Scored

    def as_dict(self) -> dict[str, Any]:
        bounds = self.scored.bounds
        line: dict[str, Any] = {"run": self.run, "measure": self.measure}
        if self.topic is not None:
            line["topic"] = self.topic
        line["score"] = None if isnan(self.scored.score) else self.scored.score
        names = ("base", "residual", "top", "projected")
        line |= {name: None if bounds is None else getattr(bounds, name) for name in names}
        guesses = ("simplistic", "background", "interpolated", "smoothed")
        if bounds is None:
            return line | dict.fromkeys(guesses)
        guessed = estimates(bounds.base / bounds.full, bounds.residual / bounds.full)
        return line | {name: value * bounds.full for name, value in asdict(guessed).items()}


@dataclass(frozen=True)
class Outcome:
    means: list[Row]
    by_topic: list[Row]


def score_runs(
    campaign: OfflineCampaign,
    measures: Sequence[Measure],
    grading: Grading,
    progress: Callable[[], object] = lambda: None,
) -> Outcome:
    """Score all; `progress` is called after each topic. Where a run misses a topic, its ranking is empty."""
    scored: dict[tuple[int, int], list[Scored]] = {}
    for topic in campaign.topics:
        for place, cell in _score_topic(topic, measures, grading).items():
            scored.setdefault(place, []).append(cell)
        progress()
    means, by_topic = [], []
    for (run, measure), cells in sorted(scored.items()):
        names = campaign.runs[run], measures[measure].name
        means.append(Row(*names, None, mean(cells)))
        pairs = zip(campaign.topics, cells, strict=True)
        by_topic += [Row(*names, topic.number, cell) for topic, cell in pairs]
    return Outcome(means, by_topic)


def _score_topic(
    topic: OfflineTopic, measures: Sequence[Measure], grading: Grading
) -> dict[tuple[int, int], Scored]:
    rankings = rankings_of(topic, grading)
    return {
        (run, place): cell
        for place, measure in enumerate(measures)
        for run, cell in enumerate(measure.scores(rankings).each())
    }


def rankings_of(topic: OfflineTopic, grading: Grading) -> Rankings:
    """The arrays that measures read; a run that misses the topic has a row without documents."""
    ids = [MISSING if ranking is None else ranking for ranking in topic.rankings]
    by_id = topic.gains(grading)
    gains = padded([by_id[ranked] for ranked in ids])
    judged = np.array([grading.gain(grade) for grade in topic.grades.values()])
    drawn = _drawn(topic, ids, grading)
    if not topic.not_judged:
        return Rankings(gains, judged, drawn=drawn)
    named, pooled = topic.pooled(), np.zeros(gains.shape, dtype=np.bool_)
    for row, ranked in zip(pooled, ids, strict=True):
        row[: len(ranked)] = named[ranked]
    return Rankings(gains, judged, pooled, drawn)


def _drawn(topic: OfflineTopic, ids: Sequence[Ids], grading: Grading) -> DrawnRankings | None:
    if topic.drawn is None:
        return None
    known = {name: (grading.gain(one.grade), one.inclusion) for name, one in topic.drawn.items()}
    unknown = (np.nan, np.nan)
    by_id = np.array([known.get(docno, unknown) for docno in topic.docnos]).reshape(-1, 2)
    gains, inclusion = (padded([column[ranked] for ranked in ids]) for column in by_id.T)
    sample = np.array(list(known.values())).reshape(-1, 2)
    return DrawnRankings(gains, inclusion, Sample(sample[:, 0], sample[:, 1]))


def mean(cells: Sequence[Scored]) -> Scored:
    """Over the topics for which the measure has a value; NaN if there are none.

    fsum, so that the mean is that of a live campaign's integer sums, to the last bit.
    """
    cells = [cell for cell in cells if not isnan(cell.score)]
    if not cells:
        return Scored(float("nan"), None)
    count = len(cells)
    score = fsum(cell.score for cell in cells) / count
    bounds = [cell.bounds for cell in cells if cell.bounds is not None]
    if len(bounds) < count:
        return Scored(score, None)
    base, residual = (fsum(getattr(b, name) for b in bounds) / count for name in ("base", "residual"))
    return Scored(score, Bounds(base, residual, bounds[0].full))
