"""Replayed campaigns of which a share of the judgments are probes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from selection.studies.past_campaigns import PastTopic, TrialSetting, known_campaign
from selection.studies.prediction_trials import PredictedCampaign, predicted_campaigns

RUNS, TOPICS, DOCUMENTS = 6, 6, 60


def past_topics() -> list[PastTopic]:
    rng = np.random.default_rng(4)
    return [
        PastTopic(
            [rng.permutation(DOCUMENTS)[:40] for _ in range(RUNS)],
            (rng.random(DOCUMENTS) < 0.3).astype(np.float64),
        )
        for _ in range(TOPICS)
    ]


def test_the_moment_has_as_many_judgments_with_probes() -> None:
    setting = TrialSetting(tuple(range(RUNS)), tuple(range(TOPICS)), 0.8, "A", "topic", 60)
    plain, probed = (
        known_campaign(past_topics(), replace(setting, probe_share=share)).moment() for share in (0.0, 0.3)
    )
    assert plain is not None
    assert probed is not None

    def judged(topic: int) -> tuple[set[int], set[int]]:
        return tuple(set(state.setting.judgments.judged_in(topic)) for state in (plain, probed))  # type: ignore[return-value]

    pairs = [judged(topic) for topic in range(TOPICS)]
    assert sum(len(one) for one, _ in pairs) == sum(len(other) for _, other in pairs) == 60
    assert any(one != other for one, other in pairs)


def test_the_same_campaigns_whatever_share_of_their_judgments_are_probes() -> None:
    among = np.arange(RUNS), np.arange(TOPICS)

    def made(share: float) -> list[PredictedCampaign]:
        return list(predicted_campaigns(past_topics(), among, campaigns=3, seed=2, probe_share=share))

    plain, probed = made(0.0), made(0.2)
    assert [replace(one.setting, probe_share=0.2) for one in plain] == [one.setting for one in probed]
    for one, other in zip(plain, probed, strict=True):
        assert one.final.tolist() == other.final.tolist()
        assert one.found.low.tolist() != other.found.low.tolist()
