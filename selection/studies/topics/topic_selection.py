"""Tables 1, 3 and 4 and Figure 3 of Hosseini and others 2012: how well few topics stand for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.rank_correlation import kendall, pearson
from evaluation.comparison.significance import p_values
from selection.studies.interface import PaperStudy, Point, Row, StudySettings, TrialMean, trial_mean
from selection.studies.known_collection import KnownCollection
from selection.studies.topics.topic_trials import GREEDY, KnownTopics, Subsets, TopicTrial, run_trial
from selection.topics.subset import FEWEST_RUNS

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
TABLED_SHARES = (0.2, 0.4, 0.6)
BEST_RUNS = 30
LEVEL = 0.05
FEWEST_TOPICS = 5
WANTED = (0.7, 0.8, 0.9)
NEEDED_METHODS = ("random-topics", "adaptive")
AT_ONCE = (1, 5, 10, 50)
# Drawing topics costs little, and the others are compared with it.
RANDOM_TRIALS = 10
MEASURE = "AP"
GENERAL_MEASURES = ("P@100", "AP")
TRANSFER_MEASURES = ("P@10", "P@100", "R@100", "AP")
METHODS = ("random-topics", "iqp", "adaptive", "adaptive+", "adaptive*", "oracle")
GENERAL_METHODS = ("random-topics", "adaptive", "adaptive+", "oracle")

Results = Mapping[TopicTrial, Subsets]


@dataclass(frozen=True)
class TopicStudy:
    """trials : of how many, and the first seed, what is tried; rows : the table; points : the figure;
    varies : whether a trial depends on the variance of AP or recall"""

    trials: Callable[[KnownTopics, int, int], list[TopicTrial]]
    rows: Callable[[KnownTopics, Results], list[Row]]
    points: Callable[[KnownTopics, Results], list[Point]]
    varies: bool = True


def sizes_of(topics: int, shares: Sequence[float] = SHARES) -> tuple[int, ...]:
    """Subsets of these shares of the topics, at least one topic each."""
    return tuple(max(1, round(share * topics)) for share in shares)


def significant_pairs(scores: FloatArray) -> tuple[IntArray, IntArray]:
    """Pairs of runs whose means over all topics differ by the paired t-test (two tails, 5%), each better
    run first; scores are (runs, topics)."""
    first, second = (
        np.array(side, dtype=np.int64) for side in zip(*combinations(range(len(scores)), 2), strict=True)
    )
    differ = p_values(scores[first] - scores[second], "t", tails=2) < LEVEL
    first, second = first[differ], second[differ]
    means = scores.mean(axis=1)
    swapped = means[first] < means[second]
    return np.where(swapped, second, first), np.where(swapped, first, second)


def _tau(scores: FloatArray, subset: Sequence[int], runs: IntArray | None = None) -> float:
    some = scores if runs is None else scores[runs]
    # Runs that all tie on the subset are not ordered by it.
    return float(np.nan_to_num(kendall(some.mean(axis=1), some[:, list(subset)].mean(axis=1))))


def _pearson(scores: FloatArray, subset: Sequence[int], runs: IntArray | None = None) -> float:
    some = scores if runs is None else scores[runs]
    return float(np.nan_to_num(pearson(some.mean(axis=1), some[:, list(subset)].mean(axis=1))))


def _tau_of_pairs(scores: FloatArray, subset: Sequence[int], pairs: tuple[IntArray, IntArray]) -> float:
    """Pairs in the same order less pairs in the other, of all these pairs."""
    if not len(pairs[0]):
        return 1.0
    means = scores[:, list(subset)].mean(axis=1)
    return float(np.sign((means[pairs[0]] - means[pairs[1]]).round(12)).mean())


def _values(
    results: Results, value: Callable[[TopicTrial, Sequence[int]], float], size: int, **wanted: object
) -> FloatArray:
    """Values of the subsets of one size, for the trials with these attributes, by seed."""
    some = [trial for trial in results if all(getattr(trial, name) == is_ for name, is_ in wanted.items())]
    some.sort(key=lambda trial: trial.seed)
    return np.array([value(trial, _of_size(results[trial], size)) for trial in some])


def _of_size(subsets: Subsets, size: int) -> Sequence[int]:
    """A trial that orders topics has its longest subset alone, which begins with the others."""
    return next((subset for subset in subsets if len(subset) == size), subsets[-1][:size])


def _of_subset(value: Callable[[Sequence[int]], float]) -> Callable[[TopicTrial, Sequence[int]], float]:
    return lambda _, subset: value(subset)


def _trials(
    known: KnownTopics, methods: Sequence[str], measures: Sequence[str], seeds: Sequence[int]
) -> list[TopicTrial]:
    sizes = sizes_of(len(known.numbers))
    trials = (
        TopicTrial(method, _measures(method, measure), seed, sizes if method == "oracle" else sizes[-1:])
        for measure in measures
        for method in methods
        for seed in seeds
    )
    return list(dict.fromkeys(trials))


def _measures(method: str, measure: str) -> tuple[str, ...]:
    if method == "random-topics":
        # By no measure: studies share what is drawn.
        return (MEASURE,)
    return TRANSFER_MEASURES if method == "adaptive*" else (measure,)


def _tabled_sizes(known: KnownTopics) -> dict[str, int]:
    """Subset sizes by share, as tables write it."""
    sizes = sizes_of(len(known.numbers), TABLED_SHARES)
    return {f"{share:.0%}": size for share, size in zip(TABLED_SHARES, sizes, strict=True)}


# Table 1.


def _selection_trials(known: KnownTopics, count: int, seed: int, measure: str) -> list[TopicTrial]:
    drawn = _trials(known, METHODS[:1], (measure,), range(seed, seed + RANDOM_TRIALS * count))
    return drawn + _trials(known, METHODS[1:], (measure,), range(seed, seed + count))


def _selection_rows(known: KnownTopics, results: Results, measure: str) -> list[Row]:
    scores = known.scores(measure)
    best = np.argsort(-scores.mean(axis=1), kind="stable")[:BEST_RUNS]
    pairs = significant_pairs(scores)
    columns: dict[str, Callable[[Sequence[int]], float]] = {
        "tau all": lambda subset: _tau(scores, subset),
        "tau top": lambda subset: _tau(scores, subset, best),
        "tau sig": lambda subset: _tau_of_pairs(scores, subset, pairs),
        "pearson all": lambda subset: _pearson(scores, subset),
        "pearson top": lambda subset: _pearson(scores, subset, best),
    }
    rows: list[Row] = []
    for share, size in _tabled_sizes(known).items():
        means = {
            method: {
                name: trial_mean(_values(results, _of_subset(of), size, method=method))
                for name, of in columns.items()
            }
            for method in METHODS
        }
        for method in METHODS:
            cells = {
                name: _marked(cell, means["random-topics"][name], means["iqp"][name])
                for name, cell in means[method].items()
            }
            rows.append({"subset": share, "method": method, **cells})
    return rows


def _marked(cell: TrialMean, *others: TrialMean) -> TrialMean:
    """Marked where its interval lies above those of all others."""
    above = all(cell.mean - cell.half_width > other.mean + other.half_width for other in others)
    return replace(cell, marked=above)


def _selection_points(known: KnownTopics, results: Results, measure: str) -> list[Point]:
    scores = known.scores(measure)
    kinds = {"Kendall's τ": _tau, "Pearson's r": _pearson}
    points: list[Point] = []
    for share, size in zip(SHARES, sizes_of(len(known.numbers)), strict=True):
        for method in METHODS:
            for kind, of in kinds.items():
                values = _values(results, _of_subset(partial(of, scores)), size, method=method)
                points.append({"panel": kind, "method": method, "share": share, **_interval(values)})
    return points


def _selection_study(measure: str) -> TopicStudy:
    return TopicStudy(
        partial(_selection_trials, measure=measure),
        partial(_selection_rows, measure=measure),
        partial(_selection_points, measure=measure),
    )


def _interval(values: FloatArray) -> Point:
    trial = trial_mean(values)
    return {"mean": trial.mean, "low": trial.mean - trial.half_width, "high": trial.mean + trial.half_width}


# Table 2.


def _needed_trials(known: KnownTopics, count: int, seed: int) -> list[TopicTrial]:
    drawn = _trials(known, NEEDED_METHODS[:1], (MEASURE,), range(seed, seed + RANDOM_TRIALS * count))
    return drawn + _trials(known, NEEDED_METHODS[1:], GENERAL_MEASURES, range(seed, seed + count))


def _needed_points(known: KnownTopics, results: Results) -> list[Point]:
    """τ and judgments by the number of topics, means over trials."""
    judgments = np.array([lists.documents for lists in known.lists])
    points: list[Point] = []
    for measure in GENERAL_MEASURES:
        scores = known.scores(measure)
        for method in NEEDED_METHODS:
            wanted = {"method": method, "measures": _measures(method, measure)}
            for size in range(1, sizes_of(len(known.numbers))[-1] + 1):
                tau = _values(results, _of_subset(partial(_tau, scores)), size, **wanted)
                cost = _values(
                    results, lambda _, subset: float(judgments[list(subset)].sum()), size, **wanted
                )
                point: Point = {"panel": measure, "series": method, "topics": size}
                points.append(point | {"mean": float(tau.mean()), "judgments": float(cost.mean())})
    return points


def _needed_rows(known: KnownTopics, results: Results) -> list[Row]:
    points = _needed_points(known, results)
    rows: list[Row] = []
    for measure in GENERAL_MEASURES:
        for method in NEEDED_METHODS:
            curve = [one for one in points if (one["panel"], one["series"]) == (measure, method)]
            row: Row = {"measure": measure, "method": method}
            for wanted in WANTED:
                enough = next((one for one in curve if float(one["mean"]) >= wanted), None)
                row[f"topics, τ {wanted}"] = enough["topics"] if enough else f"over {curve[-1]['topics']}"
                row[f"judgments, τ {wanted}"] = round(float(enough["judgments"])) if enough else "–"
            rows.append(row)
    return rows


# Section 9.


def _at_once(known: KnownTopics) -> tuple[int, ...]:
    """Numbers of topics chosen at a time that leave some to choose."""
    return tuple(k for k in AT_ONCE if k < sizes_of(len(known.numbers))[-1])


def _batch_trials(known: KnownTopics, count: int, seed: int) -> list[TopicTrial]:
    drawn = _trials(known, ("random-topics",), (MEASURE,), range(seed, seed + RANDOM_TRIALS * count))
    learnt = _trials(known, ("adaptive",), (MEASURE,), range(seed, seed + count))
    return drawn + [replace(trial, at_once=k) for k in _at_once(known) for trial in learnt]


def _batch_values(known: KnownTopics, results: Results, size: int) -> dict[str, FloatArray]:
    """τ (trials,) by how many topics are chosen at a time, random topics first."""
    tau = _of_subset(partial(_tau, known.scores(MEASURE)))
    values = {"random-topics": _values(results, tau, size, method="random-topics")}
    for k in _at_once(known):
        values[str(k)] = _values(results, tau, size, method="adaptive", at_once=k)
    return values


def _batch_rows(known: KnownTopics, results: Results) -> list[Row]:
    by_share = {share: _batch_values(known, results, size) for share, size in _tabled_sizes(known).items()}
    means = {
        share: {series: trial_mean(values) for series, values in cells.items()}
        for share, cells in by_share.items()
    }
    return [
        {
            "at a time": series,
            **{share: _marked(cells[series], cells["random-topics"]) for share, cells in means.items()},
        }
        for series in ("random-topics", *map(str, _at_once(known)))
    ]


def _batch_points(known: KnownTopics, results: Results) -> list[Point]:
    return [
        {"panel": MEASURE, "series": series, "topics": size, "mean": float(values.mean())}
        for size in sizes_of(len(known.numbers))
        for series, values in _batch_values(known, results, size).items()
    ]


# Table 3.


def _generalisation_trials(known: KnownTopics, count: int, seed: int) -> list[TopicTrial]:
    trials = _trials(known, GENERAL_METHODS, GENERAL_MEASURES, range(seed, seed + count))
    return [replace(trial, held_out=known.newcomers(trial.seed)) for trial in trials]


def _generalisation_values(
    known: KnownTopics, results: Results, size: int, method: str, measure: str
) -> FloatArray:
    """τ of the runs that took no part in the choice, (trials,)."""
    scores = known.scores(measure)
    return _values(
        results,
        lambda trial, subset: _tau(scores, subset, np.array(trial.held_out)),
        size,
        method=method,
        measures=_measures(method, measure),
    )


def _generalisation_rows(known: KnownTopics, results: Results) -> list[Row]:
    rows: list[Row] = []
    for share, size in _tabled_sizes(known).items():
        of_share: dict[str, Row] = {method: {"subset": share, "method": method} for method in GENERAL_METHODS}
        for measure in GENERAL_MEASURES:
            values = {
                method: _generalisation_values(known, results, size, method, measure)
                for method in GENERAL_METHODS
            }
            for method, row in of_share.items():
                better = method == "adaptive+" and all(
                    _is_better(values[method], values[other]) for other in ("random-topics", "adaptive")
                )
                row[measure] = replace(trial_mean(values[method]), marked=better)
        rows += of_share.values()
    return rows


def _is_better(values: FloatArray, others: FloatArray) -> bool:
    """Test by the paired t-test over trials with the same seeds, one tail."""
    return bool(p_values((values - others)[None, :], "t", tails=1)[0] < LEVEL)


def _generalisation_points(known: KnownTopics, results: Results) -> list[Point]:
    points: list[Point] = []
    for share, size in zip(SHARES, sizes_of(len(known.numbers)), strict=True):
        for measure in GENERAL_MEASURES:
            for method in GENERAL_METHODS:
                values = _generalisation_values(known, results, size, method, measure)
                points.append({"panel": measure, "method": method, "share": share, **_interval(values)})
    return points


# Table 4.


def _transfer_trials(known: KnownTopics, count: int, seed: int) -> list[TopicTrial]:
    seeds = range(seed, seed + count)
    several = _trials(known, ("adaptive*", "random-topics"), (MEASURE,), seeds)
    return _trials(known, ("adaptive",), TRANSFER_MEASURES, seeds) + several


def _transfer_losses(known: KnownTopics, results: Results) -> dict[str, dict[str, FloatArray]]:
    """Loss of τ, (trials,), by the choosing measure and the measure of evaluation: τ averaged over the
    subsets' sizes, less τ where the measure of evaluation itself chose."""
    losses: dict[str, dict[str, FloatArray]] = {}
    for measure in TRANSFER_MEASURES:
        scores = known.scores(measure)

        def tau(method: str, by: tuple[str, ...], scores: FloatArray = scores) -> FloatArray:
            every = [
                _values(results, _of_subset(partial(_tau, scores)), size, method=method, measures=by)
                for size in sizes_of(len(known.numbers))
            ]
            return np.asarray(np.mean(every, axis=0))

        own = tau("adaptive", (measure,))
        for by in TRANSFER_MEASURES:
            losses.setdefault(by, {})[measure] = tau("adaptive", (by,)) - own
        for method in ("adaptive*", "random-topics"):
            losses.setdefault(method, {})[measure] = tau(method, _measures(method, MEASURE)) - own
    return losses


def _transfer_rows(known: KnownTopics, results: Results) -> list[Row]:
    losses = _transfer_losses(known, results)
    rows: list[Row] = []
    for by, of_measure in losses.items():
        row: Row = {"selection": by}
        for measure, values in of_measure.items():
            others = [losses[other][measure] for other in losses if other not in (by, measure)]
            better = by == "adaptive*" and all(_is_better(values, other) for other in others)
            row[measure] = replace(trial_mean(values), marked=better)
        rows.append(row)
    return rows


def _transfer_points(known: KnownTopics, results: Results) -> list[Point]:
    return [
        {"panel": measure, "selection": by, **_interval(values)}
        for by, of_measure in _transfer_losses(known, results).items()
        for measure, values in of_measure.items()
    ]


# Figure 3.


def _initialisation_sizes(topics: int) -> tuple[int, ...]:
    """From one topic to nine in ten, at most 25 sizes, closest where topics are few."""
    most = max(1, int(0.9 * topics))
    return tuple(np.unique(np.geomspace(1, most, 25).round().astype(int)).tolist())


def _initialisation_trials(known: KnownTopics, count: int, seed: int) -> list[TopicTrial]:
    sizes = _initialisation_sizes(len(known.numbers))
    drawn = [
        TopicTrial("random-topics", (MEASURE,), seed + n, sizes[-1:]) for n in range(RANDOM_TRIALS * count)
    ]
    # Each begins with another topic.
    greedy = [TopicTrial(GREEDY, (MEASURE,), seed + n, sizes) for n in range(min(count, len(known.numbers)))]
    return [*drawn, *greedy, TopicTrial("oracle", (MEASURE,), seed, sizes)]


def _initialisation_rows(known: KnownTopics, results: Results) -> list[Row]:
    rows: list[Row] = []
    for size in _initialisation_sizes(len(known.numbers)):
        tau = _initial_taus(known, results, size)
        greedy = tau[GREEDY]
        rows.append(
            {
                "topics": size,
                "lowest": float(greedy.min()),
                "mean": float(greedy.mean()),
                "highest": float(greedy.max()),
                "random": float(tau["random-topics"].mean()),
                "oracle": float(tau["oracle"][0]),
            }
        )
    return rows


def _initial_taus(known: KnownTopics, results: Results, size: int) -> dict[str, FloatArray]:
    scores = known.scores(MEASURE)
    return {
        method: _values(results, _of_subset(partial(_tau, scores)), size, method=method)
        for method in (GREEDY, "random-topics", "oracle")
    }


def _initialisation_points(known: KnownTopics, results: Results) -> list[Point]:
    points: list[Point] = []
    for size in _initialisation_sizes(len(known.numbers)):
        for method, values in _initial_taus(known, results, size).items():
            some = values if method == GREEDY else [values.mean()]
            points += [
                {"method": method, "trial": trial, "topics": size, "mean": float(value)}
                for trial, value in enumerate(some)
            ]
    return points


TOPIC_STUDIES = {
    "topic-selection": _selection_study(MEASURE),
    "topic-selection-p100": _selection_study("P@100"),
    "topics-needed": TopicStudy(_needed_trials, _needed_rows, _needed_points),
    "topics-at-once": TopicStudy(_batch_trials, _batch_rows, _batch_points),
    "topic-generalisation": TopicStudy(_generalisation_trials, _generalisation_rows, _generalisation_points),
    "metric-transfer": TopicStudy(_transfer_trials, _transfer_rows, _transfer_points),
    "initialisation": TopicStudy(
        _initialisation_trials, _initialisation_rows, _initialisation_points, varies=False
    ),
}


def run_topic_trial(known: KnownCollection, trial: TopicTrial) -> Subsets:
    """`run_trial` on the collection's lists, cut at the trial's depth."""
    return run_trial(known.topics_to_choose(trial.depth), trial)


def paper_study(study: TopicStudy) -> PaperStudy:
    """A study of topic selection as one of those that the Lab and the command `study` run."""

    def trials(known: KnownCollection, settings: StudySettings) -> list[TopicTrial]:
        made = study.trials(known.topics_to_choose(settings.depth), settings.trials, settings.seed)
        return [
            replace(trial, depth=settings.depth, variance=settings.variance if trial.reads_variance else "")
            for trial in made
        ]

    return PaperStudy(
        trials,
        run_topic_trial,
        lambda known, settings, results: study.rows(known.topics_to_choose(settings.depth), results),
        lambda known, settings, results: study.points(known.topics_to_choose(settings.depth), results),
        uses=("trials", "seed", "depth", *(("variance",) if study.varies else ())),
        fewest_runs=FEWEST_RUNS,
        fewest_topics=FEWEST_TOPICS,
    )
