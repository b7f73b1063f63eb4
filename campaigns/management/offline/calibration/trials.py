"""Trials of the stop advice's forecasts, of the planner and of predictions, on files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineCampaign
from evaluation.arrays import IntArray
from selection.calibration.coverage import Coverage, Trial
from selection.calibration.past_campaigns import PastTopic
from selection.calibration.prediction_trials import predicted_campaigns, prediction_coverage
from selection.calibration.trials import (
    PLANNED_METHODS,
    PairCase,
    PlanCase,
    calibration_of,
    drawn_cases,
    drawn_plans,
    method_choices,
)

RunsAndTopics = tuple[IntArray, IntArray]
# Judgments per topic at the moment of the forecast, up to which it is called so.
JUDGING_STAGES = {"up to 3": 3.0, "3 to 10": 10.0, "over 10": np.inf}


def calibrate(
    campaign: OfflineCampaign,
    grading: Grading,
    *,
    cases: int,
    draws: int,
    seed: int,
    progress: Callable[[int], object],
) -> list[PairCase]:
    topics, among = known_topics(campaign, grading)
    return list(drawn_cases(topics, among, cases=cases, draws=draws, seed=seed, progress=progress))


def known_topics(campaign: OfflineCampaign, grading: Grading) -> tuple[list[PastTopic], RunsAndTopics]:
    """All topics, and all runs and topics by index."""
    topics = [PastTopic(topic.rankings, topic.gains(grading)) for topic in campaign.topics]
    return topics, (np.arange(len(campaign.runs)), np.arange(len(topics)))


def lines(cases: list[PairCase]) -> list[dict[str, Any]]:
    """Calibration of the forecasts: over all cases, then by time in the campaign."""
    rows = [{"judged per topic": "any", **asdict(calibration_of(cases))}]
    for name in JUDGING_STAGES:
        of_stage = [case for case in cases if _stage(case) == name]
        if of_stage:
            rows.append({"judged per topic": name, **asdict(calibration_of(of_stage))})
    return rows


def _stage(case: PairCase) -> str:
    each = case.setting.judged / len(case.setting.topics)
    return next(name for name, most in JUDGING_STAGES.items() if each <= most)


KNOWLEDGE = {"nothing": False, "some": True}


def try_planner(
    campaign: OfflineCampaign,
    grading: Grading,
    *,
    cases: int,
    draws: int,
    seed: int,
    progress: Callable[[int], object],
) -> list[PlanCase]:
    """`cases`: campaigns, each planned for by several methods and targets."""
    topics, among = known_topics(campaign, grading)
    return list(drawn_plans(topics, among, campaigns=cases, draws=draws, seed=seed, progress=progress))


def plan_lines(cases: Sequence[PlanCase]) -> list[dict[str, Any]]:
    """Calibration of plans by target and by known judgments; over all methods, also the choice among them."""
    rows = []
    for kind in ("residual", "tau"):
        for known, some in KNOWLEDGE.items():
            these = [case for case in cases if case.target.kind == kind and (case.known > 0) == some]
            for method in ("any", *PLANNED_METHODS):
                of_method = [case for case in these if method in ("any", case.method)]
                if stated := [case for case in of_method if case.forecast.tells]:
                    line = {"wanted": kind, "judged": known, "method": method}
                    line |= {"stated": len(stated) / len(of_method)} | asdict(calibration_of(stated))
                    rows.append(line | (asdict(method_choices(these)) if method == "any" else {}))
    return rows


def try_predictions(
    campaign: OfflineCampaign,
    grading: Grading,
    *,
    cases: int,
    seed: int,
    progress: Callable[[int], object],
) -> list[Coverage]:
    """`cases`: campaigns, predicted with all families."""
    topics, among = known_topics(campaign, grading)
    predicted = predicted_campaigns(topics, among, campaigns=cases, seed=seed, progress=progress)
    return prediction_coverage(list(predicted), Trial(collection="these runs", family="", seen=False))
