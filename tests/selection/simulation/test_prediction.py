from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from selection.simulation.planning import complete_scores
from selection.simulation.prediction import (
    MOST_OPEN,
    MOST_WIDTH,
    OUTSIDE,
    DrawnScores,
    PredictedDifferences,
    is_early,
    predict,
)
from selection.simulation.relevance.prior import Experience, prior_without, usual_prior
from selection.simulation.relevance.relevance_model import DrawnEffects, RelevanceRates
from selection.state import CampaignState
from tests.selection.reference.campaign import state_of
from tests.selection.simulation.test_forecast import TOPICS, go_on, world


def judged_world(seed: int, judged: int) -> tuple[CampaignState, list[np.ndarray]]:
    """All is judged if there is no more."""
    state, truth = world(seed)
    go_on(state, truth, min(judged, sum(map(len, truth))))
    return state, truth


def test_expected_score_is_the_mean_over_drawn_relevance() -> None:
    state, _ = judged_world(4, 60)
    [found] = predict(state, seed=1)
    rates, setting = RelevanceRates(state.setting), state.setting
    total = np.zeros(setting.runs)
    for draw in range(300):
        effects = rates.drawn(np.random.default_rng([7, draw]))

        def gains(topic: int, effects: DrawnEffects = effects) -> np.ndarray:
            known = setting.judgments.gains_of(topic)
            return np.where(np.isnan(known), rates.probabilities(topic, effects), known)

        total += complete_scores(state.pools, setting.runs, setting.p, gains)
    assert found.expected == pytest.approx(total / 300, abs=0.01)


def test_prediction_stays_inside_the_score_range_and_shrinks_to_the_final_score() -> None:
    widths = []
    for judged in (9, 60, 10_000):
        state, truth = judged_world(2, judged)
        base, residual = state.mean_bounds()
        [found] = predict(state, seed=3)
        for one, other in pairwise((base, found.low, found.expected, found.high, base + residual)):
            assert (one <= other + 1e-12).all()
        widths.append(float((found.high - found.low).mean()))
    assert widths[0] > widths[1] > widths[2]
    final = complete_scores(state.pools, state.setting.runs, state.setting.p, truth.__getitem__)
    assert widths[2] < 1e-9
    assert found.expected == pytest.approx(final)
    assert (found.better == np.heaviside(np.subtract.outer(final, final), 0.5)).all()
    assert found.best.argmax() == final.argmax()


def test_probabilities_agree_with_each_other() -> None:
    state, _ = judged_world(3, 40)
    [found] = predict(state, seed=3)
    assert found.best.sum() == pytest.approx(1)
    assert found.better + found.better.T == pytest.approx(np.ones_like(found.better))
    # The best is above each other run at least as often as above all of them.
    assert (
        found.best <= found.better.min(axis=1, where=~np.eye(len(found.best), dtype=bool), initial=1) + 1e-6
    ).all()
    [some] = predict(state, seed=3, compared=np.array([0, 1]))
    assert some.best[2:].sum() == 0
    assert some.best[0] == pytest.approx(found.better[0, 1], abs=1e-6)


def test_the_same_seed_predicts_the_same_and_leaves_the_state_alone() -> None:
    state, _ = judged_world(5, 50)
    best = state.best()
    [one], [again], [other] = predict(state, seed=8), predict(state, seed=8), predict(state, seed=9)
    assert (one.low == again.low).all()
    assert (one.better == again.better).all()
    assert (one.low != other.low).any()
    assert state.best() == best


def test_a_scope_is_the_mean_over_its_topics() -> None:
    state, truth = world(6)
    for document in range(20):
        state.judge(0, document, float(truth[0][document]))
    everything, judged = predict(state, seed=1, scopes=[range(TOPICS), [0]])
    base, residual = state.base[0], state.residual[0]
    assert ((base <= judged.low) & (judged.high <= base + residual + 1e-12)).all()
    assert (judged.high - judged.low).mean() < (everything.high - everything.low).mean()


def test_differences_bound_95_percent_of_the_draws() -> None:
    state, _ = judged_world(3, 40)
    found = PredictedDifferences(np.array([2, 0]), TOPICS)
    [direct] = predict(state, seed=3, differences=found)
    topics = np.array([DrawnScores(state, 3).of(topic) for topic in range(TOPICS)])
    mean = np.sort(topics.mean(axis=0)[2] - topics.mean(axis=0)[0])
    [means] = found.means
    assert (means[2, 0], -means[0, 2]) == pytest.approx((mean[OUTSIDE - 1], mean[-OUTSIDE]), abs=1e-6)
    # Where the interval leaves out 0, the pair is separated.
    assert (direct.better[means > 1e-6] > 0.97).all()
    for topic, scores in enumerate(topics):
        apart = np.sort(scores[2] - scores[0])
        low, high = found.topics[topic, 0, 1], -found.topics[topic, 1, 0]
        assert (low, high) == pytest.approx((apart[OUTSIDE - 1], apart[-OUTSIDE]), abs=1e-6)
        expected = found.expected[topic, 0] - found.expected[topic, 1]
        assert expected == pytest.approx(apart.mean(), abs=1e-6)


def test_differences_are_exact_once_all_is_judged() -> None:
    state, _ = judged_world(2, 10_000)
    found = PredictedDifferences(np.arange(2), TOPICS)
    predict(state, seed=0, differences=found)
    base, _ = state.mean_bounds()
    assert found.means[0] == pytest.approx(np.subtract.outer(base, base), abs=1e-6)
    assert found.topics[:, 0, 1] == pytest.approx(state.base[:, 0] - state.base[:, 1], abs=1e-6)


def test_early_campaigns_are_marked() -> None:
    state, truth = world(1)
    assert predict(state, seed=0)[0].early
    for document in range(3):
        state.judge(0, document, float(truth[0][document]))
    assert not is_early(state)
    state.judge(1, 0, 1.0)
    assert is_early(state)
    go_on(state, truth, 40)
    assert not predict(state, seed=0)[0].early


def test_intervals_nearly_as_wide_as_the_score_ranges_are_early() -> None:
    state, truth = world(1)
    for document in range(3):
        state.judge(0, document, float(truth[0][document]))
    [found] = predict(state, seed=0)
    room = state.residual.mean(axis=0)
    assert np.median((found.high - found.low) / room) > MOST_WIDTH
    assert room.mean() > MOST_OPEN
    assert found.early
    # Once less is open, narrow ranges are enough.
    while state.residual.mean() > MOST_OPEN:
        go_on(state, truth, 1)
    assert not predict(state, seed=0)[0].early


def test_experience_moves_the_expected_scores() -> None:
    state, _ = judged_world(7, 40)
    [plain] = predict(state, seed=0)
    [higher] = predict(state, seed=0, experience=Experience(level=0.7))
    [flatter] = predict(state, seed=0, experience=Experience(slope=-0.5))
    assert (higher.expected > plain.expected).all()
    assert (flatter.expected != plain.expected).all()


def test_experience_of_nothing_has_the_usual_prior() -> None:
    state, _ = judged_world(7, 40)
    [plain] = predict(state, seed=0)
    [usual] = predict(state, seed=0, experience=Experience(prior=usual_prior()))
    [other] = predict(state, seed=0, experience=Experience(prior=prior_without(["trec-covid"])))
    assert (usual.expected == plain.expected).all()
    assert (other.expected != plain.expected).any()


def test_runs_without_documents_are_certain() -> None:
    state = state_of([[[1, 2], []]], "0.5", "A", "campaign", [True, True])
    [found] = predict(state, seed=0)
    assert found.expected[1] == 0
    assert found.high[1] == 0


def test_refusals() -> None:
    state, _ = world(0)
    with pytest.raises(ValueError, match="seed = -1 is below 0"):
        predict(state, seed=-1)
    with pytest.raises(ValueError, match="a topic in each scope"):
        predict(state, seed=0, scopes=[[]])
