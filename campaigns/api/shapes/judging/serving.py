"""Shapes of the next document: served, looked up ahead, put off, claimed."""

from __future__ import annotations

from campaigns.api.shapes.base import (
    BoundedList,
    Figures,
    Flag,
    List,
    Number,
    Query,
    RequestShape,
    Shape,
    Text,
    Time,
    WholeNumber,
    name,
)
from campaigns.api.shapes.collection import Shown

MOST_HAD = 200


class NextQuery(Query):
    topic = name("topic number")
    docno = name(
        "ID of a document already judged, to judge it again (default: the next document)", required=False
    )


class AheadQuery(Query):
    topic = name("topic number")
    docno = name("ID of the document on screen")
    have = BoundedList(
        "IDs of documents whose text the response may omit", child=name(), required=False, max_length=MOST_HAD
    )
    worth = Flag("true to get `worth` (default: false)", required=False)


class PlaceIn(RequestShape):
    """A document of a topic."""

    topic = name("topic number", "401")
    docno = name("document ID (docno)", "LA010189-0001")


class SeenIn(PlaceIn):
    """A document of a topic, in one of its texts."""

    document_revision = WholeNumber(
        "revision of the document’s text that the assessor saw; a text that was replaced and not kept is "
        "refused as `text_replaced` (default: the present one)",
        required=False,
        min_value=1,
        max_value=2**31 - 1,
    )


class LaterIn(PlaceIn):
    """A document to judge later."""

    shown = name("ID of the document displayed next (default: the server chooses)", required=False)


class Progress(Shape):
    """Progress of the current assessor in a topic."""

    judged = WholeNumber("number of documents judged by the assessor")
    relevant = WholeNumber("number of these documents with a relevant grade")
    minimum = WholeNumber(
        "judgments from which the assessor can close the topic: the campaign’s, at most the pool"
    )
    postponed = WholeNumber("number of documents that the assessor will judge later")


class Claim(Shape):
    """A claim on a document: until it expires, no other assessor is given the document."""

    docno = Text("document ID (docno)", "LA010189-0001")
    expires_at = Time("time at which the claim expires", "2026-03-02T10:20:00Z")
    revising = WholeNumber.or_null("current grade of a document open for revision; null if it has none", None)
    revision = Flag("true if the assessor judged the document before", False)


class Served(Shape):
    """A served document and its claim."""

    docno = Text("document ID (docno)", "LA010189-0001")
    document = Shown(required=False, help_text="the document; absent if the sender has it already")
    claim = Claim(help_text="claim of the current assessor on the document")


PROGRESS = {"judged": 17, "relevant": 6, "minimum": 40, "postponed": 0}


class Next(Served):
    """The next document to judge."""

    progress = Progress(help_text="progress of the current assessor in the topic", example=PROGRESS)


class Postponed(Shape):
    """The next document, after one was set to be judged later."""

    progress = Progress(
        help_text="progress of the current assessor in the topic", example={**PROGRESS, "postponed": 1}
    )
    next = Served(allow_null=True, help_text="next document to judge; null if none is left")


class Renewed(Shape):
    """A renewed claim."""

    expires_at = Time.or_null(
        "time at which the claim expires; null if the claim was lost", "2026-03-02T10:40:00Z"
    )


class Ahead(Shape):
    """Documents that may follow the one on screen, to fetch in advance."""

    docno = Text("ID of the document on screen", "LA010189-0001")
    next = Figures(
        "ID of the following document by grade; under the empty key, after a reason or “judge later”",
        {"0": "LA010189-0002", "1": "LA010189-0002", "2": "LA010289-0017", "": "LA010189-0002"},
        child=Text.or_null(),
    )
    exact = Flag("true if `next` accounts for every judgment so far", True)
    reserve = List("IDs of further documents, for judging without a network", ["LA010289-0017"], child=Text())
    documents = Shown(many=True, help_text="texts of the documents named")
    more = Flag("true if not all documents fitted into the answer; repeat the request", False)
    expires_at = Time("time at which the claims on these documents expire", "2026-03-02T10:20:00Z")
    worth = Number.or_null(
        "what all unjudged documents of the topic together can add to a run’s score there, in "
        "[0, 1], mean over the runs; null if not requested or not computed yet",
        None,
    )
    progress = Progress(help_text="progress of the current assessor in the topic", example=PROGRESS)
