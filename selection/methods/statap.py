"""statAP sampling: a few documents of each topic, chosen by lot before any is judged (Carterette et al.
2008, section 2.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from selection.framework.drawn import Drawn
from selection.framework.fixed import FixedOrder, FixedTopic
from selection.framework.interface import Setting
from selection.framework.topicwise import Topicwise
from selection.methods.ap_prior import prior_shares
from selection.methods.drawing import places_of, sample_of
from selection.rounding import significant


@dataclass(frozen=True)
class StatapOptions:
    """size : how many documents of each topic are drawn"""

    size: int = 40

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size = {self.size} is below 1")


class Statap(Topicwise):
    """Serves each topic's sample and nothing else; what is judged otherwise does not change it.

    The order is random, so that the documents judged of a topic broken off midway are again a sample, if
    with smaller probabilities than those given. Topics are served in rounds.
    """

    def __init__(self, setting: Setting, options: StatapOptions) -> None:
        self._size = options.size
        super().__init__(setting, self._make, rounds=True)

    def drawn(self, topic: int) -> Drawn:
        return sample_of(self._setting, topic, self._size)

    def _make(self, setting: Setting, topic: int) -> FixedTopic:
        return FixedTopic(setting, topic, statap_order(setting, topic, self._size))


def statap_order(setting: Setting, topic: int, size: int) -> FixedOrder:
    """A document weighs the share of the sample that is left when its turn comes. A run's share is its part
    of the prior by which the document was drawn, not of the weight.

    Documents of the sample that no run ranks any longer are not to be had.
    """
    drawn, pool = sample_of(setting, topic, size), setting.pools[topic]
    which, places = places_of(drawn, pool)
    left = (len(drawn.documents) - which) / max(len(drawn.documents), 1)
    shares = prior_shares(pool, setting.contributing)
    return FixedOrder(places, significant(np.asarray(left)), drawn.inclusion[which], shares)
