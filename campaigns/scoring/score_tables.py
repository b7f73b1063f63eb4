"""Every run scored on every topic, with means, estimates, and the lines that commands print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import fsum, isclose, isfinite, isnan
from typing import Any

import numpy as np

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from campaigns.scoring.measured_rankings import Relevance, measure_rankings
from evaluation.aggregation import Aggregation, aggregate
from evaluation.arrays import IntArray
from evaluation.estimation.points import (
    BACKGROUND,
    BackgroundRate,
    background_rate,
    estimates,
    mean_estimates,
)
from evaluation.estimation.statap_interval import SamplingError, stat_map_interval
from evaluation.measure import Measure, Score
from evaluation.measures.bounds import Bounds, mean_projection

BOUNDS = ("base", "residual", "top", "projected")
GUESSES = ("simplistic", "background", "interpolated", "smoothed")
SPREAD = ("variance", "deviation", "low", "high")


@dataclass(frozen=True)
class EstimateOptions:
    """Options that turn bounds into estimates (`estimation.points.estimates`), and split the residual."""

    background: float = BACKGROUND
    smoothing: float | None = None
    split: bool = False


@dataclass(frozen=True)
class ScoreRow:
    """One line of the outcome. `topic` None is the figure for all topics, and `averaged` then their scores:
    estimates are made by topic and averaged."""

    run: str
    measure: str
    topic: str | None
    scored: Score
    averaged: Sequence[Score] = ()

    def as_dict(self, showing: EstimateOptions) -> dict[str, Any]:
        scored, bounds = self.scored, self.scored.bounds
        line: dict[str, Any] = {"run": self.run, "measure": self.measure}
        if self.topic is not None:
            line["topic"] = self.topic
        line["score"] = _finite(scored.score)
        line |= {name: None if bounds is None else getattr(bounds, name) for name in BOUNDS}
        if bounds is None:
            line |= dict.fromkeys(GUESSES)
        elif self.topic is not None:
            line |= guesses(bounds, showing)
        else:
            cells = [cell.bounds for cell in self.averaged if cell.bounds is not None]
            line |= _mean_guesses(cells, showing)
        if showing.split and bounds is not None and scored.tail is not None:
            line |= {"unjudged": max(bounds.residual - scored.tail, 0.0), "tail": scored.tail}
        if scored.variance is not None:
            line |= {name: _finite(getattr(scored, name)) for name in SPREAD}
        return line


def guesses(bounds: Bounds, showing: EstimateOptions) -> dict[str, float]:
    full = bounds.full
    points = estimates(bounds.base / full, bounds.residual / full, showing.background, showing.smoothing)
    return {name: value * full for name, value in asdict(points).items()}


def _mean_guesses(cells: Sequence[Bounds], showing: EstimateOptions) -> dict[str, float]:
    full = cells[0].full
    base, residual = (
        np.array([getattr(cell, name) / full for cell in cells]) for name in ("base", "residual")
    )
    points = mean_estimates(base, residual, showing.background, showing.smoothing)
    line = {"projected": float(mean_projection(base, residual)), **asdict(points)}
    return {name: value * full for name, value in line.items()}


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def over_topics(cells: Sequence[Score], how: Aggregation = "mean") -> Score:
    """Over the topics for which the measure has a value; NaN if there are none.

    The variance is that of a mean of independent topics, and not known if one topic's is not. The interval
    needs two topics of known error only (`stat_map_interval`).
    """
    has_variance = any(cell.variance is not None for cell in cells)
    cells = [cell for cell in cells if not isnan(cell.score)]
    if not cells:
        return Score(float("nan"), variance=float("nan") if has_variance else None)
    count = len(cells)
    score = aggregate([cell.score for cell in cells], how)
    variances = [cell.variance for cell in cells if cell.variance is not None]
    if len(variances) == count:
        return _with_interval(Score(score, variance=fsum(variances) / count**2), cells)
    bounds = [cell.bounds for cell in cells if cell.bounds is not None]
    if len(bounds) < count:
        return Score(score)
    base, residual = (aggregate([getattr(b, name) for b in bounds]) for name in ("base", "residual"))
    tail = fsum(cell.tail for cell in cells if cell.tail is not None) / count
    return Score(score, Bounds(base, residual, bounds[0].full), tail)


def _with_interval(score: Score, cells: Sequence[Score]) -> Score:
    errors = [cell.error for cell in cells if cell.error is not None]
    if len(errors) < len(cells):
        return score
    interval = stat_map_interval(np.array([cell.score for cell in cells]), SamplingError.of_topics(errors))
    return replace(score, low=float(interval.low), high=float(interval.high))


CALIBRATED = Relevance()


@dataclass(frozen=True)
class ScoreTable:
    means: list[ScoreRow]
    by_topic: list[ScoreRow]


def score_runs(
    campaign: JudgedCollection,
    measures: Sequence[Measure],
    grading: Grading,
    progress: Callable[[], object] = lambda: None,
    relevance: Relevance = CALIBRATED,
) -> ScoreTable:
    """Score all; `progress` is called after each topic. Where a run misses a topic, its ranking is empty."""
    needs = {measure.needs for measure in measures}
    if "expected" in needs:
        relevance = relevance.fit(campaign, grading)
    scored: dict[tuple[int, int], list[Score]] = {}
    for topic in campaign.topics:
        rankings = measure_rankings(topic, grading, needs, relevance, max(campaign.grades, default=None))
        for place, measure in enumerate(measures):
            for run, cell in enumerate(measure.scores(rankings).each()):
                scored.setdefault((run, place), []).append(cell)
        progress()
    means, by_topic = [], []
    for (run, place), cells in sorted(scored.items()):
        names = campaign.runs[run], measures[place].name
        means.append(ScoreRow(*names, None, over_topics(cells, measures[place].aggregation), cells))
        pairs = zip(campaign.topics, cells, strict=True)
        by_topic += [ScoreRow(*names, topic.number, cell) for topic, cell in pairs]
    return ScoreTable(means, by_topic)


# Ravana and Moffat 2010, Figure 1.
BACKGROUND_DEPTH = 100


def fitted_background(
    campaign: JudgedCollection, grading: Grading, depth: int = BACKGROUND_DEPTH
) -> BackgroundRate:
    """From all documents that some run has in its top `depth`; ValueError if they determine no cubic."""
    requests = [_requests(topic, depth) for topic in campaign.topics]
    gains = [topic.gains(grading) for topic in campaign.topics]
    asked, known = np.concatenate(requests), np.concatenate(gains)
    pooled = asked > 0
    return background_rate(asked[pooled], known[pooled])


def fitted_rate(
    campaign: JudgedCollection, grading: Grading, qrels: str, notify: Callable[[str], object]
) -> float:
    """The fitted background rate, and a sentence on it; FormatError, naming the qrels, if there is none."""
    try:
        rate = fitted_background(campaign, grading)
    except ValueError as error:
        raise FormatError(qrels, [LineError(None, f"no background rate: {error}")]) from error
    cut = "" if isclose(rate.value, rate.crossing, abs_tol=1e-6) else f", taken as {rate.value:g}"
    notify(
        f"The fitted background rate is {rate.crossing:.4f}{cut}; with equal weights for all numbers of "
        f"runs, the fit gives {rate.unweighted_crossing:.4f}"
    )
    return rate.value


def _requests(topic: JudgedTopic, depth: int) -> IntArray:
    """Number of runs that ask for each document, (documents,)."""
    tops = [ranking[:depth] for ranking in topic.rankings if ranking is not None]
    return np.bincount(np.concatenate(tops), minlength=len(topic.docnos)) if tops else np.zeros(0, np.int64)
