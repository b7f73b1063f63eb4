from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Shape
from campaigns.formats.content_types import Kind


class DocumentOut(Shape):
    """A document as the collection holds it; bytes as base64."""

    docno = serializers.CharField()
    title = serializers.CharField()
    body = serializers.CharField()
    content_type = serializers.CharField()
    kind = serializers.ChoiceField(choices=[(str(kind), str(kind)) for kind in Kind])
    url = serializers.CharField(help_text="where it is seen at its source; empty: unknown")

    example = {
        "docno": "LA010189-0001",
        "title": "Cinema",
        "body": "The year in films …",
        "content_type": "text/plain",
        "kind": "text",
        "url": "https://example.org/LA010189-0001",
    }


class Shown(DocumentOut):
    """A document and how to show it: its text, its safe HTML, or where its bytes are."""

    rendered = serializers.CharField(allow_null=True, help_text="safe HTML; null: show the text as it is")
    content = serializers.CharField(help_text="where its bytes are, relative to the campaign; or empty")

    example = {**DocumentOut.example, "rendered": None, "content": ""}
