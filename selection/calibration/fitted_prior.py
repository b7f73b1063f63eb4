"""Prior fitted to one collection: the coefficients that fit it, and the corrections from its finished
campaigns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import block_diag, csr_array, hstack, vstack
from scipy.special import expit

from evaluation.arrays import FloatArray, IntArray
from selection.calibration.past_campaigns import KnownCampaign, PastTopic, known_campaign
from selection.calibration.prediction_trials import draw_campaign
from selection.pool import TopicPool
from selection.simulation.experience import LaterJudgments, experience_of, pooled_experience
from selection.simulation.relevance.document_features import FEATURES, RunRates, entries_of
from selection.simulation.relevance.prior import Experience
from selection.state import CampaignState

# Unjudged documents that any run ranks so high, at most so many of a topic.
MOST_RANK, MOST_DOCUMENTS = 20, 100
# Hardly anything is expected beforehand: relevance is rare, and rises with support.
WEAK_MEANS = np.array([-2.0, 0.0, 1.0, 1.0, 0.0])
WEAK_DEVIATIONS = np.array([2.0, 1.0, 1.0, 3.0, 1.0])
# Of the effects of a campaign's topics and runs.
EFFECT_DEVIATION = 1.0


def fitted_coefficients(
    topics: Sequence[PastTopic], among: tuple[IntArray, IntArray], *, campaigns: int = 60, seed: int = 0
) -> tuple[float, ...]:
    """Coefficients (`FEATURES`) that fit what these runs and topics leave unjudged at random moments.

    A logistic regression over all campaigns drawn, with effects of each campaign's topics and runs. Nothing
    that was chosen with other collections takes part. Documents without a judgment in the qrels count as not
    relevant; those of `PastTopic.condensed` topics are left out.
    """
    generator = np.random.default_rng(seed)
    parts: list[tuple[FloatArray, csr_array, FloatArray]] = []
    while len(parts) < campaigns:
        known = known_campaign(topics, draw_campaign(generator, *among))
        state = known.moment()
        if state is not None:
            parts.append(_campaign_part(known, state, generator))
    features, effects, labels = (list(column) for column in zip(*parts, strict=True))
    label = np.concatenate(labels)
    design = hstack([csr_array(np.concatenate(features)), block_diag(effects)]).tocsr()
    number = design.shape[1] - FEATURES
    middle = np.r_[WEAK_MEANS, np.zeros(number)]
    deviation = np.r_[WEAK_DEVIATIONS, np.full(number, EFFECT_DEVIATION)]

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        logits, away = design @ values, (values - middle) / deviation
        value = (np.logaddexp(0, logits) - label * logits).sum() + away @ away / 2
        return float(value), design.T @ (expit(logits) - label) + away / deviation

    optimum = minimize(loss, middle, jac=True, method="L-BFGS-B").x
    return tuple(optimum[:FEATURES].round(3).tolist())


def taught_experience(
    topics: Sequence[PastTopic],
    among: tuple[IntArray, IntArray],
    *,
    expected: Experience,
    campaigns: int = 10,
    seed: int = 0,
) -> Experience:
    """Experience from so many finished campaigns of these runs and topics, for a model that expected as much.
    Each campaign is judged on to four times the judgments of its moment."""
    generator = np.random.default_rng(seed)
    experiences: list[Experience] = []
    while len(experiences) < campaigns:
        known = known_campaign(topics, draw_campaign(generator, *among))
        end = replace(known, setting=replace(known.setting, judged=4 * known.setting.judged)).moment()
        state = known.moment()
        if state is not None and end is not None:
            experiences.append(experience_of(state, _judged_later(state, end), seed=seed, expected=expected))
    return pooled_experience(experiences)


def _judged_later(state: CampaignState, end: CampaignState) -> LaterJudgments:
    later = {}
    for topic in range(len(state.pools)):
        gains = end.setting.judgments.gains_of(topic)
        new = ~np.isnan(gains) & np.isnan(state.setting.judgments.gains_of(topic))
        later[topic] = np.flatnonzero(new), (gains[new] > state.setting.threshold).astype(np.float64)
    return later


def _campaign_part(
    known: KnownCampaign, state: CampaignState, generator: np.random.Generator
) -> tuple[FloatArray, csr_array, FloatArray]:
    """Features (documents, FEATURES), effects (documents, runs + topics), and relevance (documents,)."""
    rates, runs = RunRates(state.setting), state.setting.runs
    features, by_run, labels, counts = [np.zeros((0, FEATURES))], [csr_array((0, runs))], [], []
    for topic, pool in enumerate(state.pools):
        documents = _unjudged(state, topic, pool, generator)
        described = rates.described(topic, documents)
        features.append(described.features)
        by_run.append(described.parts(runs))
        labels.append((known.gains(topic)[documents] > 0).astype(np.float64))
        counts.append(len(documents))
    of_topic = np.repeat(np.arange(len(counts)), counts)
    by_topic = csr_array(
        (np.ones(len(of_topic)), (np.arange(len(of_topic)), of_topic)), (len(of_topic), len(counts))
    )
    return np.concatenate(features), hstack([vstack(by_run), by_topic]).tocsr(), np.concatenate(labels)


def _unjudged(state: CampaignState, topic: int, pool: TopicPool, generator: np.random.Generator) -> IntArray:
    everything = np.arange(len(pool))
    at, of = entries_of(pool, everything)
    high = np.zeros(len(pool), dtype=np.bool_)
    high[of[pool.rank[at] <= MOST_RANK]] = True
    documents = np.flatnonzero(high & np.isnan(state.setting.judgments.gains_of(topic)))
    if len(documents) <= MOST_DOCUMENTS:
        return documents
    return np.sort(generator.choice(documents, MOST_DOCUMENTS, replace=False))
