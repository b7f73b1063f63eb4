"""Shapes of predicted final scores and of the order of their pairs."""

from __future__ import annotations

from typing import Any, get_args

from campaigns.api.shapes.base import (
    Choice,
    Flag,
    Number,
    PageLinks,
    PageQuery,
    Shape,
    Text,
    WholeNumber,
)
from campaigns.api.shapes.results import asked_runs_field, scope_field
from campaigns.predictions.prediction import Reason
from campaigns.results.topic_scope import SCOPES


class PredictionsQuery(PageQuery):
    topics = scope_field()
    run = asked_runs_field()


ALONE: dict[str, Any] = {"topics_half": 0.05, "same_as": None, "too_early": False}


class PredictedRun(Shape):
    """A run with its predicted final score."""

    id = WholeNumber("ID of the run")
    run = Text("tag of the run")
    expected = Number("expected final score, mean over the topics, in [0, 1]")
    low = Number("low end of the prediction interval, at least the base")
    high = Number("high end of the prediction interval, at most the top")
    too_early = Flag(
        "true if `early`, or if the prediction interval is wider than 60% of a score range that is "
        "wider than 0.1: pages show the score range only"
    )
    best = Number.or_null(
        "probability that no run has a higher final score, in [0, 1]; null if early, and with more "
        "than 40 distinct runs"
    )
    topics_half = Number.or_null(
        "half the width of the 95% interval of the mean over topics like these, around `expected`; null if "
        "early, and for fewer than 15 topics"
    )
    same_as = Text.or_null(
        "tag of an earlier run with the same ranking in every topic; null if there is none"
    )


class PredictedPair(Shape):
    """A pair of runs with its predicted order."""

    run = Text("tag of the first run", "READWARE2")
    other = Text("tag of the other run", "orcl99man")
    confidence = Number.or_null(
        "probability that `run` has the higher final score, in [0, 1]; 0 or 1 if certain; null if "
        "open and early",
        0.91,
    )
    low = Number.or_null(
        "low end of the prediction interval of `run`'s final score less `other`'s; null if early", -0.01
    )
    high = Number.or_null("high end of the prediction interval of the difference; null if early", 0.06)
    topics_difference = Number.or_null("expected difference; null if `topics_half` is", 0.03)
    topics_half = Number.or_null(
        "half the width of the 95% interval of the difference over topics like these; null if early, and for "
        "fewer than 15 topics",
        0.05,
    )


class Predictions(PageLinks):
    """The predicted final scores of all runs and the order of their pairs."""

    topics = Choice("topics that scores are averaged over", "all", choices=SCOPES)
    topic_count = WholeNumber("number of topics that scores are averaged over", 50)
    sampled_topics = WholeNumber(
        "number of topics that were predicted: a random sample where it is below `topic_count`", 50
    )
    as_of = WholeNumber("number of log entries that the predictions reflect; 0 if nothing is predicted", 5000)
    early = Flag(
        "true if there are too few judgments for probabilities, which are then null: fewer than "
        "three per begun topic, or prediction intervals too wide to tell",
        False,
    )
    reason = Choice(
        "reason why nothing is predicted; empty if final scores are predicted. `empty`: no judgments; "
        "`few_runs`: fewer than two runs take part; `computing`: the worker has yet to predict for the "
        "present runs and settings; `all_relevant`, `none_relevant`: judgments of one kind, or almost; "
        "`unranked`: no run ranks a judged document; `too_large`: too many topics or documents; `inactive`: "
        "a draft or an archived campaign",
        "",
        choices=get_args(Reason),
        allow_blank=True,
    )
    learned_from = WholeNumber("number of finished campaigns of this site that correct the model", 0)
    runs = PredictedRun(
        many=True,
        help_text="runs that are not withdrawn, highest expected score first",
        example=[
            {"id": 3, "run": "READWARE2", "expected": 0.71, "low": 0.66, "high": 0.73, "best": 0.84} | ALONE,
            {"id": 8, "run": "orcl99man", "expected": 0.68, "low": 0.63, "high": 0.72, "best": 0.14} | ALONE,
        ],
    )
    results = PredictedPair(many=True, help_text="pairs of this page, those among the first runs first")
