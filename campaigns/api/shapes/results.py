"""Shapes of results: score ranges and pairs of runs."""

from __future__ import annotations

from typing import get_args

from campaigns.api.shapes.base import (
    BoundedList,
    Choice,
    Figures,
    Flag,
    List,
    Number,
    PageLinks,
    PageQuery,
    Query,
    Shape,
    Text,
    WholeNumber,
    name,
)
from campaigns.measurement.measured_scores import Kind, Unmeasured
from campaigns.results.topic_scope import SCOPES

MOST_ASKED_RUNS = 100


def scope_field() -> Choice:
    return Choice(
        choices=SCOPES,
        required=False,
        default="all",
        help_text="topics over which scores are averaged: all, or those with at least one judgment",
    )


class IntervalsQuery(Query):
    topics = scope_field()
    measure = name("measure of the scores; only the campaign's own is computed live", required=False)
    topic = name("topic number, for the scores of one topic (default: means over `topics`)", required=False)


class RunInterval(Shape):
    """A run with its score range."""

    id = WholeNumber("ID of the run", 3)
    run = Text("tag of the run", "READWARE2")
    group = Text("group that made the run; may be empty", "Readware")
    base = Number("lowest possible score, with unjudged documents counted as not relevant, in [0, 1]", 0.61)
    residual = Number("top minus base, in [0, 1]", 0.12)
    top = Number("highest possible score, with unjudged documents counted as fully relevant, in [0, 1]", 0.73)
    projected = Number(
        "base / (1 - residual), in [0, 1]; over all topics, the mean over topics with a judgment. "
        "A simple estimate, often too high: the expected score is at predictions/",
        0.69,
    )
    as_of = WholeNumber("number of log entries that these bounds reflect", 5000)
    contributes = Flag("true for a contributing run, whose documents are judged", True)
    late = Flag("true if uploaded after judging began", False)
    withdrawn = Flag("true if the run is withdrawn", False)


class Intervals(Shape):
    """The score ranges of all runs."""

    measure = Text("measure of the scores, such as RBP(p=0.8)", "RBP(p=0.8)")
    as_of = WholeNumber("number of log entries that these figures reflect", 5000)
    judged = WholeNumber("number of judged documents", 4980)
    relevant = WholeNumber("number of relevant documents", 1834)
    topic = Text.or_null("topic number; null for means over topics", None)
    topics = Choice("topics that scores are averaged over", "all", choices=SCOPES)
    topic_count = WholeNumber("number of topics that scores are averaged over", 50)
    runs = RunInterval(many=True, help_text="runs with their score ranges")


class PairsQuery(PageQuery):
    topics = scope_field()
    versus = Choice(
        "score of the other run that each base is compared with (default: base)",
        choices=["base", "top", "projected"],
        default="base",
    )


class Likely(Shape):
    """A forecast of judgments and hours still to come: median and 80% interval."""

    median = WholeNumber.or_null("median number of judgments still to come; null if beyond the horizon", 13)
    low = WholeNumber.or_null("low end of the 80% interval, in judgments; null if beyond the horizon", 5)
    high = WholeNumber.or_null("high end of the 80% interval, in judgments; null if beyond the horizon", 63)
    horizon = WholeNumber("maximum number of simulated judgments", 1000)
    never = Flag("true if most simulations ran out of documents first", False)
    hours = Number.or_null("median in hours of assessing; null if unknown", 0.05)
    hours_low = Number.or_null("low end of the 80% interval, in hours; null if unknown", 0.02)
    hours_high = Number.or_null("high end of the 80% interval, in hours; null if unknown", 0.26)


class Pair(Shape):
    """A pair of runs, the one with the higher base first."""

    run = Text("tag of the run with the higher base", "READWARE2")
    other = Text("tag of the other run", "orcl99man")
    decided = Flag(
        "true if the pair is certainly separated: no unjudged document can reverse the order", False
    )
    by = Choice(
        "basis of the decision: score ranges, or bounds of the difference; empty while open",
        "",
        choices=["intervals", "difference"],
        allow_blank=True,
    )
    difference = Number.or_null(
        "base of `run` minus the compared score of `other`, mean over `topic_count` topics, in "
        "[-1, 1]; null if there are none",
        0.04,
    )
    topic_count = WholeNumber(
        "number of topics in `difference`: those of `topics`; with `versus` projected, without "
        "those in which no document of `other` is judged",
        50,
    )
    confidence = Number.or_null(
        "probability that `run` has the higher final score, in [0, 1]; 1 if `decided`; null if unknown", 0.91
    )
    forecast = Likely(
        allow_null=True,
        help_text="forecast of the judgments until the pair is certainly separated; null if there is none",
        example={
            "median": 640,
            "low": 310,
            "high": 1500,
            "horizon": 20000,
            "never": False,
            "hours": 2.6,
            "hours_low": 1.3,
            "hours_high": 6.2,
        },
    )


class Pairs(PageLinks):
    """The pairs among the best runs."""

    versus = Choice(
        "score of the other run that each base is compared with", "base", choices=["base", "top", "projected"]
    )
    as_of = WholeNumber("number of log entries that these figures reflect", 5000)
    k = WholeNumber("number of best runs compared", 10)
    topics = Choice("topics that scores are averaged over", "all", choices=SCOPES)
    topic_count = WholeNumber("number of topics in `topics`", 50)
    forecast_as_of = WholeNumber.or_null(
        "number of log entries that the forecasts reflect; null if there are none", 5000
    )
    no_forecast = Choice(
        "reason why open pairs have no forecast: means over judged topics, too long a "
        "computation, judgments that are all (almost all) relevant or none of which is, or the campaign’s "
        "setting on unjudged documents; empty otherwise",
        "",
        choices=["judged_topics", "too_long", "all_relevant", "none_relevant", "unjudged_not_relevant"],
        allow_blank=True,
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
        example=None,
    )
    results = Pair(many=True, help_text="pairs of this page")


def asked_runs_field() -> BoundedList:
    return BoundedList(
        "tag of a run: one tag selects all pairs of that run, several tags the pairs among them "
        "(default: all pairs)",
        child=name(),
        required=False,
        max_length=MOST_ASKED_RUNS,
    )


def _unmeasured_field() -> Choice:
    return Choice(
        "reason why nothing is measured; empty if runs are. `empty`: no run takes part, or no judgment; "
        "`computing`: the worker has yet to score the present runs by the present settings; `too_large`: "
        "the rankings are too long",
        "",
        choices=get_args(Unmeasured),
        allow_blank=True,
    )


class MeasuresQuery(Query):
    measure = name("one of the campaign's measures, by its name (default: all)", required=False)


class MeasureEstimate(Shape):
    """An estimate of scores by a measure."""

    kind = Choice(
        "`sampled`: guaranteed by the probabilities of a random sample; `expected`: what a model expects",
        "expected",
        choices=get_args(Kind),
    )
    by = Text("name of the estimate, as `evaluate` takes it, or the sampling method", "EAP(calibrated)")
    topics = WholeNumber("number of topics that the estimates are averaged over", 50)
    approximate = Flag("true if the intervals are valid only approximately", False)
    early = Text(
        "reason why there is no interval, or by statAP none of pairs: too few sampled `topics`, `judgments` "
        "or `relevant` documents; the sample hardly draws what the measure weighs (`depth`); or the ideal "
        "order depends on unseen relevant documents (`ideal`). Empty if there is one, or never will be",
        "",
    )
    left_out = List(
        "numbers of topics with too few judgments for the estimate", [], child=Text("number of a topic")
    )


class EstimatedScore(Shape):
    """A run's estimated score, with its 95% intervals."""

    kind = Choice("kind of the estimate", "expected", choices=get_args(Kind))
    by = Text("name of the estimate", "EAP(calibrated)")
    score = Number.or_null("estimated mean score; null if no topic has one", 0.34)
    low = Number.or_null("low end of the interval on these topics; null if there is none", None)
    high = Number.or_null("high end of the interval on these topics; null if there is none", None)
    topics_low = Number.or_null("low end of the interval on topics like these; null if there is none", None)
    topics_high = Number.or_null("high end of the interval on topics like these; null if there is none", None)


class MeasuredRun(Shape):
    """A run with its scores by a measure."""

    id = WholeNumber("ID of the run", 3)
    run = Text("tag of the run", "READWARE2")
    score = Number.or_null(
        "mean score, unjudged documents counted as not relevant; null if no topic has one", 0.31
    )
    base = Number.or_null("lowest possible mean score; null for a measure without bounds", None)
    top = Number.or_null("highest possible mean score; null for a measure without bounds", None)
    estimates = EstimatedScore(many=True, help_text="the measure's estimates of this run, in their order")


class MeasureScores(Shape):
    """A measure with its scores of all runs."""

    measure = Text("name of the measure", "AP")
    computed = Text("name by which `evaluate` computes the same, with the lowest relevant grade", "AP")
    topics = WholeNumber("number of topics that scores are averaged over", 50)
    estimates = MeasureEstimate(many=True, help_text="estimates of the measure; empty if there are none")
    runs = MeasuredRun(
        many=True, help_text="runs that are not withdrawn, the highest estimate first, or the highest score"
    )


class Measures(Shape):
    """The scores of all runs by the campaign's measures."""

    primary = Text("name of the primary measure", "AP")
    as_of = WholeNumber("number of log entries that these figures reflect", 5000)
    reason = _unmeasured_field()
    judged = WholeNumber("number of judged documents", 4980)
    measures = MeasureScores(
        many=True, help_text="measures, the primary one first; empty if none is measured"
    )


class MeasurePairsQuery(PageQuery):
    measure = name("one of the campaign's measures, by its name (default: the primary one)", required=False)
    run = asked_runs_field()


class PairEstimate(Shape):
    """An estimate's values for a pair of runs."""

    kind = Choice("kind of the estimate", "expected", choices=get_args(Kind))
    by = Text("name of the estimate", "EAP(calibrated)")
    values = Figures(
        "values by name: `calibrated` and `published`, the probability that `run` has the higher mean AP by "
        "the calibrated model, and as published; `proved`, 1 where no unjudged document can reverse it; of a "
        "sample `difference`, `half_width` of its 95% interval on these topics, and `topics_half_width` on "
        "topics like these; a value is null where it does not exist",
        {"calibrated": 0.93, "published": 0.97, "proved": 0.0},
        child=Number.or_null("value for `run` before `other`"),
    )
    reverse = Figures(
        "the same values for `other` before `run`; the calibrated probabilities are lower bounds, so the two "
        "may sum up to less than 1",
        {"calibrated": 0.06, "published": 0.03, "proved": 0.0},
        child=Number.or_null("value for `other` before `run`"),
    )


class MeasurePair(Shape):
    """A pair of runs, as a measure's estimates compare them."""

    run = Text("tag of the first run", "READWARE2")
    other = Text("tag of the other run", "orcl99man")
    estimates = PairEstimate(many=True, help_text="estimates that compare pairs")


class MeasurePairs(PageLinks):
    """The pairs of runs by one measure."""

    measure = Text("name of the measure", "AP")
    as_of = WholeNumber("number of log entries that these figures reflect", 5000)
    reason = _unmeasured_field()
    results = MeasurePair(
        many=True,
        help_text="pairs of this page, those among the first runs first; none if no estimate compares pairs",
    )
