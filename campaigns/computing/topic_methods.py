"""The plan by which a campaign's documents are chosen: the method of each topic, its options, and its
earlier draws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db import connection

from campaigns.collection.rankings import DocnoOrder
from campaigns.computing.arrays import CampaignArrays
from campaigns.models import Anchor, Campaign, Sample, Topic
from campaigns.models.campaign import RANDOM_METHODS, Method, Scope, Status
from campaigns.models.packed import unpack_ids, unpack_runs, unpack_weights
from selection.framework.interface import FrozenJudgments, StatapSample, Texts
from selection.pool import Ids
from selection.randomness import topic_key
from selection.registry import method_entry
from selection.specification import CampaignSpec, MethodSpec
from selection.state import CampaignState


@dataclass(frozen=True, eq=False)
class Plan:
    """topics and numbers : of the campaign, in order; chosen : one for each of them; anchors : documents by
    topic id, in the order of the draws; anchor_count : how many there are to be; frozen : by topic id."""

    topics: tuple[int, ...]
    numbers: tuple[str, ...]
    chosen: tuple[MethodSpec, ...]
    samples: dict[int, StatapSample]
    texts: Texts | None
    anchors: dict[int, Ids] = field(default_factory=dict)
    anchor_count: int = 0
    frozen: dict[int, FrozenJudgments] = field(default_factory=dict)

    @property
    def whole_collection(self) -> frozenset[int]:
        """Topics in which any document of the collection may be served."""
        return frozenset(
            topic
            for topic, one in zip(self.topics, self.chosen, strict=True)
            if method_entry(one.method).unranked
        )

    @property
    def sampled(self) -> set[int]:
        """Topics that are served from a random sample."""
        chosen = zip(self.topics, self.chosen, strict=True)
        return {topic for topic, one in chosen if one.method in RANDOM_METHODS}

    @property
    def wants_anchors(self) -> bool:
        """Return whether anchors are to be drawn that this copy does not know."""
        return bool(self.anchor_count) and not self.anchors

    def anchors_by(self, topics: Sequence[int]) -> dict[int, Ids]:
        """Return anchors by the index of these topics. A topic that got a sample since serves none: they
        would disturb it."""
        left_out = self.sampled
        return {
            index: self.anchors[topic]
            for index, topic in enumerate(topics)
            if topic in self.anchors and topic not in left_out
        }

    def method(self, topic: int) -> str:
        """Return the method of a topic, given by index."""
        return self.chosen[topic].method


def load_plan(campaign: Campaign) -> Plan:
    rows = Topic.objects.filter(campaign=campaign).order_by("position")
    topics = list(rows.only("id", "number", "method", "options", "sampled_from"))
    chosen = tuple(method_spec_for(campaign, topic) for topic in topics)
    reads = any(method_entry(one.method).unranked for one in chosen)
    return Plan(
        tuple(topic.id for topic in topics),
        tuple(topic.number for topic in topics),
        chosen,
        {} if campaign.status == Status.DRAFT else stored_samples(topics),
        _texts(campaign) if reads else None,
        stored_anchors(campaign.id) if campaign.anchors else {},
        campaign.anchors,
        frozen_judgments(campaign, topics),
    )


def _texts(campaign: Campaign) -> Texts:
    from campaigns.computing.texts import load_texts  # scikit-learn takes seconds to import, few need it

    return load_texts(campaign)


def method_spec_for(campaign: Campaign, topic: Topic) -> MethodSpec:
    if topic.method:
        return MethodSpec(topic.method, topic.options)
    return MethodSpec(campaign.method, campaign.options)


_FROZEN = """
WITH held AS (
  SELECT DISTINCT ON (j.topic_id, j.document_id, j.assessor_id) j.topic_id, j.document_id, j.grade
  FROM campaigns_judgment j JOIN campaigns_topic t ON t.id = j.topic_id
  WHERE t.id = ANY(%s) AND j.sequence <= t.sampled_from
  ORDER BY j.topic_id, j.document_id, j.assessor_id, j.sequence DESC)
SELECT topic_id, array_agg(DISTINCT document_id) FROM held WHERE grade IS NOT NULL GROUP BY topic_id
"""


def frozen_judgments(campaign: Campaign, topics: Sequence[Topic]) -> dict[int, FrozenJudgments]:
    """Read, by topic id, what was judged when a topic's sample began."""
    since = {
        topic.id: topic.sampled_from
        for topic in topics
        if topic.sampled_from and method_spec_for(campaign, topic).method == Method.SAMPLE
    }
    if not since:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_FROZEN, [list(since)])
        judged = dict(cursor.fetchall())
    return {
        topic: FrozenJudgments(np.array(judged.get(topic, []), dtype=np.int32), moment)
        for topic, moment in since.items()
    }


def stored_samples(topics: Sequence[Topic]) -> dict[int, StatapSample]:
    """Read samples by topic id. A draft's are drawn again with every change."""
    return {row.topic_id: unpack_sample(row) for row in Sample.objects.filter(topic__in=topics)}


def stored_anchors(campaign: int) -> dict[int, Ids]:
    """Documents by topic id, in the order of the draws."""
    anchors: defaultdict[int, list[int]] = defaultdict(list)
    rows = Anchor.objects.filter(topic__campaign=campaign).order_by("place")
    for topic, document in rows.values_list("topic_id", "document_id"):
        anchors[topic].append(document)
    return {topic: np.array(ids, dtype=np.int32) for topic, ids in anchors.items()}


def unpack_sample(row: Sample) -> StatapSample:
    return StatapSample(
        unpack_ids(row.documents),
        unpack_weights(row.inclusion),
        unpack_runs(row.buckets),
        unpack_weights(row.masses),
        row.size,
    )


def make_state(campaign: Campaign, plan: Plan, arrays: CampaignArrays) -> CampaignState:
    """`arrays` are of the plan's topics."""
    own = MethodSpec(campaign.method, campaign.options)
    places = {topic: index for index, topic in enumerate(plan.topics)}
    return CampaignState(
        arrays.pools,
        CampaignSpec(
            runs=len(arrays.runs),
            p=campaign.p,
            method=own.method,
            options=own.options,
            topic_methods={index: one for index, one in enumerate(plan.chosen) if one != own},
            scope="campaign" if campaign.scope == Scope.CAMPAIGN else "topic",
            contributing=arrays.contributing,
            groups=arrays.groups,
            batch=campaign.batch,
            seed=campaign.seed,
            keys=[topic_key(number) for number in plan.numbers],
            threshold=campaign.threshold,
            samples={places[topic]: drawn for topic, drawn in plan.samples.items()},
            frozen={places[topic]: judged for topic, judged in plan.frozen.items()},
            anchors=plan.anchors_by(plan.topics),
            texts=plan.texts,
            origin=campaign.collection.origin,
            serving_order=campaign.serving_order,  # type: ignore[arg-type]  # one of its choices
            sort_key=DocnoOrder(campaign.collection_id),
        ),
    )
