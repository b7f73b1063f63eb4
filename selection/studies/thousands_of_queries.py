"""Tables 2 and 3, Figures 1 to 3 and section 5.2 of Carterette and others 2008: how the estimates of MTC and
statAP agree with average precision by all judgments, and how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.comparison.rank_correlation import kendall
from evaluation.comparison.significance import p_values
from evaluation.comparison.variance import Components, variance_components
from selection.studies.interface import (
    Found,
    PaperStudy,
    Point,
    Row,
    StudySettings,
    TrialMean,
    trial_mean,
)
from selection.studies.known_collection import KnownCollection
from selection.studies.sampling_trials import (
    EXPERTS,
    HALF,
    MODEL,
    ConfidenceTrial,
    MtcTrial,
    SampleTrial,
    SamplingTrial,
    cut_lists,
    run_sampling,
)

# Of each topic.
JUDGMENTS = (20, 40)
# Rows of the paper's tables; of more runs, these are evenly spaced by MAP.
SHOWN_RUNS = 24
LEVEL = 0.05
STABLE = 0.95
MOST_TOPICS = 200
CONFIDENCE_BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
ROUNDING = 1e-9

Results = Mapping[SamplingTrial, Found]


def judgments_of(settings: StudySettings, usual: Sequence[int]) -> tuple[int, ...]:
    return settings.budgets or tuple(usual)


def _last(settings: StudySettings) -> int:
    return judgments_of(settings, JUDGMENTS)[-1]


def _samples(settings: StudySettings) -> list[SampleTrial]:
    seeds = range(settings.seed, settings.seed + settings.trials)
    return [SampleTrial(seed, _last(settings), settings.depth) for seed in seeds]


def _samples_found(settings: StudySettings, results: Results) -> list[Found]:
    return [results[trial] for trial in _samples(settings)]


def _mtc(settings: StudySettings, results: Results) -> Found:
    return results[MtcTrial(_last(settings), settings.depth)]


def expected(result: Found, kind: str) -> FloatArray:
    """Expected mean average precision (runs,)."""
    return np.asarray(np.array(result[kind]).mean(axis=0))


def full_map(known: KnownCollection, settings: StudySettings) -> FloatArray:
    """MAP (runs,) of the cut lists; a document that is not judged counts as not relevant."""
    return np.asarray(cut_lists(known, settings.depth).ap.mean(axis=0))


# Tables 2 and 3, Figures 1 and 2.


def _agreement_trials(_: KnownCollection, settings: StudySettings) -> list[SamplingTrial]:
    last = _last(settings)
    return [
        MtcTrial(last, settings.depth),
        ConfidenceTrial(last, settings.depth),
        *_samples(settings),
    ]


def _agreement_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    true, mtc = full_map(known, settings), _mtc(settings, results)
    samples = _samples_found(settings, results)
    confidence = results[ConfidenceTrial(_last(settings), settings.depth)][EXPERTS]
    ap = cut_lists(known, settings.depth).ap
    order = np.argsort(true, kind="stable")
    scores = {"EMAP": expected(mtc, EXPERTS), "calibrated": expected(mtc, MODEL)}
    sure = _confidence_in_next(scores["EMAP"], np.array(confidence))
    held = {
        "2 sd hold": np.mean([_within_deviations(one, true) for one in samples], axis=0),
        "interval holds": np.mean([_within_interval(one, true) for one in samples], axis=0),
    }
    rows: list[Row] = []
    for place in _evenly(len(order)):
        run = int(order[place])
        row: Row = {"run": known.runs[run], "MAP": float(true[run])}
        if place + 1 < len(order):
            better = ap[:, order[place + 1]] - ap[:, run]
            row["below next"] = "yes" if p_values(better[None, :], "t", tails=1)[0] < LEVEL else "no"
        row["unjudged"] = float(mtc["unjudged"][run])
        row["EMAP"] = float(scores["EMAP"][run])
        if run in sure:
            row["confidence"] = sure[run]
        row["calibrated"] = float(scores["calibrated"][run])
        row["statMAP"], row["2 sd"] = samples[0]["statmap"][run], 2 * samples[0]["deviation"][run]
        rows.append(row | {name: float(share[run]) for name, share in held.items()})
    return rows + _agreement_summary(true, scores, samples, cut_lists(known, settings.depth).judged_share)


def _evenly(runs: int) -> list[int]:
    return sorted(set(np.linspace(0, runs - 1, min(runs, SHOWN_RUNS)).round().astype(int).tolist()))


def _agreement_summary(
    true: FloatArray, scores: Mapping[str, FloatArray], samples: list[Found], judged_share: float
) -> list[Row]:
    """τ and distances of all runs, and shares of all runs and samples."""

    def error(values: FloatArray) -> float:
        return float(np.abs(values - true).mean())

    rows: list[Row] = []
    for title, of in (("τ with MAP", lambda values: _tau(true, values)), ("mean error", error)):
        row: Row = {"run": title, **{name: of(values) for name, values in scores.items()}}
        rows.append(row | {"statMAP": _mean([of(np.array(one["statmap"])) for one in samples])})
    rows.append({"run": "share of the lists judged", "MAP": judged_share})
    rows.append(
        {
            "run": "mean",
            "2 sd hold": _mean([float(_within_deviations(one, true).mean()) for one in samples]),
            "interval holds": _mean([float(_within_interval(one, true).mean()) for one in samples]),
        }
    )
    return rows


def _tau(first: FloatArray, second: FloatArray) -> float:
    # Runs that all tie have no order.
    return float(np.nan_to_num(kendall(first, second)))


def _mean(values: Sequence[float]) -> TrialMean:
    return trial_mean(np.array(values))


def _confidence_in_next(scores: FloatArray, pairs: FloatArray) -> dict[int, float]:
    """For each run but the best, the confidence that the next by these scores has the higher MAP."""
    runs = len(scores)
    matrix = np.full((runs, runs), 0.5)
    matrix[np.triu_indices(runs, 1)] = pairs
    matrix = np.where(np.tri(runs, dtype=np.bool_), 1 - matrix.T, matrix)
    order = np.argsort(scores, kind="stable").tolist()
    return {run: float(matrix[better, run]) for run, better in pairwise(order)}


def _within_deviations(result: Found, true: FloatArray) -> BoolArray:
    """For each run: true if MAP is within two standard deviations of statMAP."""
    distance = np.abs(np.array(result["statmap"]) - true)
    return np.asarray(distance <= 2 * np.array(result["deviation"]) + ROUNDING)


def _within_interval(result: Found, true: FloatArray) -> BoolArray:
    """Likewise of the 95% interval; False where there is none."""
    low, high = (np.array(result[end], dtype=np.float64) for end in ("low", "high"))
    return np.asarray((low <= true + ROUNDING) & (true <= high + ROUNDING))


def _agreement_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    """All runs, by MAP."""
    true, mtc = full_map(known, settings), _mtc(settings, results)
    sample = _samples_found(settings, results)[0]
    emap, model = expected(mtc, EXPERTS), expected(mtc, MODEL)
    return [
        {
            "place": place,
            "run": known.runs[run],
            "MAP": float(true[run]),
            "EMAP": float(emap[run]),
            "calibrated": float(model[run]),
            "statMAP": sample["statmap"][run],
            "low": sample["statmap"][run] - 2 * sample["deviation"][run],
            "high": sample["statmap"][run] + 2 * sample["deviation"][run],
        }
        for place, run in enumerate(np.argsort(true, kind="stable").tolist(), 1)
    ]


# Figure 3.


def _variance_trials(_: KnownCollection, settings: StudySettings) -> list[SamplingTrial]:
    return [MtcTrial(_last(settings), settings.depth), *_samples(settings)]


def _components(
    known: KnownCollection, settings: StudySettings, results: Results
) -> dict[str, list[Components]]:
    """Variance components by method; for statAP, those of each sample that has any."""
    mtc, ap = _mtc(settings, results), cut_lists(known, settings.depth).ap
    matrices = {"AP": ap, "MTC": np.array(mtc[EXPERTS]), "MTC, calibrated": np.array(mtc[MODEL])}
    components = {name: [variance_components(matrix.T)] for name, matrix in matrices.items()}
    samples = [one for one in _samples_found(settings, results) if one["components"]]
    components["statAP"] = [
        _of_parts(one["components"], runs=len(known.runs), topics=one["topics"]) for one in samples
    ]
    return {name: several for name, several in components.items() if several}


def _of_parts(parts: Sequence[float], runs: int, topics: int) -> Components:
    system, topic, interaction = parts
    return Components(system, topic, interaction, runs, topics)


def _typical(several: Sequence[Components]) -> Components:
    """The mean of the components."""
    parts = np.mean([(one.system, one.topic, one.interaction) for one in several], axis=0)
    return _of_parts(parts.tolist(), several[0].runs, several[0].topics)


def _variance_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    rows: list[Row] = []
    for method, several in _components(known, settings, results).items():
        shares = np.nan_to_num(np.array([one.shares for one in several]))
        row: Row = {"method": method}
        for name, values in zip(("runs", "topics", "interaction"), shares.T, strict=True):
            row[name] = float(values[0]) if len(values) == 1 else trial_mean(values)
        mean = _typical(several)
        row["topics for scores"] = _count(mean.topics_for_absolute(STABLE))
        row["topics for order"] = _count(mean.topics_for_relative(STABLE))
        rows.append(row)
    return rows


def _count(topics: float) -> int | str:
    return int(topics) if np.isfinite(topics) else "never"


def _variance_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    points: list[Point] = []
    for method, several in _components(known, settings, results).items():
        mean = _typical(several)
        stabilities: dict[str, Callable[[int], float]] = {"scores": mean.absolute, "order": mean.relative}
        for topics in range(1, MOST_TOPICS + 1):
            for kind, stability in stabilities.items():
                value = float(np.nan_to_num(stability(topics)))
                points.append({"method": method, "kind": kind, "topics": topics, "stability": value})
    return points


# Section 5.2.1.


def _reusability_trials(_: KnownCollection, settings: StudySettings) -> list[ConfidenceTrial]:
    """Raises ValueError unless there are two numbers of judgments."""
    judgments = judgments_of(settings, JUDGMENTS)
    if len(judgments) != 2:
        raise ValueError("reusability compares two numbers of judgments of each topic, such as 20,40")
    return [ConfidenceTrial(each, settings.depth) for each in judgments]


@dataclass(frozen=True, eq=False)
class _StatedPairs:
    """Pairs with a stated better run, (pairs,): the confidence; whether the other is stated after the further
    judgments; whether the other has the higher MAP; and whether relevant documents among the unjudged could
    undo that."""

    confidence: FloatArray
    swapped: BoolArray
    wrong: BoolArray
    open: BoolArray


def _pairs_stated(
    known: KnownCollection, settings: StudySettings, results: Results, kind: str
) -> _StatedPairs:
    before, after = (np.array(results[trial][kind]) - 0.5 for trial in _reusability_trials(known, settings))
    true = full_map(known, settings)
    first, second = np.triu_indices(len(true), 1)
    difference = np.where(np.abs(true[first] - true[second]) < ROUNDING, 0.0, true[first] - true[second])
    stated = before != 0
    swapped, wrong = before * after < 0, before * difference < 0
    open_, some = np.zeros_like(wrong), np.flatnonzero(wrong)
    stated_better = np.where(before > 0, first, second)[some], np.where(before > 0, second, first)[some]
    open_[some] = cut_lists(known, settings.depth).favourable_difference(*stated_better) > ROUNDING
    return _StatedPairs((np.abs(before) + 0.5)[stated], swapped[stated], wrong[stated], open_[stated])


KINDS = {EXPERTS: "published", HALF: "one half", MODEL: "calibrated"}


def _bin_of(confidence: FloatArray) -> IntArray:
    """1 for the first bin."""
    return np.digitize(confidence, CONFIDENCE_BINS[1:-1]) + 1


def _reusability_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    stated = _all_stated(known, settings, results)
    rows: list[Row] = []
    for number, (low, high) in enumerate(pairwise(CONFIDENCE_BINS), 1):
        row: Row = {"confidence": f"{low:.2f} to {high:.2f}"}
        for name, pairs in stated.items():
            row |= _pair_counts(name, pairs, _bin_of(pairs.confidence) == number)
        rows.append(row)
    total: Row = {"confidence": "all"}
    highest: Row = {"confidence": "highest of a swapped pair"}
    for name, pairs in stated.items():
        total |= _pair_counts(name, pairs, np.ones(len(pairs.wrong), dtype=np.bool_))
        highest[f"{name} swapped"] = float(pairs.confidence[pairs.swapped].max(initial=0.5))
        highest[f"{name} wrong"] = float(pairs.confidence[pairs.wrong].max(initial=0.5))
    return [*rows, total, highest]


def _all_stated(known: KnownCollection, settings: StudySettings, results: Results) -> dict[str, _StatedPairs]:
    """Stated pairs by the names of `KINDS`; table and figure share them."""
    judgments = tuple(trial.judgments for trial in _reusability_trials(known, settings))
    return known.cached(
        ("stated pairs", judgments, settings.depth),
        lambda: {name: _pairs_stated(known, settings, results, kind) for kind, name in KINDS.items()},
    )


def _pair_counts(name: str, pairs: _StatedPairs, here: BoolArray) -> Row:
    return {
        f"{name} pairs": int(here.sum()),
        f"{name} swapped": int((here & pairs.swapped).sum()),
        f"{name} wrong": int((here & pairs.wrong).sum()),
        f"{name} open": int((here & pairs.open).sum()),
    }


def _reusability_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    """Points of each bin with pairs: their mean confidence, and the shares that were swapped and are
    wrong."""
    points: list[Point] = []
    for name, pairs in _all_stated(known, settings, results).items():
        bins = _bin_of(pairs.confidence)
        for number in np.unique(bins).tolist():
            here = bins == number
            mean = float(pairs.confidence[here].mean())
            for line, share in (
                ("swapped", float(pairs.swapped[here].mean())),
                ("wrong by all judgments", float(pairs.wrong[here].mean())),
                ("stated", 1 - mean),
            ):
                points.append({"panel": name, "line": line, "confidence": mean, "share": share})
    return points


_SAMPLED = ("trials", "seed", "depth", "budgets")

AGREEMENT_STUDIES = {
    "agreement": PaperStudy(
        _agreement_trials, run_sampling, _agreement_rows, _agreement_points, uses=_SAMPLED
    ),
    "variance-components": PaperStudy(
        _variance_trials, run_sampling, _variance_rows, _variance_points, uses=_SAMPLED
    ),
    "reusability": PaperStudy(
        _reusability_trials, run_sampling, _reusability_rows, _reusability_points, uses=("depth", "budgets")
    ),
}
