"""Forecast of the judgments until a stop test passes, from simulations: a median, and ends between which one
more simulation would lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.judgments import GainChange
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience
from selection.simulation.relevance.relevance_model import DrawnEffects, RelevanceRates
from selection.state import CampaignState
from selection.stopping.tests import PairIndices, Panel, SeparatedPairs, StopTest, TestWatch

# Of what lies between the ends, in expectation: at least so much, where there are enough simulations.
COVERAGE = 0.8


def low_median_high(values: Sequence[float] | FloatArray | IntArray) -> FloatArray:
    """float64 (3,), of numbers (simulations,): the k-th least, the (lower) median, the k-th greatest.

    One more number of the same kind lies from the k-th least to the k-th greatest of n with probability
    (n + 1 - 2k) / (n + 1), or more where numbers are equal. k is the greatest for which that is at least
    `COVERAGE`, and 1 where none is: of fewer than nine simulations the ends hold less. (The 10% and 90%
    quantiles of twenty are the 2nd and the 18th, and hold less above than below.)

    Raises
    ------
    ValueError
        If there are no numbers.

    Examples
    --------
    >>> low_median_high(range(1, 21)).tolist()
    [2.0, 10.0, 19.0]
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    count = len(ordered)
    if not count:
        raise ValueError("no futures")
    outside = max(int((count + 1) * (1 - COVERAGE) / 2 + 1e-9), 1)
    return ordered[[outside - 1, (count - 1) // 2, count - outside]]


NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Forecast:
    """Further judgments: the median, and an interval that holds 80% of such numbers (`low_median_high`).

    None stands for more than `horizon`, or for no number at all: the test does not pass though all is
    judged. `passed` is the share of draws in which it passed, `exhausted` in which it never can.
    """

    median: int | None
    low: int | None
    high: int | None
    horizon: int
    draws: int
    passed: float
    exhausted: float

    def __str__(self) -> str:
        median, low, high = (
            f"more than {self.horizon}" if value is None else str(value)
            for value in (self.median, self.low, self.high)
        )
        return f"{median} ({low} to {high})"


def forecast(
    state: CampaignState,
    tests: Sequence[StopTest],
    *,
    horizon: int,
    draws: int = 40,
    test_every: int = 1,
    seed: int = 0,
    pairs: PairIndices = (),
    experience: Experience = NO_EXPERIENCE,
) -> list[Forecast]:
    """Let the campaign go on, many times, with assessors whose judgments are drawn at random.

    Each draw takes a version of `RelevanceRates` and a gain for every document by it, and lets the state's
    own method ask until all tests have passed and all pairs are apart.

    Parameters
    ----------
    state : CampaignState
        Is not changed.
    tests : sequence of StopTest
        They share the draws.
    horizon : int
        Look no further than so many judgments.
    draws : int
        Time is in proportion to `draws` times `horizon`.
    test_every : int
        Ask the tests after so many judgments each; answers are multiples of it, but for the last.
    seed : int
        The same seed and judgments, the same forecast.
    pairs : sequence of pairs of runs, by index
        Each is asked by itself: when do the bounds of their difference decide it? Together they take
        little longer than one.
    experience : Experience
        What finished campaigns showed.

    Returns
    -------
    list of Forecast
        One for each test, then one for each pair; 0 where it passes now.

    Raises
    ------
    ValueError
        If a number is below 1 (the seed: 0), or the campaign lacks the runs that a test asks about.

    References
    ----------
    This project's choice.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> from selection.stopping.tests import TopDistinct
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.arange(0, 9), np.arange(9, 18)], 0.5, both)
    >>> from selection.specification import CampaignSpec
    >>> spec = CampaignSpec(runs=2, p=0.5, method="A", scope="campaign", contributing=both)
    >>> state = CampaignState([pool], spec)
    >>> runs = [state.judge(0, document, gain).tolist() for document, gain in [(0, 1.0), (1, 0.0)]]
    >>> [found] = forecast(state, [TopDistinct()], horizon=50, seed=1)
    >>> found.low <= found.median <= found.high
    True
    """
    for name, value in {"horizon": horizon, "draws": draws, "test_every": test_every}.items():
        if value < 1:
            raise ValueError(f"{name} = {value} is below 1")
    if seed < 0:
        raise ValueError(f"seed = {seed} is below 0")
    panels: list[Panel] = [_TestPanel([test.watch(state) for test in tests])]
    if pairs:
        panels.append(SeparatedPairs(state, pairs))
    rates = RelevanceRates(state.setting, experience)
    made = np.array(
        [_one_draw(state, panels, rates, horizon, test_every, (seed, draw)) for draw in range(draws)]
    ).reshape(draws, len(tests) + len(pairs))
    return [_summary(column, horizon) for column in made.T]


class DrawnGains:
    """Gains of one draw, made topic by topic as they are asked for."""

    def __init__(self, state: CampaignState, rates: RelevanceRates, seeds: tuple[int, int]) -> None:
        self._keys, self._rates, self._seeds = state.setting.keys, rates, seeds
        self._effects: DrawnEffects = rates.drawn(np.random.default_rng(seeds))
        self._gains: dict[int, FloatArray] = {}

    def gain(self, topic: int, document: int) -> float:
        if topic not in self._gains:
            generator = np.random.default_rng((*self._seeds, self._keys[topic] if self._keys else topic))
            self._gains[topic] = self._rates.gains(topic, self._effects, generator)
        return float(self._gains[topic][document])


class _TestPanel:
    """Tests as a panel."""

    def __init__(self, watches: Sequence[TestWatch]) -> None:
        self._watches = watches

    def judged(self, act: GainChange) -> None:
        for watch in self._watches:
            watch.judged(act)

    def passed(self) -> BoolArray:
        return np.array([watch.passed() for watch in self._watches], dtype=np.bool_)

    def moved(self, state: CampaignState) -> _TestPanel:
        return _TestPanel([watch.moved(state) for watch in self._watches])


def _one_draw(
    state: CampaignState,
    panels: Sequence[Panel],
    rates: RelevanceRates,
    horizon: int,
    test_every: int,
    seeds: tuple[int, int],
) -> IntArray:
    """Number of judgments until each question is answered: horizon + 1 if later, NEVER if all judgments do
    not answer it."""
    ahead, oracle = state.copy(), DrawnGains(state, rates, seeds)
    return when_passed(
        ahead, [panel.moved(ahead) for panel in panels], oracle.gain, horizon=horizon, test_every=test_every
    )


def when_passed(
    ahead: CampaignState,
    panels: Sequence[Panel],
    gain_of: Callable[[int, int], float],
    *,
    horizon: int,
    test_every: int = 1,
) -> IntArray:
    """Let the state's method ask and `gain_of` (topic, document) answer until all questions are answered.

    int64, one for each question in the panels' order: the judgments after which it was first answered,
    horizon + 1 if that is later, NEVER if it is not though all is judged.
    """
    when: IntArray | None = None
    judged = 0
    while True:
        choice = ahead.best() if judged < horizon else None
        if choice is None or judged % test_every == 0:
            passed = np.concatenate([panel.passed() for panel in panels])
            when = np.full(len(passed), NEVER) if when is None else when
            when[passed & (when == NEVER)] = judged
            if choice is None or (when != NEVER).all():
                break
        gain = gain_of(choice.topic, choice.document)
        ahead.judge(choice.topic, choice.document, gain)
        for panel in panels:
            panel.judged(GainChange(choice.topic, choice.document, None, gain))
        judged += 1
    if judged == horizon and ahead.best() is not None:
        when[when == NEVER] = horizon + 1
    return when


def _summary(made: IntArray, horizon: int) -> Forecast:
    low, median, high = (None if value > horizon else int(value) for value in low_median_high(made).tolist())
    passed, exhausted = float((made <= horizon).mean()), float((made == NEVER).mean())
    return Forecast(median, low, high, horizon, len(made), passed, exhausted)
