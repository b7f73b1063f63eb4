from __future__ import annotations

from django.utils.translation import gettext
from rest_framework import serializers

from campaigns.api.shapes.base import Shape, Strict
from campaigns.api.shapes.fields import Flag, Text, Upload
from campaigns.core.errors import Refused


class FileIn(Strict):
    """A form (multipart) with one file; also packed as .gz, .xz, .zst, .zip or .tar."""

    file = Upload(allow_empty_file=True)

    example = {"file": "(the file's bytes)"}


class CollectionFile(FileIn):
    url_template = Text(
        required=False, allow_blank=True, max_length=500, help_text="where documents are seen, with {docno}"
    )


class TopicsFile(FileIn):
    reword = Flag(required=False, default=False, help_text="topics that are there already get this wording")


class RunsFile(FileIn):
    group = Text(required=False, default="", allow_blank=True, max_length=200, help_text="who sent the runs")
    contributes = Flag(required=False, default=True, help_text="false: scored only, not judged for")
    lenient = Flag(required=False, default=False, help_text="take what can be made sense of")

    def validate_group(self, group: str) -> str:
        if not group.isprintable():
            raise Refused("bad_group", gettext("it holds characters that cannot be shown"), field="group")
        return group


class Noticed(Shape):
    run = serializers.CharField(required=False)
    what = serializers.CharField()
    count = serializers.IntegerField()
    detail = serializers.CharField()


class Report(Shape):
    """What was taken of a file, and what was odd in it."""

    kind = serializers.CharField()
    name = serializers.CharField()
    taken = serializers.DictField(child=serializers.IntegerField())
    noticed = Noticed(many=True)

    example = {
        "kind": "runs",
        "name": "READWARE2.gz",
        "taken": {"runs": 1, "topics": 50, "lines": 50000},
        "noticed": [{"run": "READWARE2", "what": "ties", "count": 12, "detail": "12 scores are shared"}],
    }
