"""The calibrated relevance model, fitted to runs and qrels from files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from evaluation.arrays import FloatArray, IntArray
from selection.pool import build_topic_pool
from selection.simulation.precision_draws import CAUTION, DrawnPrecision, PrecisionDraws
from selection.specification import CampaignSpec
from selection.state import CampaignState


class FittedRelevance:
    """The calibrated model, fitted to all topics of a campaign."""

    def __init__(self, campaign: JudgedCollection, grading: Grading) -> None:
        contributing = np.ones(len(campaign.runs), dtype=np.bool_)
        self._place = {topic.number: place for place, topic in enumerate(campaign.topics)}
        known = [_known(topic, grading) for topic in campaign.topics]
        # The persistence weighs documents for their choice alone, and none is chosen here.
        self._pools = [
            build_topic_pool(
                topic.rankings, 0.8, contributing, unranked=np.arange(len(gains), dtype=np.int32)
            )
            for topic, gains in zip(campaign.topics, known, strict=True)
        ]
        state = CampaignState(
            self._pools,
            CampaignSpec(
                runs=len(campaign.runs), p=0.8, method="A", scope="campaign", contributing=contributing
            ),
        )
        for place, (pool, gains) in enumerate(zip(self._pools, known, strict=True)):
            by_index = gains[pool.documents]
            for document in np.flatnonzero(~np.isnan(by_index)).tolist():
                state.setting.judgments.set(place, document, float(by_index[document]))
        self._draws = PrecisionDraws(state.setting)

    def relevance(self, topic: JudgedTopic, judged: FloatArray) -> FloatArray:
        """Relevance by id, 0 for documents that no run ranks; 0 or 1 for the `judged` (documents,)."""
        place = self._place[topic.number]
        relevance = np.zeros(len(judged))
        relevance[self._pools[place].documents] = self._draws.relevance(place)
        return np.where(np.isnan(judged), relevance, judged)

    def calibrated(self, relevance: FloatArray, judged: FloatArray) -> FloatArray:
        """Share of `relevance` that EAP(calibrated) counts; both (documents,)."""
        return np.where(np.isnan(judged), CAUTION * relevance, relevance)

    def precision(self, runs: IntArray, progress: Callable[[], object]) -> DrawnPrecision:
        """`progress` is called after each topic."""
        return self._draws.precision(runs, progress)


def _known(topic: JudgedTopic, grading: Grading) -> FloatArray:
    """Gains by id, NaN where not judged; last those of documents that the qrels name and no run ranks."""
    ranked = set(topic.docnos)
    others = [grading.gain(grade) for docno, grade in topic.grades.items() if docno not in ranked]
    return np.concatenate([topic.gains(grading), others])
