"""Comparisons of runs from files: tests of all pairs of the best (Moffat, Webber and Zobel 2007, Table 5),
and variance components."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from math import ceil, isfinite
from typing import Any, Literal

import numpy as np

from campaigns.scoring.pair_confidences import PairConfidences
from campaigns.scoring.score_tables import EstimateOptions, ScoreRow, ScoreTable, guesses
from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.effects import EffectSize, EffectSizes, effect_sizes
from evaluation.comparison.pairs import (
    Rule,
    Verdicts,
    ordered_pairs,
    pairs_by_topics,
    pessimistic_verdicts,
    top_runs,
    verdicts,
)
from evaluation.comparison.variance import relative_interval, variance_components
from evaluation.measures.bounds import Bounds, begun_projections, mean_of_known

# What is tested: the usual score, which is the base where there are bounds, or an estimate of it.
TestedScore = Literal["score", "background", "interpolated", "smoothed", "projected"]
# What the better run's base is set against, or the estimate that both runs are credited with;
# `pessimistic` counts only the gaps between score ranges.
Contrast = Literal["base", "top", "projected", "background", "interpolated", "smoothed", "pessimistic"]
_AGAINST: tuple[Literal["top", "projected"], ...] = ("top", "projected")
_PARTS = ("base", "residual")
# Moffat, Webber and Zobel 2007, Table 5: the best third.
TOP_SHARE = 0.333
# Of n runs, the share 1.5 / n is rounded to two runs.
FEWEST_SHARE = 1.5
EFFECT_NAMES = ("cohen_d", "superiority", "rank_biserial")


@dataclass(frozen=True, eq=False)
class MeasureScores:
    """Scores of one measure, arrays (runs, topics); without bounds there is only `base`, the usual score."""

    measure: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    base: FloatArray
    bounds: Sequence[Sequence[Bounds]] | None = None

    def of(self, name: TestedScore | Literal["top"]) -> FloatArray:
        """NaN for the projection where nothing of a run is judged; ValueError for an estimate of a measure
        without bounds."""
        if name == "score":
            return self.base
        if self.bounds is None:
            raise ValueError(f"{self.measure} has no bounds, and so no {name} scores")
        if name == "projected":
            return self._projections(self.bounds)
        return np.array([[_value(bounds, name) for bounds in row] for row in self.bounds])

    def _projections(self, bounds: Sequence[Sequence[Bounds]]) -> FloatArray:
        full = bounds[0][0].full
        parts = ([[getattr(one, name) / full for one in row] for row in bounds] for name in _PARTS)
        return begun_projections(*map(np.array, parts)) * full


@dataclass(frozen=True, eq=False)
class Comparison:
    """`on`: what is tested. `runs`: those compared, best first. `contrasts` has None for what the measure has
    no bounds for; `effects` is None with a single topic, `confidences` for measures that are no
    expectation."""

    scores: MeasureScores
    on: TestedScore
    runs: IntArray
    better: IntArray
    worse: IntArray
    contrasts: dict[Contrast, Verdicts | None]
    effects: EffectSizes | None
    confidences: PairConfidences | None = None

    @property
    def fractions(self) -> dict[str, float | None]:
        return {_fraction_name(name, self.on): _share(of_pairs) for name, of_pairs in self.contrasts.items()}

    def notices(self, topics: int) -> Iterator[str]:
        """Sentences about those of so many topics that are left out."""
        used = len(self.scores.topics)
        if used < topics:
            yield f"{topics - used} of {topics} topics have no value for some run and are left out"
        tests = self.contrasts.get("projected")
        if tests is None or not len(tests.topics) or (fewest := int(tests.topics.min())) == used:
            return
        most = int(tests.topics.max())
        count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        runs = "the other run" if self.on == "score" else "one of the runs"
        yield (
            f"Projections are compared on {count} of {used} topics; in the others no document of {runs} is "
            "judged"
        )

    def pairs(self) -> list[dict[str, Any]]:
        """A line for each pair, the best runs first."""
        lines = []
        for place, (better, worse) in enumerate(zip(self.better, self.worse, strict=True)):
            line: dict[str, Any] = {"better": self.scores.runs[better], "worse": self.scores.runs[worse]}
            for name, of_pairs in self.contrasts.items():
                line |= _columns(name, of_pairs, place)
            line |= _effects(self.effects, place)
            if self.confidences is not None:
                each = {part.name: getattr(self.confidences, part.name) for part in fields(PairConfidences)}
                line |= {name: float(values[place]) for name, values in each.items()}
            lines.append(line)
        return lines


def gather(outcome: ScoreTable, measure: str) -> MeasureScores:
    """The cells of one measure as arrays; a topic for which the measure has no value for some run goes."""
    rows: dict[str, dict[str, ScoreRow]] = {}
    for row in outcome.by_topic:
        if row.measure == measure:
            rows.setdefault(row.run, {})[str(row.topic)] = row
    runs = tuple(rows)
    topics = tuple(
        topic
        for topic in next(iter(rows.values()))
        if all(isfinite(of_run[topic].scored.score) for of_run in rows.values())
    )
    if not topics:
        raise ValueError(f"{measure} has no value on any topic that all runs share")
    cells = [[rows[run][topic].scored for topic in topics] for run in runs]
    base = np.array(
        [[cell.score if cell.bounds is None else cell.bounds.base for cell in of] for of in cells]
    )
    bounds = [[cell.bounds for cell in of if cell.bounds is not None] for of in cells]
    has_bounds = all(len(row) == len(topics) for row in bounds)
    return MeasureScores(measure, runs, topics, base, bounds if has_bounds else None)


def _value(bounds: Bounds, name: TestedScore | Literal["top"]) -> float:
    return float(bounds.top) if name == "top" else guesses(bounds, EstimateOptions())[name]


def compare(
    scores: MeasureScores,
    rule: Rule,
    share: float | None,
    *,
    on: TestedScore = "score",
    chosen_by: FloatArray | None = None,
    pessimistic: bool = False,
) -> Comparison:
    """Test the pairs among the best runs; ValueError if the test needs more topics, or no pair is left.

    `share`: of the runs; None for `TOP_SHARE`, or all runs where that leaves no two.
    `on`: an estimate that both runs of a pair are credited with; without, the better run's base is set
    against the other's base, top and projection. `chosen_by`: scores (runs, topics) of which the means
    choose the runs compared; those tested if missing. `pessimistic`: also test the gaps between the runs'
    score ranges.
    """
    tested = scores.of(on)
    best = _best(_means(tested if chosen_by is None else chosen_by), share)
    best = best[top_runs(_means(tested[best]), 1)]
    pairs = ordered_pairs(best)
    has_bounds = scores.bounds is not None
    tests: dict[Contrast, Verdicts | None] = {}
    if on == "score":
        tests["base"] = verdicts(tested, tested, *pairs, rule)
        for name in _AGAINST:
            tests[name] = verdicts(tested, scores.of(name), *pairs, rule) if has_bounds else None
    else:
        tests[on] = verdicts(tested, tested, *pairs, rule)
    if pessimistic:
        top = scores.of("top") if has_bounds else None
        tests["pessimistic"] = None if top is None else pessimistic_verdicts(scores.base, top, *pairs, rule)
    return Comparison(scores, on, best, *pairs, tests, _effect_sizes(tested[pairs[0]] - tested[pairs[1]]))


def _best(means: FloatArray, share: float | None) -> IntArray:
    """Two runs or more, best first."""
    runs = len(means)
    if runs < 2:
        raise ValueError("a comparison needs two runs or more, and --runs holds one")
    fewest = FEWEST_SHARE / runs
    if share is None:
        return top_runs(means, TOP_SHARE if fewest <= TOP_SHARE else 1)
    if share < fewest:
        # Rounded up, so that the share that is named does.
        enough = min(ceil(fewest * 1000) / 1000, 1)
        raise ValueError(
            f"a share of {share:g} of {runs} runs leaves no two to compare: give --top-share {enough:g} "
            "or more"
        )
    return top_runs(means, share)


def _means(scores: FloatArray) -> FloatArray:
    """Mean of each run over its topics with a score; a run without any comes last."""
    return mean_of_known(scores.T, otherwise=-np.inf)[0]


def _effect_sizes(differences: FloatArray) -> EffectSizes | None:
    """Effect size of each pair over its topics, NaN with fewer than two; None if every pair has fewer."""
    by_name: dict[str, EffectSize] = {}
    for pairs, columns in pairs_by_topics(differences, 2):
        if len(columns) < 2:
            continue
        sizes = effect_sizes(differences[np.ix_(pairs, columns)])
        for name in (field.name for field in fields(EffectSizes)):
            whole = by_name.setdefault(name, EffectSize(*np.full((3, len(differences)), np.nan)))
            for part in ("value", "low", "high"):
                getattr(whole, part)[pairs] = getattr(getattr(sizes, name), part)
    return EffectSizes(**by_name) if by_name else None


def components_line(scores: MeasureScores) -> dict[str, Any]:
    """Variance components of the scores of all runs, and the stability of their differences.

    ValueError if there are fewer than two runs or topics.
    """
    components = variance_components(scores.base)
    low, high = relative_interval(scores.base)
    line = {name: getattr(components, name) for name in ("runs", "topics", "system", "topic", "interaction")}
    line |= {
        "relative": components.relative(),
        "relative_low": low,
        "relative_high": high,
        "absolute": components.absolute(),
        "topics_for_relative": components.topics_for_relative(),
        "topics_for_absolute": components.topics_for_absolute(),
    }
    return {name: _finite(value) for name, value in line.items()}


def _fraction_name(contrast: Contrast, on: TestedScore) -> str:
    if contrast == "pessimistic":
        return contrast
    return f"{'base' if on == 'score' else on}-vs-{contrast}"


def _share(of_pairs: Verdicts | None) -> float | None:
    return None if of_pairs is None else of_pairs.fraction


def _columns(name: Contrast, of_pairs: Verdicts | None, place: int) -> dict[str, Any]:
    keys = [name, f"{name}_p", f"{name}_significant"]
    # Other contrasts are on all topics.
    keys += [f"{name}_topics"] if name == "projected" else []
    if of_pairs is None:
        return dict.fromkeys(keys)
    figures = (_finite(float(of[place])) for of in (of_pairs.difference, of_pairs.p))
    values = (*figures, bool(of_pairs.significant[place]), int(of_pairs.topics[place]))
    return dict(zip(keys, values, strict=False))


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
