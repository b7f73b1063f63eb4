"""Measured scores written by hand, for pages: the estimates of three runs, with statements of each kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from campaigns.measurement.measured_scores import (
    CALIBRATED,
    PUBLISHED,
    Estimate,
    MeasuredContent,
    MeasureScores,
    matrix_name,
    pack_matrices,
)
from campaigns.models import Campaign, Measured
from campaigns.models.packed import RUN_IDS, pack
from evaluation.arrays import FloatArray

SCORES = (0.40, 0.30, 0.10)
# Row minus column: the first run is better than both on these topics, and than the last on topics like these.
GAPS = np.subtract.outer(np.array(SCORES), np.array(SCORES))
CHANCES = np.array([[0.5, 0.83, 0.97], [0.17, 0.5, 0.9], [0.03, 0.1, 0.5]])


def sampled(**values: Any) -> tuple[Estimate, dict[str, FloatArray]]:
    ends = {
        "low": tuple(score - 0.03 for score in SCORES),
        "high": tuple(score + 0.03 for score in SCORES),
        "topics_low": tuple(score - 0.09 for score in SCORES),
        "topics_high": tuple(score + 0.09 for score in SCORES),
    }
    matrices = {
        "difference": GAPS,
        "half_width": np.full((3, 3), 0.05),
        "topics_half_width": np.full((3, 3), 0.25),
    }
    given = {"pairs": tuple(matrices), **ends, **values}
    return Estimate("sampled", "sample", 30, SCORES, **given), matrices


def expected() -> tuple[Estimate, dict[str, FloatArray]]:
    matrices = {CALIBRATED: CHANCES, PUBLISHED: CHANCES**2}
    return Estimate("expected", "EAP(calibrated)", 30, SCORES, pairs=tuple(matrices)), matrices


def store(
    campaign: Campaign,
    measure: str,
    *estimates: tuple[Estimate, dict[str, FloatArray]],
    bounds: bool = False,
    score: tuple[float, ...] = SCORES,
) -> None:
    """What the worker would store of one measure, for the campaign's three runs."""
    ends = {"base": score, "top": tuple(one + 0.2 for one in score)} if bounds else {}
    scores = MeasureScores(measure, measure, 30, score, estimates=tuple(one for one, _ in estimates), **ends)
    named = {
        matrix_name(measure, one.by, name): matrix for one, of in estimates for name, matrix in of.items()
    }
    content = MeasuredContent((scores,), tuple(named), 9)
    runs = campaign.runs.order_by("id").values_list("id", flat=True)
    Measured.objects.update_or_create(
        campaign=campaign,
        defaults={
            "content": content.to_json(),
            "runs": pack(tuple(runs), RUN_IDS),
            "pairs": pack_matrices(list(named.values())),
            "as_of": 9,
            "configuration": campaign.configuration,
        },
    )
