"""nDCG@k and AP from samples: exact where all is judged, near the truth over draws, and counts as defined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evaluation.arrays import FloatArray
from evaluation.estimation.corrected import SampledTopic, corrected_labels
from evaluation.estimation.corrected_ideal import (
    RankedTopic,
    corrected_ap,
    corrected_ndcg,
    relevant_counts,
)
from evaluation.estimation.inclusion import sampling_inclusion
from evaluation.measures.cumulated_gain import discounts, ndcg
from evaluation.measures.precision import average_precision

K, RUNS, DOCUMENTS, KNOWN = 5, 3, 14, 3
LEVELS = np.array([0.5, 1.0])
DISCOUNTS = discounts(K, None)


def make_topic(seed: int) -> tuple[RankedTopic, FloatArray]:
    """A topic of three runs that rank all documents, of which three are known beforehand; and all gains."""
    random = np.random.default_rng(seed)
    number = DOCUMENTS + KNOWN
    ranks = np.array([random.permutation(number) + 1 for _ in range(RUNS)])
    gains = random.choice([0, 0.5, 1], number, p=[0.5, 0.3, 0.2])
    gains[0] = 1.0
    sizes = (0.8 ** ranks[:, :DOCUMENTS]).mean(axis=0)
    features = np.column_stack([np.ones(DOCUMENTS), np.log(sizes), sizes, sizes])
    sample = SampledTopic(
        np.zeros((RUNS, DOCUMENTS)), features, sampling_inclusion(sizes, 6), gains[:DOCUMENTS]
    )
    return RankedTopic(sample, gains[DOCUMENTS:], ranks), gains


def draw(topic: RankedTopic, random: np.random.Generator) -> RankedTopic:
    sample = topic.sample
    drawn = random.random(DOCUMENTS) < sample.inclusion
    return replace(topic, sample=replace(sample, gains=np.where(drawn, sample.gains, np.nan)))


def complete(topic: RankedTopic) -> RankedTopic:
    return replace(topic, sample=replace(topic.sample, inclusion=np.ones(DOCUMENTS)))


def ranked_gains(topic: RankedTopic, gains: FloatArray) -> FloatArray:
    return gains[np.argsort(topic.ranks, axis=1)]


def test_all_judged_is_exact() -> None:
    made = [make_topic(seed) for seed in range(9)]
    topics, folds = [complete(topic) for topic, _ in made], [n % 3 for n in range(9)]
    scores = corrected_ndcg(topics, folds, LEVELS, DISCOUNTS)
    for topic, (whole, gains) in enumerate(made):
        assert scores.by_topic[topic] == pytest.approx(ndcg(ranked_gains(whole, gains), gains, K), abs=1e-12)
    assert scores.half_widths().tolist() == [0, 0, 0]
    points = corrected_ap(topics, folds)
    for topic, (whole, gains) in enumerate(made):
        wanted = average_precision(ranked_gains(whole, gains), int((gains > 0).sum()))
        assert points[topic] == pytest.approx(wanted, abs=1e-12)


def test_draws_scatter_around_the_truth_as_stated() -> None:
    made = [make_topic(seed) for seed in range(24)]
    folds = [n % 5 for n in range(24)]
    truth = np.mean([ndcg(ranked_gains(*one), one[1], K) for one in made], axis=0)
    precision = np.mean(
        [average_precision(ranked_gains(*one), int((one[1] > 0).sum())) for one in made], axis=0
    )
    random, found, halves, points = np.random.default_rng(1), [], [], []
    for _ in range(60):
        topics = [draw(topic, random) for topic, _ in made]
        scores = corrected_ndcg(topics, folds, LEVELS, DISCOUNTS)
        found.append(scores.scores)
        halves.append(scores.half_widths())
        points.append(corrected_ap(topics, folds).mean(axis=0))
    errors = np.array(found) - truth
    assert np.abs(errors.mean(axis=0)).max() < 0.02
    assert 0.9 < (np.abs(errors) <= np.array(halves)).mean() <= 1
    assert np.mean(points, axis=0) == pytest.approx(precision, abs=0.06)


def test_counts_combine_model_and_sample() -> None:
    random = np.random.default_rng(4)
    topics = [draw(make_topic(seed)[0], random) for seed in range(4)]
    parts = [topic.at_level(0.5) for topic in topics]
    labels = [corrected_labels(part, np.array([-0.5, 0.1, 0.0, 0.2])) for part in parts]
    found = relevant_counts(topics, parts, labels, 0.5)
    total, gap = [], []
    for part, one in zip(parts, labels, strict=True):
        model = sum(one.predicted[d] if np.isnan(part.gains[d]) else part.gains[d] for d in range(DOCUMENTS))
        variance = sum(
            (1 - chance) / chance * m * (1 - m)
            for chance, m in zip(part.inclusion, one.predicted, strict=True)
        )
        own = ((model / 2) ** 2 + 1) / (variance + (model / 2) ** 2 + 1)
        total.append((model, own, model - np.nansum(part.gains)))
        gap.append(one.corrected.sum() - model)
    left = sum((1 - own) * away for (_, own, _), away in zip(total, gap, strict=True))
    open_ = sum(rest for *_, rest in total)
    for place, (model, own, rest) in enumerate(total):
        count = model + own * gap[place] + rest / open_ * left
        known = (topics[place].known >= 0.5).sum()
        assert found.counts[place] == pytest.approx(
            known + np.clip(count, np.nansum(parts[place].gains), DOCUMENTS)
        )
        assert found.own[place] == pytest.approx(own)


def test_nothing_relevant_scores_nothing() -> None:
    topic, _ = make_topic(1)
    nothing = replace(complete(topic), known=np.zeros(KNOWN))
    nothing = replace(nothing, sample=replace(nothing.sample, gains=np.zeros(DOCUMENTS)))
    assert corrected_ndcg([nothing, nothing], [0, 1], LEVELS, DISCOUNTS).by_topic.tolist() == [[0] * RUNS] * 2
    assert corrected_ap([nothing, nothing], [0, 1]).tolist() == [[0] * RUNS] * 2
