"""Results: score ranges, pairs of runs, queues, the worker's status and qrels."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing, Page
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import RESULTS_TAG
from campaigns.api.shapes.base import file
from campaigns.api.shapes.exports import QrelsQuery
from campaigns.api.shapes.predictions import Predictions, PredictionsQuery
from campaigns.api.shapes.queues import MOST_QUEUED, PrioritiesQuery, Queued, StatusOut
from campaigns.api.shapes.queues import Priorities as PrioritiesOut
from campaigns.api.shapes.results import (
    Intervals,
    IntervalsQuery,
    MeasureEstimate,
    MeasurePairs,
    MeasurePairsQuery,
    Measures,
    MeasuresQuery,
    Pairs,
    PairsQuery,
)
from campaigns.computing.health import status_of
from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal, with_nearest
from campaigns.exchange.downloads import download, if_changed
from campaigns.exchange.exports import EXPORTS
from campaigns.exchange.versions import (
    of_advice,
    of_log,
    of_measured,
    of_prediction,
    of_priorities,
    of_score_ranges,
)
from campaigns.measurement.measured_rows import ENDS, check_measure, order_of, pair_values, value_at
from campaigns.measurement.measured_scores import Estimate, MeasuredCampaign, MeasureScores, measured_of
from campaigns.predictions.differences import MeanDifferences, mean_differences_of
from campaigns.predictions.prediction import NO_PREDICTION, ScorePrediction
from campaigns.predictions.standings import standings_of
from campaigns.results.queues import MethodAlternative, QueuePriorities, QueueRow, RunShare, priorities_of
from campaigns.results.score_ranges import computed_of, score_ranges_of, summary_of
from campaigns.results.topic_scope import scope_counts
from campaigns.stopping.advice import RunPair, StoppingAdvice, check_versus, stopping_advice_of

operation = Operations(RESULTS_TAG)

PAIRS_LISTING = Listing[tuple[int, RunPair]]("pairs", lambda placed: placed[0])
# Its place among all pairs, and the ids of its runs.
PlacedPair = tuple[int, int, int]
MEASURED_LISTING = Listing[PlacedPair]("measures", lambda placed: placed[0])
PREDICTED_LISTING = Listing[PlacedPair]("predictions", lambda placed: placed[0])
QUEUE_LISTING = Listing[QueueRow]("queue", lambda row: row.position, most=MOST_QUEUED)


class PrioritiesView(OrganiserView):
    """A topic's queue, and why."""

    queries = {"GET": PrioritiesQuery}

    @operation("get_priorities", "Explain a topic's queue", {200: PrioritiesOut, 304: None})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        topic = self.topic(self.asked["topic"])

        def make() -> Response:
            found = priorities_of(campaign=self.campaign, topic=topic, limit=MOST_QUEUED)
            page = QUEUE_LISTING.of_rows(request, self.asked, found.queue.rows)
            return Response(_queue_json(topic.number, found, page))

        return if_changed(request, of_priorities(self.campaign, topic), make)


def _queue_json(number: str, found: QueuePriorities, page: Page[QueueRow]) -> dict[str, Any]:
    return {
        "topic": number,
        "method": found.queue.method,
        "as_of": found.queue.as_of,
        "configuration_current": found.queue.current,
        "remaining": found.queue.remaining,
        **page.as_json(lambda row: _queued(row, found.behind(row))),
        "alternatives": [_alternative(other) for other in found.alternatives],
    }


def _queued(row: QueueRow, behind: list[RunShare]) -> dict[str, Any]:
    return Queued.of(row, runs=[asdict(run) for run in behind])


def _alternative(other: MethodAlternative) -> dict[str, Any]:
    return {
        "method": other.method,
        "docno": other.docno or None,
        "weight": None if other.unavailable else other.weight,
        "unavailable": other.unavailable,
    }


class IntervalsView(OrganiserView):
    queries = {"GET": IntervalsQuery}

    @operation("get_intervals", "List score ranges", {200: Intervals, 304: None})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        measure = self.asked.get("measure", self.campaign.rbp)
        if measure != self.campaign.rbp:
            detail = gettext("live score ranges exist only for %(measure)s") % {"measure": self.campaign.rbp}
            raise Refusal("other_measure", detail, field="measure")
        number = self.asked.get("topic")
        topic, topics = self.topic(number) if number else None, self.asked["topics"]
        if topic is not None and topics != "all":
            raise Refusal("one_topic", gettext("with `topic`, `topics` must be all"), field="topics")

        def make() -> Response:
            computed = computed_of(campaign=self.campaign)
            rows = score_ranges_of(campaign=self.campaign, topic=topic, computed=computed, topics=topics)
            summary = summary_of(campaign=self.campaign, computed=computed)
            counts = scope_counts(campaign=self.campaign)
            scope = {"topics": topics, "topic_count": 1 if topic else getattr(counts, topics)}
            found = [vars(row) for row in rows]
            return Response({**summary, "topic": number or None, **scope, "runs": found})

        return if_changed(request, of_score_ranges(self.campaign), make)


class PairsView(OrganiserView):
    """Decided pairs of the best runs, as of the worker's last computation; for an open pair, the numbers of
    judgments and hours that are likely to decide it."""

    queries = {"GET": PairsQuery}

    @operation("get_pairs", "List pairs of runs", {200: Pairs, 304: None})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        versus, topics = check_versus(self.asked["versus"]), self.asked["topics"]

        def make() -> Response:
            found = stopping_advice_of(campaign=self.campaign, versus=versus, topics=topics)
            pairs = list(enumerate(found.pairs)) if found else []
            count = getattr(scope_counts(campaign=self.campaign), topics)
            said = {"versus": versus, "topics": topics, "topic_count": count, **_about(found)}
            page = PAIRS_LISTING.of_rows(request, self.asked, pairs)
            return Response(said | page.as_json(_without_ids))

        return if_changed(request, (*of_advice(self.campaign), *of_score_ranges(self.campaign)), make)


def _about(found: StoppingAdvice | None) -> dict[str, Any]:
    """The answer's own fields; of nothing before the first look."""
    names = ("as_of", "k", "forecast_as_of", "no_forecast")
    efforts = ("next_pair", "one_best")
    if found is None:
        return dict(zip((*names, *efforts), (0, 0, None, "", None, None), strict=True))
    known = {name: getattr(found, name) for name in names}
    forecasts = {name: getattr(found, name) for name in efforts}
    return known | {name: forecast and asdict(forecast) for name, forecast in forecasts.items()}


def _without_ids(placed: tuple[int, RunPair]) -> dict[str, Any]:
    """To scripts runs are known by name."""
    return {name: value for name, value in asdict(placed[1]).items() if name != "ids"}


class PredictionsView(OrganiserView):
    """Predicted score of every run once every ranked document is judged, and the likely better run of each
    two. Expected values, if this collection is like the ten that the model knows."""

    queries = {"GET": PredictionsQuery}

    @operation("get_predictions", "Predict final scores and the best run", {200: Predictions, 304: None})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        tags = dict(self.campaign.runs.values_list("id", "tag"))
        asked = _asked_runs(self.asked.get("run", []), tags)
        topics = self.asked["topics"]

        def make() -> Response:
            with consistent_reads():
                standings = standings_of(campaign=self.campaign, topics=topics)
                found = standings.prediction or NO_PREDICTION
                early = {row.id for row in standings.rows if row.too_early}
                differences = mean_differences_of(campaign=self.campaign, topics=topics)
            # One that was removed just now has no name any more.
            runs = [run for run in found.order if run.id in tags]
            pairs = _pairs_of([run.id for run in runs], asked)
            page = PREDICTED_LISTING.of_rows(request, self.asked, pairs)
            return Response(
                {
                    "topics": topics,
                    "topic_count": found.topics,
                    "sampled_topics": found.sampled,
                    "as_of": found.as_of,
                    "early": found.early,
                    "reason": standings.unpredicted.reason if standings.unpredicted else "",
                    "learned_from": found.learned_from,
                    "runs": [
                        {
                            **asdict(run),
                            "run": tags[run.id],
                            "too_early": found.first_of.get(run.id, run.id) in early,
                            "same_as": tags.get(found.first_of.get(run.id, 0)),
                        }
                        for run in runs
                    ],
                    **page.as_json(lambda placed: _predicted_pair(found, differences, tags, *placed[1:])),
                }
            )

        shown = *of_log(self.campaign), *of_prediction(self.campaign), *of_score_ranges(self.campaign)
        return if_changed(request, (*shown, self.campaign.status, self.campaign.archived_at), make)


def _asked_runs(named: list[str], tags: dict[int, str]) -> set[int]:
    """Ids."""
    if unknown := sorted(set(named) - set(tags.values())):
        detail = gettext("there is no run %(run)s") % {"run": unknown[0]}
        detail = with_nearest(detail, unknown[0], tags.values())
        raise Refusal("unknown_run", detail, field="run")
    return {id for id, tag in tags.items() if tag in named}


def _pairs_of(runs: list[int], asked: set[int]) -> list[PlacedPair]:
    """All pairs by place, those among the first few runs first; of one asked run all its pairs, of several
    those among them."""
    pairs = [(run, other) for second, other in enumerate(runs) for run in runs[:second]]
    least = min(len(asked), 2)
    return [
        (place, run, other) for place, (run, other) in enumerate(pairs) if len(asked & {run, other}) >= least
    ]


def _predicted_pair(
    found: ScorePrediction, differences: MeanDifferences, tags: dict[int, str], run: int, other: int
) -> dict[str, Any]:
    confidence, ahead = found.confidence(run, other), differences(run, other)
    low, high = (None, None) if ahead is None else (ahead.low, ahead.high)
    named = {"run": tags[run], "other": tags[other]}
    expected, half = found.difference_for_topics_like_these(run, other) or (None, None)
    over_topics = {"topics_difference": expected, "topics_half": half}
    return {**named, "confidence": confidence, "low": low, "high": high, **over_topics}


class MeasuresView(OrganiserView):
    """Scores of all runs by the campaign's measures: usual values, and where a measure has them, certain
    bounds and estimates from a sample or by a model."""

    queries = {"GET": MeasuresQuery}

    @operation("get_measures", "List scores by the campaign's measures", {200: Measures, 304: None})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        asked = self.asked.get("measure")
        only = check_measure(self.campaign, asked) if asked else None

        def make() -> Response:
            with consistent_reads():
                found = measured_of(campaign=self.campaign, pairs=False)
                tags = dict(self.campaign.runs.values_list("id", "tag"))
            measures = [one for one in found.content.measures if only in (None, one.name)]
            return Response(
                {
                    "primary": self.campaign.measure,
                    **_about_measured(found),
                    "judged": found.content.judged,
                    "measures": [_measure_json(found, one, tags) for one in measures],
                }
            )

        return if_changed(request, of_measured(self.campaign), make)


def _about_measured(found: MeasuredCampaign) -> dict[str, Any]:
    return {"as_of": found.as_of, "reason": found.content.reason}


def _measure_json(found: MeasuredCampaign, measure: MeasureScores, tags: dict[int, str]) -> dict[str, Any]:
    def estimate_at(one: Estimate, place: int) -> dict[str, Any]:
        about = {"kind": one.kind, "by": one.by}
        return about | {name: value_at(getattr(one, name), place) for name in ("score", *ENDS)}

    return {
        "measure": measure.name,
        "computed": measure.computed,
        "topics": measure.topics,
        "estimates": [MeasureEstimate.of(one) for one in measure.estimates],
        "runs": [
            {
                "id": run,
                "run": tags[run],
                **{
                    name: value_at(getattr(measure, name), found.place[run])
                    for name in ("score", "base", "top")
                },
                "estimates": [estimate_at(one, found.place[run]) for one in measure.estimates],
            }
            # One that was removed just now has no name any more.
            for run in order_of(found, measure)
            if run in tags
        ],
    }


class MeasurePairsView(OrganiserView):
    """Pairs of runs by one of the campaign's measures, as its estimates compare them."""

    queries = {"GET": MeasurePairsQuery}

    @operation("get_measure_pairs", "List pairs of runs by a measure", {200: MeasurePairs, 304: None})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        name = check_measure(self.campaign, self.asked.get("measure", self.campaign.measure))
        tags = dict(self.campaign.runs.values_list("id", "tag"))
        asked = _asked_runs(self.asked.get("run", []), tags)

        def make() -> Response:
            found = measured_of(campaign=self.campaign)
            measure = found.named(name)
            compare = [one for one in measure.estimates if one.pairs] if measure else []
            runs = [run for run in order_of(found, measure) if run in tags] if measure and compare else []
            page = MEASURED_LISTING.of_rows(request, self.asked, _pairs_of(runs, asked))

            def pair_json(placed: PlacedPair) -> dict[str, Any]:
                assert measure is not None
                _, run, other = placed
                estimates = [_pair_estimate(found, measure, one, run, other) for one in compare]
                return {"run": tags[run], "other": tags[other], "estimates": estimates}

            return Response({"measure": name, **_about_measured(found), **page.as_json(pair_json)})

        return if_changed(request, of_measured(self.campaign), make)


def _pair_estimate(
    found: MeasuredCampaign, measure: MeasureScores, estimate: Estimate, run: int, other: int
) -> dict[str, Any]:
    values = pair_values(found, measure, estimate, run, other)
    reverse = pair_values(found, measure, estimate, other, run)
    return {"kind": estimate.kind, "by": estimate.by, "values": values, "reverse": reverse}


class StatusView(OrganiserView):
    @operation("get_status", "Service status", StatusOut)
    def get(self, request: Request, slug: str) -> Response:
        return Response(asdict(status_of(campaign=self.campaign)))


class QrelsView(OrganiserView):
    queries = {"GET": QrelsQuery}

    @operation(
        "get_qrels",
        "Download the qrels",
        {
            (200, "text/plain"): file(OpenApiTypes.STR, "401 0 LA010189-0001 1\n", "TREC qrels"),
            304: None,
        },
        "Current judgments in TREC format. `policy` sets the aggregation policy for documents "
        "with several grades.",
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        export = EXPORTS["qrels-pooled" if self.asked["pooled"] else "qrels"]
        return download(request, self.campaign, export, policy=self.asked["policy"])
