"""Intervals of the differences of runs' statMAP by the samples of a judged collection."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.formats.prels import SampledJudgment
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.corrected import TooEarly
from evaluation.estimation.statap import JudgedSample
from evaluation.estimation.statap_pairs import stat_ap_covariances, stat_map_pairs, too_early_for_pairs


def statap_pairs(collection: JudgedCollection, grading: Grading) -> tuple[FloatArray | None, TooEarly | None]:
    """Half the width of each pair's interval, (runs, runs), from each topic's `drawn`; without it the reason
    if samples are too small for intervals."""
    drawn = [_drawn(topic, topic.drawn, grading) for topic in collection.topics if topic.drawn]
    scores = stat_map_pairs([stat_ap_covariances(ranks, sample) for ranks, sample in drawn])
    early = too_early_for_pairs([sample for _, sample in drawn])
    return (scores.pair_half_widths(), None) if scores and not early else (None, early)


def _drawn(
    topic: JudgedTopic, drawn: Mapping[str, SampledJudgment], grading: Grading
) -> tuple[IntArray, JudgedSample]:
    """Ranks (runs, drawn) of the topic's sample, and the sample."""
    # Documents that no run ranks have no id; sums are in the order of names, whatever the file's.
    docnos, ids = topic.places(sorted(drawn))
    ranked = set(docnos)
    order = [*docnos, *(docno for docno in sorted(drawn) if docno not in ranked)]
    ranks = np.zeros((len(topic.rankings), len(order)), dtype=np.int64)
    ranks[:, : len(ids)] = topic.ranks(np.array(ids, dtype=np.int64))
    known = [(grading.gain(drawn[docno].grade), drawn[docno].inclusion) for docno in order]
    return ranks, JudgedSample(*np.array(known).T)
