"""Replayed campaigns with anchor judgments beside those of the method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from selection.calibration.past_campaigns import PastTopic, TrialSetting, known_campaign
from selection.calibration.prediction_trials import PredictedCampaign, predicted_campaigns

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


def test_anchors_are_judged_beside_and_in_topics_that_are_not_begun() -> None:
    setting = TrialSetting(tuple(range(RUNS)), tuple(range(TOPICS)), 0.8, "A", "topic", 20, begun=(0, 1))
    known = known_campaign(past_topics(), replace(setting, anchors=24))
    plain, anchored = known.moment(), known.moment()
    assert plain is not None
    assert anchored is not None
    known.judge_anchors(anchored)
    judged = [set(plain.setting.judgments.judged_in(topic)) for topic in range(TOPICS)]
    more = [set(anchored.setting.judgments.judged_in(topic)) for topic in range(TOPICS)]
    assert sum(map(len, judged)) == 20
    assert sum(map(len, more)) == 44
    assert all(one <= other for one, other in zip(judged, more, strict=True))
    assert any(more[2:])


def test_the_same_campaigns_however_many_anchors() -> None:
    among = np.arange(RUNS), np.arange(TOPICS)

    def made(anchors: int) -> list[PredictedCampaign]:
        return list(predicted_campaigns(past_topics(), among, campaigns=3, seed=2, anchors=anchors))

    plain, anchored = made(0), made(12)
    assert [replace(one.setting, anchors=12) for one in plain] == [one.setting for one in anchored]
    for one, other in zip(plain, anchored, strict=True):
        assert one.final.tolist() == other.final.tolist()
        assert one.prediction.low.tolist() != other.prediction.low.tolist()
