from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit

from selection.simulation.experience import LaterJudgments, experience_of, pooled_experience
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience
from selection.simulation.relevance.relevance_model import RelevanceRates
from selection.state import CampaignState
from tests.selection.simulation.test_forecast import TOPICS, go_on, world


def later_judgments(state: CampaignState, level: float, slope: float, seed: int) -> LaterJudgments:
    """Of all unjudged documents, with relevance drawn by the model's own probabilities, shifted."""
    rates, rng = RelevanceRates(state.setting), np.random.default_rng(seed)
    made = {}
    for topic in range(TOPICS):
        documents = np.flatnonzero(np.isnan(state.setting.judgments.gains_of(topic)))
        chance = rates.probabilities(topic, rates.expected)[documents]
        shifted = expit(logit(chance) + level + slope * rates.support(topic, documents))
        made[topic] = documents, (rng.random(len(documents)) < shifted).astype(float)
    return made


@pytest.mark.parametrize(("level", "slope"), [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 0.8)])
def test_experience_finds_the_shift_of_later_documents(level: float, slope: float) -> None:
    found = []
    for seed in range(12):
        state, truth = world(seed, runs=6)
        go_on(state, truth, 30)
        found.append(experience_of(state, later_judgments(state, level, slope, seed), seed=seed))
    levels, slopes = np.array([[one.level, one.slope] for one in found]).T
    # The prior draws single campaigns towards 0.
    assert np.sign(levels.mean()) == np.sign(level) or abs(levels.mean()) < 0.25
    assert abs(levels.mean() - level) < 0.75
    if slope:
        assert slopes.mean() > 0.1


def test_nothing_is_learned_from_no_documents() -> None:
    state, _ = world(0)
    found = experience_of(state, {}, seed=1)
    assert (found.level, found.slope) == (0.0, 0.0)
    assert pooled_experience([]) == NO_EXPERIENCE


def test_more_campaigns_count_more() -> None:
    one = Experience(0.9, 0.3)
    levels = [pooled_experience([one] * count).level for count in (1, 2, 10)]
    assert levels == pytest.approx([0.3, 0.45, 0.75])
