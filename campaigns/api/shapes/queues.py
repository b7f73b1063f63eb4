"""Shapes of a topic’s queue, and of how well documents are served."""

from __future__ import annotations

from campaigns.api.shapes.base import (
    Choice,
    Flag,
    Number,
    PageLinks,
    PageQuery,
    Shape,
    Text,
    WholeNumber,
    limit_field,
    name,
)
from campaigns.models.campaign import Method, Status

MOST_QUEUED, USUALLY_QUEUED = 256, 20


class PrioritiesQuery(PageQuery):
    topic = name("topic number")
    limit = limit_field(USUALLY_QUEUED, MOST_QUEUED)


class Behind(Shape):
    """A run that ranks a queued document."""

    run = Text("tag of the run", "READWARE2")
    rank = WholeNumber("rank of the document in the run, from 1", 2)
    share = Number("share of the document's weight due to the run, in [0, 1]", 0.4)


class Queued(Shape):
    """A document of the queue."""

    docno = Text("document ID (docno)", "LA010189-0001")
    weight = Number("weight of the document in the selection method", 0.31)
    position = WholeNumber("position in the queue, from 1", 1)
    method = Text("selection method that serves the document; anchor if it was drawn over all topics", "C")
    inclusion = Number.or_null(
        "probability with which the document was drawn, in (0, 1]; null if it was not drawn", None
    )
    runs = Behind(many=True, help_text="runs that rank the document")


class Alternative(Shape):
    """The first choice of another selection method."""

    method = Choice("selection method", "B", choices=Method.choices)
    docno = Text.or_null("ID of the document it would serve; null if unavailable", "LA010289-0017")
    weight = Number.or_null("weight of the document in that method; null if unavailable", 0.22)
    unavailable = Text("reason why the method has no choice; empty if it has one", "")


class Priorities(PageLinks):
    """The head of a topic's queue."""

    topic = Text("topic number", "401")
    method = Text("selection method of the topic", "C")
    as_of = WholeNumber("number of log entries that the queue reflects", 5000)
    configuration_current = Flag("true if the queue reflects the current runs and settings", True)
    remaining = WholeNumber("number of documents still to be served", 812)
    results = Queued(many=True, help_text="documents of this page, the next to be served first")
    alternatives = Alternative(many=True, help_text="first choices of other selection methods")


class ServingOut(Shape):
    """Closeness of served documents to the first choice of the selection method."""

    queue_age_median = WholeNumber.or_null(
        "median number of judgments missing from the queue when a document was served, over the "
        "latest 1,000 judgments; null unless it was measured for at least 80% of the documents",
        1,
    )
    queue_age_high = WholeNumber.or_null(
        "95th percentile of the number of judgments missing from the queue when a document was "
        "served; null unless it was measured for at least 80% of the documents",
        4,
    )
    weight_given_up = Number.or_null(
        "mean of 1 - weight / weight of the best free document, in [0, 1]; null unless it was "
        "measured for at least 80% of the documents: the worker measures it only while it keeps up",
        0.0002,
    )

    served = WholeNumber(
        "number of documents that were served for a first judgment, among the latest 1,000 judgments", 1000
    )
    aged = WholeNumber("number of them for which the judgments missing from the queue were counted", 1000)
    weighed = WholeNumber("number of them whose weight given up was measured", 996)


class StatusOut(Shape):
    """Status of a campaign and of the services behind it."""

    campaign = Choice("state of the campaign", "open", choices=Status.choices)
    worker = Choice("state of the background worker", "up", choices=["up", "down"])
    worker_heard = Number.or_null("seconds since the worker last responded; null if it never did", 1.4)
    broker = Choice("state of the message broker (Redis)", "up", choices=["up", "down"])
    database = Choice("state of the database", "up", choices=["up"])
    head = WholeNumber("number of entries in the judgment log", 5000)
    applied = WholeNumber("number of log entries that the worker has processed", 5000)
    stalled = Flag(
        "true if the worker has processed nothing for `WORKER_SILENCE_SECONDS` though log entries "
        "wait: score ranges, queues and predictions lack them",
        False,
    )
    serving = ServingOut(help_text="closeness of served documents to the method's first choice")
    judging_now = WholeNumber("number of assessors judging now", 7)
