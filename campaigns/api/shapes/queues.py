"""Shapes of a topic’s queue, and of how well documents are served."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    NO_LINKS,
    PageLinks,
    PageQuery,
    Shape,
    limit_field,
    name,
)
from campaigns.models.campaign import Method, Status

MOST_QUEUED, USUALLY_QUEUED = 256, 20


class PrioritiesQuery(PageQuery):
    topic = name(help_text="topic number")
    limit = limit_field(USUALLY_QUEUED, MOST_QUEUED)


class Behind(Shape):
    """A run that ranks a queued document."""

    run = serializers.CharField(help_text="tag of the run")
    rank = serializers.IntegerField(help_text="rank of the document in the run, from 1")
    share = serializers.FloatField(help_text="share of the document's weight due to the run, in [0, 1]")


class Queued(Shape):
    """A document of the queue."""

    docno = serializers.CharField(help_text="document ID (docno)")
    weight = serializers.FloatField(help_text="weight of the document in the selection method")
    position = serializers.IntegerField(help_text="position in the queue, from 1")
    method = serializers.CharField(
        help_text="selection method that serves the document; anchor if it was drawn over all topics"
    )
    inclusion = serializers.FloatField(
        allow_null=True,
        help_text="probability with which the document was drawn, in (0, 1]; null if it was not drawn",
    )
    runs = Behind(many=True, help_text="runs that rank the document")


class Alternative(Shape):
    """The first choice of another selection method."""

    method = serializers.ChoiceField(choices=Method.choices, help_text="selection method")
    docno = serializers.CharField(
        allow_null=True, help_text="ID of the document it would serve; null if unavailable"
    )
    weight = serializers.FloatField(
        allow_null=True, help_text="weight of the document in that method; null if unavailable"
    )
    unavailable = serializers.CharField(help_text="reason why the method has no choice; empty if it has one")


class Priorities(PageLinks):
    """The head of a topic's queue."""

    topic = serializers.CharField(help_text="topic number")
    method = serializers.CharField(help_text="selection method of the topic")
    as_of = serializers.IntegerField(help_text="number of log entries that the queue reflects")
    configuration_current = serializers.BooleanField(
        help_text="true if the queue reflects the current runs and settings"
    )
    remaining = serializers.IntegerField(help_text="number of documents still to be served")
    results = Queued(many=True, help_text="documents of this page, the next to be served first")
    alternatives = Alternative(many=True, help_text="first choices of other selection methods")

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
    """Closeness of served documents to the first choice of the selection method."""

    queue_age_median = serializers.IntegerField(
        allow_null=True,
        help_text="median number of judgments missing from the queue when a document was served, over the "
        "latest 1,000 judgments; null unless it was measured for at least 80% of the documents",
    )
    queue_age_high = serializers.IntegerField(
        allow_null=True,
        help_text="95th percentile of the number of judgments missing from the queue when a document was "
        "served; null unless it was measured for at least 80% of the documents",
    )
    weight_given_up = serializers.FloatField(
        allow_null=True,
        help_text="mean of 1 - weight / weight of the best free document, in [0, 1]; null unless it was "
        "measured for at least 80% of the documents: the worker measures it only while it keeps up",
    )

    served = serializers.IntegerField(
        help_text="number of documents that were served for a first judgment, among the latest 1,000 "
        "judgments"
    )
    aged = serializers.IntegerField(
        help_text="number of them for which the judgments missing from the queue were counted"
    )
    weighed = serializers.IntegerField(help_text="number of them whose weight given up was measured")

    example = {
        "queue_age_median": 1,
        "queue_age_high": 4,
        "weight_given_up": 0.0002,
        "served": 1000,
        "aged": 1000,
        "weighed": 996,
    }


class StatusOut(Shape):
    """Status of a campaign and of the services behind it."""

    campaign = serializers.ChoiceField(choices=Status.choices, help_text="state of the campaign")
    worker = serializers.ChoiceField(choices=["up", "down"], help_text="state of the background worker")
    worker_heard = serializers.FloatField(
        allow_null=True, help_text="seconds since the worker last responded; null if it never did"
    )
    broker = serializers.ChoiceField(choices=["up", "down"], help_text="state of the message broker (Redis)")
    database = serializers.ChoiceField(choices=["up"], help_text="state of the database")
    head = serializers.IntegerField(help_text="number of entries in the judgment log")
    applied = serializers.IntegerField(help_text="number of log entries that the worker has processed")
    stalled = serializers.BooleanField(
        help_text="true if the worker has processed nothing for `WORKER_SILENCE_SECONDS` though log entries "
        "wait: score ranges, queues and predictions lack them"
    )
    serving = ServingOut(help_text="closeness of served documents to the method's first choice")
    judging_now = serializers.IntegerField(help_text="number of assessors judging now")

    example = {
        "campaign": "open",
        "worker": "up",
        "worker_heard": 1.4,
        "broker": "up",
        "database": "up",
        "head": 5000,
        "applied": 5000,
        "stalled": False,
        "serving": ServingOut.example,
        "judging_now": 7,
    }
