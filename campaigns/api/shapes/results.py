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
        help_text="topics of which scores are means: all, or those with at least one judgment",
    )


class IntervalsQuery(Query):
    topics = scope_field()
    measure = name(required=False, help_text="the campaign's, which is the only one computed live")
    topic = name(required=False, help_text="of one topic; by default means over `topics`")


class RunInterval(Shape):
    id = serializers.IntegerField()
    run = serializers.CharField()
    group = serializers.CharField()
    base = serializers.FloatField(help_text="unjudged documents taken as not relevant")
    residual = serializers.FloatField()
    top = serializers.FloatField(help_text="unjudged documents taken as fully relevant")
    projected = serializers.FloatField(
        help_text="base / (1 - residual); over all topics the mean over those in which something is judged"
    )
    as_of = serializers.IntegerField(help_text="the length of the log it is right of")
    contributes = serializers.BooleanField()
    late = serializers.BooleanField()
    withdrawn = serializers.BooleanField()


class Intervals(Shape):
    measure = serializers.CharField()
    as_of = serializers.IntegerField()
    judged = serializers.IntegerField()
    relevant = serializers.IntegerField()
    topic = serializers.CharField(allow_null=True)
    topics = serializers.ChoiceField(choices=SCOPES)
    topic_count = serializers.IntegerField(help_text="number of topics of which scores are means")
    runs = RunInterval(many=True)

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
    versus = Choice(choices=["base", "top", "projected"], required=False, default="base")


class Likely(Shape):
    """Judgments and hours still to come: the median and the ends of an interval that holds 80 %."""

    median = serializers.IntegerField(allow_null=True)
    low = serializers.IntegerField(allow_null=True)
    high = serializers.IntegerField(allow_null=True)
    horizon = serializers.IntegerField(help_text="how far was looked ahead")
    never = serializers.BooleanField()
    hours = serializers.FloatField(allow_null=True)
    hours_low = serializers.FloatField(allow_null=True)
    hours_high = serializers.FloatField(allow_null=True)


class Pair(Shape):
    run = serializers.CharField()
    other = serializers.CharField()
    decided = serializers.BooleanField()
    by = serializers.ChoiceField(choices=["intervals", "difference"], allow_blank=True)
    difference = serializers.FloatField()
    confidence = serializers.FloatField(
        allow_null=True,
        help_text="probability that `run` has the higher final score, 1 if decided; see predictions",
    )
    forecast = Likely(allow_null=True)


class Pairs(PageLinks):
    versus = serializers.ChoiceField(choices=["base", "top", "projected"])
    as_of = serializers.IntegerField()
    k = serializers.IntegerField(help_text="how many of the best runs were looked at")
    topics = serializers.ChoiceField(choices=SCOPES)
    forecast_as_of = serializers.IntegerField(
        allow_null=True, help_text="judgments known to the forecasts; null if there are none"
    )
    no_forecast = serializers.ChoiceField(
        choices=["judged_topics", "too_long"],
        allow_blank=True,
        help_text="why open pairs have no forecast: those are of means over all topics, or took too long",
    )
    next_pair = Likely(
        allow_null=True, help_text="until the prediction separates another of these pairs with 95%"
    )
    one_best = Likely(allow_null=True, help_text="until one run has the highest final score with 95%")
    results = Pair(many=True)

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
        help_text="only pairs of this run; of several, only pairs among them",
    )


ALONE: dict[str, None] = {"same_as": None}


class PredictedRun(Shape):
    id = serializers.IntegerField()
    run = serializers.CharField()
    expected = serializers.FloatField(help_text="expected final score, mean over the topics")
    low = serializers.FloatField(help_text="lower end of the 95% prediction interval, at least the base")
    high = serializers.FloatField(help_text="upper end of the 95% prediction interval, at most the top")
    best = serializers.FloatField(
        allow_null=True,
        help_text="probability that no run has a higher final score; null if early",
    )
    same_as = serializers.CharField(
        allow_null=True,
        help_text="earlier run that ranks the same documents in the same order in every topic",
    )


class PredictedPair(Shape):
    run = serializers.CharField()
    other = serializers.CharField()
    confidence = serializers.FloatField(
        allow_null=True,
        help_text="probability that `run` has the higher final score; 0 or 1 if certain, else null if early",
    )


class Predictions(PageLinks):
    topics = serializers.ChoiceField(choices=SCOPES)
    topic_count = serializers.IntegerField(help_text="number of topics of which scores are means")
    as_of = serializers.IntegerField(
        help_text="length of the log it is computed from; 0: nothing is predicted"
    )
    early = serializers.BooleanField(
        help_text="true if topics with judgments have fewer than three each, on average: no probabilities"
    )
    learned_from = serializers.IntegerField(
        help_text="finished campaigns of this site by which the model is corrected"
    )
    runs = PredictedRun(many=True, help_text="runs that take part, highest expected score first")
    results = PredictedPair(many=True, help_text="pairs of runs, those of the first places in `runs` first")

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
        "results": [{"run": "READWARE2", "other": "orcl99man", "confidence": 0.91}],
    }


class PrioritiesQuery(PageQuery):
    topic = name(help_text="the topic's number")
    limit = limit_field(USUALLY_QUEUED, MOST_QUEUED)


class Behind(Shape):
    run = serializers.CharField()
    rank = serializers.IntegerField()
    share = serializers.FloatField(help_text="of the document's weight")


class Queued(Shape):
    docno = serializers.CharField()
    weight = serializers.FloatField()
    position = serializers.IntegerField()
    method = serializers.CharField(help_text="what serves the document; probe: it is drawn at random")
    inclusion = serializers.FloatField(allow_null=True, help_text="its probability, where it was drawn")
    runs = Behind(many=True)


class Alternative(Shape):
    method = serializers.ChoiceField(choices=Method.choices)
    docno = serializers.CharField(allow_null=True)
    weight = serializers.FloatField(allow_null=True)
    unavailable = serializers.CharField(help_text="why it cannot tell, or empty")


class Priorities(PageLinks):
    topic = serializers.CharField()
    method = serializers.CharField()
    as_of = serializers.IntegerField()
    configuration_current = serializers.BooleanField()
    remaining = serializers.IntegerField()
    results = Queued(many=True, help_text="the queue's head, the next to be served first")
    alternatives = Alternative(many=True, help_text="what other methods would serve now")

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
    queue_age_median = serializers.IntegerField(
        allow_null=True,
        help_text="judgments that queues lacked when they served, median of the latest 1,000 acts",
    )
    queue_age_high = serializers.IntegerField(allow_null=True, help_text="their 95th percentile")
    weight_given_up = serializers.FloatField(
        allow_null=True, help_text="mean of 1 - weight / weight of the best free document, in [0, 1]"
    )

    example = {"queue_age_median": 1, "queue_age_high": 4, "weight_given_up": 0.0002}


class StatusOut(Shape):
    campaign = serializers.ChoiceField(choices=Status.choices)
    worker = serializers.ChoiceField(choices=["up", "down"])
    worker_heard = serializers.FloatField(allow_null=True, help_text="seconds since it was last heard of")
    broker = serializers.ChoiceField(choices=["up", "down"])
    database = serializers.ChoiceField(choices=["up"])
    head = serializers.IntegerField(help_text="the length of the judgment log")
    applied = serializers.IntegerField(help_text="how much of it the worker has read")
    serving = ServingOut()
    judging_now = serializers.IntegerField()

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
    policy = Choice(choices=Policy.choices, required=False, default="", help_text="by default the campaign's")


class ExportQuery(PolicyQuery):
    topics = Choice(
        choices=SCOPES,
        required=False,
        default="all",
        help_text="scores-csv only: rows and means of all topics, or of those with at least one judgment",
    )


class QrelsQuery(PolicyQuery):
    pooled = Flag(
        required=False, default=False, help_text="also, as -1, what samples are drawn from and nobody judged"
    )


class BundleQuery(Query):
    texts = Flag(required=False, default=True, help_text="false: without the documents' texts")
    pseudonyms = Flag(required=False, default=False, help_text="true: without anybody's name")


class Event(Shape):
    """One event of the stream."""

    id = serializers.CharField(required=False)
    event = serializers.CharField(required=False)
    data = serializers.CharField(help_text="JSON")  # type: ignore[assignment]  # fields leave the class

    example = {"id": "7", "event": "status", "data": '{"campaign": "open"}'}


class EventsQuery(Query):
    last_event_id = Whole(
        required=False, min_value=0, max_value=10**18 - 1, help_text="go on behind this event"
    )
    page = Flag(
        required=False,
        default=False,
        help_text="true: also what the overview shows besides: health, and its panels over `topics`",
    )
    topics = scope_field()
