"""Whether forecasts of further judgments come true: on campaigns held again, whose outcome is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.stopping import leaders
from selection.forecast import NEVER, Forecast, forecast, when_passed
from selection.pool import build_topic_pool
from selection.state import CampaignState, Scope
from selection.stopping import PairsApart

# The rates' beliefs were chosen on one half of topics and, where there are many, of runs; forecasts are tried
# on the other.
HALF_SEED, MANY_RUNS = 7, 40
METHODS = ("A", "B", "C", "maxmean")
RUNS = (5, 10, 20, 40)
TOPICS = (10, 20, 40)
PERSISTENCE = (0.5, 0.8, 0.9)
# Judgments per topic made before the forecast, from the start of a campaign to well into it.
MOMENTS = (1.0, 30.0)
# Of the pairs among so many of the best runs that are open at the moment, so many are asked about.
BEST, ASKED = 10, 4
HORIZON = 1500
# Settings without an open pair, one after the other, before it is given up.
TRIES = 200


@dataclass(frozen=True, eq=False)
class Topic:
    """rankings : document ids of each run, None where it misses the topic; gains : (documents,) by id, NaN
    where nobody judged, which counts as 0."""

    rankings: Sequence[IntArray | None]
    gains: FloatArray


@dataclass(frozen=True)
class Setting:
    """A campaign of some of the runs and topics, by index, and how many judgments it has had."""

    runs: tuple[int, ...]
    topics: tuple[int, ...]
    p: float
    method: str
    scope: Scope
    judged: int


@dataclass(frozen=True)
class Case:
    """`true`: judgments after which the pair was in fact decided; None: not within the horizon."""

    setting: Setting
    pair: tuple[int, int]
    forecast: Forecast
    true: int | None

    @property
    def side(self) -> int:
        """0: the interval holds the true number; -1: it came earlier; 1: later."""
        low, high, true = (
            NEVER if value is None else value for value in (self.forecast.low, self.forecast.high, self.true)
        )
        return (true > high) - (true < low)


def halves(runs: int, topics: int) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Runs and topics, by index, on which the beliefs were chosen, and the others."""
    generator = np.random.default_rng(HALF_SEED)
    some, few = generator.permutation(runs), generator.permutation(topics)
    if runs <= MANY_RUNS:
        return (some, few[0::2]), (some, few[1::2])
    return (some[0::2], few[0::2]), (some[1::2], few[1::2])


def draw_setting(generator: np.random.Generator, runs: IntArray, topics: IntArray) -> Setting:
    """At random; of runs and topics, only those given."""
    some = [size for size in RUNS if size < len(runs)] + [min(len(runs), RUNS[-1])]
    few = [size for size in TOPICS if size < len(topics)] + [min(len(topics), TOPICS[-1])]
    chosen = generator.choice(runs, generator.choice(some), replace=False)
    asked = generator.choice(topics, generator.choice(few), replace=False)
    each = np.exp(generator.uniform(*np.log(MOMENTS)))
    return Setting(
        tuple(sorted(chosen.tolist())),
        tuple(sorted(asked.tolist())),
        float(generator.choice(PERSISTENCE)),
        str(generator.choice(METHODS)),
        "campaign" if generator.random() < 0.5 else "topic",
        round(each * len(asked)),
    )


@dataclass(frozen=True, eq=False)
class Moment:
    """A campaign at the moment of a forecast, pairs that are open then, and when they are decided."""

    setting: Setting
    state: CampaignState
    pairs: tuple[tuple[int, int], ...]
    true: IntArray


def moment_of(
    topics: Sequence[Topic], setting: Setting, generator: np.random.Generator, horizon: int = HORIZON
) -> Moment | None:
    """None where no pair of the best is open."""
    truth: list[FloatArray] = []
    pools = []
    contributing = np.ones(len(setting.runs), dtype=np.bool_)
    for index in setting.topics:
        rankings = [topics[index].rankings[run] for run in setting.runs]
        pools.append(build_topic_pool(rankings, setting.p, contributing))
        truth.append(np.nan_to_num(topics[index].gains[pools[-1].documents]))
    state = CampaignState(
        pools,
        runs=len(setting.runs),
        p=setting.p,
        method=setting.method,
        scope=setting.scope,
        contributing=contributing,
    )

    def gain_of(topic: int, document: int) -> float:
        return float(truth[topic][document])

    for _ in range(setting.judged):
        choice = state.best()
        if choice is None:
            return None
        state.judge(choice.topic, choice.document, gain_of(choice.topic, choice.document))
    best = sorted(leaders(*state.mean_bounds(), min(BEST, len(setting.runs))).tolist())
    pairs = tuple(combinations(best, 2))
    open_ = np.flatnonzero(~PairsApart(state, pairs).passed())
    if not len(open_):
        return None
    some = generator.choice(open_, min(ASKED, len(open_)), replace=False)
    asked = tuple(pairs[at] for at in sorted(some.tolist()))
    ahead = state.copy()
    true = when_passed(ahead, [PairsApart(ahead, asked)], gain_of, horizon=horizon)
    return Moment(setting, state, asked, true)


def cases_of(
    moment: Moment, *, draws: int, test_every: int = 1, seed: int = 0, horizon: int = HORIZON
) -> list[Case]:
    found = forecast(
        moment.state, [], horizon=horizon, draws=draws, test_every=test_every, seed=seed, pairs=moment.pairs
    )
    return [
        Case(moment.setting, pair, one, None if true > horizon else true)
        for pair, one, true in zip(moment.pairs, found, moment.true.tolist(), strict=True)
    ]


def drawn_cases(
    topics: Sequence[Topic],
    among: tuple[IntArray, IntArray],
    *,
    cases: int,
    draws: int,
    seed: int,
    horizon: int = HORIZON,
    progress: Callable[[int], object] = lambda made: None,
) -> Iterator[Case]:
    """So many cases of campaigns drawn among these runs and topics; the same seed, the same cases.

    ValueError if hardly any campaign has an open pair to ask about.
    """
    generator, made, vain = np.random.default_rng(seed), 0, 0
    while made < cases:
        moment = moment_of(topics, draw_setting(generator, *among), generator, horizon)
        if moment is None:
            vain += 1
            if vain > TRIES + 10 * made:
                raise ValueError("these runs leave no pair open to forecast about")
            continue
        found = cases_of(moment, draws=draws, seed=seed + made, horizon=horizon)[: cases - made]
        made += len(found)
        progress(made)
        yield from found


@dataclass(frozen=True)
class Calibration:
    """Shares of cases: `held` by the interval, `earlier` and `later` than it; `beyond` the horizon in
    truth, which an interval without an end holds. `held_within`: of the others, the share held. Of the
    cases that have both figures: `bias`, the median of forecast / true number, and `width`, of high / low."""

    cases: int
    held: float
    earlier: float
    later: float
    beyond: float
    held_within: float | None
    bias: float | None
    width: float | None


def calibration_of(cases: Sequence[Case]) -> Calibration:
    side = np.array([case.side for case in cases])
    ratios = [case.forecast.median / case.true for case in cases if case.forecast.median and case.true]
    widths = [
        case.forecast.high / case.forecast.low for case in cases if case.forecast.high and case.forecast.low
    ]
    within = [case.side == 0 for case in cases if case.true is not None]
    return Calibration(
        len(cases),
        float((side == 0).mean()),
        float((side < 0).mean()),
        float((side > 0).mean()),
        float(np.mean([case.true is None for case in cases])),
        float(np.mean(within)) if within else None,
        float(np.median(ratios)) if ratios else None,
        float(np.median(widths)) if widths else None,
    )
