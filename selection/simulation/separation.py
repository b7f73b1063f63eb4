"""Forecast of the judgments until the prediction separates another pair of the best runs, or names the
best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.simulation.forecast import DrawnGains, Forecast, low_median_high
from selection.simulation.prediction import DRAWS, DrawnScores, is_early
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience
from selection.simulation.relevance.relevance_model import RelevanceRates
from selection.simulation.topic_sample import TopicPopulation
from selection.state import CampaignState

BEST_RUNS, SEPARATED = 10, 0.95
# Numbers of judgments after which pairs are looked at: so many, from the first one to the horizon.
MARKS, FIRST_MARK = 24, 5
# Of differences that are the same in every draw.
NO_SPREAD = 1e-12


@dataclass(frozen=True)
class SeparationForecast:
    """Further judgments until the first open pair of the best runs is separated, and until one run is the
    best, each with a probability of `SEPARATED`; None where that is so now. A number stands for the mark up
    to which it comes true: `FIRST_MARK` for so many or fewer. `pairs`: of each open pair of the best runs, by
    their indices, until it is separated."""

    pair: Forecast | None
    best: Forecast | None
    pairs: Mapping[tuple[int, int], Forecast]


def separation_forecast(
    state: CampaignState,
    *,
    horizon: int,
    seed: int,
    experience: Experience = NO_EXPERIENCE,
    compared: IntArray | None = None,
    population: TopicPopulation | None = None,
) -> SeparationForecast | None:
    """Forecast when the prediction of final scores decides more than it does now.

    The method goes on in one simulation, which says which documents come when. In each draw of final scores,
    what documents judged by then add to a pair's difference predicts the difference by regression over all
    draws: so far from 0, in standard errors, is the pair by then. A run is the best with the product of its
    probabilities against the others.

    Parameters
    ----------
    state : CampaignState
        Is not changed.
    horizon : int
        At least 1. Look no further than so many judgments, of the population where there is one.
    seed : int
        At least 0. The same seed and judgments, the same forecast, and the draws of `predict`.
    experience : Experience
        What finished campaigns showed.
    compared : ndarray of int, optional
        Runs of which the best `BEST_RUNS` by expected score are looked at; all if none are given.
    population : TopicPopulation, optional
        Topics of which the state's are a random sample. The sample gets its share of the judgments, and what
        the sample leaves uncertain about the means of all topics shrinks as its unjudged weight does.

    Returns
    -------
    SeparationForecast or None
        None while it is too early for probabilities.

    Raises
    ------
    ValueError
        If the horizon is below 1 or the seed below 0.

    References
    ----------
    This project's choice: expected information of the judgments to come (Raiffa and Schlaifer 1961, chapter
    5), with normal differences.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.arange(0, 9), np.arange(9, 18)], 0.5, both)
    >>> from selection.specification import CampaignSpec
    >>> spec = CampaignSpec(runs=2, p=0.5, method="A", scope="campaign", contributing=both)
    >>> state = CampaignState([pool], spec)
    >>> changed = [len(state.judge(0, document, 1.0)) for document in (1, 2, 10, 11)]
    >>> found = separation_forecast(state, horizon=14, seed=1)
    >>> found.pair.low <= found.pair.median
    True
    """
    if horizon < 1 or seed < 0:
        raise ValueError(f"horizon = {horizon} is below 1, or seed = {seed} below 0")
    if is_early(state):
        return None
    every = population or TopicPopulation(len(state.pools), *state.mean_bounds())
    own_marks = _own_marks(marks_of(horizon), share := len(state.pools) / every.topics)
    marks = np.minimum(np.ceil(own_marks / share - 1e-9).astype(np.int64), horizon)
    stages = _stages(state, own_marks, seed, experience)
    sampled, expected = _drawn_sums(state, stages, len(marks), DrawnScores(state, seed, experience))
    final, added = _known_of_all(sampled, expected, state.residual, every, seed)
    runs = np.arange(state.setting.runs) if compared is None else compared
    best = runs[np.argsort(-final[runs].mean(axis=1), kind="stable")[:BEST_RUNS]]
    pairs = list(combinations(range(len(best)), 2))
    differences = [final[best[one]] - final[best[other]] for one, other in pairs]
    away = np.array(
        [
            _standard_errors(difference, added[:, best[one]] - added[:, best[other]])
            for difference, (one, other) in zip(differences, pairs, strict=True)
        ]
    ).reshape(len(pairs), len(marks), DRAWS)
    open_ = np.array([_is_open(difference) for difference in differences], dtype=np.bool_)
    separated = np.abs(away) >= scipy.special.ndtri(SEPARATED)
    named = _first_is_named(final[runs])
    return SeparationForecast(
        _summary(separated[open_].any(axis=0), marks, horizon) if open_.any() else None,
        None if named else _summary(_best_is_named(away, pairs, len(best)), marks, horizon),
        {
            (int(best[one]), int(best[other])): _summary(separated[at], marks, horizon)
            for at, (one, other) in enumerate(pairs)
            if open_[at]
        },
    )


def marks_of(horizon: int) -> IntArray:
    """Numbers of judgments after which pairs are looked at, in order."""
    return np.unique(np.geomspace(min(FIRST_MARK, horizon), horizon, MARKS).round().astype(np.int64))


def _stages(state: CampaignState, marks: IntArray, seed: int, experience: Experience) -> list[IntArray]:
    """For each topic int (documents,): the mark by which a document is judged in one simulation; `len(marks)`
    if by none."""
    ahead = state.copy()
    oracle = DrawnGains(state, RelevanceRates(state.setting, experience), (seed, 0))
    stages = [np.full(len(pool), len(marks)) for pool in state.pools]
    for judged in range(int(marks[-1])):
        choice = ahead.best()
        if choice is None:
            break
        stages[choice.topic][choice.document] = np.searchsorted(marks, judged + 1)
        ahead.judge(choice.topic, choice.document, oracle.gain(choice.topic, choice.document))
    return stages


def _own_marks(marks: IntArray, share: float) -> IntArray:
    """Judgments in a sample that holds this share of the topics, at each mark of all topics."""
    return np.unique(np.maximum((marks * share).round().astype(np.int64), 1))


def _drawn_sums(
    state: CampaignState, stages: list[IntArray], marks: int, drawn: DrawnScores
) -> tuple[FloatArray, FloatArray]:
    """Draw what is known by each mark, and at last of all, less what is known now: of means (marks + 1, runs,
    draws), and as expected on each topic at last (topics, runs)."""
    topics = len(state.pools)
    added, expected = np.zeros((marks + 1, state.setting.runs, DRAWS)), np.zeros(state.base.shape)
    for topic in range(topics):
        one = drawn.topic(topic)
        stage = stages[topic][one.documents]
        for mark in np.unique(stage):
            there = np.flatnonzero(stage == mark)
            scores = one.weights[:, there] @ one.gains[there]
            expected[topic] += scores.mean(axis=1)
            added[mark] += scores / topics
    return added.cumsum(axis=0), expected


def _known_of_all(
    sampled: FloatArray, expected: FloatArray, residual: FloatArray, every: TopicPopulation, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Final scores (runs, draws) over all topics, and what is known of them by each mark (marks, runs,
    draws), less what is known now; of `_drawn_sums`, and the residual (topics, runs)."""
    final = every.means(sampled[-1], expected, residual, seed)
    added = every.scale(residual)[:, None] * sampled
    error = final - every.base[:, None] - added[-1]
    gained = sampled.mean(axis=2)
    share = np.divide(gained, gained[-1], out=np.zeros(gained.shape), where=gained[-1] > 0)
    return final, (added + share[:, :, None] * error)[:-1]


def _is_open(difference: FloatArray) -> bool:
    rounded = np.round(difference, 12)
    better = float(((rounded > 0) + 0.5 * (rounded == 0)).mean())
    return max(better, 1 - better) < SEPARATED


def _first_is_named(final: FloatArray) -> bool:
    """True if one run, or several that tie, have the highest score in so many draws."""
    rounded = np.round(final, 12)
    return bool((rounded == rounded.max(axis=0)).mean(axis=1).max() >= SEPARATED)


def _standard_errors(total: FloatArray, added: FloatArray) -> FloatArray:
    """(marks, draws): how far the predicted difference is from 0. Of the final difference (draws,), and of
    what is known of it by each mark (marks, draws)."""
    away, known = total - total.mean(), added - added.mean(axis=1, keepdims=True)
    spread = (known**2).sum(axis=1)
    slope = np.divide(known @ away, spread, out=np.zeros(len(known)), where=spread > NO_SPREAD)
    expected = total.mean() + slope[:, None] * known
    left = np.sqrt(np.maximum((away @ away - slope**2 * spread) / len(total), NO_SPREAD**2))
    return np.asarray(expected / left[:, None])


def _best_is_named(away: FloatArray, pairs: list[tuple[int, int]], runs: int) -> BoolArray:
    """(marks, draws), of the pairs' standard errors (pairs, marks, draws)."""
    logs = np.zeros((runs, *away.shape[1:]))
    for (one, other), errors in zip(pairs, away, strict=True):
        # Runs that tie in every draw share the first place.
        if np.abs(errors).max() > NO_SPREAD:
            logs[one] += scipy.special.log_ndtr(errors)
            logs[other] += scipy.special.log_ndtr(-errors)
    return np.asarray(logs.max(axis=0) >= np.log(SEPARATED))


def _summary(passed: BoolArray, marks: IntArray, horizon: int) -> Forecast:
    """Forecast from (marks, draws) of bool: true where the condition holds by that mark."""
    when = np.where(passed.any(axis=0), marks[passed.argmax(axis=0)], horizon + 1)
    low, median, high = (None if value > horizon else int(value) for value in low_median_high(when))
    return Forecast(median, low, high, horizon, len(when), float((when <= horizon).mean()), 0.0)
