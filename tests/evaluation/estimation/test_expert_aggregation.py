from __future__ import annotations

import numpy as np
import pytest
import scipy

from evaluation.estimation.relevance import expert_relevance, smoothed_relevance

NAN = float("nan")
DOCUMENTS = 200


def judged_half(seed: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """The truth, every second document's judgment, and runs: two that know the truth a little, two blind."""
    rng = np.random.default_rng(seed)
    truth = (rng.uniform(size=DOCUMENTS) < 0.2).astype(float)
    judged = truth.copy()
    judged[1::2] = NAN
    good = [np.argsort(-(truth + rng.normal(0, 0.5, DOCUMENTS))) for _ in range(2)]
    return truth, judged, [*good, *(rng.permutation(DOCUMENTS) for _ in range(2))]


def log_loss(p: np.ndarray, truth: np.ndarray) -> float:
    p = np.clip(p, 1e-9, 1 - 1e-9)
    return float(-(truth * np.log(p) + (1 - truth) * np.log(1 - p)).mean())


@pytest.mark.parametrize("seed", range(4))
def test_it_foretells_the_unjudged_better_than_their_rate(seed: int) -> None:
    truth, judged, runs = judged_half(seed)
    open_ = np.isnan(judged)
    found = expert_relevance(runs, judged)
    assert log_loss(found[open_], truth[open_]) < 0.9 * log_loss(
        smoothed_relevance(judged)[open_], truth[open_]
    )
    assert (found[~open_] == truth[~open_]).all()
    assert ((found >= 0) & (found <= 1)).all()


def test_blind_runs_hardly_hurt() -> None:
    truth, judged, runs = judged_half(7)
    open_ = np.isnan(judged)
    alone, all_ = (expert_relevance(chosen, judged)[open_] for chosen in (runs[:2], runs))
    assert log_loss(all_, truth[open_]) < log_loss(alone, truth[open_]) + 0.05


def test_the_order_of_the_runs_does_not_matter() -> None:
    _, judged, runs = judged_half(3)
    assert expert_relevance(runs[::-1], judged) == pytest.approx(expert_relevance(runs, judged), abs=1e-3)
    assert expert_relevance([*runs, None], judged) == pytest.approx(expert_relevance(runs, judged))


def minimum(features: np.ndarray, labels: np.ndarray, centre: np.ndarray, penalty: float) -> np.ndarray:
    """Weights and intercept of a logistic regression drawn towards `centre`, by a general minimiser."""

    def loss(weights: np.ndarray) -> float:
        logits, away = features @ weights[:-1] + weights[-1], weights[:-1] - centre
        return float((np.logaddexp(0, logits) - labels * logits).sum() + penalty / 2 * away @ away)

    found = scipy.optimize.minimize(loss, np.r_[centre, 0.0], method="BFGS", options={"gtol": 1e-7})
    return np.asarray(found.x)


@pytest.mark.parametrize("seed", range(3))
def test_opinions_and_their_weights_are_at_the_minimum(seed: int) -> None:
    _, judged, runs = judged_half(seed)
    runs[1] = runs[1][:30]
    known = ~np.isnan(judged)
    opinions = []
    for run in runs:
        ranks = np.full(DOCUMENTS, len(run) + 1.0)
        ranks[run] = np.arange(1, len(run) + 1)
        falling = -np.log(ranks)[:, None]
        slope, level = minimum(falling[known], judged[known], np.zeros(1), 1.0)
        opinions.append(np.clip(falling[:, 0] * slope + level, -8, 8))
    features = np.column_stack(opinions) / len(runs)
    weights = minimum(features[known], judged[known], np.ones(len(runs)), 1 / len(runs))
    expected = scipy.special.expit(features @ weights[:-1] + weights[-1])
    assert expert_relevance(runs, judged)[~known] == pytest.approx(expected[~known], abs=1e-5)


@pytest.mark.parametrize("judged", [[NAN, NAN, NAN], [1, 1, NAN], [0, NAN, 0]])
def test_one_kind_of_judgment_only(judged: list[float]) -> None:
    given = np.array(judged, dtype=float)
    assert expert_relevance([np.arange(3)], given).tolist() == smoothed_relevance(given).tolist()


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"\[0\.5\]"):
        expert_relevance([], np.array([0.5]))
