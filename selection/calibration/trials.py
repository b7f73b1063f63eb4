"""Trials of forecasts and plans on replayed campaigns, whose outcome is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Protocol

import numpy as np

from evaluation.arrays import IntArray
from evaluation.comparison.pair_decisions import leaders
from selection.calibration.coverage import Coverage, Trial, coverage_of
from selection.calibration.past_campaigns import (
    KnownCampaign,
    PastTopic,
    TrialSetting,
    draw_setting,
    known_campaign,
)
from selection.simulation.forecast import COVERAGE, NEVER, Forecast, forecast, when_passed
from selection.simulation.planning import (
    PLAN_DRAWS,
    PlannedNumber,
    PlanTarget,
    planned_number,
    simulated_trajectories,
    trajectory_of,
    with_judgments,
)
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience
from selection.state import CampaignState
from selection.stopping.tests import SeparatedPairs

# Of the pairs among so many of the best runs that are open at the moment, so many are asked about.
BEST_RUNS, ASKED_PAIRS = 10, 4
HORIZON = 1500
DRAWS = 20
# Settings without an open pair, one after the other, before it is given up.
SETTING_TRIES = 200


@dataclass(frozen=True, kw_only=True)
class ForecastOutcome:
    """`true`: judgments after which it was in fact so; None: not within the horizon."""

    forecast: Forecast | PlannedNumber
    true: int | None

    @property
    def side(self) -> int:
        """0: the interval holds the true number; -1: it came earlier; 1: later."""
        low, high, true = (
            NEVER if value is None else value for value in (self.forecast.low, self.forecast.high, self.true)
        )
        return (true > high) - (true < low)


@dataclass(frozen=True, kw_only=True)
class PairCase(ForecastOutcome):
    """Forecast of the judgments until a pair of runs is decided, and its outcome."""

    setting: TrialSetting
    pair: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Moment:
    """A campaign at the moment of a forecast, pairs that are open then, and when they are decided."""

    setting: TrialSetting
    state: CampaignState
    pairs: tuple[tuple[int, int], ...]
    true: IntArray


def moment_of(
    topics: Sequence[PastTopic], setting: TrialSetting, generator: np.random.Generator
) -> Moment | None:
    """None where no pair of the best is open."""
    known = known_campaign(topics, setting)
    state = known.moment()
    if state is None:
        return None
    best = sorted(leaders(state.mean_bounds()[0], min(BEST_RUNS, len(setting.runs))).tolist())
    pairs = tuple(combinations(best, 2))
    open_ = np.flatnonzero(~SeparatedPairs(state, pairs).passed())
    if not len(open_):
        return None
    some = generator.choice(open_, min(ASKED_PAIRS, len(open_)), replace=False)
    asked = tuple(pairs[at] for at in sorted(some.tolist()))
    ahead = state.copy()
    true = when_passed(ahead, [SeparatedPairs(ahead, asked)], known.gain, horizon=HORIZON)
    return Moment(setting, state, asked, true)


def cases_of(moment: Moment, *, draws: int, seed: int, experience: Experience) -> list[PairCase]:
    forecasts = forecast(
        moment.state,
        [],
        horizon=HORIZON,
        draws=draws,
        test_every=1,
        seed=seed,
        pairs=moment.pairs,
        experience=experience,
    )
    return [
        PairCase(setting=moment.setting, pair=pair, forecast=one, true=None if true > HORIZON else true)
        for pair, one, true in zip(moment.pairs, forecasts, moment.true.tolist(), strict=True)
    ]


def drawn_cases(
    topics: Sequence[PastTopic],
    among: tuple[IntArray, IntArray],
    *,
    cases: int,
    draws: int = DRAWS,
    seed: int,
    experience: Experience = NO_EXPERIENCE,
    progress: Callable[[int], object] = lambda count: None,
) -> Iterator[PairCase]:
    """So many cases of campaigns drawn among these runs and topics; the same seed, the same cases.

    ValueError if hardly any campaign has an open pair to ask about.
    """
    generator, count, vain = np.random.default_rng(seed), 0, 0
    while count < cases:
        moment = moment_of(topics, draw_setting(generator, *among), generator)
        if moment is None:
            vain += 1
            if vain > SETTING_TRIES + 10 * count:
                raise ValueError("these runs leave no pair open to forecast about")
            continue
        asked = cases_of(moment, draws=draws, seed=seed + count, experience=experience)
        batch = asked[: cases - count]
        count += len(batch)
        progress(count)
        yield from batch


def median_ratio(cases: Sequence[ForecastOutcome]) -> float | None:
    """Median of forecast / true number, of cases that have both."""
    ratios = [case.forecast.median / case.true for case in cases if case.forecast.median and case.true]
    return float(np.median(ratios)) if ratios else None


PLANNED_METHODS = ("pooling", "A", "C", "maxmean")
BUDGET = 1500
PLAN_TARGETS = (
    *(PlanTarget("residual", wanted) for wanted in (0.3, 0.2, 0.1, 0.05)),
    *(PlanTarget("tau", wanted) for wanted in (0.7, 0.8, 0.9)),
)


@dataclass(frozen=True, kw_only=True)
class PlanCase(ForecastOutcome):
    """`known`: the judgments by which it was planned."""

    forecast: PlannedNumber
    setting: TrialSetting
    known: int
    method: str
    target: PlanTarget


def plan_cases(
    campaign: KnownCampaign,
    *,
    seed: int,
    draws: int = PLAN_DRAWS,
    budget: int = BUDGET,
    experience: Experience = NO_EXPERIENCE,
) -> list[PlanCase]:
    """Plans before the first judgment and, if the budget is larger, after the setting's judgments, for each
    method and each target not reached by then, with their outcomes."""
    setting, cases = campaign.setting, list[PlanCase]()
    moments = ((0, campaign.state()), (setting.judged, campaign.moment()))
    for method in PLANNED_METHODS:
        for known, state in moments:
            if state is None or known >= budget:
                continue
            begun = with_judgments(state, campaign.state(method))
            truth = trajectory_of(begun.copy(), campaign.gains, budget=budget)
            simulated = simulated_trajectories(
                state, begun, budget=budget, seed=seed, draws=draws, experience=experience
            )
            trajectories = list(simulated)
            cases += [
                PlanCase(
                    forecast=planned_number(target, trajectories, budget),
                    true=_whole(target.reached(truth)),
                    setting=setting,
                    known=known,
                    method=method,
                    target=target,
                )
                for target in PLAN_TARGETS
                if target.reached(truth) != 0
            ]
    return cases


def _whole(reached: float | None) -> int | None:
    return None if reached is None else int(np.ceil(reached))


def drawn_plans(
    topics: Sequence[PastTopic],
    among: tuple[IntArray, IntArray],
    *,
    campaigns: int,
    seed: int,
    draws: int = PLAN_DRAWS,
    experience: Experience = NO_EXPERIENCE,
    progress: Callable[[int], object] = lambda count: None,
) -> Iterator[PlanCase]:
    """Plans of so many campaigns drawn among these runs and topics; the same seed gives the same cases."""
    generator = np.random.default_rng(seed)
    for number in range(campaigns):
        campaign = known_campaign(topics, draw_setting(generator, *among))
        yield from plan_cases(campaign, seed=seed + number, draws=draws, experience=experience)
        progress(number + 1)


# Of the statements of stop advice and planner: what they promise, and how far below it a row may be.
ADVISED, TOLERANCE = COVERAGE, 0.03


def forecast_coverage(cases: Sequence[PairCase], trial: Trial) -> list[Coverage]:
    """Rows for stop advice: of pairs that are decided within the horizon, and of all."""
    statement = "80% interval of the judgments until a pair is decided"
    within = [case for case in cases if case.true is not None]
    rows = []
    for regime, some in {"decided within the horizon": within, "any": cases}.items():
        rows += _advised(statement, some, regime, trial)
    return rows


def plan_coverage(cases: Sequence[PlanCase], trial: Trial) -> list[Coverage]:
    """Rows for the planner, by target and by whether anything was judged, of plans that state a number,
    whose share is `stated`."""
    rows = []
    for kind, name in {"residual": "a mean residual", "tau": "a τ"}.items():
        statement = f"80% interval of the judgments until {name} is reached"
        for regime, some in {"before any judgment": False, "after 1 to 30 judgments a topic": True}.items():
            asked = [case for case in cases if case.target.kind == kind and (case.known > 0) == some]
            stated = [case for case in asked if case.forecast.tells]
            if stated:
                [row] = _advised(statement, stated, regime, trial)
                rows.append(replace(row, stated=len(stated) / len(asked), ratio=median_ratio(stated)))
    return rows


def _advised(
    statement: str, cases: Sequence[PairCase | PlanCase], regime: str, trial: Trial
) -> list[Coverage]:
    return coverage_of(
        statement,
        held_by_campaign(cases),
        regime=regime,
        nominal=ADVISED,
        tolerance=TOLERANCE,
        at_least=True,
        trial=trial,
    )


class SettledOutcome(Protocol):
    """A forecast's outcome in a campaign of this setting."""

    @property
    def setting(self) -> TrialSetting: ...

    @property
    def side(self) -> int: ...


def held_by_campaign(cases: Sequence[SettledOutcome]) -> list[list[bool]]:
    """Coverage by campaign: for each interval, true if it holds its number."""
    groups: dict[TrialSetting, list[bool]] = {}
    for case in cases:
        groups.setdefault(case.setting, []).append(case.side == 0)
    return list(groups.values())
