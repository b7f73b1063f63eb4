"""Probabilities of relevance for a topic's unjudged documents, by the model that a command is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineTopic
from evaluation.arrays import FloatArray
from evaluation.estimation.relevance import constant_relevance, expert_relevance, smoothed_relevance
from evaluation.measure import ExpectedRankings

Model = Literal["constant", "smoothed", "experts"]
MODELS: tuple[Model, ...] = get_args(Model)
NEUTRAL = 0.5


@dataclass(frozen=True)
class Relevance:
    """`p` is that of the constant model. The experts' is an approximation."""

    model: Model = "constant"
    p: float = NEUTRAL

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ValueError(f"no model is called {self.model!r}; there are {', '.join(MODELS)}")
        if not 0 <= self.p <= 1:
            raise ValueError(f"p = {self.p} is outside [0, 1]")

    def expected(self, topic: OfflineTopic, grading: Grading) -> ExpectedRankings:
        """The topic's whole pool: what any run ranks, and what the qrels name besides."""
        ranked = set(topic.docnos)
        others = [grade for docno, grade in topic.grades.items() if docno not in ranked]
        open_ = np.full(len(topic.not_judged - ranked), np.nan)
        gains = np.r_[topic.gains(grading), [grading.gain(grade) for grade in others], open_]
        judged = np.where(np.isnan(gains), np.nan, gains > 0)
        return ExpectedRankings(topic.rankings, self._of(topic, judged))

    def _of(self, topic: OfflineTopic, judged: FloatArray) -> FloatArray:
        if self.model == "constant":
            return constant_relevance(judged, self.p)
        if self.model == "smoothed":
            return smoothed_relevance(judged)
        return expert_relevance(topic.rankings, judged)
