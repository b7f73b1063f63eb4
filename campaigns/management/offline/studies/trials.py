"""Trials of the stop advice's forecasts, of the planner and of predictions, on files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Literal

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineCampaign
from evaluation.arrays import IntArray
from selection.studies.coverage import Coverage
from selection.studies.past_campaigns import PastTopic, halves
from selection.studies.prediction_trials import predicted_campaigns, prediction_coverage
from selection.studies.trials import (
    PLANNED_METHODS,
    PairCase,
    PlanCase,
    calibration_of,
    drawn_cases,
    drawn_plans,
    method_choices,
)

Part = Literal["other", "chosen", "all"]
# Judgments per topic at the moment of the forecast, up to which it is called so.
JUDGING_STAGES = {"up to 3": 3.0, "3 to 10": 10.0, "over 10": np.inf}


def calibrate(
    campaign: OfflineCampaign,
    grading: Grading,
    *,
    cases: int,
    draws: int,
    seed: int,
    part: Part,
    progress: Callable[[int], object],
) -> list[PairCase]:
    topics, among = known_topics(campaign, grading, part)
    return list(drawn_cases(topics, among, cases=cases, draws=draws, seed=seed, progress=progress))


def known_topics(
    campaign: OfflineCampaign, grading: Grading, part: Part
) -> tuple[list[PastTopic], tuple[IntArray, IntArray]]:
    """All topics, and the runs and topics of the part, by index."""
    topics = [PastTopic(topic.rankings, topic.gains(grading)) for topic in campaign.topics]
    chosen, other = halves(len(campaign.runs), len(topics))
    everything = np.arange(len(campaign.runs)), np.arange(len(topics))
    return topics, {"chosen": chosen, "other": other, "all": everything}[part]


def lines(cases: list[PairCase]) -> list[dict[str, Any]]:
    """How the forecasts did: of all cases, then by time in the campaign."""
    made = [{"judged per topic": "any", **asdict(calibration_of(cases))}]
    for name in JUDGING_STAGES:
        of_stage = [case for case in cases if _stage(case) == name]
        if of_stage:
            made.append({"judged per topic": name, **asdict(calibration_of(of_stage))})
    return made


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
    part: Part,
    progress: Callable[[int], object],
) -> list[PlanCase]:
    """`cases`: campaigns, each planned for by several methods and targets."""
    topics, among = known_topics(campaign, grading, part)
    return list(drawn_plans(topics, among, campaigns=cases, draws=draws, seed=seed, progress=progress))


def plan_lines(cases: Sequence[PlanCase]) -> list[dict[str, Any]]:
    """How plans did by what was wanted and known; of all methods also the choice among them."""
    made = []
    for kind in ("residual", "tau"):
        for known, some in KNOWLEDGE.items():
            these = [case for case in cases if case.target.kind == kind and (case.known > 0) == some]
            for method in ("any", *PLANNED_METHODS):
                of_method = [case for case in these if method in ("any", case.method)]
                if stated := [case for case in of_method if case.forecast.tells]:
                    line = {"wanted": kind, "judged": known, "method": method}
                    line |= {"stated": len(stated) / len(of_method)} | asdict(calibration_of(stated))
                    made.append(line | (asdict(method_choices(these)) if method == "any" else {}))
    return made


HELD_OUT = {"other": "other half", "chosen": "half used for tuning", "all": "nothing"}


def try_predictions(
    campaign: OfflineCampaign,
    grading: Grading,
    *,
    cases: int,
    seed: int,
    part: Part,
    progress: Callable[[int], object],
) -> list[Coverage]:
    """`cases`: campaigns."""
    topics, among = known_topics(campaign, grading, part)
    made = predicted_campaigns(topics, among, campaigns=cases, seed=seed, progress=progress)
    return prediction_coverage(list(made), collection="these runs", held_out=HELD_OUT[part])
