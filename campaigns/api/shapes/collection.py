"""Shapes of uploaded files, the collection, its documents and the runs."""

from __future__ import annotations

import json
from typing import Any

from django.utils.translation import gettext

from campaigns.api.shapes.base import (
    Choice,
    Figures,
    Flag,
    List,
    Number,
    Problem,
    Query,
    RequestShape,
    Shape,
    Text,
    Time,
    Upload,
    WholeChoice,
    WholeNumber,
    limit_field,
)
from campaigns.collection.search import LONGEST_QUERY, MOST_PAGES
from campaigns.core.errors import Refusal
from campaigns.exchange.datasets import LONGEST_DATASET_NAME
from campaigns.formats.content_types import Kind
from campaigns.formats.documents.json_fields import LONGEST_PATH
from campaigns.formats.errors import DOCNO_BYTES
from campaigns.formats.recognition.content import Kind as FileKind
from campaigns.formats.recognition.roles import ROLES
from campaigns.models import Loading as Row
from campaigns.models.campaign import ScoreFloats


class FileIn(RequestShape):
    """A form (multipart/form-data) with one file."""

    file = Upload(
        "the file, plain or compressed as .gz, .bz2, .xz, .zst or .lz4",
        "(the file's bytes)",
        allow_empty_file=True,
    )


class Columns(Text):
    """Names of columns by their roles, as JSON in a form."""

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        try:
            found = json.loads(text) if text else {}
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or not all(isinstance(name, str) for name in found.values()):
            detail = gettext('give names of columns by their roles, such as {"docno": "key"}')
            raise Refusal("bad_columns", detail, field="columns")
        return {role: name for role, name in found.items() if name}


class ColumnsIn(RequestShape):
    columns = Columns(
        "columns of a table or of JSON objects by their roles, as a JSON object; roles are docno, title and "
        "text of documents; number, title, description and narrative of topics; topic, docno, score, rank "
        "and tag of runs; topic, docno and grade of qrels (default: those chosen last for a file with the "
        "same columns, else by their names)",
        '{"docno": "key"}',
        required=False,
        allow_blank=True,
        max_length=10_000,
    )


class TextFieldIn(ColumnsIn):
    text_field = Text(
        "path of the text in JSON documents, such as pages.text; empty for the first known name "
        "(default: the path chosen last for this collection)",
        required=False,
        allow_blank=True,
        max_length=LONGEST_PATH,
    )


class CollectionFile(FileIn, TextFieldIn):
    """A form with a file of documents."""

    docno = Text(
        "docno of a file that is one document (default: its name without the ending)",
        required=False,
        max_length=DOCNO_BYTES,
    )
    url_template = Text(
        "address of a document at its source, with {docno} for its ID; empty to remove it "
        "(default: unchanged)",
        required=False,
        allow_blank=True,
        max_length=500,
    )
    replace = Flag(
        "true to replace the texts of documents that were judged, annotated, examples or in the training, "
        "whose earlier texts are kept; false to reject such a file (default: false)",
        default=False,
    )


class TopicsFile(FileIn, ColumnsIn):
    """A form with a file of topics."""

    reword = Flag(
        "true to give topics with judgments the titles of the file; false to reject such a file "
        "(default: false)",
        default=False,
    )


class RunsFile(FileIn, ColumnsIn):
    """A form with a run file."""

    group = Text("group that made the runs (default: empty)", default="", allow_blank=True, max_length=200)
    contributes = Flag(
        "true for contributing runs, whose documents are judged; false to score the runs only "
        "(default: true)",
        default=True,
    )
    lenient = Flag(
        "true to keep the better-scored duplicate and ignore columns after the sixth; other "
        "errors still reject the file (default: false)",
        default=False,
    )

    def validate_group(self, group: str) -> str:
        if not group.isprintable():
            raise Refusal("bad_group", gettext("it contains characters that cannot be shown"), field="group")
        return group


class QrelsFile(FileIn, ColumnsIn):
    """A form with a qrels file."""

    map = Text(
        "the campaign’s grades for those of the file, such as 2=1,3=1; none leaves judgments out; "
        "-1=0 makes documents that were not judged not relevant (default: grades as they are)",
        "2=1,3=1",
        default="",
        allow_blank=True,
        max_length=1000,
    )
    use_grades = Flag(
        "true to make the file’s grades the campaign’s scale, with evenly rising gains, before "
        "anything is judged (default: false)",
        False,
        default=False,
    )


class ArchiveFile(RunsFile, QrelsFile, TextFieldIn):
    """A form with an archive of files, and options for its runs, topics and qrels."""

    reword = Flag(
        "true to give topics with judgments the titles of the archive; false to reject such an "
        "archive (default: false)",
        default=False,
    )
    replace = Flag(
        "true to replace the texts of documents that were judged, annotated, examples or in the training, "
        "whose earlier texts are kept; false to reject such a file (default: false)",
        default=False,
    )


class Pieces(Text):
    """Places in a file, as JSON in a form."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            places = [(int(begin), int(end)) for begin, end in json.loads(super().to_internal_value(data))]
        except (ValueError, TypeError, RecursionError):
            places = []
        bounds = [0, *(bound for place in places for bound in place)]
        if not places or places[0][0] or bounds != sorted(bounds):
            raise Refusal(
                "bad_pieces", gettext("give places in order, the first from byte 0"), field="pieces"
            )
        return places


class HeadFile(TextFieldIn):
    """A form with the beginning of a file, or pieces of it."""

    file = Upload(
        "first bytes of the file, unchanged, 65,536 of them at most; or its pieces, one after the other",
        "(the file's first bytes)",
        allow_empty_file=True,
    )
    size = WholeNumber(
        "size of the whole file in bytes; the topics of a file sent whole are counted (default: 0)",
        51200,
        default=0,
        min_value=0,
        max_value=1 << 53,
    )
    pieces = Pieces(
        "places of the sent pieces in the file, from byte to byte, as a JSON list; the answer names those "
        "that show more (default: one piece at the beginning)",
        "[[0, 65536], [81920, 98304]]",
        required=False,
        max_length=10_000,
    )
    kind = Choice(
        "kind as which the file is to be read (default: recognised)",
        "documents",
        choices=[(kind, kind) for kind in ROLES],
        required=False,
    )


class FirstField(Shape):
    """A field of a file's first record."""

    name = Text("name of the field", "number")
    value = Text("value of the field, cut to 200 characters", "401")


class FileGrade(Shape):
    """A grade of a file."""

    grade = WholeNumber("grade in the file", 3)
    suggested = WholeNumber.or_null("the campaign’s grade for it; null to leave its lines out", 1)


class OtherGrades(Shape):
    """Grades of a qrels file, some of which the campaign lacks."""

    grades = FileGrade(many=True, help_text="grades in the file’s first bytes")
    scale = List("the campaign’s grades", [0, 1], child=WholeNumber())
    obstacle = Text("why the file’s grades cannot become the campaign’s scale; empty if they can", "")


class Noticed(Shape):
    """An anomaly of an accepted file, with its number of occurrences."""

    run = Text("tag of the run; absent if the file holds no runs", "READWARE2", required=False)
    what = Text("name of the anomaly", "ties")
    count = WholeNumber("number of occurrences", 12)
    detail = Text("description of the anomaly", "12 scores are shared")


class TextField(Shape):
    """A field of JSON documents that may be their text."""

    path = Text("path of the field, such as pages.text", "pages.text")
    value = Text("value in the first document that has it, cut to 200 characters", "The year in films …")


class RoleColumn(Shape):
    """A role, and the column that has it."""

    role = Text("name of the role", "docno")
    column = Text("name of its column; empty if none has it", "key")


class TableColumns(Shape):
    """Columns of a table or of JSON objects."""

    names = List("names of the columns, in order", ["key", "story"], child=Text())
    rows = List("values of the first three rows, cut to 200 characters", [["d1", "On lakes"]])
    roles = RoleColumn(many=True, help_text="roles of the kind; empty if the kind is unknown")
    missing = List(
        "roles that are to be chosen, of several together one; empty if there are none",
        [["docno"], ["text", "title"]],
        child=List(child=Text()),
    )
    refusal = Text("reason why the file would be refused; empty if none", "")


class RecognisedFile(Shape):
    """Kind of a file, by its first bytes."""

    kind = Choice("kind of the file", "topics", choices=[(str(kind), str(kind)) for kind in FileKind])
    words = Text("description of the content, such as: a qrels file, an image", "a topics file")
    certain = Flag("false if the file can be read as topics and as documents; its texts decided", True)
    topics = WholeNumber.or_null(
        "number of topics; null for other kinds, longer files and files with errors", 225
    )
    first = FirstField(many=True, help_text="fields of the first record; empty if none can be read")
    noticed = Noticed(
        many=True, help_text="anomalies of the first records; empty if there are none", example=[]
    )
    text_field = Text("path of the field that is the text of JSON documents; empty for others", "")
    text_fields = TextField(
        many=True, help_text="fields of JSON documents to choose as their text", example=[]
    )
    table = TableColumns(allow_null=True, help_text="columns; null if the file has none with names")
    pieces = List(
        "places of the file to send too, which show more; empty if there are none",
        [],
        child=List(child=WholeNumber()),
    )
    other_grades = OtherGrades(
        allow_null=True,
        help_text="what to choose for the grades of a qrels file; null if the campaign has them all",
        example=None,
    )


class Report(Shape):
    """Report on an accepted file: imported items and anomalies."""

    kind = Text("kind of the file: collection, topics, runs, qrels, archive or training", "runs")
    name = Text("name of the uploaded file", "READWARE2.gz")
    taken = Figures(
        "number of imported items, by kind", {"runs": 1, "topics": 50, "lines": 50000}, child=WholeNumber()
    )
    noticed = Noticed(many=True, help_text="anomalies of the file; empty if there are none")


class DatasetIn(RequestShape):
    """A request to load a dataset of ir_datasets."""

    ir_dataset = Text(
        "name of the dataset in ir_datasets, such as cranfield", "cranfield", max_length=LONGEST_DATASET_NAME
    )
    qrels = Flag(
        "true to import the judgments of the dataset too, in your name (default: false)", True, default=False
    )
    replace = Flag(
        "true to replace the texts of documents that were judged, annotated, examples or in the training, "
        "whose earlier texts are kept; false to reject such a file (default: false)",
        default=False,
    )


class Loading(Shape):
    """Progress of loading a dataset."""

    ir_dataset = Text("name of the dataset in ir_datasets", "cranfield")
    qrels = Flag("true if the judgments of the dataset are imported too", True)
    state = Choice("state of the import", "running", choices=Row.State.choices)
    documents = WholeNumber("number of documents read so far", 1000)
    total = WholeNumber.or_null("number of documents of the dataset; null if unknown", 1400)
    taken = Figures(
        "number of imported items, by kind; empty until the import is done", {}, child=WholeNumber()
    )
    noticed = Noticed(many=True, help_text="anomalies of the documents; empty if there are none", example=[])
    problem = Problem(
        allow_null=True, help_text="error that ended the import; null if there is none", example=None
    )


class Collection(Shape):
    """The document collection of a campaign."""

    name = Text("name of the collection", "news-2026")
    documents = WholeNumber("number of documents", 1000)
    complete = Flag(
        "true if the documents were imported; false if they are known only by their IDs in the runs", True
    )
    url_template = Text(
        "address of a document at its source, with {docno} for its ID; empty if there is none",
        "",
        allow_blank=True,
    )
    metadata_fields = List(
        "names of the fields that documents have, such as author", ["author", "date"], child=Text()
    )
    duplicates = WholeNumber("number of documents that duplicate another", 1204)
    duplicate_groups = WholeNumber("number of groups of duplicates", 512)
    compared = Flag("false while the worker compares texts", True)
    loading = Loading(allow_null=True, help_text="latest request to load a dataset; null if there was none")


class MetadataField(Shape):
    """A field of a document's metadata."""

    name = Text("name of the field, such as author", "author")
    value = Text("text of the field", "Ada Lovelace")


class DocumentOut(Shape):
    """A document of the collection."""

    docno = Text("document ID (docno)", "LA010189-0001")
    title = Text("document title; may be empty", "Cinema")
    body = Text(
        "text of the document; base64 if it is an image, a PDF or another binary type", "The year in films …"
    )
    content_type = Text("media type of the document, such as text/plain", "text/plain")
    kind = Choice(
        "way in which the document is displayed", "text", choices=[(str(kind), str(kind)) for kind in Kind]
    )
    url = Text("address of the document at its source; empty if unknown", "https://example.org/LA010189-0001")
    document_revision = WholeNumber("revision of the document’s text, from 1", 1)
    metadata = MetadataField(
        many=True,
        required=False,
        help_text="fields of the document: all for organisers; for assessors those in the campaign’s "
        "`shown_fields`, missing if there are none",
    )


MOST_FOUND = 100


class SearchQuery(Query):
    search = Text(
        'words of title or text, "phrases" and -excluded words; or the beginning of a docno',
        max_length=LONGEST_QUERY,
    )
    page = WholeNumber(
        "number of the page, from 1 (default: 1)", default=1, min_value=1, max_value=MOST_PAGES
    )
    limit = limit_field(20, MOST_FOUND)


class FoundDocument(Shape):
    """A document that matches a search."""

    docno = Text("document ID (docno)", "LA010189-0001")
    title = Text("document title; may be empty", "Cinema")
    snippet = Text("parts of the text around the matches; may be empty", "the year in films was")
    by_docno = Flag("true if the document ID matches; false if the words do", False)


class Duplicate(Shape):
    """A document that duplicates another."""

    docno = Text("document ID (docno)", "LA010189-0017")
    representative = Text("document ID of the first document of its group", "LA010189-0001")
    same = Flag("true if the texts differ only in markup, case, blanks and punctuation", False)
    similarity = Number("Jaccard coefficient of the sets of three-word sequences of both texts", 0.93)


class SearchResult(Shape):
    """A page of the documents that match a search, best first."""

    results = FoundDocument(many=True, help_text="matching documents of this page")
    matching = WholeNumber.or_null("number of documents that contain the words; null if 10,000 or more", 1)
    page = WholeNumber("number of this page, from 1", 1)
    last = Flag("true on the last page", True)
    incomplete = Flag("true if some texts are not indexed yet", False)


class Shown(DocumentOut):
    """A document and how to display it: as text, as safe HTML, or from its bytes."""

    rendered = Text.or_null("safe HTML of the document; null to display the text as it is", None)
    content = Text(
        "address of the bytes of an image or PDF, relative to the campaign; empty if there are none", ""
    )


class Replaced(Shape):
    """A text of the document that an upload replaced."""

    revision = WholeNumber("revision of the text, from 1", 1)
    replaced = Time("time at which another text replaced it", "2026-03-02T10:01:07Z")
    sha256 = Text("SHA-256 of title, line feed and body in UTF-8, in hexadecimal", "9f86d081884c7d659a2feaa0")
    held = Flag("false if the campaign was imported from a bundle without texts", True)


class DocumentWithEarlier(DocumentOut):
    """A document of the collection, and which of its earlier texts are kept."""

    earlier = Replaced(
        many=True, help_text="replaced texts that were judged, annotated, examples or training"
    )


class EarlierText(Shown):
    """An earlier text of a document and how to display it."""

    replaced = Time("time at which another text replaced it", "2026-03-02T10:01:07Z")
    sha256 = Text("SHA-256 of title, line feed and body in UTF-8, in hexadecimal", "9f86d081884c7d659a2feaa0")


class RevisionQuery(Query):
    revision = WholeNumber(
        "revision of the text, from 1 (default: 1)",
        min_value=1,
        max_value=2**31 - 1,
        required=False,
        default=1,
    )


class ContentQuery(Query):
    revision = WholeNumber(
        "revision of the text, from 1 (default: the present one)",
        required=False,
        min_value=1,
        max_value=2**31 - 1,
    )


class RunOut(Shape):
    """A run of the campaign."""

    run = Text("tag of the run", "READWARE2")
    group = Text("group that made the run; may be empty", "Readware")
    file = Text("name of the uploaded file", "READWARE2.gz")
    sha256 = Text(
        "SHA-256 checksum of the uploaded file, in hexadecimal",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    )
    topics = WholeNumber("number of topics with a ranking", 50)
    lines = WholeNumber("number of ranked documents over all topics", 50000)
    contributes = Flag(
        "true for a contributing run, whose documents are judged; false if the run is only scored", True
    )
    withdrawn_at = Time.or_null("time of withdrawal; null if the run is not withdrawn", None)
    late = Flag("true if uploaded after judging began", False)
    score_precision = WholeChoice(
        "bits of the floats as which the run’s scores were compared when its lists were ordered: "
        "64 as in trec_eval 10.0, 32 as in trec_eval up to 9.0.8",
        64,
        choices=ScoreFloats.choices,
    )
    noticed = Noticed(
        many=True,
        help_text="anomalies of the uploaded run",
        example=[{"what": "ties", "count": 12, "detail": "12 scores are shared"}],
    )
    uploaded_by = Text("user name of the uploader", "ada")
    created = Time("time of the upload", "2026-03-01T09:00:00Z")
