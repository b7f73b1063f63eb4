"""Corrected scores: the golden values, a slow reference, unbiasedness over all samples, and the edges."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from evaluation.arrays import FloatArray
from evaluation.estimation.corrected import (
    CorrectedScores,
    SampledTopic,
    TooEarly,
    corrected_scores,
    corrected_topic,
    doubted_ideal,
    fit_model,
    rank_features,
    too_early,
)

NAN = float("nan")
FEATURES = np.array(
    [
        (1, -2, 0.5, 1),
        (1, -1, 0, 0.5),
        (1, 0, 0.5, 1),
        (1, 0.5, -0.5, 0.5),
        (1, 1.5, 1, 1.5),
        (1, 2, 0, 1),
    ]
)
COEFFICIENTS = np.array([-0.728108, 0.874363, 0.530681, 0.449230])
WEIGHTS = np.array([(0.2, 0.16, 0.128, 0.1024, 0), (0, 0.2, 0, 0.16, 0.128)])
TOPIC = SampledTopic(WEIGHTS, FEATURES[:5], np.array([1, 0.5, 0.4, 0.4, 0.2]), np.array([1, 0, NAN, 0, NAN]))


def test_the_model_has_its_golden_values() -> None:
    fitted = fit_model(FEATURES, np.array([0.0, 0, 1, 0, 1, 1]))
    assert fitted == pytest.approx(COEFFICIENTS, abs=5e-7)
    assert fit_model(FEATURES[:0], np.zeros(0)).tolist() == [-1, 0, 0, 0]


def test_a_topic_has_its_golden_values() -> None:
    estimate = corrected_topic(TOPIC, fit_model(FEATURES, np.array([0.0, 0, 1, 0, 1, 1])))
    assert estimate.scores == pytest.approx([0.144499, -0.068871], abs=5e-7)
    assert np.diag(estimate.measured) == pytest.approx([0.001710, 0.006981], abs=5e-7)
    assert np.diag(estimate.modelled) == pytest.approx([0.014505, 0.023740], abs=5e-7)
    difference = np.array([1, -1])
    assert difference @ estimate.measured @ difference == pytest.approx(0.001782, abs=5e-7)
    assert difference @ estimate.modelled @ difference == pytest.approx(0.014832, abs=5e-7)


def test_an_interval_has_its_golden_values() -> None:
    by_topic = np.array([(0.31, 0.22), (0.55, 0.40), (0.18, 0.25)])
    modelled = np.array([(0.010, 0.012), (0.020, 0.015), (0.012, 0.010)]).sum(axis=0)
    measured = np.array([(0.008, 0.02), (0.03, 0.012), (0.006, 0.009)]).sum(axis=0)
    scores = CorrectedScores(by_topic, np.diag(measured), np.diag(modelled))
    assert scores.scores == pytest.approx([0.346667, 0.290000], abs=5e-7)
    assert scores.half_widths() == pytest.approx([0.303880, 0.287229], abs=5e-7)


def test_features_are_of_the_first_ranks() -> None:
    documents, ranks = np.array([0, 0, 1, 2]), np.array([1, 3, 2, 31])
    features = rank_features(documents, ranks, 4, 2)
    assert features[:, 0].tolist() == [1, 1, 1, 1]
    assert features[0, 1] == pytest.approx((np.log((0.2 + 0.128) / 2 + 1e-5) + 7) / 2)
    assert features[:, 2] == pytest.approx([2, 2 * np.sqrt(0.5), 0, 0])
    assert features[2, 1] == features[3, 1] == pytest.approx((np.log(1e-5) + 7) / 2)


@pytest.mark.parametrize("coefficients", [(-1.0, 0, 0, 0), (2, -3, 1, 0), (0, 50, 0, 0)])
def test_the_mean_over_all_samples_is_the_truth(coefficients: tuple[float, ...]) -> None:
    """A good, an inverted and a far too certain model: over all 16 Poisson samples of four documents."""
    truth, inclusion = np.array([1, 0, 0.5, 1]), np.array([0.3, 0.9, 0.5, 0.2])
    mean = np.zeros(2)
    for drawn in product([True, False], repeat=4):
        gains = np.where(drawn, truth, NAN)
        topic = SampledTopic(WEIGHTS[:, :4], FEATURES[:4], inclusion, gains)
        chance = np.prod(np.where(drawn, inclusion, 1 - inclusion))
        mean += chance * corrected_topic(topic, np.array(coefficients)).scores
    # A document that is not drawn has the prediction of the sample without it, as it has if it is.
    assert mean == pytest.approx(WEIGHTS[:, :4] @ truth, abs=1e-12)


def slow_estimate(topic: SampledTopic, coefficients: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """As the definitions have it, with loops and a general optimiser."""
    logits = topic.features @ coefficients
    drawn = [i for i in range(len(logits)) if not np.isnan(topic.gains[i])]

    def shift(without: int | None) -> float:
        those = [i for i in drawn if i != without]

        def loss(u: float) -> float:
            likelihood = sum(
                topic.gains[i] * scipy.special.log_expit(logits[i] + u)
                + (1 - topic.gains[i]) * scipy.special.log_expit(-logits[i] - u)
                for i in those
            )
            return float(u * u / 2 - likelihood)

        return float(scipy.optimize.minimize_scalar(loss, bracket=(-3, 3), tol=1e-12).x)

    m = scipy.special.expit(logits + shift(None))
    own = {i: scipy.special.expit(logits[i] + shift(i)) for i in drawn}
    corrected = [
        own[i] + (topic.gains[i] - own[i]) / topic.inclusion[i] if i in own else m[i] for i in range(len(m))
    ]
    scores = topic.weights @ np.array(corrected)
    measured, modelled = np.zeros(len(scores)), np.zeros(len(scores))
    for run, weights in enumerate(topic.weights):
        chance = [i for i in drawn if topic.inclusion[i] < 1]
        errors = {i: weights[i] * (topic.gains[i] - own[i]) / topic.inclusion[i] for i in chance}
        left = {i: 1 - topic.inclusion[i] for i in chance}
        mean = sum(left[i] * errors[i] for i in chance) / sum(left.values()) if len(chance) > 1 else 0.0
        factor = len(chance) / (len(chance) - 1) if len(chance) > 1 else 1.0
        measured[run] = factor * sum(left[i] * (errors[i] - mean) ** 2 for i in chance)
        for i, chance_of in enumerate(topic.inclusion):
            believed = min(max(m[i], 0.03), 0.97)
            modelled[run] += weights[i] ** 2 * (1 - chance_of) / chance_of * believed * (1 - believed)
    return scores, measured, modelled


def random_topic(seed: int, runs: int = 3) -> SampledTopic:
    random = np.random.default_rng(seed)
    number = int(random.integers(1, 9))
    inclusion = np.where(random.random(number) < 0.2, 1.0, random.uniform(0.05, 1, number))
    gains = random.choice([0, 0.5, 1], number)
    gains[random.random(number) > inclusion] = NAN
    features = np.column_stack([np.ones(number), random.normal(size=(number, 3))])
    return SampledTopic(random.random((runs, number)), features, inclusion, gains)


@given(st.integers(0, 10_000))
def test_a_topic_is_as_the_definitions_have_it(seed: int) -> None:
    topic = random_topic(seed)
    coefficients = np.random.default_rng(seed).normal(size=4)
    scores, measured, modelled = slow_estimate(topic, coefficients)
    estimate = corrected_topic(topic, coefficients)
    assert estimate.scores == pytest.approx(scores, abs=1e-5)
    assert np.diag(estimate.measured) == pytest.approx(measured, abs=1e-4)
    assert np.diag(estimate.modelled) == pytest.approx(modelled, abs=1e-5)


@given(st.integers(0, 10_000))
def test_a_pair_is_as_a_run_of_the_differences(seed: int) -> None:
    topics = [random_topic(seed * 20 + each) for each in range(10)]
    folds = [each % 5 for each in range(10)]
    scores = corrected_scores(topics, folds)
    pairs = [*combinations(range(3), 2)]
    of_pairs = corrected_scores(
        [
            replace(topic, weights=np.array([topic.weights[a] - topic.weights[b] for a, b in pairs]))
            for topic in topics
        ],
        folds,
    )
    wanted, half = of_pairs.half_widths(0.9), scores.pair_half_widths(0.9)
    for (a, b), width in zip(pairs, wanted, strict=True):
        assert [half[a, b], half[b, a]] == pytest.approx([width, width], abs=1e-9)
    assert np.diag(half) == pytest.approx(np.zeros(3), abs=1e-9)


def test_a_column_that_says_nothing_changes_nothing() -> None:
    topics = [random_topic(each) for each in range(10)]
    wider = [
        replace(topic, features=np.column_stack([topic.features, np.zeros(len(topic.gains))]))
        for topic in topics
    ]
    folds = [each % 5 for each in range(10)]
    ours, others = corrected_scores(topics, folds), corrected_scores(wider, folds)
    assert others.scores == pytest.approx(ours.scores, abs=1e-12)
    assert others.half_widths() == pytest.approx(ours.half_widths(), abs=1e-12)


def test_all_judged_is_exact() -> None:
    topics = [
        replace(TOPIC, inclusion=np.ones(5), gains=np.array([1.0, 0, 1, 0, each])) for each in (0.0, 1.0, 0.5)
    ]
    scores = corrected_scores(topics, [0, 1, 2])
    assert scores.by_topic == pytest.approx(np.array([WEIGHTS @ topic.gains for topic in topics]))
    assert scores.half_widths().tolist() == [0, 0]


def test_nothing_drawn_is_what_the_model_says() -> None:
    estimate = corrected_topic(replace(TOPIC, gains=np.full(5, NAN)), COEFFICIENTS)
    assert estimate.scores == pytest.approx(WEIGHTS @ scipy.special.expit(FEATURES[:5] @ COEFFICIENTS))
    assert not estimate.measured.any()


@pytest.mark.parametrize(
    ("topics", "judged", "relevant", "early"),
    [
        (8, 5, 10, None),
        (7, 5, 14, ("topics", 7, 8)),
        (8, 4, 10, ("judgments", 4, 5)),
        (8, 5, 9, ("relevant", 9, 10)),
        (0, 0, 0, ("topics", 0, 8)),
    ],
)
def test_few_judgments_are_too_early(
    topics: int, judged: int, relevant: int, early: tuple[Any, float, float] | None
) -> None:
    gains = np.zeros(topics * judged)
    gains[:relevant] = 0.5
    each = [
        SampledTopic(np.ones((1, judged)), np.ones((judged, 1)), np.full(judged, 0.5), part)
        for part in np.split(gains, topics or 1)
    ]
    assert too_early(each[:topics]) == (early and TooEarly(*early))


def test_complete_samples_are_never_too_early() -> None:
    complete = replace(TOPIC, inclusion=np.ones(5), gains=np.zeros(5))
    assert too_early([complete, complete]) is None
    assert too_early([complete, TOPIC]) == TooEarly("topics", 2, 8)


def test_known_parts_are_added_and_change_no_interval() -> None:
    topics = [random_topic(each) for each in range(10)]
    exact, folds = np.array([0.5, 0, 0.25]), [each % 5 for each in range(10)]
    ours = corrected_scores(topics, folds)
    more = corrected_scores([replace(topic, exact=exact) for topic in topics], folds)
    assert more.by_topic == pytest.approx(ours.by_topic + exact, abs=1e-12)
    assert more.half_widths().tolist() == ours.half_widths().tolist()


def test_topics_like_these_are_as_a_t_interval() -> None:
    by_topic = np.random.default_rng(3).random((15, 2))
    nothing = np.zeros((2, 2))
    half = CorrectedScores(by_topic, nothing, nothing).topic_half_widths()
    for run in range(2):
        low, high = scipy.stats.t.interval(
            0.95, 14, by_topic[:, run].mean(), scipy.stats.sem(by_topic[:, run])
        )
        assert half[run] == pytest.approx((high - low) / 2)
    assert np.isnan(CorrectedScores(by_topic[:14], nothing, nothing).topic_half_widths()).all()


@pytest.mark.parametrize(("inclusion", "gain"), [(0.0, 1.0), (1.1, 1.0), (0.5, 1.5), (0.5, -0.1), (NAN, 1.0)])
def test_impossible_samples_are_refused(inclusion: float, gain: float) -> None:
    with pytest.raises(ValueError, match="is outside"):
        SampledTopic(np.ones((1, 1)), np.ones((1, 1)), np.array([inclusion]), np.array([gain]))


def test_as_many_folds_as_topics() -> None:
    for topics, folds in (([TOPIC], [0]), ([TOPIC, TOPIC], [0])):
        with pytest.raises(ValueError, match="folds"):
            corrected_scores(topics, folds)


def test_a_doubted_ideal_has_no_interval() -> None:
    by_topic, variance = np.zeros((9, 2)), np.diag([9.0, 9.0])
    scores = CorrectedScores(by_topic, variance, variance)
    half = 3 / 9 * scipy.stats.t.ppf(0.975, 8)
    assert scores.half_widths() == pytest.approx([half, half])
    assert doubted_ideal(scores) is None
    assert doubted_ideal(replace(scores, doubt=0.19 * half)) is None
    early = doubted_ideal(replace(scores, doubt=0.3 * half))
    assert early is not None
    assert (early.of, early.needed) == ("ideal", 0.2)
    assert early.count == pytest.approx(0.3)
    assert doubted_ideal(CorrectedScores(by_topic, 0 * variance, 0 * variance)) is None
