"""Stop when the calibrated confidence in mean average precision orders the best runs."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import IntArray
from evaluation.comparison.pair_decisions import leaders
from selection.judgments import GainChange
from selection.simulation.precision_draws import PrecisionDraws
from selection.state import CampaignState
from selection.stopping.tests import PairIndices, TestWatch, check_pairs

# Judgments since the model was last fitted, as a share of those before, after which it is fitted again.
NEWS = 0.02


@dataclass(frozen=True)
class CalibratedPairs:
    """Each of the pairs is ordered with at least this confidence (`DrawnPrecision.confidence`).

    The model is fitted when the test is asked, and again once a fiftieth more judgments came: until then the
    last answer is valid.

    confidence : inside (0.5, 1)
    k : the pairs are those among the runs that now are the k best by RBP's base
    pairs : these instead, by index of run
    """

    confidence: float
    k: int = 5
    pairs: PairIndices = ()

    def __post_init__(self) -> None:
        if not 0.5 < self.confidence < 1:
            raise ValueError(f"confidence = {self.confidence} is not inside (0.5, 1)")

    def watch(self, state: CampaignState) -> TestWatch:
        if self.pairs:
            check_pairs(self.pairs, state.setting.runs)
        else:
            leaders(state.mean_bounds()[0], self.k)  # refuses what k cannot be
        return _CalibratedWatch(state, self)


class _CalibratedWatch:
    def __init__(self, state: CampaignState, test: CalibratedPairs) -> None:
        self._state, self._test = state, test
        self._news, self._patience = 0, 0.0
        self._passed: bool | None = None

    def judged(self, act: GainChange) -> None:
        self._news += 1

    def passed(self) -> bool:
        if self._passed is None or (self._news and self._news >= self._patience):
            self._passed = self._ask()
            self._news, self._patience = 0, NEWS * self._judged
        return self._passed

    def moved(self, state: CampaignState) -> TestWatch:
        other = copy(self)
        other._state = state
        return other

    @property
    def _judged(self) -> int:
        judgments = self._state.setting.judgments
        return sum(len(judgments.judged_in(topic)) for topic in range(len(self._state.pools)))

    def _ask(self) -> bool:
        runs = self._runs()
        confidence = PrecisionDraws(self._state.setting).precision(runs).confidence()
        ordered = np.maximum(confidence, confidence.T) >= self._test.confidence
        if not self._test.pairs:
            np.fill_diagonal(ordered, True)
            return bool(ordered.all())
        place = np.searchsorted(runs, np.array(self._test.pairs))
        return bool(ordered[place[:, 0], place[:, 1]].all())

    def _runs(self) -> IntArray:
        if self._test.pairs:
            return np.unique(np.array(self._test.pairs))
        return np.sort(leaders(self._state.mean_bounds()[0], self._test.k))
