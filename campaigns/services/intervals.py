from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from campaigns.arrays import unpack_runs, unpack_weights
from campaigns.models import Campaign, Computed, Interval, Run, Topic
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
    contributes: bool
    late: bool
    withdrawn: bool


def computed_of(*, campaign: Campaign) -> Computed:
    """What was computed last; of nothing where that is still to come."""
    return Computed.objects.filter(campaign=campaign).first() or Computed()


def intervals_of(
    *,
    campaign: Campaign,
    topic: Topic | None = None,
    withdrawn: bool = False,
    computed: Computed | None = None,
) -> list[RunInterval]:
    """The interval of every run that takes part (and, if asked for, of withdrawn ones), over the campaign's
    topics or for one. A run not computed yet can still score anything: [0, 1]."""
    found = _means(computed or computed_of(campaign=campaign)) if topic is None else _of_topic(topic)
    first = first_judgment(campaign=campaign)
    runs = campaign.runs.order_by("id")
    return [
        _interval(run, first, *found.get(run.id, NOTHING_KNOWN))
        for run in (runs if withdrawn else runs.taking_part())
    ]


def first_judgment(*, campaign: Campaign) -> datetime | None:
    """When judging began; a run that came later is late."""
    acts = campaign.judgments.order_by("sequence")
    return acts.values_list("created", flat=True).first()


def is_late(run: Run, began: datetime | None) -> bool:
    return began is not None and run.created > began


def _means(computed: Computed) -> dict[int, Bounds]:
    bases, residuals = unpack_weights(computed.bases), unpack_weights(computed.residuals)
    rows = zip(unpack_runs(computed.runs).tolist(), bases.tolist(), residuals.tolist(), strict=True)
    return {run: (base, residual, computed.applied) for run, base, residual in rows}


def _of_topic(topic: Topic) -> dict[int, Bounds]:
    rows = Interval.objects.filter(topic=topic).values_list("run_id", "base", "residual", "as_of")
    return {run: (base, residual, as_of) for run, base, residual, as_of in rows}


def _interval(run: Run, began: datetime | None, base: float, residual: float, as_of: int) -> RunInterval:
    return RunInterval(
        id=run.id,
        run=run.tag,
        group=run.group,
        base=base,
        residual=residual,
        top=base + residual,
        projected=float(projected(base, residual)),
        as_of=as_of,
        contributes=run.contributes_to_pool,
        late=is_late(run, began),
        withdrawn=run.withdrawn_at is not None,
    )


def summary_of(*, campaign: Campaign, computed: Computed | None = None) -> dict[str, Any]:
    """What the last computation said of the whole campaign."""
    computed = computed or computed_of(campaign=campaign)
    return {
        "measure": campaign.measure,
        "as_of": computed.applied,
        "judged": computed.judged,
        "relevant": computed.relevant,
    }
