"""Shapes of the order in which topics are released."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Choice, Many, Options, Shape, Strict, Text, Whole
from campaigns.topic_order.releases import MOST_AHEAD, ORDER_METHODS
from campaigns.topic_order.view import STANDINGS

METHODS = [("", "all topics at once"), *((name, name) for name in ORDER_METHODS)]
MOST_FIRST, MOST_PLACE = 10_000, 1_000_000
ACTS = ("release", "hold", "requeue", "move")


class TopicOrderIn(Strict):
    method = Choice(choices=METHODS, allow_blank=True, required=False, help_text="empty: all topics at once")
    options = Options(required=False, help_text="of the method; those left out are as by default")
    ahead = Whole(
        required=False,
        min_value=0,
        max_value=MOST_AHEAD,
        help_text="topics that are open beyond one for each assessor (2)",
    )
    first = Many(
        required=False,
        child=Text(max_length=100),
        max_length=MOST_FIRST,
        help_text="numbers of the topics that come before the method's, in their order",
    )

    example = {"method": "adaptive", "ahead": 2}


class TopicActIn(Strict):
    topic = Text(max_length=100, help_text="its number")
    act = Choice(choices=ACTS, help_text="requeue: let a topic that was held back wait for its turn again")
    place = Whole(
        required=False,
        min_value=1,
        max_value=MOST_PLACE,
        help_text="of a move: the topic's place among those that wait, from 1",
    )

    example = {"topic": "401", "act": "move", "place": 1}


class CorrelationEstimate(Shape):
    mean = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()

    example = {"mean": 0.93, "low": 0.81, "high": 0.98}


class Agreement(Shape):
    """Between the runs' means over the finished topics and over all, with 95% intervals."""

    topics = serializers.IntegerField(help_text="how many of the finished topics, in the order of release")
    pearson = CorrelationEstimate()
    tau = CorrelationEstimate(help_text="Kendall's")

    example = {
        "topics": 5,
        "pearson": CorrelationEstimate.example,
        "tau": {"mean": 0.78, "low": 0.61, "high": 0.9},
    }


class PlacedTopic(Shape):
    number = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(choices=STANDINGS)
    place = serializers.IntegerField(allow_null=True, help_text="among those that wait, from 1")
    judged = serializers.IntegerField(help_text="documents that have a grade")
    how = serializers.CharField(help_text="how it came to its place: method, drawn, hand, file, unanswered")
    correlation = serializers.FloatField(
        allow_null=True, help_text="of its expected scores with the sum of all others'"
    )
    uncertainty = serializers.FloatField(allow_null=True, help_text="mean variance of the runs' scores in it")
    gamma = serializers.FloatField(allow_null=True, help_text="γ of the topics up to it")
    expected = serializers.FloatField(
        allow_null=True, help_text="correlation of means over the topics up to it with means over all"
    )
    adds = serializers.FloatField(allow_null=True, help_text="how much of that it adds")
    votes = serializers.IntegerField(allow_null=True, help_text="of groups of runs, with adaptive+")
    reason = serializers.DictField(help_text="of a released topic: the figures of that moment")

    example = {
        "number": "401",
        "title": "foreign minorities, Germany",
        "state": "waiting",
        "place": 1,
        "judged": 0,
        "how": "method",
        "correlation": 0.71,
        "uncertainty": 0.004,
        "gamma": 0.32,
        "expected": 0.91,
        "adds": 0.03,
        "votes": None,
        "reason": {},
    }


class TopicOrderOut(Shape):
    method = serializers.CharField(help_text="empty: all topics at once")
    options = serializers.DictField()
    ahead = serializers.IntegerField()
    first = serializers.ListField(child=serializers.CharField())
    wanted = serializers.IntegerField(help_text="how many topics should be open")
    as_of = serializers.IntegerField(allow_null=True, help_text="the last judgment that the order knows")
    done = serializers.IntegerField(help_text="topics that have their place")
    total = serializers.IntegerField(help_text="topics that wait for one")
    runs = serializers.IntegerField()
    depth = serializers.IntegerField(help_text="of each run and topic, so many documents count")
    measures = serializers.ListField(child=serializers.CharField())
    topics = PlacedTopic(many=True)
    agreement = Agreement(many=True)
    notes = serializers.ListField(child=serializers.CharField(), help_text="what the order suffers from")

    example = {
        "method": "adaptive",
        "options": {},
        "ahead": 2,
        "first": [],
        "wanted": 5,
        "as_of": 120,
        "done": 40,
        "total": 40,
        "runs": 129,
        "depth": 100,
        "measures": ["RBP(p=0.8)"],
        "topics": [PlacedTopic.example],
        "agreement": [Agreement.example],
        "notes": [],
    }
