"""Shapes of results: score ranges, pairs of runs, queues, status, exports and events."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    NO_LINKS,
    Choice,
    Flag,
    Many,
    PageLinks,
    PageQuery,
    Query,
    Shape,
    Whole,
    limit_field,
    name,
)
from campaigns.models.campaign import Method, Policy, Status
from campaigns.results.topic_scope import SCOPES

MOST_QUEUED, USUALLY_QUEUED = 256, 20


def scope_field() -> Choice:
    return Choice(
        choices=SCOPES,
        required=False,
        default="all",
        help_text="topics over which scores are averaged: all, or those with at least one judgment",
    )


class IntervalsQuery(Query):
    topics = scope_field()
    measure = name(
        required=False, help_text="measure of the scores; only the campaign's own is computed live"
    )
    topic = name(
        required=False, help_text="topic number, for the scores of one topic (default: means over `topics`)"
    )


class RunInterval(Shape):
    """A run with its score range."""

    id = serializers.IntegerField(help_text="ID of the run")
    run = serializers.CharField(help_text="tag of the run")
    group = serializers.CharField(help_text="group that made the run; may be empty")
    base = serializers.FloatField(
        help_text="lowest possible score, with unjudged documents counted as not relevant, in [0, 1]"
    )
    residual = serializers.FloatField(help_text="top minus base, in [0, 1]")
    top = serializers.FloatField(
        help_text="highest possible score, with unjudged documents counted as fully relevant, in [0, 1]"
    )
    projected = serializers.FloatField(
        help_text="base / (1 - residual), in [0, 1]; over all topics, the mean over topics with a judgment"
    )
    as_of = serializers.IntegerField(help_text="number of judgments these bounds reflect")
    contributes = serializers.BooleanField(
        help_text="true for a contributing run, whose documents are judged"
    )
    late = serializers.BooleanField(help_text="true if uploaded after judging began")
    withdrawn = serializers.BooleanField(help_text="true if the run is withdrawn")


class Intervals(Shape):
    """The score ranges of all runs."""

    measure = serializers.CharField(help_text="measure of the scores, such as RBP(p=0.8)")
    as_of = serializers.IntegerField(help_text="number of judgments that these figures reflect")
    judged = serializers.IntegerField(help_text="number of judged documents")
    relevant = serializers.IntegerField(help_text="number of relevant documents")
    topic = serializers.CharField(allow_null=True, help_text="topic number; null for means over topics")
    topics = serializers.ChoiceField(choices=SCOPES, help_text="topics that scores are averaged over")
    topic_count = serializers.IntegerField(help_text="number of topics that scores are averaged over")
    runs = RunInterval(many=True, help_text="runs with their score ranges")

    example = {
        "measure": "RBP(p=0.8)",
        "as_of": 5000,
        "judged": 4980,
        "relevant": 1834,
        "topic": None,
        "topics": "all",
        "topic_count": 50,
        "runs": [
            {
                "id": 3,
                "run": "READWARE2",
                "group": "Readware",
                "base": 0.61,
                "residual": 0.12,
                "top": 0.73,
                "projected": 0.69,
                "as_of": 5000,
                "contributes": True,
                "late": False,
                "withdrawn": False,
            }
        ],
    }


class PairsQuery(PageQuery):
    topics = scope_field()
    versus = Choice(
        choices=["base", "top", "projected"],
        required=False,
        default="base",
        help_text="score of the other run that each base is compared with (default: base)",
    )


class Likely(Shape):
    """A forecast of judgments and hours still to come: median and 80% interval."""

    median = serializers.IntegerField(
        allow_null=True, help_text="median number of judgments still to come; null if beyond the horizon"
    )
    low = serializers.IntegerField(
        allow_null=True, help_text="low end of the 80% interval, in judgments; null if beyond the horizon"
    )
    high = serializers.IntegerField(
        allow_null=True, help_text="high end of the 80% interval, in judgments; null if beyond the horizon"
    )
    horizon = serializers.IntegerField(help_text="maximum number of simulated judgments")
    never = serializers.BooleanField(help_text="true if most simulations ran out of documents first")
    hours = serializers.FloatField(allow_null=True, help_text="median in hours of assessing; null if unknown")
    hours_low = serializers.FloatField(
        allow_null=True, help_text="low end of the 80% interval, in hours; null if unknown"
    )
    hours_high = serializers.FloatField(
        allow_null=True, help_text="high end of the 80% interval, in hours; null if unknown"
    )


class Pair(Shape):
    """A pair of runs, the one with the higher base first."""

    run = serializers.CharField(help_text="tag of the run with the higher base")
    other = serializers.CharField(help_text="tag of the other run")
    decided = serializers.BooleanField(help_text="true if no unjudged document can reverse the order")
    by = serializers.ChoiceField(
        choices=["intervals", "difference"],
        allow_blank=True,
        help_text="basis of the decision: score ranges, or bounds of the difference; empty while open",
    )
    difference = serializers.FloatField(
        help_text="base of `run` minus the compared score of `other`, in [-1, 1]"
    )
    confidence = serializers.FloatField(
        allow_null=True,
        help_text="probability that `run` has the higher final score, in [0, 1]; 1 if decided; null if "
        "unknown",
    )
    forecast = Likely(
        allow_null=True,
        help_text="forecast of the judgments until the pair is decided; null if there is none",
    )


class Pairs(PageLinks):
    """The pairs among the best runs."""

    versus = serializers.ChoiceField(
        choices=["base", "top", "projected"],
        help_text="score of the other run that each base is compared with",
    )
    as_of = serializers.IntegerField(help_text="number of judgments that these figures reflect")
    k = serializers.IntegerField(help_text="number of best runs compared")
    topics = serializers.ChoiceField(choices=SCOPES, help_text="topics that scores are averaged over")
    forecast_as_of = serializers.IntegerField(
        allow_null=True, help_text="number of judgments that the forecasts reflect; null if there are none"
    )
    no_forecast = serializers.ChoiceField(
        choices=["judged_topics", "too_long"],
        allow_blank=True,
        help_text="reason why open pairs have no forecast: means over judged topics, or too long a "
        "computation; empty if they have one",
    )
    next_pair = Likely(
        allow_null=True,
        help_text="forecast of the judgments until another of these pairs is separated with 95%; null if "
        "there is none",
    )
    one_best = Likely(
        allow_null=True,
        help_text="forecast of the judgments until one run has the highest final score with 95%; null if "
        "there is none",
    )
    results = Pair(many=True, help_text="pairs of this page")

    example = {
        "versus": "base",
        "as_of": 5000,
        "k": 10,
        "topics": "all",
        "forecast_as_of": 5000,
        "no_forecast": "",
        "next_pair": {
            "median": 13,
            "low": 5,
            "high": 63,
            "horizon": 1000,
            "never": False,
            "hours": 0.05,
            "hours_low": 0.02,
            "hours_high": 0.26,
        },
        "one_best": None,
        **NO_LINKS,
        "results": [
            {
                "run": "READWARE2",
                "other": "orcl99man",
                "decided": False,
                "by": "",
                "difference": 0.04,
                "confidence": 0.91,
                "forecast": {
                    "median": 640,
                    "low": 310,
                    "high": 1500,
                    "horizon": 20000,
                    "never": False,
                    "hours": 2.6,
                    "hours_low": 1.3,
                    "hours_high": 6.2,
                },
            }
        ],
    }


MOST_ASKED_RUNS = 100


class PredictionsQuery(PageQuery):
    topics = scope_field()
    run = Many(
        child=name(),
        required=False,
        max_length=MOST_ASKED_RUNS,
        help_text="tag of a run: one tag selects all pairs of that run, several tags the pairs among them "
        "(default: all pairs)",
    )


ALONE: dict[str, None] = {"same_as": None}


class PredictedRun(Shape):
    """A run with its predicted final score."""

    id = serializers.IntegerField(help_text="ID of the run")
    run = serializers.CharField(help_text="tag of the run")
    expected = serializers.FloatField(help_text="expected final score, mean over the topics, in [0, 1]")
    low = serializers.FloatField(help_text="low end of the 95% prediction interval, at least the base")
    high = serializers.FloatField(help_text="high end of the 95% prediction interval, at most the top")
    best = serializers.FloatField(
        allow_null=True,
        help_text="probability that no run has a higher final score, in [0, 1]; null if early",
    )
    same_as = serializers.CharField(
        allow_null=True,
        help_text="tag of an earlier run with the same ranking in every topic; null if there is none",
    )


class PredictedPair(Shape):
    """A pair of runs with its predicted order."""

    run = serializers.CharField(help_text="tag of the first run")
    other = serializers.CharField(help_text="tag of the other run")
    confidence = serializers.FloatField(
        allow_null=True,
        help_text="probability that `run` has the higher final score, in [0, 1]; 0 or 1 if certain; null if "
        "open and early",
    )
    low = serializers.FloatField(
        allow_null=True,
        help_text="low end of the 95% prediction interval of `run`'s final score less `other`'s; null if "
        "early",
    )
    high = serializers.FloatField(
        allow_null=True, help_text="high end of the prediction interval of the difference; null if early"
    )


class Predictions(PageLinks):
    """The predicted final scores of all runs and the order of their pairs."""

    topics = serializers.ChoiceField(choices=SCOPES, help_text="topics that scores are averaged over")
    topic_count = serializers.IntegerField(help_text="number of topics that scores are averaged over")
    as_of = serializers.IntegerField(
        help_text="number of judgments that the predictions reflect; 0 if nothing is predicted"
    )
    early = serializers.BooleanField(
        help_text="true if begun topics have fewer than three judgments each, on average: probabilities are "
        "null"
    )
    learned_from = serializers.IntegerField(
        help_text="number of finished campaigns of this site that correct the model"
    )
    runs = PredictedRun(many=True, help_text="runs that are not withdrawn, highest expected score first")
    results = PredictedPair(many=True, help_text="pairs of this page, those among the first runs first")

    example = {
        "topics": "all",
        "topic_count": 50,
        "as_of": 5000,
        "early": False,
        "learned_from": 0,
        "runs": [
            {"id": 3, "run": "READWARE2", "expected": 0.71, "low": 0.66, "high": 0.73, "best": 0.84} | ALONE,
            {"id": 8, "run": "orcl99man", "expected": 0.68, "low": 0.63, "high": 0.72, "best": 0.14} | ALONE,
        ],
        **NO_LINKS,
        "results": [
            {"run": "READWARE2", "other": "orcl99man", "confidence": 0.91, "low": -0.01, "high": 0.06}
        ],
    }


class PrioritiesQuery(PageQuery):
    topic = name(help_text="topic number")
    limit = limit_field(USUALLY_QUEUED, MOST_QUEUED)


class Behind(Shape):
    """A run that ranks a queued document."""

    run = serializers.CharField(help_text="tag of the run")
    rank = serializers.IntegerField(help_text="rank of the document in the run, from 1")
    share = serializers.FloatField(help_text="share of the document's weight due to the run, in [0, 1]")


class Queued(Shape):
    """A document of the queue."""

    docno = serializers.CharField(help_text="document ID (docno)")
    weight = serializers.FloatField(help_text="weight of the document in the selection method")
    position = serializers.IntegerField(help_text="position in the queue, from 1")
    method = serializers.CharField(
        help_text="selection method that serves the document; probe for a random probe"
    )
    inclusion = serializers.FloatField(
        allow_null=True,
        help_text="probability with which the document was drawn, in (0, 1]; null if it was not drawn",
    )
    runs = Behind(many=True, help_text="runs that rank the document")


class Alternative(Shape):
    """The first choice of another selection method."""

    method = serializers.ChoiceField(choices=Method.choices, help_text="selection method")
    docno = serializers.CharField(
        allow_null=True, help_text="ID of the document it would serve; null if unavailable"
    )
    weight = serializers.FloatField(
        allow_null=True, help_text="weight of the document in that method; null if unavailable"
    )
    unavailable = serializers.CharField(help_text="reason why the method has no choice; empty if it has one")


class Priorities(PageLinks):
    """The head of a topic's queue."""

    topic = serializers.CharField(help_text="topic number")
    method = serializers.CharField(help_text="selection method of the topic")
    as_of = serializers.IntegerField(help_text="number of judgments that the queue reflects")
    configuration_current = serializers.BooleanField(
        help_text="true if the queue reflects the current runs and settings"
    )
    remaining = serializers.IntegerField(help_text="number of documents still to be served")
    results = Queued(many=True, help_text="documents of this page, the next to be served first")
    alternatives = Alternative(many=True, help_text="first choices of other selection methods")

    example = {
        "topic": "401",
        "method": "C",
        "as_of": 5000,
        "configuration_current": True,
        "remaining": 812,
        **NO_LINKS,
        "results": [
            {
                "docno": "LA010189-0001",
                "weight": 0.31,
                "position": 1,
                "method": "C",
                "inclusion": None,
                "runs": [{"run": "READWARE2", "rank": 2, "share": 0.4}],
            }
        ],
        "alternatives": [{"method": "B", "docno": "LA010289-0017", "weight": 0.22, "unavailable": ""}],
    }


class ServingOut(Shape):
    """Closeness of served documents to the first choice of the selection method."""

    queue_age_median = serializers.IntegerField(
        allow_null=True,
        help_text="median number of judgments missing from the queue when a document was served, over the "
        "latest 1,000 judgments; null without any",
    )
    queue_age_high = serializers.IntegerField(
        allow_null=True,
        help_text="95th percentile of the number of judgments missing from the queue when a document was "
        "served; null without any",
    )
    weight_given_up = serializers.FloatField(
        allow_null=True,
        help_text="mean of 1 - weight / weight of the best free document, in [0, 1]; null without any",
    )

    example = {"queue_age_median": 1, "queue_age_high": 4, "weight_given_up": 0.0002}


class StatusOut(Shape):
    """Status of a campaign and of the services behind it."""

    campaign = serializers.ChoiceField(choices=Status.choices, help_text="state of the campaign")
    worker = serializers.ChoiceField(choices=["up", "down"], help_text="state of the background worker")
    worker_heard = serializers.FloatField(
        allow_null=True, help_text="seconds since the worker last responded; null if it never did"
    )
    broker = serializers.ChoiceField(choices=["up", "down"], help_text="state of the message broker (Redis)")
    database = serializers.ChoiceField(choices=["up"], help_text="state of the database")
    head = serializers.IntegerField(help_text="number of entries in the judgment log")
    applied = serializers.IntegerField(help_text="number of log entries that the worker has processed")
    serving = ServingOut(help_text="closeness of served documents to the method's first choice")
    judging_now = serializers.IntegerField(help_text="number of assessors judging now")

    example = {
        "campaign": "open",
        "worker": "up",
        "worker_heard": 1.4,
        "broker": "up",
        "database": "up",
        "head": 5000,
        "applied": 5000,
        "serving": ServingOut.example,
        "judging_now": 7,
    }


class PolicyQuery(Query):
    policy = Choice(
        choices=Policy.choices,
        required=False,
        default="",
        help_text="aggregation policy for documents with several grades (default: the campaign's)",
    )


class ExportQuery(PolicyQuery):
    topics = Choice(
        choices=SCOPES,
        required=False,
        default="all",
        help_text="topics of scores-csv: all, or those with at least one judgment; other exports reject it "
        "(default: all)",
    )


class QrelsQuery(PolicyQuery):
    pooled = Flag(
        required=False,
        default=False,
        help_text="true to list unjudged documents of the samples' pools as -1 (default: false)",
    )


class BundleQuery(Query):
    texts = Flag(
        required=False, default=True, help_text="false to omit the texts of documents (default: true)"
    )
    pseudonyms = Flag(
        required=False,
        default=False,
        help_text="true to replace the names of people by pseudonyms (default: false)",
    )


class Event(Shape):
    """A server-sent event."""

    id = serializers.CharField(required=False, help_text="ID of the event; absent if it is not stored")
    event = serializers.CharField(
        required=False, help_text="name of the event, such as judgment or intervals"
    )
    data = serializers.CharField(help_text="content of the event, as JSON")  # type: ignore[assignment]  # fields leave the class

    example = {"id": "7", "event": "status", "data": '{"campaign": "open"}'}


class EventsQuery(Query):
    last_event_id = Whole(
        required=False,
        min_value=0,
        max_value=10**18 - 1,
        help_text="ID of the last event received; the stream continues after it",
    )
    page = Flag(
        required=False,
        default=False,
        help_text="true to also receive the health and the panels of the overview page, over `topics` "
        "(default: false)",
    )
    topics = scope_field()
