"""A judged campaign under another method, answered by the judgments it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from evaluation.arrays import FloatArray
from selection.pool import TopicPool
from selection.simulation.trajectory import Trajectory, TrajectoryRecorder
from selection.specification import CampaignSpec
from selection.state import CampaignState


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """Two trajectories of the same judgments: in the order they were made, and in the other method's order.

    The other method asks for as many documents as were judged. A judged document answers; one without a
    judgment is passed over, and the method learns nothing from it.

    actual : Trajectory, of all judgments
    other : Trajectory; its last `judged` is the number of answers, its last `handled` of documents asked for
    """

    actual: Trajectory
    other: Trajectory

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


def counterfactual(
    pools: Sequence[TopicPool],
    gains: Sequence[FloatArray],
    order: Sequence[tuple[int, int]],
    spec: CampaignSpec,
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
    >>> found.actual.base[-1].tolist(), found.other.base[-1].tolist()
    ([0.5, 0.0], [0.5, 0.0])
    """
    _check(gains, order)

    other = _JudgedState(CampaignState(pools, spec), gains)
    other.follow(islice(_choices(other.state), len(order)))
    # Whatever asked in truth, the order of the judgments is given: only the bounds are needed.
    actual = _JudgedState(CampaignState(pools, replace(spec, method="A", options=None)), gains)
    actual.follow(order)
    return Counterfactual(actual.trajectory(), other.trajectory())


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


def _choices(state: CampaignState) -> Iterator[tuple[int, int]]:
    """Choices of the state's method, as long as each is judged or passed over before the next."""
    while (choice := state.best()) is not None:
        yield choice.topic, choice.document


class _JudgedState:
    """A state that is judged, and its frames."""

    def __init__(self, state: CampaignState, gains: Sequence[FloatArray]) -> None:
        self.state = state
        self._gains, self._judged, self._relevant, self._handled = gains, 0, 0, 0
        self._recorder = TrajectoryRecorder()
        self._recorder.note(state, 0, 0, 0)

    def follow(self, asked: Iterable[tuple[int, int]]) -> None:
        for topic, document in asked:
            self._handled += 1
            gain = float(self._gains[topic][document])
            if np.isnan(gain):
                self.state.pass_over(topic, document)
                continue
            self.state.judge(topic, document, gain)
            self._judged += 1
            self._relevant += self.state.setting.relevant(gain)
            self._recorder.note(self.state, self._judged, self._relevant, self._handled)

    def trajectory(self) -> Trajectory:
        return self._recorder.trajectory(self.state, self._judged, self._relevant, self._handled)
