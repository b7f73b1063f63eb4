"""Experience of a finished campaign: how much more often than expected its later documents were relevant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import scipy

from evaluation.arrays import FloatArray, IntArray
from selection.simulation.relevance.prior import CAMPAIGN_VARIANCE, NO_EXPERIENCE, Experience
from selection.simulation.relevance.relevance_model import (
    SHIFT_DEVIATION,
    SLOPE_SHIFT_DEVIATION,
    RelevanceRates,
)
from selection.state import CampaignState

# Versions of the model over which a document's probability is averaged.
DRAWS = 16
LEAST_PROBABILITY = 1e-4

# By topic, documents by pool index, and whether each turned out relevant.
LaterJudgments = Mapping[int, tuple[IntArray, FloatArray]]


def experience_of(
    state: CampaignState, later: LaterJudgments, *, seed: int, expected: Experience = NO_EXPERIENCE
) -> Experience:
    """The level and slope by which the model missed what was judged later.

    Parameters
    ----------
    state : CampaignState
        The campaign at an earlier moment. Is not changed.
    later : mapping of topic to (documents, relevant)
        Documents that are unjudged in `state`, by pool index, and 0.0 or 1.0 for each. Any choice of them
        will do that depends on ranks and earlier judgments only.
    seed : int
        At least 0.
    expected : Experience
        By which the model is fitted.

    Returns
    -------
    Experience
        Of greatest posterior probability, level and slope being as near 0 before as the model's shifts are;
        both 0 without documents.

    References
    ----------
    This project's choice: logistic recalibration with the model's own logit as offset.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.arange(0, 9), np.arange(9, 18)], 0.5, both)
    >>> from selection.specification import CampaignSpec
    >>> spec = CampaignSpec(runs=2, p=0.5, method="A", scope="campaign", contributing=both)
    >>> state = CampaignState([pool], spec)
    >>> found = experience_of(state, {0: (np.arange(18), np.ones(18))}, seed=0)
    >>> found.level > 0
    True
    """
    rates, generator = RelevanceRates(state.setting, expected), np.random.default_rng(seed)
    samples = rates.sampled(DRAWS, generator)
    offsets, supports, labels = [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
    for topic, (documents, relevant) in sorted(later.items()):
        chance = rates.sampled_probabilities(topic, documents, samples, generator).mean(axis=1)
        offsets.append(scipy.special.logit(np.clip(chance, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)))
        supports.append(rates.support(topic, documents))
        labels.append(relevant)
    offset, label = np.concatenate(offsets), np.concatenate(labels)
    design = np.column_stack([np.ones(len(offset)), np.concatenate(supports)])
    deviation = np.array([SHIFT_DEVIATION, SLOPE_SHIFT_DEVIATION])

    def loss(shift: FloatArray) -> tuple[float, FloatArray]:
        logits, away = offset + design @ shift, shift / deviation
        value = (np.logaddexp(0, logits) - label * logits).sum() + away @ away / 2
        return float(value), design.T @ (scipy.special.expit(logits) - label) + away / deviation

    level, slope = scipy.optimize.minimize(loss, np.zeros(2), jac=True, method="L-BFGS-B").x
    return Experience(float(level), float(slope), expected.prior, campaigns=1)


def pooled_experience(campaigns: Sequence[Experience]) -> Experience:
    """Pool the experience of several finished campaigns: their mean, drawn towards none if they are few.

    >>> found = pooled_experience([Experience(0.6, -0.3)])
    >>> found.level, found.slope, found.campaigns
    (0.2, -0.1, 1)
    """
    if not campaigns:
        return NO_EXPERIENCE
    count = len(campaigns) + CAMPAIGN_VARIANCE
    level = sum(one.level for one in campaigns) / count
    slope = sum(one.slope for one in campaigns) / count
    return Experience(round(level, 12), round(slope, 12), campaigns[0].prior, len(campaigns))
