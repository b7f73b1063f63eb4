from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import Shape
from campaigns.api.shapes.collection import Noticed


class RunOut(Shape):
    run = serializers.CharField(help_text="its tag")
    group = serializers.CharField()
    file = serializers.CharField()
    sha256 = serializers.CharField(help_text="of the file it came in")
    topics = serializers.IntegerField(help_text="how many it ranks documents for")
    lines = serializers.IntegerField(help_text="documents in all its lists")
    contributes = serializers.BooleanField(help_text="false: only scored, nothing is judged for its sake")
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    late = serializers.BooleanField(help_text="came after the first judgment")
    noticed = Noticed(many=True)
    uploaded_by = serializers.CharField()
    created = serializers.DateTimeField()

    example = {
        "run": "READWARE2",
        "group": "Readware",
        "file": "READWARE2.gz",
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "topics": 50,
        "lines": 50000,
        "contributes": True,
        "withdrawn_at": None,
        "late": False,
        "noticed": [{"what": "ties", "count": 12, "detail": "12 scores are shared"}],
        "uploaded_by": "ada",
        "created": "2026-03-01T09:00:00Z",
    }
