"""Shapes of teams, the runs that they hand in, and what is published."""

from __future__ import annotations

from typing import get_args

from rest_framework import serializers

from campaigns.api.shapes.base import (
    BoundedList,
    Choice,
    Flag,
    List,
    Number,
    PageLinks,
    RequestShape,
    Shape,
    Text,
    Time,
    WholeNumber,
)
from campaigns.api.shapes.collection import FileIn, Noticed
from campaigns.models.participants import LONGEST_DESCRIPTION, Audience
from campaigns.participants.leaderboard import BoardEstimate
from campaigns.participants.rules import MOST_RUNS

SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


class Team(Shape):
    """A team with its participants."""

    id = WholeNumber("ID of the team", 2)
    team = Text("name of the team", "Delft")
    members = List("user names of its participants, in alphabetical order", ["carl"], child=Text())
    runs = WholeNumber("number of runs handed in and neither replaced nor withdrawn", 3)
    created = Time("time of creation", "2026-05-04T09:00:00Z")


def deadline_field(**options: object) -> Time:
    return Time(
        help_text="deadline, by the database's clock; without a time zone, in the site's",
        **options,
    )


def most_runs_field(**options: object) -> WholeNumber:
    return WholeNumber(
        min_value=1,
        max_value=MOST_RUNS,
        help_text=f"maximum number of runs of each team, 1 to {MOST_RUNS}",
        **options,
    )


class HandInPatch(RequestShape):
    """Changes of the rules of handing in, and of the published results. Omitted fields keep their values."""

    deadline = deadline_field(required=False, example="2026-06-01T12:00:00Z")
    most_runs = most_runs_field(required=False, example=3)
    scores_released = Flag(
        "true to show each team the score ranges of its own runs; false to hide them", required=False
    )
    leaderboard = Choice(
        "readers of the leaderboard: none, participants or public",
        "participants",
        choices=Audience.values,
        required=False,
    )
    anonymous = Flag(
        "true for labels in place of the names of runs and teams on the leaderboard", required=False
    )


class HandIn(Shape):
    """The rules of handing in, and the published results."""

    deadline = deadline_field(allow_null=True, example="2026-06-01T12:00:00Z")
    open = Flag("true if runs can be handed in now", True)
    most_runs = most_runs_field(example=3)
    scores_released = Flag("true if teams see the scores of their runs", False)
    leaderboard = Text("readers of the leaderboard: none, participants or public", "none")
    anonymous = Flag("true if the leaderboard has labels in place of names", False)


class OwnTeam(HandIn):
    """One's own team, with the rules of handing in."""

    team = Text("name of the team", "Delft")


class SubmissionPatch(RequestShape):
    """Changes of priority and description. Omitted fields keep their values."""

    priority = WholeNumber(
        "priority of the run, from 1; the run that has it now gets the old one",
        1,
        required=False,
        min_value=1,
        max_value=MOST_RUNS,
    )
    description = Text(
        "description of the method behind the run",
        "BM25, k1 = 0.9",
        required=False,
        allow_blank=True,
        max_length=LONGEST_DESCRIPTION,
    )


class SubmissionIn(FileIn):
    """A form with a run file of one's own team."""

    priority = WholeNumber(
        "priority of the run, from 1, which matters most (default: 1)",
        default=1,
        min_value=1,
        max_value=MOST_RUNS,
    )
    description = Text(
        "description of the method behind the run (default: empty)",
        default="",
        allow_blank=True,
        max_length=LONGEST_DESCRIPTION,
    )
    replaces = WholeNumber(
        "ID of the submission that this one replaces (default: none)", required=False, min_value=1
    )


class Submission(Shape):
    """A run as a team handed it in."""

    id = WholeNumber("ID of the submission", 7)
    team = Text("name of the team", "Delft")
    run = Text("tag of the run", "delft-bm25")
    priority = WholeNumber("priority within its team, from 1", 1)
    description = Text("description of the method behind the run; may be empty", "BM25, k1 = 0.9")
    file = Text("name of the file", "bm25.run.gz")
    sha256 = Text("SHA-256 hash of the received file, in hexadecimal", SHA256)
    bytes = WholeNumber("size of the received file, in bytes", 81233)
    topics = WholeNumber("number of topics the run ranks", 30)
    lines = WholeNumber("number of lines of the run", 6000)
    noticed = Noticed(
        many=True,
        help_text="anomalies of the file",
        example=[{"what": "score ties", "count": 12, "detail": "ordered by docno descending"}],
    )
    handed_in_by = Text("user name of the participant who handed it in", "carl")
    handed_in_at = Time("time of the submission, by the database's clock", "2026-05-04T09:00:00Z")
    state = Choice(
        "state of the run: handed in, or admitted as contributing or non-contributing",
        "handed in",
        choices=["handed in", "contributing", "non-contributing"],
    )
    admitted_as = Text.or_null("tag of the campaign's run made of it; null if there is none", None)


class AdmissionIn(RequestShape):
    """Submissions to admit: by their IDs, or the first priorities of each team."""

    submissions = BoundedList(
        "IDs of submissions; leave out where `first` is given",
        child=serializers.IntegerField(min_value=1),
        required=False,
        max_length=10_000,
    )
    first = WholeNumber(
        "number of runs of each team, by priority; leave out where `submissions` is given",
        2,
        required=False,
        min_value=1,
        max_value=MOST_RUNS,
    )
    contributes = Flag(
        "true for contributing runs, whose documents are judged; false to score the runs only "
        "(default: true)",
        True,
        default=True,
    )


class Admission(Shape):
    """Admitted submissions."""

    admitted = Submission(many=True, help_text="admitted submissions")


class TopicScore(Shape):
    """A run's score range in a topic."""

    topic = Text("topic number", "401")
    base = Number("lowest possible score, in [0, 1]", 0.61)
    residual = Number("top minus base, in [0, 1]", 0.12)
    top = Number("highest possible score, in [0, 1]", 0.73)


class PrimaryScore(Shape):
    """A run's mean by the campaign's primary measure."""

    score = Number.or_null("mean score, unjudged documents counted as not relevant", 0.31)
    base = Number.or_null("lowest possible mean; null for a measure without bounds", None)
    top = Number.or_null("highest possible mean; null for a measure without bounds", None)
    expected = Number.or_null("mean by the best estimate; null if there is none", 0.34)
    low = Number.or_null("low end of its 95% interval on these topics; null if there is none", None)
    high = Number.or_null("high end of its 95% interval on these topics; null if there is none", None)


class OwnRun(Shape):
    """A run of one's own team with its score ranges."""

    submission = WholeNumber("ID of the submission", 7)
    run = Text("tag of the run", "delft-bm25")
    priority = WholeNumber("priority within its team", 1)
    base = Number("lowest possible mean over all topics, in [0, 1]", 0.61)
    residual = Number("top minus base, in [0, 1]", 0.12)
    top = Number("highest possible mean over all topics, in [0, 1]", 0.73)
    primary = PrimaryScore(
        allow_null=True,
        help_text="mean by the primary measure; null if that is `measure`, or not computed yet",
    )
    topics = TopicScore(
        many=True, help_text="score ranges in each topic of this page, in the campaign's order"
    )


class OwnScores(PageLinks):
    """The score ranges of one's own team's runs, over a page of the topics."""

    measure = Text("measure of the score ranges: RBP with the campaign's p", "RBP(p=0.8)")
    primary = Text("name of the campaign's primary measure", "AP")
    as_of = WholeNumber("number of log entries that these figures reflect", 5000)
    runs = OwnRun(many=True, help_text="admitted runs, by priority")


class LeaderboardRow(Shape):
    """A run on the leaderboard."""

    run = Text("tag of the run, or its label", "delft-bm25")
    team = Text("group or team that made the run; empty where labels are shown", "Delft")
    score = Number.or_null("score, unjudged documents counted as not relevant; null if there is none", 0.61)
    base = Number.or_null("lowest possible score; null for a measure without bounds", 0.61)
    residual = Number.or_null("top minus base; null for a measure without bounds", 0.12)
    top = Number.or_null("highest possible score; null for a measure without bounds", 0.73)
    first = WholeNumber.or_null(
        "best rank that no separated pair rules out, from 1; null if nothing is stated about pairs", 1
    )
    last = WholeNumber.or_null(
        "worst rank that no separated pair rules out; null if nothing is stated about pairs", 4
    )
    expected = Number.or_null("score by `estimate`; null if there is none", 0.66)
    low = Number.or_null("low end of its 95% interval; null if there is none, or too early", 0.63)
    high = Number.or_null("high end of its 95% interval; null if there is none, or too early", 0.7)


class Leaderboard(Shape):
    """The leaderboard by the primary measure, with ranks as on the overview."""

    measure = Text("measure of the scores: the campaign's primary one", "RBP(p=0.8)")
    estimate = Choice(
        "kind of `expected`, `low` and `high`: `predicted`, final scores by RBP at p; `sampled`, estimates "
        "from a random sample; `expected`, of a model; empty if the measure has no estimate",
        "predicted",
        choices=get_args(BoardEstimate),
        allow_blank=True,
    )
    as_of = WholeNumber("number of log entries that the figures reflect", 5000)
    judged = WholeNumber("number of judged documents that the figures reflect", 4740)
    topics = WholeNumber(
        "number of topics that scores are means over: by RBP at p, those with a judgment", 12
    )
    all_topics = WholeNumber("number of topics of the campaign", 50)
    anonymous = Flag("true if runs have labels in place of names", False)
    published_at = Time.or_null("time of publication; null if it is not published", "2026-06-20T09:00:00Z")
    runs = LeaderboardRow(many=True, help_text="all runs that are not withdrawn")
