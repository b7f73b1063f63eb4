"""Shapes of search-and-judge: what an assessor asks for, and what they find."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import name
from campaigns.api.shapes.collection import FoundDocument, SearchQuery, SearchResult


class TopicSearchQuery(SearchQuery):
    topic = name(help_text="topic number")


class OwnFound(FoundDocument):
    """A document that matches a search, with the assessor's judgment."""

    judged = serializers.BooleanField(help_text="true if the assessor judged the document in this topic")
    grade = serializers.IntegerField(
        allow_null=True, help_text="the assessor's grade; null if they gave none"
    )
    reason = serializers.CharField(
        help_text="the assessor's reason why it could not be judged; empty if they gave none"
    )

    example = {**FoundDocument.example, "judged": True, "grade": 1, "reason": ""}


class TopicSearchResult(SearchResult):
    """A page of the documents that match an assessor's search, best first."""

    results = OwnFound(many=True, help_text="matching documents of this page")

    example = {**SearchResult.example, "results": [OwnFound.example]}
