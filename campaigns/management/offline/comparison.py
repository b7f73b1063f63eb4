"""Comparisons of runs from files: tests of all pairs of the best (Moffat, Webber and Zobel 2007, Table 5),
agreement with a given order, and variance components."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Literal

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineCampaign
from campaigns.management.offline.rankings import Relevance
from campaigns.management.offline.scoring import ScoreRow, ScoreTable
from evaluation.agreement.kappa import overlap
from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.effects import EffectSize, EffectSizes, effect_sizes
from evaluation.comparison.pairs import (
    Rule,
    Verdicts,
    ordered_pairs,
    pessimistic_verdicts,
    top_runs,
    verdicts,
)
from evaluation.comparison.rank_correlation import compare_orders
from evaluation.comparison.variance import relative_interval, variance_components
from evaluation.estimation.mtc import confidences

# What the better run's base is set against; `pessimistic` counts only the gaps between score ranges.
Contrast = Literal["base", "top", "projected", "pessimistic"]
EFFECT_NAMES = ("cohen_d", "superiority", "rank_biserial")


@dataclass(frozen=True, eq=False)
class MeasureScores:
    """Of one measure, arrays (runs, topics); without bounds there is only `base`, the usual score."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    base: FloatArray
    top: FloatArray | None
    projected: FloatArray | None


@dataclass(frozen=True, eq=False)
class PairConfidences:
    """Of each pair of runs given best first, (pairs,): the expected difference of the first, its standard
    deviation, and the probability that it is above 0."""

    expected: FloatArray
    deviation: FloatArray
    confidence: FloatArray


@dataclass(frozen=True, eq=False)
class Comparison:
    """`kept`: the runs compared, best first. `found` has None for what the measure has no bounds for;
    `effects` is None with a single topic, `confidences` for measures that are no expectation."""

    scores: MeasureScores
    kept: IntArray
    better: IntArray
    worse: IntArray
    found: dict[Contrast, Verdicts | None]
    effects: EffectSizes | None
    confidences: PairConfidences | None = None

    @property
    def fractions(self) -> dict[str, float | None]:
        return {_fraction_name(name): _share(found) for name, found in self.found.items()}

    def pairs(self) -> list[dict[str, Any]]:
        """A line for each pair, the best runs first."""
        lines = []
        for place, (better, worse) in enumerate(zip(self.better, self.worse, strict=True)):
            line: dict[str, Any] = {"better": self.scores.runs[better], "worse": self.scores.runs[worse]}
            for name, found in self.found.items():
                line |= _columns(name, found, place)
            line |= _effects(self.effects, place)
            if self.confidences is not None:
                each = {part.name: getattr(self.confidences, part.name) for part in fields(PairConfidences)}
                line |= {name: float(values[place]) for name, values in each.items()}
            lines.append(line)
        return lines


def gather(outcome: ScoreTable) -> MeasureScores:
    """The cells of one measure as arrays; a topic for which the measure has no value for some run goes."""
    rows: dict[str, dict[str, ScoreRow]] = {}
    for row in outcome.by_topic:
        rows.setdefault(row.run, {})[str(row.topic)] = row
    runs = tuple(rows)
    topics = tuple(
        topic
        for topic in next(iter(rows.values()))
        if all(isfinite(of_run[topic].scored.score) for of_run in rows.values())
    )
    if not topics:
        raise ValueError("the measure has no value on any topic that all runs share")
    cells = [[rows[run][topic].scored for topic in topics] for run in runs]
    base = np.array(
        [[cell.score if cell.bounds is None else cell.bounds.base for cell in of] for of in cells]
    )
    if any(cell.bounds is None for of in cells for cell in of):
        return MeasureScores(runs, topics, base, None, None)
    bounds = [[cell.bounds for cell in of if cell.bounds is not None] for of in cells]
    top = np.array([[each.top for each in of] for of in bounds])
    return MeasureScores(
        runs, topics, base, top, np.array([[each.projected for each in of] for of in bounds])
    )


def compare(scores: MeasureScores, rule: Rule, share: float, pessimistic: bool = False) -> Comparison:
    """Test the pairs among the best runs; ValueError if the test needs more topics, or no pair is left.

    `pessimistic`: also test the gaps between the runs' score ranges.
    """
    kept = top_runs(scores.base.mean(axis=1), share)
    if len(kept) < 2:
        raise ValueError(f"a share of {share:g} of {len(scores.runs)} runs leaves no two to compare")
    pairs = ordered_pairs(kept)
    base, top, projected = scores.base, scores.top, scores.projected
    found: dict[Contrast, Verdicts | None] = {"base": verdicts(base, base, *pairs, rule)}
    found["top"] = None if top is None else verdicts(base, top, *pairs, rule)
    found["projected"] = None if projected is None else verdicts(base, projected, *pairs, rule)
    if pessimistic:
        found["pessimistic"] = None if top is None else pessimistic_verdicts(base, top, *pairs, rule)
    effects = effect_sizes(base[pairs[0]] - base[pairs[1]]) if len(scores.topics) > 1 else None
    return Comparison(scores, kept, *pairs, found, effects)


def pair_confidences(
    campaign: OfflineCampaign,
    runs: IntArray,
    grading: Grading,
    relevance: Relevance,
    progress: Callable[[], object] = lambda: None,
) -> PairConfidences:
    """All pairs, in the order of `evaluation.comparison.pairs.ordered_pairs`.

    The variance is the published one, without the term that only lowers it: never too sure.
    """
    topics = []
    for topic in campaign.topics:
        pool = relevance.expected(topic, grading)
        topics.append(([pool.rankings[run] for run in runs], pool.relevance))
        progress()
    found = confidences(topics)
    better, worse = np.triu_indices(len(runs), 1)
    deviation = np.sqrt(found.variance[better, worse])
    return PairConfidences(found.difference[better, worse], deviation, found.confidence[better, worse])


def order_agreement(scores: MeasureScores, order: IntArray, share: float, seed: int) -> list[dict[str, Any]]:
    """How the order by mean score agrees with a given order of the same runs, best first.

    A line for each coefficient, with its interval. Topics are drawn for the intervals, and runs for that of
    the overlap, which is of the best `share` of the runs by either order. ValueError if there are fewer than
    two topics, or no run is in the share.
    """
    given = -np.arange(len(order), dtype=np.float64)
    base = scores.base[order]
    found = compare_orders(np.tile(given[:, None], base.shape[1]), base, seed=seed)
    marks = np.zeros((len(order), 2), dtype=np.int64)
    for column, values in enumerate((given, base.mean(axis=1))):
        marks[top_runs(values, share), column] = 1
    # Pearson's r has no place here: a list of runs gives ranks and no scores.
    made = {name: getattr(found, name) for name in ("kendall", "tau_ap", "spearman", "rbo")}
    made["overlap"] = overlap(marks, seed=seed)
    return [
        {"coefficient": name, **{part: _finite(getattr(one, part)) for part in ("value", "low", "high")}}
        for name, one in made.items()
    ]


def variance_line(scores: MeasureScores) -> dict[str, Any]:
    """Variance components of the scores of all runs, and the stability of their differences.

    ValueError if there are fewer than two runs or topics.
    """
    found = variance_components(scores.base)
    low, high = relative_interval(scores.base)
    line = {name: getattr(found, name) for name in ("runs", "topics", "system", "topic", "interaction")}
    line |= {
        "relative": found.relative(),
        "relative_low": low,
        "relative_high": high,
        "absolute": found.absolute(),
        "topics_for_relative": found.topics_for_relative(),
        "topics_for_absolute": found.topics_for_absolute(),
    }
    return {name: _finite(value) for name, value in line.items()}


def _fraction_name(contrast: Contrast) -> str:
    return contrast if contrast == "pessimistic" else f"base-vs-{contrast}"


def _share(found: Verdicts | None) -> float | None:
    return None if found is None else found.fraction


def _columns(name: Contrast, found: Verdicts | None, place: int) -> dict[str, Any]:
    keys = (name, f"{name}_p", f"{name}_significant")
    if found is None:
        return dict.fromkeys(keys)
    values = float(found.difference[place]), float(found.p[place]), bool(found.significant[place])
    return dict(zip(keys, values, strict=True))


def _effects(effects: EffectSizes | None, place: int) -> dict[str, float | None]:
    line: dict[str, float | None] = {}
    for name in EFFECT_NAMES:
        effect: EffectSize | None = None if effects is None else getattr(effects, name)
        for part, key in (("value", name), ("low", f"{name}_low"), ("high", f"{name}_high")):
            value = float("nan") if effect is None else float(getattr(effect, part)[place])
            # Without any variance d is infinite.
            line[key] = _finite(value)
    return line


def _finite(value: float) -> float | None:
    """None for what JSON cannot say."""
    return value if isfinite(value) else None
