"""Scores by the campaign's measures as rows of a table, and the pairs of its runs."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from math import isfinite
from typing import Any

from django.utils.translation import gettext

from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal, with_nearest
from campaigns.measurement.measured_scores import (
    Column,
    Estimate,
    MeasuredCampaign,
    MeasureScores,
    measured_of,
)
from campaigns.models import Campaign

# `statement`: "score" for usual values, "certain" for bounds, or an estimate's kind.
COLUMNS: dict[str, type] = {
    "run": str,
    "group": str,
    "measure": str,
    "statement": str,
    "by": str,
    "topics": int,
    "score": float,
    "low": float,
    "high": float,
    "topics_low": float,
    "topics_high": float,
    "approximate": bool,
    "early": str,
    "as_of": int,
}
ENDS = ("low", "high", "topics_low", "topics_high")


def check_measure(campaign: Campaign, measure: str) -> str:
    """The name, if it is one of the campaign's measures; refused otherwise."""
    if measure not in campaign.measure_names:
        values = {"known": ", ".join(campaign.measure_names), "measure": measure[:40]}
        detail = gettext("the campaign's measures are %(known)s, not “%(measure)s”") % values
        raise Refusal(
            "unknown_measure", with_nearest(detail, measure, campaign.measure_names), field="measure"
        )
    return measure


def value_at(column: Column, place: int) -> float | None:
    """None where the statement does not exist, and its column is empty."""
    return column[place] if column else None


def run_figures(measure: MeasureScores, place: int) -> dict[str, Any]:
    """A run's score, certain bounds, and its best estimate as `expected`, `low` and `high`."""
    best, columns = measure.best_estimate, {name: getattr(measure, name) for name in ("score", "base", "top")}
    if best is not None:
        columns |= {"expected": best.score, "low": best.low, "high": best.high}
    none = dict.fromkeys(("expected", "low", "high"))
    return none | {name: value_at(column, place) for name, column in columns.items()}


def measured_rows(*, campaign: Campaign) -> Generator[dict[str, Any]]:
    """One row a run, measure and kind of statement, measure by measure. None where there is no such value."""
    with consistent_reads():
        scores = measured_of(campaign=campaign, pairs=False)
        named = {id: (tag, group) for id, tag, group in campaign.runs.values_list("id", "tag", "group")}
    for measure in scores.content.measures:
        for run, place in scores.place.items():
            # One that was removed just now has no name any more.
            if run not in named:
                continue
            about = {"run": named[run][0], "group": named[run][1], "measure": measure.name}
            for statement in _statements(measure, place):
                row = dict.fromkeys(COLUMNS) | about | {"topics": measure.topics, "as_of": scores.as_of}
                yield row | statement


def _statements(measure: MeasureScores, place: int) -> Iterator[dict[str, Any]]:
    yield {"statement": "score", "score": value_at(measure.score, place)}
    if measure.has_bounds:
        yield {"statement": "certain", "low": measure.base[place], "high": measure.top[place]}
    for one in measure.estimates:
        yield {
            "statement": one.kind,
            **{name: getattr(one, name) for name in ("by", "topics", "approximate", "early")},
            **{name: value_at(getattr(one, name), place) for name in ("score", *ENDS)},
        }


def order_of(scores: MeasuredCampaign, measure: MeasureScores) -> list[int]:
    """Ids of the runs, the highest first by the best estimate, or by the score where there is none."""
    best = measure.best_estimate
    column = best.score if best else measure.score

    def key(run: int) -> tuple[bool, float, int]:
        score = column[scores.place[run]]
        return score is None, -(score or 0.0), run

    return sorted(scores.runs, key=key)


def pair_values(
    scores: MeasuredCampaign, measure: MeasureScores, estimate: Estimate, run: int, other: int
) -> dict[str, float | None]:
    """The value of each of the estimate's matrices of pairs, for `run` before `other`."""
    at = scores.place[run], scores.place[other]
    return {name: _known(scores.matrix(measure, estimate, name)[at]) for name in estimate.pairs}


def _known(value: float) -> float | None:
    return float(value) if isfinite(value) else None
