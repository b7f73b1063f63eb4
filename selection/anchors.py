"""Anchors: documents of the whole campaign drawn at random by their weight. Their judgments show where the
campaign's level of relevance lies, also in topics that are not begun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from selection.methods.random import random_numbers
from selection.state import CampaignState

PURPOSE = "anchors"


def draw_anchors(
    state: CampaignState, count: int, seed: int, *, topics: Sequence[int] | None = None
) -> list[tuple[int, int]]:
    """Draw documents without replacement, each draw with probability proportional to the Method-A weight.

    The weight is the sum of (1 - p) p**(rank - 1) over the contributing runs, proportional to the mean RBP
    weight that the document still has. Drawn are documents that may still be chosen: unjudged, ranked by a
    contributing run, not passed over, in a topic that is not closed.

    Parameters
    ----------
    state : CampaignState
        Is not changed.
    count : int, at least 0
        How many are drawn; all that there are, if they are fewer.
    seed : int, at least 0
        A document's chance number depends on the seed, its topic's lasting key and its id alone, so a copy
        of the campaign draws the same.
    topics : sequence of int, optional
        Topics drawn from, by index; all if None.

    Returns
    -------
    list of tuples of int
        Topic and pool index, in the order of the draws; (count,) or fewer.

    Raises
    ------
    ValueError
        If `count` or `seed` is below 0.

    References
    ----------
    Efraimidis and Spirakis 2006, section 3: the least of Exp(1) / weight are such draws.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> both = np.array([True, True])
    >>> pools = [build_topic_pool([np.arange(9), np.arange(9)[::-1]], 0.8, both) for _ in range(3)]
    >>> from selection.specification import CampaignSpec
    >>> spec = CampaignSpec(runs=2, p=0.8, method="A", scope="campaign", contributing=both)
    >>> state = CampaignState(pools, spec)
    >>> drawn = draw_anchors(state, 4, seed=1)
    >>> len(set(drawn)), drawn == draw_anchors(state, 4, seed=1)
    (4, True)
    """
    if count < 0 or seed < 0:
        raise ValueError(f"count = {count} or seed = {seed} is below 0")
    setting = replace(state.setting, seed=seed)
    drawn: list[tuple[float, int, int]] = []
    for topic in setting.topics if topics is None else topics:
        pool = setting.pools[topic]
        documents = np.flatnonzero(~setting.judgments.out_of(topic) & (pool.method_a > 0))
        start = int(setting.generator(topic, PURPOSE).integers(2**64, dtype=np.uint64))
        chances = random_numbers(pool.documents[documents] - setting.origin, start)
        keys = -np.log(chances) / pool.method_a[documents]
        least = np.argsort(keys, kind="stable")[:count]
        drawn += [(float(keys[one]), topic, int(documents[one])) for one in least]
    return [(topic, document) for _, topic, document in sorted(drawn)[:count]]
