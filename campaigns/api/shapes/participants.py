"""Shapes of teams, the runs that they hand in, and what is published."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    NO_LINKS,
    BoundedList,
    Choice,
    Flag,
    PageLinks,
    RequestShape,
    Shape,
    Text,
    WholeNumber,
)
from campaigns.api.shapes.collection import FileIn, Noticed
from campaigns.models.participants import LONGEST_DESCRIPTION, Audience
from campaigns.participants.rules import MOST_RUNS

SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


class Team(Shape):
    """A team with its participants."""

    id = serializers.IntegerField(help_text="ID of the team")
    team = serializers.CharField(help_text="name of the team")
    members = serializers.ListField(
        child=serializers.CharField(), help_text="user names of its participants, in alphabetical order"
    )
    runs = serializers.IntegerField(help_text="number of runs handed in and neither replaced nor withdrawn")
    created = serializers.DateTimeField(help_text="time of creation")

    example = {"id": 2, "team": "Delft", "members": ["carl"], "runs": 3, "created": "2026-05-04T09:00:00Z"}


def deadline_field(**options: object) -> serializers.DateTimeField:
    return serializers.DateTimeField(
        help_text="deadline, by the database's clock; without a time zone, in the site's",
        **options,  # type: ignore[arg-type]  # as the caller has them
    )


def most_runs_field(**options: object) -> WholeNumber:
    return WholeNumber(
        min_value=1,
        max_value=MOST_RUNS,
        help_text=f"maximum number of runs of each team, 1 to {MOST_RUNS}",
        **options,  # type: ignore[arg-type]
    )


class HandInPatch(RequestShape):
    """Changes of the rules of handing in, and of the published results. Omitted fields keep their values."""

    deadline = deadline_field(required=False)
    most_runs = most_runs_field(required=False)
    scores_released = Flag(
        required=False,
        help_text="true to show each team the score ranges of its own runs; false to hide them",
    )
    leaderboard = Choice(
        choices=Audience.values,
        required=False,
        help_text="readers of the leaderboard: none, participants or public",
    )
    anonymous = Flag(
        required=False, help_text="true for labels in place of the names of runs and teams on the leaderboard"
    )

    example = {"deadline": "2026-06-01T12:00:00Z", "most_runs": 3, "leaderboard": "participants"}


class HandIn(Shape):
    """The rules of handing in, and the published results."""

    deadline = deadline_field(allow_null=True)
    open = serializers.BooleanField(help_text="true if runs can be handed in now")
    most_runs = most_runs_field()
    scores_released = serializers.BooleanField(help_text="true if teams see the scores of their runs")
    leaderboard = serializers.CharField(help_text="readers of the leaderboard: none, participants or public")
    anonymous = serializers.BooleanField(help_text="true if the leaderboard has labels in place of names")

    example = {
        "deadline": "2026-06-01T12:00:00Z",
        "open": True,
        "most_runs": 3,
        "scores_released": False,
        "leaderboard": "none",
        "anonymous": False,
    }


class OwnTeam(HandIn):
    """One's own team, with the rules of handing in."""

    team = serializers.CharField(help_text="name of the team")

    example = {**HandIn.example, "team": "Delft"}


class SubmissionPatch(RequestShape):
    """Changes of priority and description. Omitted fields keep their values."""

    priority = WholeNumber(
        required=False,
        min_value=1,
        max_value=MOST_RUNS,
        help_text="priority of the run, from 1; the run that has it now gets the old one",
    )
    description = Text(
        required=False,
        allow_blank=True,
        max_length=LONGEST_DESCRIPTION,
        help_text="description of the method behind the run",
    )

    example = {"priority": 1, "description": "BM25, k1 = 0.9"}


class SubmissionIn(FileIn):
    """A form with a run file of one's own team."""

    priority = WholeNumber(
        required=False,
        default=1,
        min_value=1,
        max_value=MOST_RUNS,
        help_text="priority of the run, from 1, which matters most (default: 1)",
    )
    description = Text(
        required=False,
        default="",
        allow_blank=True,
        max_length=LONGEST_DESCRIPTION,
        help_text="description of the method behind the run (default: empty)",
    )
    replaces = WholeNumber(
        required=False, min_value=1, help_text="ID of the submission that this one replaces (default: none)"
    )


class Submission(Shape):
    """A run as a team handed it in."""

    id = serializers.IntegerField(help_text="ID of the submission")
    team = serializers.CharField(help_text="name of the team")
    run = serializers.CharField(help_text="tag of the run")
    priority = serializers.IntegerField(help_text="priority within its team, from 1")
    description = serializers.CharField(help_text="description of the method behind the run; may be empty")
    file = serializers.CharField(help_text="name of the file")
    sha256 = serializers.CharField(help_text="SHA-256 hash of the received file, in hexadecimal")
    bytes = serializers.IntegerField(help_text="size of the received file, in bytes")
    topics = serializers.IntegerField(help_text="number of topics the run ranks")
    lines = serializers.IntegerField(help_text="number of lines of the run")
    noticed = Noticed(many=True, help_text="anomalies of the file")
    handed_in_by = serializers.CharField(help_text="user name of the participant who handed it in")
    handed_in_at = serializers.DateTimeField(help_text="time of the submission, by the database's clock")
    state = serializers.ChoiceField(
        choices=["handed in", "contributing", "non-contributing"],
        help_text="state of the run: handed in, or admitted as contributing or non-contributing",
    )
    admitted_as = serializers.CharField(
        allow_null=True, help_text="tag of the campaign's run made of it; null if there is none"
    )

    example = {
        "id": 7,
        "team": "Delft",
        "run": "delft-bm25",
        "priority": 1,
        "description": "BM25, k1 = 0.9",
        "file": "bm25.run.gz",
        "sha256": SHA256,
        "bytes": 81233,
        "topics": 30,
        "lines": 6000,
        "noticed": [{"what": "score ties", "count": 12, "detail": "ordered by docno descending"}],
        "handed_in_by": "carl",
        "handed_in_at": "2026-05-04T09:00:00Z",
        "state": "handed in",
        "admitted_as": None,
    }


class AdmissionIn(RequestShape):
    """Submissions to admit: by their IDs, or the first priorities of each team."""

    submissions = BoundedList(
        child=serializers.IntegerField(min_value=1),
        required=False,
        max_length=10_000,
        help_text="IDs of submissions; leave out where `first` is given",
    )
    first = WholeNumber(
        required=False,
        min_value=1,
        max_value=MOST_RUNS,
        help_text="number of runs of each team, by priority; leave out where `submissions` is given",
    )
    contributes = Flag(
        required=False,
        default=True,
        help_text="true for contributing runs, whose documents are judged; false to score the runs only "
        "(default: true)",
    )

    example = {"first": 2, "contributes": True}


class Admission(Shape):
    """Admitted submissions."""

    admitted = Submission(many=True, help_text="admitted submissions")

    example = {"admitted": [Submission.example]}


class TopicScore(Shape):
    """A run's score range in a topic."""

    topic = serializers.CharField(help_text="topic number")
    base = serializers.FloatField(help_text="lowest possible score, in [0, 1]")
    residual = serializers.FloatField(help_text="top minus base, in [0, 1]")
    top = serializers.FloatField(help_text="highest possible score, in [0, 1]")


class OwnRun(Shape):
    """A run of one's own team with its score ranges."""

    submission = serializers.IntegerField(help_text="ID of the submission")
    run = serializers.CharField(help_text="tag of the run")
    priority = serializers.IntegerField(help_text="priority within its team")
    base = serializers.FloatField(help_text="lowest possible mean over all topics, in [0, 1]")
    residual = serializers.FloatField(help_text="top minus base, in [0, 1]")
    top = serializers.FloatField(help_text="highest possible mean over all topics, in [0, 1]")
    topics = TopicScore(
        many=True, help_text="score ranges in each topic of this page, in the campaign's order"
    )


class OwnScores(PageLinks):
    """The score ranges of one's own team's runs, over a page of the topics."""

    measure = serializers.CharField(help_text="measure of the scores, such as RBP(p=0.8)")
    as_of = serializers.IntegerField(help_text="number of log entries that these figures reflect")
    runs = OwnRun(many=True, help_text="admitted runs, by priority")

    example = {
        "measure": "RBP(p=0.8)",
        "as_of": 5000,
        "runs": [
            {
                "submission": 7,
                "run": "delft-bm25",
                "priority": 1,
                "base": 0.61,
                "residual": 0.12,
                "top": 0.73,
                "topics": [{"topic": "401", "base": 0.61, "residual": 0.12, "top": 0.73}],
            }
        ],
        **NO_LINKS,
    }


class LeaderboardRow(Shape):
    """A run on the leaderboard."""

    run = serializers.CharField(help_text="tag of the run, or its label")
    team = serializers.CharField(help_text="group or team that made the run; empty where labels are shown")
    base = serializers.FloatField(help_text="lowest possible score, in [0, 1]")
    residual = serializers.FloatField(help_text="top minus base, in [0, 1]")
    top = serializers.FloatField(help_text="highest possible score, in [0, 1]")
    first = serializers.IntegerField(
        allow_null=True, help_text="best rank that no separated pair rules out, from 1; null if not predicted"
    )
    last = serializers.IntegerField(
        allow_null=True, help_text="worst rank that no separated pair rules out; null if not predicted"
    )
    expected = serializers.FloatField(
        allow_null=True, help_text="expected final score; null if not predicted"
    )
    low = serializers.FloatField(
        allow_null=True, help_text="lower end of the prediction interval; null if not predicted, or too early"
    )
    high = serializers.FloatField(
        allow_null=True, help_text="upper end of the prediction interval; null if not predicted, or too early"
    )


class Leaderboard(Shape):
    """The leaderboard, with ranks as on the overview."""

    measure = serializers.CharField(help_text="measure of the scores, such as RBP(p=0.8)")
    as_of = serializers.IntegerField(help_text="number of log entries that the figures reflect")
    judged = serializers.IntegerField(help_text="number of judged documents that the figures reflect")
    topics = serializers.IntegerField(
        help_text="number of topics with a judgment; scores are means over these"
    )
    all_topics = serializers.IntegerField(help_text="number of topics of the campaign")
    anonymous = serializers.BooleanField(help_text="true if runs have labels in place of names")
    published_at = serializers.DateTimeField(
        allow_null=True, help_text="time of publication; null if it is not published"
    )
    runs = LeaderboardRow(many=True, help_text="all runs that are not withdrawn")

    example = {
        "measure": "RBP(p=0.8)",
        "as_of": 5000,
        "judged": 4740,
        "topics": 12,
        "all_topics": 50,
        "anonymous": False,
        "published_at": "2026-06-20T09:00:00Z",
        "runs": [
            {
                "run": "delft-bm25",
                "team": "Delft",
                "base": 0.61,
                "residual": 0.12,
                "top": 0.73,
                "first": 1,
                "last": 4,
                "expected": 0.66,
                "low": 0.63,
                "high": 0.7,
            }
        ],
    }
