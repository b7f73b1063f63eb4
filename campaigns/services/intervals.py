from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Max

from campaigns.models import Campaign, Computed, Interval, Topic
from evaluation.rbp import projected


@dataclass(frozen=True)
class RunInterval:
    id: int
    run: str
    group: str
    base: float
    residual: float
    top: float
    projected: float
    as_of: int


def intervals_of(*, campaign: Campaign, topic: Topic | None = None) -> list[RunInterval]:
    """Every run's interval, over the campaign's topics or for one. A run not computed yet can still
    score anything: [0, 1]."""
    rows = Interval.objects.filter(run__campaign=campaign)
    if topic is not None:
        rows = rows.filter(topic=topic)
    found = {
        row["run"]: (row["mean_base"], row["mean_residual"], row["last"])
        for row in rows.values("run").annotate(
            mean_base=Avg("base"), mean_residual=Avg("residual"), last=Max("as_of")
        )
    }
    return [
        _interval(run.id, run.tag, run.group, *found.get(run.id, (0.0, 1.0, 0)))
        for run in campaign.runs.order_by("id")
    ]


def _interval(id: int, tag: str, group: str, base: float, residual: float, as_of: int) -> RunInterval:
    return RunInterval(
        id, tag, group, base, residual, base + residual, float(projected(base, residual)), as_of
    )


def summary_of(*, campaign: Campaign) -> dict[str, Any]:
    """What the last computation said of the whole campaign."""
    computed = Computed.objects.filter(campaign=campaign).first() or Computed()
    return {
        "measure": campaign.measure,
        "as_of": computed.applied,
        "judged": computed.judged,
        "relevant": computed.relevant,
    }
