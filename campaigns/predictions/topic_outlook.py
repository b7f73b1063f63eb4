"""One topic among all: how much it leaves open, and the pairs of the best runs that it can turn round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from campaigns.core.jobs import request_prediction
from campaigns.models import Campaign, Topic
from campaigns.predictions.differences import pair_differences_in
from campaigns.predictions.prediction import NOISE
from campaigns.predictions.standings import MatrixPair, Standings
from campaigns.results.topic_rows import mean_residuals


@dataclass(frozen=True)
class TurnablePair:
    """A pair whose order by expected scores judging the topic can turn round. `reach`: half the width of the
    95% prediction interval of its difference in the topic, as part of the mean."""

    pair: MatrixPair
    reach: float


@dataclass(frozen=True)
class TopicOutlook:
    """`residual`: mean of the runs, None before the worker computed the topic; `median`: of all `topics`.
    `more_open`, `as_open`: other topics of a higher and of the same mean residual. `pairs`: None where they
    are not predicted, of the first `runs`."""

    topics: int
    residual: float | None
    median: float
    more_open: int
    as_open: int
    pairs: Sequence[TurnablePair] | None
    runs: int


def topic_outlook(*, campaign: Campaign, topic: Topic, standings: Standings) -> TopicOutlook:
    """`standings`: over all topics."""
    residuals, topics = mean_residuals(campaign=campaign), campaign.topics.count()
    own = residuals.get(topic.id, 1.0)
    # Nothing is known of a topic that is not computed yet.
    every = [*residuals.values(), *[1.0] * (topics - len(residuals))]
    more = sum(other > own + NOISE for other in every)
    less = sum(other < own - NOISE for other in every)
    runs = {run for pair in standings.pairs for run in (pair.run.id, pair.other.id)}
    return TopicOutlook(
        topics,
        residuals.get(topic.id),
        median(every),
        more,
        topics - more - less - 1,
        _turnable(campaign, topic, standings),
        len(runs),
    )


def _turnable(campaign: Campaign, topic: Topic, standings: Standings) -> list[TurnablePair] | None:
    """The least likely last."""
    pairs, prediction = standings.pairs, standings.prediction
    if campaign.measure != campaign.rbp:
        # Runs stand in the order of another measure.
        return None
    if not pairs or prediction is None or any(one.run.too_early or one.other.too_early for one in pairs):
        return None
    keys = [(one.run.id, one.other.id) for one in pairs]
    inside = pair_differences_in(campaign=campaign, topic=topic.id, pairs=keys)
    if missing := {run for key in keys if key not in inside for run in key}:
        request_prediction(campaign.id, sorted(missing))
        return None
    turned: list[tuple[float, TurnablePair]] = []
    for key, one in zip(keys, pairs, strict=True):
        here, ahead = inside[key], (one.run.expected or 0.0) - (one.other.expected or 0.0)
        least = ahead + (here.low - (here.expected or 0.0)) / prediction.topics
        if one.state != "certain" and least < -NOISE:
            turned.append((least, TurnablePair(one, (here.high - here.low) / 2 / prediction.topics)))
    return [one for _, one in sorted(turned, key=lambda row: row[0])]
