"""Curves of runs' means over the judgments, from the snapshots.

A curve is made of stretches: within one, score ranges were computed as judgments came. Between two, judgments
came from a file, or while no worker computed: nothing was measured there, and nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from django.db.models import Count, Sum

from campaigns.computing.snapshots import REPLAY_STEPS
from campaigns.log.judgments import import_bounds
from campaigns.models import Campaign, Computed, Interval, Run, Snapshot
from campaigns.models.packed import unpack_runs, unpack_weights
from campaigns.results.topic_scope import TopicScope, judged_topics
from evaluation.arrays import FloatArray, IntArray

POINTS = 150
# Neighbours are joined if no more log entries came between them, or no larger share of all: snapshots that
# are made again are evenly spread over the log.
JOINED, JOINED_SHARE = 5, 2 / REPLAY_STEPS


@dataclass(frozen=True)
class ScoreCurve:
    """One run's values, one for each point of `Curves.judged`, None where nothing is known."""

    id: int
    run: str
    base: list[float | None]
    top: list[float | None]


@dataclass(frozen=True)
class ScoreCurves:
    """`starts`: the points of `judged` that begin a stretch."""

    judged: list[int]
    starts: list[int]
    runs: list[ScoreCurve]


def curves_of(*, campaign: Campaign, runs: list[Run]) -> ScoreCurves:
    """Points spread evenly over the log, and the last computation. Before the first judgment every score can
    be anything; that is the first point."""
    rows, starts = _rows(campaign)
    judged = [row.judged for row in rows]
    return ScoreCurves([0, *judged], sorted({0, *starts}), [_curve(run, rows) for run in runs])


@dataclass(frozen=True)
class ResidualCurves:
    """Points; the first is before any judgment, when residual and top are 1 and the base is 0. `residual`:
    (judged, mean of the runs that take part). `bounds`: (judged, base, top) of the runs asked for, by id.
    `starts`: judged documents at which a stretch begins."""

    residual: list[tuple[int, float]]
    bounds: dict[int, list[tuple[int, float, float]]]
    starts: AbstractSet[int]


def residual_curves(
    *, campaign: Campaign, runs: Sequence[int] = (), topics: TopicScope = "all"
) -> ResidualCurves:
    part = list(campaign.runs.taking_part().values_list("id", flat=True))
    *points, starts = bounds_over_judgments(campaign=campaign, runs=[*part, *runs], topics=topics)
    curves = ResidualCurves([(0, 1.0)], {run: [(0, 0.0, 1.0)] for run in runs}, starts)
    for judged, bases, residuals in zip(*points, strict=True):
        known = residuals[: len(part)]
        if len(known) and not np.isnan(known).all():
            curves.residual.append((judged, float(np.nanmean(known))))
        own = zip(runs, bases[len(part) :].tolist(), residuals[len(part) :].tolist(), strict=True)
        for run, base, residual in own:
            if not np.isnan(base):
                curves.bounds[run].append((judged, base, base + residual))
    return curves


def bounds_over_judgments(
    *, campaign: Campaign, runs: Sequence[int], topics: TopicScope = "all"
) -> tuple[list[int], FloatArray, FloatArray, AbstractSet[int]]:
    """Judged documents (points,), bases and residuals (points, runs), NaN where a run was not computed, and
    where stretches begin. Over the topics that are judged now, at every point: a topic without a judgment is
    as open as at the start, so its share can be taken out of a mean over all."""
    (rows, starts), wanted = _rows(campaign), np.array(runs, dtype=np.int64)
    shape = len(rows), len(wanted)
    bases = np.array([_pick(row.runs, row.bases, wanted) for row in rows]).reshape(shape)
    residuals = np.array([_pick(row.runs, row.residuals, wanted) for row in rows]).reshape(shape)
    if topics == "judged":
        judged, every = judged_topics(campaign=campaign), campaign.topics.count()
        unjudged = _unjudged_residuals(wanted, judged, every)
        bases = bases * every / max(len(judged), 1)
        # What was undone since may have been in a topic that counts as unjudged now.
        residuals = np.clip((residuals * every - unjudged) / max(len(judged), 1), 0, 1 - bases.clip(0, 1))
    return [row.judged for row in rows], bases.clip(0, 1), residuals, starts


def far_starts(judged: Sequence[int], places: Sequence[int] = ()) -> set[int]:
    """Points, in their order, that are too far from the one before for a line between them, by their places
    in the log. Without places by judged documents, of which fewer come, and of a history that is thinned.

    >>> sorted(far_starts([0, 300, 301, 303, 320, 340]))
    [300, 320, 340]
    """
    along = places or judged
    most = max(JOINED, JOINED_SHARE * (1 if places else 2) * max(along, default=0))
    return {
        after for after, (one, other) in zip(judged[1:], pairwise(along), strict=True) if other - one > most
    }


Point = TypeVar("Point", bound=tuple[Any, ...])


def stretches(points: Sequence[Point], starts: AbstractSet[int]) -> list[Sequence[Point]]:
    """Points, judged documents first, cut where a stretch begins between two of them, or at the later one."""
    cuts = [
        at
        for at, (before, after) in enumerate(pairwise(points), 1)
        if any(before[0] < start <= after[0] for start in starts)
    ]
    return [points[begin:end] for begin, end in pairwise([0, *cuts, len(points)])] if points else []


def _unjudged_residuals(runs: IntArray, judged: list[int], every: int) -> FloatArray:
    """(runs,) sums over the topics without a judgment; a cell that was not computed yet is open."""
    cells = Interval.objects.filter(run__in=runs.tolist()).exclude(topic__in=judged).order_by()
    by_run = {
        run: (number, residual)
        for run, number, residual in cells.values_list("run").annotate(Count("pk"), Sum("residual"))
    }
    sums = [by_run.get(run, (0, 0.0)) for run in runs.tolist()]
    return np.array([residual + every - len(judged) - number for number, residual in sums])


def _rows(campaign: Campaign) -> tuple[list[Any], AbstractSet[int]]:
    """Points, and where stretches begin. The ends of stretches are among the points."""
    imports = import_bounds(campaign=campaign.id)
    taken = Snapshot.objects.filter(campaign=campaign, judged__gt=0).order_by("as_of")
    # Of several with as many judged documents (after an undo, say) the last counts.
    points = {
        judged: (id, as_of)
        for id, judged, as_of in taken.values_list("id", "judged", "as_of")
        if not any(first <= as_of < last for first, last in imports)
    }
    last = Computed.objects.filter(campaign=campaign).first()
    ends = sorted(points)
    if last is not None and last.judged > max(ends, default=0):
        points[last.judged] = 0, last.applied
        ends.append(last.judged)
    places = [points[judged][1] for judged in ends]
    starts = far_starts([0, *ends], [0, *places]) | set(_after_imports(ends, places, imports))
    edges = {at + side for at, judged in enumerate(ends) if judged in starts for side in (-1, 0)}
    spread = np.linspace(0, len(ends) - 1, min(POINTS, len(ends))).round().astype(int).tolist()
    ids = [points[ends[at]][0] for at in sorted({*edges, *spread} - {-1})]
    rows: list[Any] = list(Snapshot.objects.filter(id__in=ids).order_by("judged"))
    if last is not None and 0 in ids:
        rows.append(last)
    return rows, starts


def _after_imports(
    judged: Sequence[int], places: Sequence[int], imports: Sequence[tuple[int, int]]
) -> Iterator[int]:
    """Points since whose predecessor a file came; `places`: theirs in the log."""
    for at, (before, after) in zip(judged, pairwise([0, *places]), strict=True):
        if any(first <= after and last > before for first, last in imports):
            yield at


def _pick(runs: bytes, values: bytes, wanted: IntArray) -> FloatArray:
    known, held = unpack_runs(runs), unpack_weights(values)
    at = np.searchsorted(known, wanted)
    there = (at < len(known)) & (known[np.minimum(at, len(known) - 1)] == wanted) if len(known) else at < 0
    return np.where(there, held[np.minimum(at, len(held) - 1)] if len(held) else np.nan, np.nan)


def _curve(run: Run, rows: list[Any]) -> ScoreCurve:
    here = np.array([run.id])
    base = np.array([0.0, *(_pick(row.runs, row.bases, here)[0] for row in rows)])
    residual = np.array([1.0, *(_pick(row.runs, row.residuals, here)[0] for row in rows)])
    return ScoreCurve(run.id, run.tag, _known(base), _known(base + residual))


def _known(values: FloatArray) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]
