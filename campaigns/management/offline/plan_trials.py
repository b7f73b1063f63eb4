"""The planner tried on files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineCampaign
from campaigns.management.offline.trials import Part, known_topics
from selection.studies.trials import METHODS, PlanCase, calibration_of, choices_of, drawn_plans

KNOWN = {"nothing": False, "some": True}


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
    """`cases`: campaigns, each planned for by several methods and wishes."""
    topics, among = known_topics(campaign, grading, part)
    return list(drawn_plans(topics, among, campaigns=cases, draws=draws, seed=seed, progress=progress))


def plan_lines(cases: Sequence[PlanCase]) -> list[dict[str, Any]]:
    """How plans did by what was wanted and known; of all methods also the choice among them."""
    made = []
    for kind in ("residual", "tau"):
        for known, some in KNOWN.items():
            these = [case for case in cases if case.wish.kind == kind and (case.known > 0) == some]
            for method in ("any", *METHODS):
                of_method = [case for case in these if method in ("any", case.method)]
                if of_method:
                    line = {"wanted": kind, "judged": known, "method": method}
                    line |= asdict(calibration_of(of_method))
                    made.append(line | (asdict(choices_of(these)) if method == "any" else {}))
    return made
