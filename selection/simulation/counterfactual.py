"""A judged campaign under another method, answered by the judgments it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.pair_decisions import leaders
from selection.judgments import GainChange
from selection.pool import TopicPool
from selection.simulation.trajectory import Trajectory, TrajectoryRecorder
from selection.specification import CampaignSpec
from selection.state import CampaignState
from selection.stopping.tests import PairIndices, SeparatedPairs

UNDECIDED = -1


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """Two trajectories of the same judgments: in the order they were made, and in the other method's order.

    The other method asks for as many documents as were judged. A judged document answers; one without a
    judgment is passed over, and the method learns nothing from it.

    actual : Trajectory, of all judgments
    other : Trajectory; its last `judged` is the number of answers, its last `handled` of documents asked for
    base, residual : float64 (runs,), the actual means after as many judgments as `other` has at its end
    pairs : the compared pairs of runs, by index
    actual_decided, other_decided : int64 (pairs,), by which number of judgments the bounds of the difference
        decide each pair; `UNDECIDED` where they do not
    """

    actual: Trajectory
    other: Trajectory
    base: FloatArray
    residual: FloatArray
    pairs: PairIndices
    actual_decided: IntArray
    other_decided: IntArray

    @property
    def asked(self) -> int:
        return int(self.other.handled[-1])

    @property
    def judged(self) -> int:
        """Documents asked for that have a judgment."""
        return int(self.other.judged[-1])

    @property
    def unjudged(self) -> int:
        return self.asked - self.judged

    @property
    def decided(self) -> tuple[int, int]:
        """Pairs decided after `judged` judgments: in truth, and under the other method."""
        by = [(of >= 0) & (of <= self.judged) for of in (self.actual_decided, self.other_decided)]
        return int(by[0].sum()), int(by[1].sum())


def counterfactual(
    pools: Sequence[TopicPool],
    gains: Sequence[FloatArray],
    order: Sequence[tuple[int, int]],
    spec: CampaignSpec,
    *,
    compared: Sequence[int] | None = None,
    k: int = 10,
) -> Counterfactual:
    """Let another method ask in a campaign that is judged.

    The judgments are those that another method asked for, so the comparison is biased. Documents that only
    the other method prefers teach it nothing, which makes it look worse. They are passed over at no cost,
    which makes it look better after the same number of judgments: judged documents are more often relevant.

    Parameters
    ----------
    pools
        As for `CampaignState`.
    gains : sequence of float64 arrays, one per topic, shape (pool,)
        Gain in [0, 1] by pool index; NaN = not judged.
    order : sequence of (topic, document)
        The judged documents by pool index, in the order of their judgments.
    spec : CampaignSpec
        The campaign under the other method.
    compared : sequence of int, optional
        The pairs are those among the `k` best of these runs by final base; all runs if None.
    k : int
        At least 2; fewer where there are not so many runs.

    Returns
    -------
    Counterfactual

    Raises
    ------
    ValueError
        If there is no judgment, or `order` names a document twice or one without a gain, and as
        `CampaignState`.

    References
    ----------
    The policy for unjudged documents is that of Moffat, Webber and Zobel 2007, Table 2; the comparison is
    this project's choice.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.array([7, 9]), np.array([9, 8])], 0.5, both)
    >>> pool.documents.tolist()
    [9, 7, 8]
    >>> spec = CampaignSpec(runs=2, p=0.5, method="A", scope="campaign", contributing=both)
    >>> found = counterfactual([pool], [np.array([np.nan, 1.0, 0.0])], [(0, 2), (0, 1)], spec)
    >>> found.asked, found.judged, found.unjudged
    (2, 1, 1)
    >>> found.base.tolist(), found.other.base[-1].tolist()
    ([0.0, 0.0], [0.5, 0.0])
    """
    _check(gains, order)

    plain = replace(spec, method="A", options=None)
    # Whatever asked in truth, the order of the judgments is given: only the bounds are needed.
    final = _judged(CampaignState(pools, plain), gains, order)
    pairs = _pairs(final.mean_bounds()[0], compared, k)
    other = _JudgedState(CampaignState(pools, spec), gains, pairs)
    other.follow(islice(_choices(other.state), len(order)))
    actual = _JudgedState(CampaignState(pools, plain), gains, pairs)
    actual.follow(order[: other.judged])
    base, residual = actual.state.mean_bounds()
    actual.follow(order[other.judged :])
    return Counterfactual(
        actual.trajectory(), other.trajectory(), base, residual, pairs, actual.decided, other.decided
    )


def _check(gains: Sequence[FloatArray], order: Sequence[tuple[int, int]]) -> None:
    if not order:
        raise ValueError("nothing is judged")
    seen = set()
    for topic, document in order:
        if np.isnan(gains[topic][document]):
            raise ValueError(f"document {document} of topic {topic} has no gain")
        if (topic, document) in seen:
            raise ValueError(f"document {document} of topic {topic} is judged twice")
        seen.add((topic, document))


def _judged(
    state: CampaignState, gains: Sequence[FloatArray], order: Iterable[tuple[int, int]]
) -> CampaignState:
    for topic, document in order:
        state.judge(topic, document, float(gains[topic][document]))
    return state


def _pairs(base: FloatArray, compared: Sequence[int] | None, k: int) -> PairIndices:
    among = np.arange(len(base)) if compared is None else np.asarray(compared, dtype=np.int64)
    if len(among) < 2:
        return ()
    best = among[leaders(base[among], min(k, len(among)))]
    return tuple(combinations(best.tolist(), 2))


def _choices(state: CampaignState) -> Iterator[tuple[int, int]]:
    """Choices of the state's method, as long as each is judged or passed over before the next."""
    while (choice := state.best()) is not None:
        yield choice.topic, choice.document


class _JudgedState:
    """A state that is judged, its frames, and when its pairs were decided."""

    def __init__(self, state: CampaignState, gains: Sequence[FloatArray], pairs: PairIndices) -> None:
        self.state = state
        self.judged = 0
        self.decided: IntArray = np.full(len(pairs), UNDECIDED)
        self._gains, self._relevant, self._handled = gains, 0, 0
        self._pairs = SeparatedPairs(state, pairs) if pairs else None
        self._recorder = TrajectoryRecorder()
        self._recorder.note(state, 0, 0, 0)

    def follow(self, asked: Iterable[tuple[int, int]]) -> None:
        for topic, document in asked:
            self._handled += 1
            gain = float(self._gains[topic][document])
            if np.isnan(gain):
                self.state.pass_over(topic, document)
            else:
                self._judge(topic, document, gain)

    def trajectory(self) -> Trajectory:
        return self._recorder.trajectory(self.state, self.judged, self._relevant, self._handled)

    def _judge(self, topic: int, document: int, gain: float) -> None:
        self.state.judge(topic, document, gain)
        self.judged += 1
        self._relevant += self.state.setting.relevant(gain)
        self._recorder.note(self.state, self.judged, self._relevant, self._handled)
        if self._pairs is not None:
            self._pairs.judged(GainChange(topic, document, None, gain))
            self.decided[(self.decided == UNDECIDED) & self._pairs.passed()] = self.judged
