"""Shapes of the next document: served, looked up ahead, put off, claimed."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    BoundedList,
    Flag,
    Query,
    RequestShape,
    Shape,
    name,
)
from campaigns.api.shapes.collection import Shown

MOST_HAD = 200


class NextQuery(Query):
    topic = name(help_text="topic number")
    docno = name(
        required=False,
        help_text="ID of a document already judged, to judge it again (default: the next document)",
    )


class AheadQuery(Query):
    topic = name(help_text="topic number")
    docno = name(help_text="ID of the document on screen")
    have = BoundedList(
        child=name(),
        required=False,
        max_length=MOST_HAD,
        help_text="IDs of documents whose text the response may omit",
    )
    worth = Flag(required=False, help_text="true to get `worth` (default: false)")


class PlaceIn(RequestShape):
    """A document of a topic."""

    topic = name(help_text="topic number")
    docno = name(help_text="document ID (docno)")

    example = {"topic": "401", "docno": "LA010189-0001"}


class LaterIn(PlaceIn):
    """A document to judge later."""

    shown = name(required=False, help_text="ID of the document displayed next (default: the server chooses)")


class Progress(Shape):
    """Progress of the current assessor in a topic."""

    judged = serializers.IntegerField(help_text="number of documents judged by the assessor")
    relevant = serializers.IntegerField(help_text="number of these documents with a relevant grade")
    minimum = serializers.IntegerField(
        help_text="judgments from which the assessor can close the topic: the campaign’s, at most the pool"
    )
    postponed = serializers.IntegerField(help_text="number of documents that the assessor will judge later")


class Claim(Shape):
    """A claim on a document: until it expires, no other assessor is given the document."""

    docno = serializers.CharField(help_text="document ID (docno)")
    expires_at = serializers.DateTimeField(help_text="time at which the claim expires")
    revising = serializers.IntegerField(
        allow_null=True, help_text="current grade of a document open for revision; null if it has none"
    )
    revision = serializers.BooleanField(help_text="true if the assessor judged the document before")


class Served(Shape):
    """A served document and its claim."""

    docno = serializers.CharField(help_text="document ID (docno)")
    document = Shown(required=False, help_text="the document; absent if the sender has it already")
    claim = Claim(help_text="claim of the current assessor on the document")

    example = {
        "docno": "LA010189-0001",
        "document": Shown.example,
        "claim": {
            "docno": "LA010189-0001",
            "expires_at": "2026-03-02T10:20:00Z",
            "revising": None,
            "revision": False,
        },
    }


PROGRESS = {"judged": 17, "relevant": 6, "minimum": 40, "postponed": 0}


class Next(Served):
    """The next document to judge."""

    progress = Progress(help_text="progress of the current assessor in the topic")

    example = {**Served.example, "progress": PROGRESS}


class Postponed(Shape):
    """The next document, after one was set to be judged later."""

    progress = Progress(help_text="progress of the current assessor in the topic")
    next = Served(allow_null=True, help_text="next document to judge; null if none is left")

    example = {"progress": {**PROGRESS, "postponed": 1}, "next": Served.example}


class Renewed(Shape):
    """A renewed claim."""

    expires_at = serializers.DateTimeField(
        allow_null=True, help_text="time at which the claim expires; null if the claim was lost"
    )

    example = {"expires_at": "2026-03-02T10:40:00Z"}


class Ahead(Shape):
    """Documents that may follow the one on screen, to fetch in advance."""

    docno = serializers.CharField(help_text="ID of the document on screen")
    next = serializers.DictField(
        child=serializers.CharField(allow_null=True),
        help_text="ID of the following document by grade; under the empty key, after a reason or “judge "
        "later”",
    )
    exact = serializers.BooleanField(help_text="true if `next` accounts for every judgment so far")
    reserve = serializers.ListField(
        child=serializers.CharField(), help_text="IDs of further documents, for judging without a network"
    )
    documents = Shown(many=True, help_text="texts of the documents named")
    more = serializers.BooleanField(
        help_text="true if not all documents fitted into the answer; repeat the request"
    )
    expires_at = serializers.DateTimeField(help_text="time at which the claims on these documents expire")
    worth = serializers.FloatField(
        allow_null=True,
        help_text="what all unjudged documents of the topic together can add to a run’s score there, in "
        "[0, 1], mean over the runs; null if not requested or not computed yet",
    )
    progress = Progress(help_text="progress of the current assessor in the topic")

    example = {
        "docno": "LA010189-0001",
        "next": {"0": "LA010189-0002", "1": "LA010189-0002", "2": "LA010289-0017", "": "LA010189-0002"},
        "exact": True,
        "reserve": ["LA010289-0017"],
        "documents": [Shown.example],
        "more": False,
        "expires_at": "2026-03-02T10:20:00Z",
        "worth": None,
        "progress": PROGRESS,
    }
