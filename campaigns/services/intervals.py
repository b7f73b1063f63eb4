from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from campaigns.arrays import unpack_runs, unpack_weights
from campaigns.models import Campaign, Computed, Interval, Topic
from evaluation.rbp import projected

# Base, residual, and the act of the log up to which they are right.
Bounds = tuple[float, float, int]
NOTHING_KNOWN: Bounds = (0.0, 1.0, 0)


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
    found = _means(campaign) if topic is None else _of_topic(topic)
    return [
        _interval(run.id, run.tag, run.group, *found.get(run.id, NOTHING_KNOWN))
        for run in campaign.runs.order_by("id")
    ]


def _means(campaign: Campaign) -> dict[int, Bounds]:
    computed = Computed.objects.filter(campaign=campaign).first()
    if computed is None:
        return {}
    bases, residuals = unpack_weights(computed.bases), unpack_weights(computed.residuals)
    rows = zip(unpack_runs(computed.runs).tolist(), bases.tolist(), residuals.tolist(), strict=True)
    return {run: (base, residual, computed.applied) for run, base, residual in rows}


def _of_topic(topic: Topic) -> dict[int, Bounds]:
    rows = Interval.objects.filter(topic=topic).values_list("run_id", "base", "residual", "as_of")
    return {run: (base, residual, as_of) for run, base, residual, as_of in rows}


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
