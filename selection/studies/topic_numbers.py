"""Figures 4 and 5 of Carterette and others 2008: how many topics and judgments an order of the runs needs,
and what they cost."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evaluation.arrays import FloatArray
from selection.studies.interface import Found, PaperStudy, Point, Row, StudySettings, trial_mean
from selection.studies.known_collection import KnownCollection
from selection.studies.sampling_trials import (
    EXPERTS,
    MtcTrial,
    OrderTrial,
    SamplingTrial,
    run_sampling,
    taus,
    topic_counts,
    topic_order,
)
from selection.studies.thousands_of_queries import expected, full_map, judgments_of

# Of each topic.
STABILITY_JUDGMENTS = (5, 10, 20, 40)
COST_JUDGMENTS = (5, 10, 15, 20, 30, 40)
TABLED_SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
WANTED = 0.9
METHODS = ("MTC", "statAP")
OWN, TRUE = "tau", "true"
REFERENCES = {OWN: "itself", TRUE: "MAP"}

Results = Mapping[SamplingTrial, Found]
# By method and judgments: of each reference, τ (trials, numbers of topics).
Curves = dict[tuple[str, int], dict[str, FloatArray]]


def _trials(settings: StudySettings, judgments: tuple[int, ...]) -> list[SamplingTrial]:
    mtc: list[SamplingTrial] = [MtcTrial(each, settings.depth) for each in judgments]
    return mtc + [
        OrderTrial(seed, each, judgments[-1], settings.depth)
        for seed in range(settings.seed, settings.seed + settings.trials)
        for each in judgments
    ]


def _stability_trials(_: KnownCollection, settings: StudySettings) -> list[SamplingTrial]:
    return _trials(settings, judgments_of(settings, STABILITY_JUDGMENTS))


def _cost_trials(_: KnownCollection, settings: StudySettings) -> list[SamplingTrial]:
    return _trials(settings, judgments_of(settings, COST_JUDGMENTS))


def _curves(known: KnownCollection, settings: StudySettings, results: Results) -> Curves:
    """MTC's are of the same orders of the topics as statAP's; tables and figures share them."""
    judgments = tuple(sorted({trial.judgments for trial in results}))
    return known.cached(
        ("curves", settings, judgments), lambda: _made_curves(known, settings, results, judgments)
    )


def _made_curves(
    known: KnownCollection, settings: StudySettings, results: Results, judgments: tuple[int, ...]
) -> Curves:
    seeds = range(settings.seed, settings.seed + settings.trials)
    reference = expected(results[MtcTrial(judgments[-1], settings.depth)], EXPERTS)
    true, curves = full_map(known, settings), Curves()
    for each in judgments:
        scores = np.array(results[MtcTrial(each, settings.depth)][EXPERTS])
        mtc = [taus(scores[topic_order(len(scores), seed)], reference, true) for seed in seeds]
        sampled = [results[OrderTrial(seed, each, judgments[-1], settings.depth)] for seed in seeds]
        for method, orders in zip(METHODS, (mtc, sampled), strict=True):
            curves[method, each] = {name: np.array([one[name] for one in orders]) for name in REFERENCES}
    return curves


# Figure 4.


def _stability_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    curves, counts = _curves(known, settings, results), np.array(topic_counts(len(known.topics)))
    places = [int(np.abs(counts - share * counts[-1]).argmin()) for share in TABLED_SHARES]
    ordered = [(method, each) for method in METHODS for one, each in curves if one == method]
    return [
        {
            "compared with": reference,
            "topics": int(counts[place]),
            **{
                f"{method} {each}": trial_mean(curves[method, each][name][:, place])
                for method, each in ordered
            },
        }
        for name, reference in REFERENCES.items()
        for place in dict.fromkeys(places)
    ]


def _stability_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    return [
        {
            "method": method,
            "judgments": each,
            "compared with": reference,
            "topics": topics,
            "mean": float(of[name][:, place].mean()),
        }
        for (method, each), of in _curves(known, settings, results).items()
        for name, reference in REFERENCES.items()
        for place, topics in enumerate(topic_counts(len(known.topics)))
    ]


# Figure 5.


def hours(settings: StudySettings, topics: int, judgments: int) -> float:
    """Hours needed to judge so many documents of each topic.

    >>> hours(StudySettings(), 250, 20)
    50.0
    """
    minutes = settings.minutes_per_topic + judgments * settings.seconds_per_judgment / 60
    return round(topics * minutes / 60, 9)


def _needed(known: KnownCollection, tau: FloatArray) -> int | None:
    """The fewest topics with which mean τ, of (trials, numbers of topics), is as high as wanted."""
    enough = np.flatnonzero(tau.mean(axis=0) >= WANTED)
    return topic_counts(len(known.topics))[enough[0]] if len(enough) else None


def _cost_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    curves = _curves(known, settings, results)
    rows: list[Row] = []
    for each in sorted({judgments for _, judgments in curves}):
        row: Row = {"judgments": each}
        for method in METHODS:
            tau = curves[method, each][OWN]
            topics = _needed(known, tau)
            row[f"{method} τ, all topics"] = trial_mean(tau[:, -1])
            row[f"{method} topics"] = "never" if topics is None else topics
            row[f"{method} hours"] = "never" if topics is None else hours(settings, topics, each)
        rows.append(row)
    return rows


def _cost_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    return [
        {"method": method, "judgments": each, "topics": topics, "hours": hours(settings, topics, each)}
        for (method, each), of in _curves(known, settings, results).items()
        if (topics := _needed(known, of[OWN])) is not None
    ]


_USES = ("trials", "seed", "depth", "budgets")

NUMBER_STUDIES = {
    "stability": PaperStudy(_stability_trials, run_sampling, _stability_rows, _stability_points, uses=_USES),
    "cost": PaperStudy(
        _cost_trials,
        run_sampling,
        _cost_rows,
        _cost_points,
        uses=(*_USES, "minutes_per_topic", "seconds_per_judgment"),
    ),
}
