"""A pair of runs by the prediction: which is better, by how much, and how long until it is sure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from campaigns.log.judgments import length_of
from campaigns.models import Campaign
from campaigns.predictions.differences import Difference, PairDifferences
from campaigns.predictions.prediction import ScorePrediction, percent_of
from campaigns.predictions.standings import pair_state
from campaigns.results.pairs import PairDetails
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of
from campaigns.results.topic_scope import TopicScope
from campaigns.stopping.advice import RemainingEffort, separation_of


@dataclass(frozen=True)
class PredictedOrder:
    """Probability that `run`, which has the higher expected score, has the higher final score; `certain`:
    whatever is unjudged. `age`: judgments since the `prediction`."""

    run: str
    percent: int
    certain: bool
    age: int
    prediction: ScorePrediction


def predicted_order(
    campaign: Campaign, prediction: ScorePrediction | None, better: RunScoreRange, worse: RunScoreRange
) -> PredictedOrder | None:
    confidence = None if prediction is None else prediction.confidence(better.id, worse.id)
    percent = percent_of(confidence)
    if prediction is None or confidence is None or percent is None:
        return None
    expected = {run.id: run.expected for run in prediction.runs}
    # As the overview: no run is put first whose expected score is lower.
    if confidence == 0 or (confidence < 1 and expected[worse.id] > expected[better.id]):
        better, percent = worse, 100 - percent
    age = length_of(campaign=campaign) - prediction.as_of
    return PredictedOrder(better.run, percent, confidence in (0, 1), age, prediction)


@dataclass(frozen=True)
class MeanDifference:
    """Difference of the runs' means over the topics of a scope. `expected`, `band`: None while unknown."""

    scope: TopicScope
    least: float
    most: float
    expected: float | None
    band: Difference | None


def mean_difference(
    campaign: Campaign,
    scope: TopicScope,
    prediction: ScorePrediction | None,
    predicted: PairDifferences,
    better: RunScoreRange,
    worse: RunScoreRange,
) -> MeanDifference:
    both = score_ranges_of(campaign=campaign, withdrawn=True, topics=scope, only=(better.id, worse.id))
    here = {row.id: row for row in both}
    one, other = here[better.id], here[worse.id]
    scores = {run.id: run.expected for run in prediction.runs} if prediction else {}
    least, most = one.base - other.top, one.top - other.base
    expected = None
    if prediction and not prediction.early and better.id in scores and worse.id in scores:
        expected = min(max(scores[better.id] - scores[worse.id], least), most)
    band = predicted.means.get(scope)
    return MeanDifference(scope, least, most, expected, None if band is None else band.within(least, most))


@dataclass(frozen=True)
class UntilSeparated:
    """`forecast`: judgments until the prediction separates the pair; `state` says why there is none."""

    state: Literal["separated", "early", "judged", "later", "open"]
    forecast: RemainingEffort | None = None


def until_separated(
    campaign: Campaign,
    scope: TopicScope,
    pair: PairDetails,
    prediction: ScorePrediction | None,
    better: RunScoreRange,
    worse: RunScoreRange,
) -> UntilSeparated:
    confidence = None if prediction is None else prediction.confidence(better.id, worse.id)
    if pair.decided or pair_state(confidence) in ("certain", "likely"):
        return UntilSeparated("separated")
    if prediction is None or prediction.early:
        return UntilSeparated("early")
    if scope == "judged":
        return UntilSeparated("judged")
    found = separation_of(campaign=campaign, runs=(better.id, worse.id))
    return UntilSeparated("later") if found is None else UntilSeparated("open", found)
