"""Shapes of the order in which topics are released."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    NO_LINKS,
    BoundedList,
    Choice,
    Options,
    PageLinks,
    RequestShape,
    Shape,
    Text,
    WholeNumber,
)
from campaigns.topic_order.releases import MOST_AHEAD, MOST_FIRST, ORDER_METHODS
from campaigns.topic_order.view import STANDINGS

METHODS = [("", "all topics at once"), *((name, name) for name in ORDER_METHODS)]
MOST_PLACE = 1_000_000
ACTS = ("release", "hold", "requeue", "move")


class TopicOrderIn(RequestShape):
    """Settings of the topic order to change. Omitted settings keep their values."""

    method = Choice(
        choices=METHODS,
        allow_blank=True,
        required=False,
        help_text="method that orders the topics; empty to open all at once",
    )
    options = Options(
        required=False, help_text="options of the method, by name; omitted ones get their defaults"
    )
    ahead = WholeNumber(
        required=False,
        min_value=0,
        max_value=MOST_AHEAD,
        help_text="number of open topics beyond one per assessor, from 0 (default: 2)",
    )
    first = BoundedList(
        required=False,
        child=Text(max_length=100),
        max_length=MOST_FIRST,
        help_text="numbers of the topics placed before the method's, in their order (default: none)",
    )

    example = {"method": "adaptive", "ahead": 2}


class TopicActIn(RequestShape):
    """An action on one topic of the order."""

    topic = Text(max_length=100, help_text="topic number")
    act = Choice(
        choices=ACTS,
        help_text="action: release the topic, hold it back, put it back into the queue, or move it",
    )
    place = WholeNumber(
        required=False,
        min_value=1,
        max_value=MOST_PLACE,
        help_text="position among the waiting topics, from 1; only with move",
    )

    example = {"topic": "401", "act": "move", "place": 1}


class CorrelationEstimate(Shape):
    """A correlation with its 95% interval."""

    mean = serializers.FloatField(help_text="expected correlation, in [-1, 1]")
    low = serializers.FloatField(help_text="low end of the 95% interval, in [-1, 1]")
    high = serializers.FloatField(help_text="high end of the 95% interval, in [-1, 1]")

    example = {"mean": 0.93, "low": 0.81, "high": 0.98}


class Agreement(Shape):
    """Predicted correlation between the mean scores of runs over finished topics and over all topics."""

    topics = serializers.IntegerField(help_text="number of finished topics, in the order of release")
    pearson = CorrelationEstimate(help_text="Pearson correlation")
    tau = CorrelationEstimate(help_text="Kendall's tau")

    example = {
        "topics": 5,
        "pearson": CorrelationEstimate.example,
        "tau": {"mean": 0.78, "low": 0.61, "high": 0.9},
    }


class PlacedTopic(Shape):
    """A topic with its place in the order and the reasons for it."""

    number = serializers.CharField(help_text="topic number")
    title = serializers.CharField(help_text="title of the topic")
    state = serializers.ChoiceField(choices=STANDINGS, help_text="state of the topic")
    place = serializers.IntegerField(
        allow_null=True,
        help_text="position among the waiting topics, from 1; null if the topic is not waiting",
    )
    judged = serializers.IntegerField(help_text="number of documents with a grade")
    how = serializers.CharField(
        help_text="origin of the place: method, drawn, hand, file, unanswered or released"
    )
    correlation = serializers.FloatField(
        allow_null=True,
        help_text="correlation of the topic's expected scores with the sum of all others', in [-1, 1]; null "
        "if unknown",
    )
    uncertainty = serializers.FloatField(
        allow_null=True, help_text="mean variance of the scores of runs in the topic; null if unknown"
    )
    gamma = serializers.FloatField(
        allow_null=True,
        help_text="γ of the topics up to this one, as in Hosseini and others 2012; null if unknown",
    )
    expected = serializers.FloatField(
        allow_null=True,
        help_text="correlation of means over the topics up to this one with means over all, in [-1, 1]; "
        "null if unknown",
    )
    adds = serializers.FloatField(
        allow_null=True, help_text="increase of that correlation by this topic; null if unknown"
    )
    votes = serializers.IntegerField(
        allow_null=True,
        help_text="number of groups of runs that chose the topic, with adaptive+; null for other methods",
    )
    reason = serializers.DictField(
        help_text="figures at the moment of release; empty if the topic is not released"
    )

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


class TopicOrderOut(PageLinks):
    """The order in which topics are released; `topics` is a page of it."""

    method = serializers.CharField(help_text="method that orders the topics; empty if all are open at once")
    options = serializers.DictField(help_text="options of the method, by name")
    ahead = serializers.IntegerField(help_text="number of open topics beyond one per assessor")
    first = serializers.ListField(
        child=serializers.CharField(), help_text="numbers of the topics placed before the method's"
    )
    wanted = serializers.IntegerField(help_text="target number of open topics")
    as_of = serializers.IntegerField(
        allow_null=True,
        help_text="number of log entries that the order reflects; null if nothing is computed yet",
    )
    done = serializers.IntegerField(help_text="number of topics with a computed place")
    total = serializers.IntegerField(help_text="number of topics to place")
    runs = serializers.IntegerField(help_text="number of runs that the order is computed from")
    depth = serializers.IntegerField(help_text="number of documents considered per run and topic")
    measures = serializers.ListField(
        child=serializers.CharField(), help_text="measures that compare the runs"
    )
    topics = PlacedTopic(many=True, help_text="topics of this page, in their order")
    agreement = Agreement(
        many=True, help_text="predicted agreement with all topics, by number of finished topics"
    )
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="limits of the order, as sentences; empty if there are none"
    )

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
        **NO_LINKS,
        "agreement": [Agreement.example],
        "notes": [],
    }
