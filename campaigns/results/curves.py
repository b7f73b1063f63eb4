"""How runs' means moved as judgments came, from the snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Sum

from campaigns.models import Campaign, Computed, Interval, Run, Snapshot
from campaigns.models.packed import unpack_runs, unpack_weights
from campaigns.results.topic_scope import TopicScope, judged_topics
from evaluation.arrays import FloatArray, IntArray

POINTS = 150


@dataclass(frozen=True)
class ScoreCurve:
    """One run's values, one for each point of `Curves.judged`; `place`: by base among the runs that take
    part, 1 the best. None: where nothing is known, nothing can be said."""

    id: int
    run: str
    base: list[float]
    top: list[float]
    place: list[int | None]


@dataclass(frozen=True)
class ScoreCurves:
    judged: list[int]
    among: int
    runs: list[ScoreCurve]


def curves_of(*, campaign: Campaign, runs: list[Run]) -> ScoreCurves:
    """Points spread evenly over the log, and the last computation. Before the first judgment every score can
    be anything; that is the first point."""
    rows = _rows(campaign)
    part = np.array(
        list(campaign.runs.taking_part().order_by("id").values_list("id", flat=True)), dtype=np.int64
    )
    judged, means = _means(rows, part)
    # Places of withdrawn runs stand beside the others, not among them.
    found = [_curve(run, rows, part, means) for run in runs]
    return ScoreCurves([0, *judged], len(part), found)


@dataclass(frozen=True)
class ResidualCurves:
    """Points; the first is before any judgment, when residual and top are 1 and the base is 0. `residual`:
    (judged, mean of the runs that take part). `bounds`: (judged, base, top) of the runs asked for, by id."""

    residual: list[tuple[int, float]]
    bounds: dict[int, list[tuple[int, float, float]]]


def residual_curves(
    *, campaign: Campaign, runs: Sequence[int] = (), topics: TopicScope = "all"
) -> ResidualCurves:
    part = list(campaign.runs.taking_part().values_list("id", flat=True))
    found = ResidualCurves([(0, 1.0)], {run: [(0, 0.0, 1.0)] for run in runs})
    points = bounds_over_judgments(campaign=campaign, runs=[*part, *runs], topics=topics)
    for judged, bases, residuals in zip(*points, strict=True):
        known = residuals[: len(part)]
        if len(known) and not np.isnan(known).all():
            found.residual.append((judged, float(np.nanmean(known))))
        own = zip(runs, bases[len(part) :].tolist(), residuals[len(part) :].tolist(), strict=True)
        for run, base, residual in own:
            if not np.isnan(base):
                found.bounds[run].append((judged, base, base + residual))
    return found


def bounds_over_judgments(
    *, campaign: Campaign, runs: Sequence[int], topics: TopicScope = "all"
) -> tuple[list[int], FloatArray, FloatArray]:
    """Judged documents (points,), bases and residuals (points, runs), NaN where a run was not computed. Over
    the topics that are judged now, at every point: a topic without a judgment is as open as at the start, so
    its share can be taken out of a mean over all."""
    rows, wanted = _rows(campaign), np.array(runs, dtype=np.int64)
    shape = len(rows), len(wanted)
    bases = np.array([_pick(row.runs, row.bases, wanted) for row in rows]).reshape(shape)
    residuals = np.array([_pick(row.runs, row.residuals, wanted) for row in rows]).reshape(shape)
    if topics == "judged":
        judged, every = judged_topics(campaign=campaign), campaign.topics.count()
        unjudged = _unjudged_residuals(wanted, judged, every)
        bases = bases * every / max(len(judged), 1)
        # What was undone since may have been in a topic that counts as unjudged now.
        residuals = np.clip((residuals * every - unjudged) / max(len(judged), 1), 0, 1 - bases.clip(0, 1))
    return [row.judged for row in rows], bases.clip(0, 1), residuals


def _unjudged_residuals(runs: IntArray, judged: list[int], every: int) -> FloatArray:
    """(runs,) sums over the topics without a judgment; a cell that was not computed yet is open."""
    cells = Interval.objects.filter(run__in=runs.tolist()).exclude(topic__in=judged).order_by()
    found = {
        run: (number, residual)
        for run, number, residual in cells.values_list("run").annotate(Count("pk"), Sum("residual"))
    }
    sums = [found.get(run, (0, 0.0)) for run in runs.tolist()]
    return np.array([residual + every - len(judged) - number for number, residual in sums])


def _rows(campaign: Campaign) -> list[Any]:
    known = list(
        Snapshot.objects.filter(campaign=campaign, judged__gt=0).order_by("as_of").values_list("id", "judged")
    )
    # Of several with as many judged documents (after an undo, say) the last counts.
    ids = list({judged: id for id, judged in known}.values())
    at = np.unique(np.linspace(0, len(ids) - 1, min(POINTS, len(ids))).round().astype(int))
    chosen = Snapshot.objects.filter(id__in=[ids[place] for place in at.tolist()])
    rows: list[Any] = list(chosen.order_by("judged"))
    last = Computed.objects.filter(campaign=campaign).first()
    if last is not None and last.judged and (not rows or rows[-1].judged < last.judged):
        rows.append(last)
    return rows


def _means(rows: list[Any], part: IntArray) -> tuple[list[int], FloatArray]:
    """(points, runs) bases of the runs that take part, NaN where a run is not known."""
    return [row.judged for row in rows], np.array([_pick(row.runs, row.bases, part) for row in rows])


def _pick(runs: bytes, values: bytes, wanted: IntArray) -> FloatArray:
    known, held = unpack_runs(runs), unpack_weights(values)
    at = np.searchsorted(known, wanted)
    there = (at < len(known)) & (known[np.minimum(at, len(known) - 1)] == wanted) if len(known) else at < 0
    return np.where(there, held[np.minimum(at, len(held) - 1)] if len(held) else np.nan, np.nan)


def _curve(run: Run, rows: list[Any], part: IntArray, means: FloatArray) -> ScoreCurve:
    here = np.array([run.id])
    base = np.array([0.0, *(_pick(row.runs, row.bases, here)[0] for row in rows)])
    residual = np.array([1.0, *(_pick(row.runs, row.residuals, here)[0] for row in rows)])
    # A run that was not computed yet can still score anything.
    residual = np.where(np.isnan(base), 1.0, residual)
    base = np.nan_to_num(base)
    place: list[int | None] = [None]
    for point, row in enumerate(means, start=1):
        # The last bits of a mean depend on the order of summing; they must not decide.
        place.append(1 + int(np.count_nonzero(np.round(row - base[point], 12) > 0)))
    return ScoreCurve(
        id=run.id,
        run=run.tag,
        base=base.tolist(),
        top=(base + residual).tolist(),
        place=place,
    )
