"""Campaigns imagined from their first judgment on: relevance as it may be, given what is known now."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from evaluation.arrays import FloatArray
from selection.pools import Pools
from selection.simulation.planning import Course, course_of
from selection.simulation.relevance_model import RelevanceRates
from selection.state import CampaignState

Gains = Callable[[int], FloatArray]
# Futures of a plan: the least number of which the least and the greatest hold 80 %.
DRAWS = 9


def imagined_courses(
    now: CampaignState, fresh: Callable[[], CampaignState], *, budget: int, seed: int, draws: int = DRAWS
) -> Iterator[Course]:
    """One course after the other of a campaign that begins anew.

    Parameters
    ----------
    now : CampaignState
        The campaign as it stands: the rates of relevance are fitted to its judgments, and what is judged
        keeps its gain. Is not changed.
    fresh : callable
        Makes a campaign of the same runs, topics and documents before its first judgment, of the method that
        is to be tried; of another persistence, its pools are in another order.
    budget, seed, draws : int
        Judgments at the most; of what is drawn: the same seed imagines the same documents relevant, whatever
        the method and the persistence; how many courses.
    """
    rates = RelevanceRates(now.setting)
    for draw in range(draws):
        state = fresh()
        yield course_of(state, imagined_gains(now, state.pools, rates, (seed, draw)), budget=budget)


def imagined_gains(now: CampaignState, pools: Pools, rates: RelevanceRates, seeds: tuple[int, int]) -> Gains:
    """Of one draw, and of a topic: gains (documents,) in [0, 1] by index in `pools`."""
    setting = now.setting
    effects = rates.drawn(np.random.default_rng(seeds))

    def of(topic: int) -> FloatArray:
        key = setting.keys[topic] if setting.keys else topic
        drawn = rates.gains(topic, effects, np.random.default_rng((*seeds, key)))
        known = setting.judgments.gains_of(topic)
        gains = np.where(np.isnan(known), drawn, known)
        if pools is setting.pools:
            return gains
        ids, wanted = setting.pools[topic].documents, pools[topic].documents
        order = np.argsort(ids)
        return np.asarray(gains[order[np.searchsorted(ids[order], wanted)]])

    return of
