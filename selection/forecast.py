"""How many more judgments until a stop test passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.acts import Act
from selection.relevance_rates import Effects, RelevanceRates
from selection.state import CampaignState
from selection.stopping import StopTest, Watch

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Forecast:
    """Further judgments: the median, and an interval that holds 80 % of what was drawn.

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
) -> list[Forecast]:
    """Let the campaign go on, many times, with assessors whose judgments are drawn at random.

    Each draw takes a version of `RelevanceRates` and a gain for every document by it, and lets the state's
    own method ask until all tests have passed.

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

    Returns
    -------
    list of Forecast
        One for each test; 0 where it passes now.

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
    >>> from selection.stopping import TopDistinct
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.arange(0, 9), np.arange(9, 18)], 0.5, both)
    >>> state = CampaignState([pool], runs=2, p=0.5, method="A", scope="campaign", contributing=both)
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
    watches = [test.watch(state) for test in tests]
    rates = RelevanceRates(state.setting)
    made = np.array(
        [_one_draw(state, watches, rates, horizon, test_every, (seed, draw)) for draw in range(draws)]
    ).reshape(draws, len(tests))
    return [_summary(column, horizon) for column in made.T]


class _Oracle:
    """Gains of one draw, made topic by topic as they are asked for."""

    def __init__(self, state: CampaignState, rates: RelevanceRates, seeds: tuple[int, int]) -> None:
        self._keys, self._rates, self._seeds = state.setting.keys, rates, seeds
        self._effects: Effects = rates.drawn(np.random.default_rng(seeds))
        self._gains: dict[int, FloatArray] = {}

    def gain(self, topic: int, document: int) -> float:
        if topic not in self._gains:
            generator = np.random.default_rng((*self._seeds, self._keys[topic] if self._keys else topic))
            self._gains[topic] = self._rates.gains(topic, self._effects, generator)
        return float(self._gains[topic][document])


def _one_draw(
    state: CampaignState,
    watches: Sequence[Watch],
    rates: RelevanceRates,
    horizon: int,
    test_every: int,
    seeds: tuple[int, int],
) -> list[int]:
    """When each test first passes: horizon + 1 if later, NEVER if it does not though all is judged."""
    ahead, oracle = state.copy(), _Oracle(state, rates, seeds)
    following = [watch.moved(ahead) for watch in watches]
    when: dict[int, int] = {}
    judged, last = 0, horizon + 1
    while True:
        choice = ahead.best() if judged < horizon else None
        if choice is None or judged % test_every == 0:
            when |= {at: judged for at, w in enumerate(following) if at not in when and w.passed()}
        if choice is None or len(when) == len(watches):
            break
        gain = oracle.gain(choice.topic, choice.document)
        ahead.judge(choice.topic, choice.document, gain)
        for watch in following:
            watch.judged(Act(choice.topic, choice.document, None, gain))
        judged += 1
    if judged < horizon or ahead.best() is None:
        last = NEVER
    return [when.get(at, last) for at in range(len(watches))]


def _summary(made: IntArray, horizon: int) -> Forecast:
    low, median, high = (
        None if value > horizon else int(value)
        for value in np.quantile(made, [0.1, 0.5, 0.9], method="inverted_cdf").tolist()
    )
    passed, exhausted = float((made <= horizon).mean()), float((made == NEVER).mean())
    return Forecast(median, low, high, horizon, len(made), passed, exhausted)
