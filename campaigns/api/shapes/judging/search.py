"""Shapes of search-and-judge: what an assessor asks for, and what they find."""

from __future__ import annotations

from campaigns.api.shapes.base import Flag, Text, WholeNumber, name
from campaigns.api.shapes.collection import FoundDocument, SearchQuery, SearchResult


class TopicSearchQuery(SearchQuery):
    topic = name("topic number")


class OwnFound(FoundDocument):
    """A document that matches a search, with the assessor's judgment."""

    judged = Flag("true if the assessor judged the document in this topic", True)
    grade = WholeNumber.or_null("the assessor's grade; null if they gave none", 1)
    reason = Text("the assessor's reason why it could not be judged; empty if they gave none", "")


class TopicSearchResult(SearchResult):
    """A page of the documents that match an assessor's search, best first."""

    results = OwnFound(many=True, help_text="matching documents of this page")
