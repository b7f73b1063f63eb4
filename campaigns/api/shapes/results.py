"""Shapes of results: score ranges and pairs of runs."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    NO_LINKS,
    Choice,
    PageLinks,
    PageQuery,
    Query,
    Shape,
    name,
)
from campaigns.results.topic_scope import SCOPES


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
        help_text="base / (1 - residual), in [0, 1]; over all topics, the mean over topics with a judgment. "
        "A simple estimate, often too high: the expected score is at predictions/"
    )
    as_of = serializers.IntegerField(help_text="number of log entries that these bounds reflect")
    contributes = serializers.BooleanField(
        help_text="true for a contributing run, whose documents are judged"
    )
    late = serializers.BooleanField(help_text="true if uploaded after judging began")
    withdrawn = serializers.BooleanField(help_text="true if the run is withdrawn")


class Intervals(Shape):
    """The score ranges of all runs."""

    measure = serializers.CharField(help_text="measure of the scores, such as RBP(p=0.8)")
    as_of = serializers.IntegerField(help_text="number of log entries that these figures reflect")
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
    decided = serializers.BooleanField(
        help_text="true if the pair is certainly separated: no unjudged document can reverse the order"
    )
    by = serializers.ChoiceField(
        choices=["intervals", "difference"],
        allow_blank=True,
        help_text="basis of the decision: score ranges, or bounds of the difference; empty while open",
    )
    difference = serializers.FloatField(
        allow_null=True,
        help_text="base of `run` minus the compared score of `other`, mean over `topic_count` topics, in "
        "[-1, 1]; null if there are none",
    )
    topic_count = serializers.IntegerField(
        help_text="number of topics in `difference`: those of `topics`; with `versus` projected, without "
        "those in which no document of `other` is judged"
    )
    confidence = serializers.FloatField(
        allow_null=True,
        help_text="probability that `run` has the higher final score, in [0, 1]; 1 if `decided`; null if "
        "unknown",
    )
    forecast = Likely(
        allow_null=True,
        help_text="forecast of the judgments until the pair is certainly separated; null if there is none",
    )


class Pairs(PageLinks):
    """The pairs among the best runs."""

    versus = serializers.ChoiceField(
        choices=["base", "top", "projected"],
        help_text="score of the other run that each base is compared with",
    )
    as_of = serializers.IntegerField(help_text="number of log entries that these figures reflect")
    k = serializers.IntegerField(help_text="number of best runs compared")
    topics = serializers.ChoiceField(choices=SCOPES, help_text="topics that scores are averaged over")
    topic_count = serializers.IntegerField(help_text="number of topics in `topics`")
    forecast_as_of = serializers.IntegerField(
        allow_null=True, help_text="number of log entries that the forecasts reflect; null if there are none"
    )
    no_forecast = serializers.ChoiceField(
        choices=["judged_topics", "too_long", "all_relevant", "none_relevant", "unjudged_not_relevant"],
        allow_blank=True,
        help_text="reason why open pairs have no forecast: means over judged topics, too long a "
        "computation, judgments that are all (almost all) relevant or none of which is, or the campaign’s "
        "setting on unjudged documents; empty otherwise",
    )
    next_pair = Likely(
        allow_null=True,
        help_text="forecast of the judgments until another of these pairs has a confidence of 0.95; null if "
        "there is none",
    )
    one_best = Likely(
        allow_null=True,
        help_text="forecast of the judgments until one run has a `best` of 0.95 in the predictions; null if "
        "there is none",
    )
    results = Pair(many=True, help_text="pairs of this page")

    example = {
        "versus": "base",
        "as_of": 5000,
        "k": 10,
        "topics": "all",
        "topic_count": 50,
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
                "topic_count": 50,
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
