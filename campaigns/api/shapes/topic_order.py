"""Shapes of the order in which topics are released."""

from __future__ import annotations

from campaigns.api.shapes.base import (
    BoundedList,
    Choice,
    Figures,
    List,
    Number,
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
        "method that orders the topics; empty to open all at once",
        "adaptive",
        choices=METHODS,
        allow_blank=True,
        required=False,
    )
    options = Options("options of the method, by name; omitted ones get their defaults", required=False)
    ahead = WholeNumber(
        "number of open topics beyond one per assessor, from 0 (default: 2)",
        2,
        required=False,
        min_value=0,
        max_value=MOST_AHEAD,
    )
    first = BoundedList(
        "numbers of the topics placed before the method's, in their order (default: none)",
        required=False,
        child=Text(max_length=100),
        max_length=MOST_FIRST,
    )


class TopicActIn(RequestShape):
    """An action on one topic of the order."""

    topic = Text("topic number", "401", max_length=100)
    act = Choice(
        "action: release the topic, hold it back, put it back into the queue, or move it",
        "move",
        choices=ACTS,
    )
    place = WholeNumber(
        "position among the waiting topics, from 1; only with move",
        1,
        required=False,
        min_value=1,
        max_value=MOST_PLACE,
    )


class CorrelationEstimate(Shape):
    """A correlation with its 95% interval."""

    mean = Number("expected correlation, in [-1, 1]", 0.93)
    low = Number("low end of the 95% interval, in [-1, 1]", 0.81)
    high = Number("high end of the 95% interval, in [-1, 1]", 0.98)


class Agreement(Shape):
    """Predicted correlation between the mean scores of runs over finished topics and over all topics."""

    topics = WholeNumber("number of finished topics, in the order of release", 5)
    pearson = CorrelationEstimate(help_text="Pearson correlation")
    tau = CorrelationEstimate(help_text="Kendall's tau", example={"mean": 0.78, "low": 0.61, "high": 0.9})


class PlacedTopic(Shape):
    """A topic with its place in the order and the reasons for it."""

    number = Text("topic number", "401")
    title = Text("title of the topic", "foreign minorities, Germany")
    state = Choice("state of the topic", "waiting", choices=STANDINGS)
    place = WholeNumber.or_null(
        "position among the waiting topics, from 1; null if the topic is not waiting", 1
    )
    judged = WholeNumber("number of documents with a grade", 0)
    how = Text("origin of the place: method, drawn, hand, file, unanswered or released", "method")
    correlation = Number.or_null(
        "correlation of the topic's expected scores with the sum of all others', in [-1, 1]; null if unknown",
        0.71,
    )
    uncertainty = Number.or_null("mean variance of the scores of runs in the topic; null if unknown", 0.004)
    gamma = Number.or_null(
        "γ of the topics up to this one, as in Hosseini and others 2012; null if unknown", 0.32
    )
    expected = Number.or_null(
        "correlation of means over the topics up to this one with means over all, in [-1, 1]; "
        "null if unknown",
        0.91,
    )
    adds = Number.or_null("increase of that correlation by this topic; null if unknown", 0.03)
    votes = WholeNumber.or_null(
        "number of groups of runs that chose the topic, with adaptive+; null for other methods", None
    )
    reason = Figures("figures at the moment of release; empty if the topic is not released", {})


class TopicOrderOut(PageLinks):
    """The order in which topics are released; `topics` is a page of it."""

    method = Text("method that orders the topics; empty if all are open at once", "adaptive")
    options = Figures("options of the method, by name", {})
    ahead = WholeNumber("number of open topics beyond one per assessor", 2)
    first = List("numbers of the topics placed before the method's", [], child=Text())
    wanted = WholeNumber("target number of open topics", 5)
    as_of = WholeNumber.or_null(
        "number of log entries that the order reflects; null if nothing is computed yet", 120
    )
    done = WholeNumber("number of topics with a computed place", 40)
    total = WholeNumber("number of topics to place", 40)
    runs = WholeNumber("number of runs that the order is computed from", 129)
    depth = WholeNumber("number of documents considered per run and topic", 100)
    measures = List("measures that compare the runs", ["RBP(p=0.8)"], child=Text())
    topics = PlacedTopic(many=True, help_text="topics of this page, in their order")
    agreement = Agreement(
        many=True, help_text="predicted agreement with all topics, by number of finished topics"
    )
    notes = List("limits of the order, as sentences; empty if there are none", [], child=Text())
