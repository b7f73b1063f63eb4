"""Shapes of uploaded files, the collection, its documents and the runs."""

from __future__ import annotations

from django.utils.translation import gettext
from rest_framework import serializers

from campaigns.api.shapes.base import (
    Flag,
    Problem,
    Query,
    RequestShape,
    Shape,
    Text,
    Upload,
    WholeNumber,
    limit_field,
)
from campaigns.collection.search import LONGEST_QUERY, MOST_PAGES
from campaigns.core.errors import Refusal
from campaigns.exchange.datasets import LONGEST_DATASET_NAME
from campaigns.formats.content_types import Kind
from campaigns.formats.recognition.content import Kind as FileKind
from campaigns.models import Loading as Row
from campaigns.models.campaign import ScoreFloats


class FileIn(RequestShape):
    """A form (multipart/form-data) with one file."""

    file = Upload(allow_empty_file=True, help_text="the file, plain or compressed as .gz, .xz or .zst")

    example = {"file": "(the file's bytes)"}


class CollectionFile(FileIn):
    """A form with a file of documents."""

    url_template = Text(
        required=False,
        allow_blank=True,
        max_length=500,
        help_text="address of a document at its source, with {docno} for its ID; empty to remove it "
        "(default: unchanged)",
    )


class TopicsFile(FileIn):
    """A form with a file of topics."""

    reword = Flag(
        required=False,
        default=False,
        help_text="true to give topics with judgments the titles of the file; false to reject such a file "
        "(default: false)",
    )


class RunsFile(FileIn):
    """A form with a run file."""

    group = Text(
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text="group that made the runs (default: empty)",
    )
    contributes = Flag(
        required=False,
        default=True,
        help_text="true for contributing runs, whose documents are judged; false to score the runs only "
        "(default: true)",
    )
    lenient = Flag(
        required=False,
        default=False,
        help_text="true to keep the better-scored duplicate and ignore columns after the sixth; other "
        "errors still reject the file (default: false)",
    )

    def validate_group(self, group: str) -> str:
        if not group.isprintable():
            raise Refusal("bad_group", gettext("it contains characters that cannot be shown"), field="group")
        return group


class QrelsFile(FileIn):
    """A form with a qrels file."""

    map = Text(
        required=False,
        default="",
        allow_blank=True,
        max_length=1000,
        help_text="the campaign’s grades for those of the file, such as 2=1,3=1; none leaves judgments out; "
        "-1=0 makes documents that were not judged not relevant (default: grades as they are)",
    )
    use_grades = Flag(
        required=False,
        default=False,
        help_text="true to make the file’s grades the campaign’s scale, with evenly rising gains, before "
        "anything is judged (default: false)",
    )

    example = {"file": "(the file's bytes)", "map": "2=1,3=1", "use_grades": False}


class ArchiveFile(RunsFile, QrelsFile):
    """A form with an archive of files, and options for its runs, topics and qrels."""

    reword = Flag(
        required=False,
        default=False,
        help_text="true to give topics with judgments the titles of the archive; false to reject such an "
        "archive (default: false)",
    )


class HeadFile(RequestShape):
    """A form with the beginning of a file."""

    file = Upload(
        allow_empty_file=True, help_text="first bytes of the file, unchanged; at most 65,536 are read"
    )
    size = WholeNumber(
        required=False,
        default=0,
        min_value=0,
        max_value=1 << 53,
        help_text="size of the whole file in bytes; the topics of a file sent whole are counted (default: 0)",
    )

    example = {"file": "(the file's first bytes)", "size": 51200}


class FirstField(Shape):
    """A field of a file's first record."""

    name = serializers.CharField(help_text="name of the field")
    value = serializers.CharField(help_text="value of the field, cut to 200 characters")

    example = {"name": "number", "value": "401"}


class FileGrade(Shape):
    """A grade of a file."""

    grade = serializers.IntegerField(help_text="grade in the file")
    suggested = serializers.IntegerField(
        allow_null=True, help_text="the campaign’s grade for it; null to leave its lines out"
    )

    example = {"grade": 3, "suggested": 1}


class OtherGrades(Shape):
    """Grades of a qrels file, some of which the campaign lacks."""

    grades = FileGrade(many=True, help_text="grades in the file’s first bytes")
    scale = serializers.ListField(child=serializers.IntegerField(), help_text="the campaign’s grades")
    obstacle = serializers.CharField(
        help_text="why the file’s grades cannot become the campaign’s scale; empty if they can"
    )

    example = {"grades": [FileGrade.example], "scale": [0, 1], "obstacle": ""}


class Noticed(Shape):
    """An anomaly of an accepted file, with its number of occurrences."""

    run = serializers.CharField(required=False, help_text="tag of the run; absent if the file holds no runs")
    what = serializers.CharField(help_text="name of the anomaly")
    count = serializers.IntegerField(help_text="number of occurrences")
    detail = serializers.CharField(help_text="description of the anomaly")


class RecognisedFile(Shape):
    """Kind of a file, by its first bytes."""

    kind = serializers.ChoiceField(
        choices=[(str(kind), str(kind)) for kind in FileKind], help_text="kind of the file"
    )
    words = serializers.CharField(help_text="description of the content, such as: a qrels file, an image")
    certain = serializers.BooleanField(
        help_text="false if the file can be read as topics and as documents; its texts decided"
    )
    topics = serializers.IntegerField(
        allow_null=True,
        help_text="number of topics; null for other kinds, longer files and files with errors",
    )
    first = FirstField(many=True, help_text="fields of the first record; empty if none can be read")
    noticed = Noticed(many=True, help_text="anomalies of the first records; empty if there are none")
    other_grades = OtherGrades(
        allow_null=True,
        help_text="what to choose for the grades of a qrels file; null if the campaign has them all",
    )

    example = {
        "kind": "topics",
        "words": "a topics file",
        "certain": True,
        "topics": 225,
        "first": [FirstField.example],
        "noticed": [],
        "other_grades": None,
    }


class Report(Shape):
    """Report on an accepted file: imported items and anomalies."""

    kind = serializers.CharField(
        help_text="kind of the file: collection, topics, runs, qrels, archive or training"
    )
    name = serializers.CharField(help_text="name of the uploaded file")
    taken = serializers.DictField(
        child=serializers.IntegerField(), help_text="number of imported items, by kind"
    )
    noticed = Noticed(many=True, help_text="anomalies of the file; empty if there are none")

    example = {
        "kind": "runs",
        "name": "READWARE2.gz",
        "taken": {"runs": 1, "topics": 50, "lines": 50000},
        "noticed": [{"run": "READWARE2", "what": "ties", "count": 12, "detail": "12 scores are shared"}],
    }


class DatasetIn(RequestShape):
    """A request to load a dataset of ir_datasets."""

    ir_dataset = Text(
        max_length=LONGEST_DATASET_NAME, help_text="name of the dataset in ir_datasets, such as cranfield"
    )
    qrels = Flag(
        required=False,
        default=False,
        help_text="true to import the judgments of the dataset too, in your name (default: false)",
    )

    example = {"ir_dataset": "cranfield", "qrels": True}


class Loading(Shape):
    """Progress of loading a dataset."""

    ir_dataset = serializers.CharField(help_text="name of the dataset in ir_datasets")
    qrels = serializers.BooleanField(help_text="true if the judgments of the dataset are imported too")
    state = serializers.ChoiceField(choices=Row.State.choices, help_text="state of the import")
    documents = serializers.IntegerField(help_text="number of documents read so far")
    total = serializers.IntegerField(
        allow_null=True, help_text="number of documents of the dataset; null if unknown"
    )
    taken = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="number of imported items, by kind; empty until the import is done",
    )
    noticed = Noticed(many=True, help_text="anomalies of the documents; empty if there are none")
    problem = Problem(allow_null=True, help_text="error that ended the import; null if there is none")

    example = {
        "ir_dataset": "cranfield",
        "qrels": True,
        "state": "running",
        "documents": 1000,
        "total": 1400,
        "taken": {},
        "noticed": [],
        "problem": None,
    }


class Collection(Shape):
    """The document collection of a campaign."""

    name = serializers.CharField(help_text="name of the collection")
    documents = serializers.IntegerField(help_text="number of documents")
    complete = serializers.BooleanField(
        help_text="true if the documents were imported; false if they are known only by their IDs in the runs"
    )
    url_template = serializers.CharField(
        allow_blank=True,
        help_text="address of a document at its source, with {docno} for its ID; empty if there is none",
    )
    metadata_fields = serializers.ListField(
        child=serializers.CharField(), help_text="names of the fields that documents have, such as author"
    )
    loading = Loading(allow_null=True, help_text="latest request to load a dataset; null if there was none")

    example = {
        "name": "news-2026",
        "documents": 1000,
        "complete": True,
        "url_template": "",
        "metadata_fields": ["author", "date"],
        "loading": Loading.example,
    }


class MetadataField(Shape):
    """A field of a document's metadata."""

    name = serializers.CharField(help_text="name of the field, such as author")
    value = serializers.CharField(help_text="text of the field")

    example = {"name": "author", "value": "Ada Lovelace"}


class DocumentOut(Shape):
    """A document of the collection."""

    docno = serializers.CharField(help_text="document ID (docno)")
    title = serializers.CharField(help_text="document title; may be empty")
    body = serializers.CharField(
        help_text="text of the document; base64 if it is an image, a PDF or another binary type"
    )
    content_type = serializers.CharField(help_text="media type of the document, such as text/plain")
    kind = serializers.ChoiceField(
        choices=[(str(kind), str(kind)) for kind in Kind], help_text="way in which the document is displayed"
    )
    url = serializers.CharField(help_text="address of the document at its source; empty if unknown")
    metadata = MetadataField(
        many=True,
        required=False,
        help_text="fields of the document: all for organisers; for assessors those in the campaign’s "
        "`shown_fields`, missing if there are none",
    )

    example = {
        "docno": "LA010189-0001",
        "title": "Cinema",
        "body": "The year in films …",
        "content_type": "text/plain",
        "kind": "text",
        "url": "https://example.org/LA010189-0001",
        "metadata": [MetadataField.example],
    }


MOST_FOUND = 100


class SearchQuery(Query):
    search = Text(
        max_length=LONGEST_QUERY,
        help_text='words of title or text, "phrases" and -excluded words; or the beginning of a docno',
    )
    page = WholeNumber(
        required=False,
        default=1,
        min_value=1,
        max_value=MOST_PAGES,
        help_text="number of the page, from 1 (default: 1)",
    )
    limit = limit_field(20, MOST_FOUND)


class FoundDocument(Shape):
    """A document that matches a search."""

    docno = serializers.CharField(help_text="document ID (docno)")
    title = serializers.CharField(help_text="document title; may be empty")
    snippet = serializers.CharField(help_text="parts of the text around the matches; may be empty")
    by_docno = serializers.BooleanField(help_text="true if the document ID matches; false if the words do")

    example = {
        "docno": "LA010189-0001",
        "title": "Cinema",
        "snippet": "the year in films was",
        "by_docno": False,
    }


class SearchResult(Shape):
    """A page of the documents that match a search, best first."""

    results = FoundDocument(many=True, help_text="matching documents of this page")
    matching = serializers.IntegerField(
        allow_null=True, help_text="number of documents that contain the words; null if 10,000 or more"
    )
    page = serializers.IntegerField(help_text="number of this page, from 1")
    last = serializers.BooleanField(help_text="true on the last page")
    incomplete = serializers.BooleanField(help_text="true if some texts are not indexed yet")

    example = {
        "results": [FoundDocument.example],
        "matching": 1,
        "page": 1,
        "last": True,
        "incomplete": False,
    }


class Shown(DocumentOut):
    """A document and how to display it: as text, as safe HTML, or from its bytes."""

    rendered = serializers.CharField(
        allow_null=True, help_text="safe HTML of the document; null to display the text as it is"
    )
    content = serializers.CharField(
        help_text="address of the bytes of an image or PDF, relative to the campaign; empty if there are none"
    )

    example = {**DocumentOut.example, "rendered": None, "content": ""}


class RunOut(Shape):
    """A run of the campaign."""

    run = serializers.CharField(help_text="tag of the run")
    group = serializers.CharField(help_text="group that made the run; may be empty")
    file = serializers.CharField(help_text="name of the uploaded file")
    sha256 = serializers.CharField(help_text="SHA-256 checksum of the uploaded file, in hexadecimal")
    topics = serializers.IntegerField(help_text="number of topics with a ranking")
    lines = serializers.IntegerField(help_text="number of ranked documents over all topics")
    contributes = serializers.BooleanField(
        help_text="true for a contributing run, whose documents are judged; false if the run is only scored"
    )
    withdrawn_at = serializers.DateTimeField(
        allow_null=True, help_text="time of withdrawal; null if the run is not withdrawn"
    )
    late = serializers.BooleanField(help_text="true if uploaded after judging began")
    score_precision = serializers.ChoiceField(
        choices=ScoreFloats.choices,
        help_text="bits of the floats as which the run’s scores were compared when its lists were ordered: "
        "64 as in trec_eval 10.0, 32 as in trec_eval up to 9.0.8",
    )
    noticed = Noticed(many=True, help_text="anomalies of the uploaded run")
    uploaded_by = serializers.CharField(help_text="user name of the uploader")
    created = serializers.DateTimeField(help_text="time of the upload")

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
        "score_precision": 64,
        "noticed": [{"what": "ties", "count": 12, "detail": "12 scores are shared"}],
        "uploaded_by": "ada",
        "created": "2026-03-01T09:00:00Z",
    }
