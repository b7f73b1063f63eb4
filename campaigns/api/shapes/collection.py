"""Shapes of uploaded files, the collection, its documents and the runs."""

from __future__ import annotations

from django.utils.translation import gettext
from rest_framework import serializers

from campaigns.api.shapes.base import Flag, Problem, Query, Shape, Strict, Text, Upload, Whole, limit_field
from campaigns.collection.search import LONGEST_QUERY, MOST_PAGES
from campaigns.core.errors import Refusal
from campaigns.exchange.datasets import LONGEST_DATASET_NAME
from campaigns.formats.content_types import Kind
from campaigns.models import Loading as Row


class FileIn(Strict):
    """A form (multipart) with one file; also packed as .gz, .xz or .zst."""

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
            raise Refusal("bad_group", gettext("it holds characters that cannot be shown"), field="group")
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


class DatasetIn(Strict):
    ir_dataset = Text(max_length=LONGEST_DATASET_NAME, help_text="its name in ir_datasets")
    qrels = Flag(required=False, default=False, help_text="its judgments, too, into the log as yours")

    example = {"ir_dataset": "cranfield", "qrels": True}


class Loading(Shape):
    """`documents` were read so far, of `total` if that is known; `taken` in the end, or the `problem`."""

    ir_dataset = serializers.CharField()
    qrels = serializers.BooleanField()
    state = serializers.ChoiceField(choices=Row.State.choices)
    documents = serializers.IntegerField()
    total = serializers.IntegerField(allow_null=True)
    taken = serializers.DictField(child=serializers.IntegerField())
    problem = Problem(allow_null=True)

    example = {
        "ir_dataset": "cranfield",
        "qrels": True,
        "state": "running",
        "documents": 1000,
        "total": 1400,
        "taken": {},
        "problem": None,
    }


class Collection(Shape):
    name = serializers.CharField()
    documents = serializers.IntegerField()
    complete = serializers.BooleanField(help_text="false: documents are known from the runs, without text")
    url_template = serializers.CharField(allow_blank=True)
    loading = Loading(allow_null=True, help_text="the data set that was last asked for")

    example = {
        "name": "news-2026",
        "documents": 1000,
        "complete": True,
        "url_template": "",
        "loading": Loading.example,
    }


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


MOST_FOUND = 100


class SearchQuery(Query):
    search = Text(
        max_length=LONGEST_QUERY,
        help_text="words of title or text, or how a docno begins; also phrases in quotes and -word",
    )
    page = Whole(
        required=False, default=1, min_value=1, max_value=MOST_PAGES, help_text="from 1, the default"
    )
    limit = limit_field(20, MOST_FOUND)


class FoundDocument(Shape):
    docno = serializers.CharField()
    title = serializers.CharField()
    snippet = serializers.CharField(help_text="the parts of the text around matches; may be empty")
    by_docno = serializers.BooleanField(help_text="true: found by its docno, not by words")

    example = {
        "docno": "LA010189-0001",
        "title": "Cinema",
        "snippet": "the year in films was",
        "by_docno": False,
    }


class SearchResult(Shape):
    """One page of the documents that match best."""

    results = FoundDocument(many=True)
    matching = serializers.IntegerField(
        allow_null=True, help_text="documents that hold the words; null: 10,000 or more"
    )
    page = serializers.IntegerField()
    last = serializers.BooleanField(help_text="true: no page follows")
    incomplete = serializers.BooleanField(help_text="true: some texts are not indexed yet")

    example = {
        "results": [FoundDocument.example],
        "matching": 1,
        "page": 1,
        "last": True,
        "incomplete": False,
    }


class Shown(DocumentOut):
    """A document and how to show it: its text, its safe HTML, or where its bytes are."""

    rendered = serializers.CharField(allow_null=True, help_text="safe HTML; null: show the text as it is")
    content = serializers.CharField(help_text="where its bytes are, relative to the campaign; or empty")

    example = {**DocumentOut.example, "rendered": None, "content": ""}


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
