"""A topic's statAP sample: drawn once, and found again in a pool that has changed since."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import IntArray
from selection.framework.drawn import Drawn
from selection.framework.interface import Setting
from selection.methods.ap_prior import document_prior
from selection.methods.stevens import stevens
from selection.pool import TopicPool


def sample_of(setting: Setting, topic: int, size: int) -> Drawn:
    """The sample given with the setting, else one drawn from the topic's pool: always the same for the same
    seed, topic and runs. Empty if no run that contributes ranks the topic."""
    given = setting.samples.get(topic)
    if given is not None:
        return given
    pool = setting.pools[topic]
    buckets = stevens(document_prior(pool, setting.contributing), size)
    places = buckets.draw(setting.generator(topic, "statap"))
    bucket = buckets.bucket[places]
    return Drawn(
        pool.documents[buckets.order[places]],
        buckets.inclusion()[places],
        bucket,
        buckets.mass[bucket],
        size,
    )


def places_of(drawn: Drawn, pool: TopicPool) -> tuple[IntArray, IntArray]:
    """Which of the sample's documents the pool still holds, as indices of the sample, and where."""
    by_id = np.argsort(pool.documents)
    found = np.searchsorted(pool.documents, drawn.documents, sorter=by_id)
    held = np.flatnonzero(found < len(pool))
    place = by_id[found[held]]
    same = pool.documents[place] == drawn.documents[held]
    return held[same], place[same]
