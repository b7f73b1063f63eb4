"""The judged beginning of each topic's random sample, and what was judged before the sample began."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from campaigns.collection.rankings import DocnoOrder
from campaigns.computing.arrays import load_campaign
from campaigns.computing.live import PoolPlaces
from campaigns.computing.topic_methods import Plan, load_plan, make_state
from campaigns.formats.prels import PrelMethod
from campaigns.measurement.search_stratum import come_to, said_of, served_by
from campaigns.models import Campaign, Topic
from campaigns.models.campaign import Method
from selection.framework.options import make_options
from selection.methods.sample import SampleOptions, judged_prefix, sample_order
from selection.pool import Pools


class SampledPrefixes:
    """The topics that method `sample` serves, with reason and probability of each judgment that counts.

    Judgments outside the sample, and those behind its first document without a grade, do not count.
    """

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        methods = Topic.objects.filter(campaign=campaign).values_list("id", "method")
        self.topics = {topic for topic, own in methods if (own or campaign.method) == Method.SAMPLE}
        if self.topics:
            self._plan, order = load_plan(campaign), DocnoOrder(campaign.collection_id)
            self._arrays = load_campaign(campaign, topics=self._plan.topics, sort_key=order)

    def counted(
        self, topic: int, served: Collection[int], searched: Collection[int]
    ) -> dict[int, tuple[PrelMethod, float]]:
        """Method and probability by document id. `served` and `searched`: the documents that have a grade,
        and how they came to it."""
        index = self._plan.topics.index(topic)
        pool, chosen = self._arrays.pools[index], self._plan.chosen[index]
        frozen = {one: documents for one, documents in self._plan.frozen.items() if one == topic}
        plan = Plan((topic,), (self._plan.numbers[index],), (chosen,), {}, None, frozen=frozen)
        arrays = replace(self._arrays, topics=(topic,), pools=Pools.of([pool]))
        state, places = make_state(self._campaign, plan, arrays), PoolPlaces(pool.documents)
        graded = {place for id in (*served, *searched) if (place := places.of(id)) is not None}
        state.restore(state.base, state.residual, {0: dict.fromkeys(graded, 0.0)})
        size = make_options(SampleOptions, chosen.options, Method.SAMPLE).size
        known = np.isin(pool.documents, [*served])
        if searched:
            order = pool.documents[sample_order(state.setting, 0, size).documents].tolist()
            known |= np.isin(pool.documents, [*self._passed(topic, order, searched)])
        drawn, inclusion = judged_prefix(state.setting, 0, size, known)
        sampled = zip(pool.documents[drawn].tolist(), inclusion.tolist(), strict=True)
        counted = {id: (PrelMethod.SAMPLE, float(chance)) for id, chance in sampled}
        certain = {id for sample in frozen.values() for id in sample.documents.tolist()}
        return counted | dict.fromkeys(
            certain.intersection({*served, *searched}), (PrelMethod.OTHERWISE, 1.0)
        )

    def _passed(self, topic: int, order: list[int], searched: Collection[int]) -> set[int]:
        """Documents found by search that the sample has come to."""
        by_sample = served_by(self._campaign, topic, Method.SAMPLE)
        return come_to(order, searched=searched, served=by_sample, answered=said_of(self._campaign, topic))
