"""One table of every statement of uncertainty that the product makes: what it promises, and how often it came
true on collections, each predicted without its family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from campaigns.formats.compressed_files import find_files
from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Gains, Grading, read_gains
from campaigns.management.offline.files import read_files
from campaigns.scoring.judged_collection import JudgedCollection
from evaluation.arrays import IntArray
from evaluation.measures.ordering import ScorePrecision
from selection.calibration.corrected_intervals import sampled_again, sampled_again_coverage
from selection.calibration.coverage import Coverage, Trial, pooled
from selection.calibration.fitted_prior import fitted_coefficients, taught_experience
from selection.calibration.like_these_trials import like_these_coverage, redrawn_campaigns
from selection.calibration.pair_trials import drawn_pair_trials, pair_coverage
from selection.calibration.past_campaigns import PastTopic
from selection.calibration.prediction_trials import (
    PredictedCampaign,
    interval_coverage,
    predicted_campaigns,
    prediction_coverage,
)
from selection.calibration.sample_intervals import sample_interval_coverage, sampled_campaigns
from selection.calibration.separation_trials import separation_cases, separation_coverage
from selection.calibration.trials import drawn_cases, drawn_plans, forecast_coverage, plan_coverage
from selection.simulation.relevance.prior import (
    COEFFICIENTS,
    Experience,
    family_of,
    prior_without,
    taught_collections,
)

# Cases for each collection: forecasts of the stop advice; and campaigns that are predicted, predicted in
# other ways, planned for, sampled, compared by average precision, and whose next decision is forecast.
FORECASTS, PREDICTED, VARIED, PLANNED, SAMPLED, COMPARED, SEPARATED = 100, 160, 48, 16, 60, 80, 30
# Draws of the samples of the same runs and topics, and campaigns whose topics are drawn again.
SAMPLED_AGAIN = REDRAWN = 100
ANCHORS = (0, 12, 24)
TEACHERS = 10
# Halves of the topics: of finished campaigns, and of those that they teach.
HALF_SEED = 7
RunsAndTopics = tuple[IntArray, IntArray]
# A bar of this description and length; what it gives takes how many are done.
Progress = Callable[[str, int], AbstractContextManager[Callable[..., object]]]


@dataclass(frozen=True, eq=False)
class Collection:
    """A collection whose relevance is known. `graded`: the topics with a gain for each grade, None where
    there are two grades only; `relevant` (topics,): how many relevant documents the qrels know."""

    name: str
    topics: list[PastTopic]
    graded: list[PastTopic] | None
    relevant: IntArray
    among: RunsAndTopics

    @property
    def trial(self) -> Trial:
        chosen = {row.name for row in taught_collections() if row.chosen}
        return Trial(collection=self.name, family=family_of(self.name), seen=self.name in chosen)

    @property
    def experience(self) -> Experience:
        """Experience from other families."""
        return Experience(prior=prior_without([family_of(self.name)]))

    @property
    def condensed(self) -> list[PastTopic]:
        """Topics without unjudged documents; none where the qrels hold no document that is not relevant."""
        if not any((topic.gains == 0).any() for topic in self.topics):
            return []
        return [topic.condensed() for topic in self.topics]

    @classmethod
    def read(
        cls,
        folder: Path,
        gains: Gains | None,
        *,
        score_precision: ScorePrecision = 64,
        cached: bool = False,
    ) -> Collection:
        """From a folder that holds `runs/`, `qrels.txt` and, unless they are given, perhaps `gains.txt`;
        FormatError if it does not. `score_precision` and `cached`: see `read_files`."""
        for part in ("runs", "qrels.txt"):
            if not (folder / part).exists():
                raise FormatError(str(folder), [LineError(None, f"holds no {part}")])
        own = folder / "gains.txt"
        grading = Grading(read_gains(own) if gains is None and own.exists() else gains)
        runs = find_files([folder / "runs"])
        qrels = folder / "qrels.txt"
        campaign = read_files(
            runs, qrels, grading, score_precision=score_precision, cached=cached
        ).only_judged()
        if len(campaign.runs) < 2 or len(campaign.topics) < 2:
            raise FormatError(str(folder), [LineError(None, "holds fewer than two runs or judged topics")])
        return cls.of(folder.resolve().name, campaign, grading)

    @classmethod
    def of(cls, name: str, campaign: JudgedCollection, grading: Grading) -> Collection:
        highest = int(max(grade for topic in campaign.topics for grade in topic.grades.values()))
        grades = Grading({grade: grade / highest for grade in range(highest + 1)}) if highest > 1 else None
        return cls(
            name,
            _known_topics(campaign, grading),
            _known_topics(campaign, grades) if grades else None,
            _relevant(campaign, grading),
            (np.arange(len(campaign.runs)), np.arange(len(campaign.topics))),
        )


def _known_topics(campaign: JudgedCollection, grading: Grading) -> list[PastTopic]:
    return [PastTopic(topic.rankings, topic.gains(grading)) for topic in campaign.topics]


def _relevant(campaign: JudgedCollection, grading: Grading) -> IntArray:
    counts = [sum(grading.gain(grade) > 0 for grade in topic.grades.values()) for topic in campaign.topics]
    return np.array(counts, dtype=np.int64)


@dataclass(frozen=True)
class Trials:
    """Number of cases of each kind, None for the usual number; and the seed."""

    cases: int | None
    seed: int

    def count(self, usual: int) -> int:
        return self.cases or usual


def every_coverage(
    collections: Sequence[Collection], trials: Trials, kinds: Sequence[str], progress: Progress
) -> list[Coverage]:
    """The statements of these kinds on each collection, predicted without its family; then on all."""
    rows: list[Coverage] = []
    for collection in collections:
        for name in kinds:
            kind = KINDS[name]
            with progress(f"{collection.name}: {name}", trials.count(kind.usual)) as advance:
                rows += kind.statements(collection, trials, advance)
    return rows + pooled(rows)


@dataclass(frozen=True)
class Kind:
    """Statements on cases that are drawn from a collection: `usual` so many. `draw` is given their number as
    `counts`, and what the collection `knows`."""

    draw: Callable[..., Iterable[Any]]
    covered: Callable[[list[Any], Trial], list[Coverage]]
    usual: int
    knows: str = "experience"
    counts: str = "campaigns"

    def statements(
        self, collection: Collection, trials: Trials, advance: Callable[..., object]
    ) -> list[Coverage]:
        given = {self.counts: trials.count(self.usual)}
        given |= {self.knows: getattr(collection, self.knows)} if self.knows else {}
        cases = self.draw(collection.topics, collection.among, seed=trials.seed, progress=advance, **given)
        return self.covered(list(cases), collection.trial)


class Variants(Kind):
    """Intervals of runs, in campaigns that are predicted in other ways."""

    def statements(
        self, collection: Collection, trials: Trials, advance: Callable[..., object]
    ) -> list[Coverage]:
        rows: list[Coverage] = []
        for regime, campaigns in _variants(collection, trials).items():
            rows += interval_coverage([one.whole for one in campaigns], collection.trial, regime=regime)
        return rows


def _variants(collection: Collection, trials: Trials) -> dict[str, list[PredictedCampaign]]:
    """Variants by regime: fewer campaigns, of other gains and truths, with anchors, and with a site's
    experience."""
    count, seed = trials.count(VARIED), trials.seed + 1
    variants = dict[str, Iterator[PredictedCampaign]]()
    if collection.condensed:
        variants["unjudged documents left out"] = _predicted(collection, collection.condensed, count, seed)
    if collection.graded is not None:
        variants["graded gains"] = _predicted(collection, collection.graded, count, seed)
    for anchors in ANCHORS:
        regime = f"{anchors or 'no'} anchors, the same campaigns"
        variants[regime] = _predicted(collection, collection.topics, count, seed, anchors=anchors)
    variants[f"{TEACHERS} finished campaigns of other topics"] = _taught(collection, count, seed)
    return {regime: list(campaigns) for regime, campaigns in variants.items()}


def _predicted(
    collection: Collection, topics: list[PastTopic], count: int, seed: int, *, anchors: int = 0
) -> Iterator[PredictedCampaign]:
    return predicted_campaigns(
        topics,
        collection.among,
        campaigns=count,
        seed=seed,
        experience=collection.experience,
        anchors=anchors,
    )


def _taught(collection: Collection, count: int, seed: int) -> Iterator[PredictedCampaign]:
    runs, topics = collection.among
    order = np.random.default_rng(HALF_SEED).permutation(topics)
    experience = taught_experience(
        collection.topics, (runs, order[::2]), expected=collection.experience, campaigns=TEACHERS
    )
    others = runs, order[1::2]
    return predicted_campaigns(collection.topics, others, campaigns=count, seed=seed, experience=experience)


KINDS = {
    "predictions": Kind(predicted_campaigns, prediction_coverage, PREDICTED),
    "like these": Kind(redrawn_campaigns, like_these_coverage, REDRAWN),
    "variants": Variants(predicted_campaigns, prediction_coverage, VARIED),
    "advice": Kind(drawn_cases, forecast_coverage, FORECASTS, counts="cases"),
    "separation": Kind(separation_cases, separation_coverage, SEPARATED),
    "planner": Kind(drawn_plans, plan_coverage, PLANNED),
    "samples": Kind(sampled_campaigns, sample_interval_coverage, SAMPLED, knows="relevant"),
    "sampled": Kind(sampled_again, sampled_again_coverage, SAMPLED_AGAIN, knows="graded"),
    "pairs": Kind(drawn_pair_trials, pair_coverage, COMPARED),
}


def fitted_rows(collection: Collection) -> list[dict[str, Any]]:
    """Rows for the table of collections: the fitted coefficients, by what becomes of documents without a
    judgment."""
    ways = {"not relevant": collection.topics, "left out": collection.condensed}
    return [
        {"collection": collection.name, "family": family_of(collection.name), "unjudged": way}
        | dict(zip(COEFFICIENTS, fitted_coefficients(topics, collection.among), strict=True))
        for way, topics in ways.items()
        if topics
    ]
