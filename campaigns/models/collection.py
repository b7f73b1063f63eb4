"""Collections and their documents."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Value
from django.utils.html import format_html
from django.utils.safestring import SafeString

# Those with a Snowball stemmer that the judging screen offers.
LANGUAGES = (
    *("danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian", "norwegian"),
    *("portuguese", "romanian", "russian", "spanish", "swedish", "turkish"),
)
DEFAULT_LANGUAGE = "english"
# Of all others, the name begins with it.
_CODES = {
    "dutch": "nl",
    "german": "de",
    "portuguese": "pt",
    "spanish": "es",
    "swedish": "sv",
    "turkish": "tr",
}


class Collection(models.Model):
    name = models.CharField(max_length=200, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="collections")
    # Without uploaded documents a collection learns its docnos from the runs; with them, a docno that
    # no document has is an error in the run.
    complete = models.BooleanField(default=False)
    # Where a document can be seen at its source, with {docno} for its docno; empty: nowhere.
    url_template = models.CharField(max_length=500, blank=True, default="")
    # The language whose stemmer finds the topic's words in the documents, as Snowball names it.
    language = models.CharField(max_length=20, default=DEFAULT_LANGUAGE, db_default=DEFAULT_LANGUAGE)
    # Of a document, whatever is drawn hangs on its number, its id less this: a copy has other ids and the
    # same numbers.
    origin = models.IntegerField(default=0, db_default=0)
    # The search index covers documents up to the first id; the last id with a text is the second.
    indexed_until = models.IntegerField(default=0, db_default=0)
    texts_until = models.IntegerField(default=0, db_default=0)
    # Up to this id, documents were compared with those before them: see TextSignature.
    compared_until = models.IntegerField(default=0, db_default=0)
    # Up to this id there may be documents without their safe HTML: an older version stored them.
    unread_until = models.IntegerField(default=0, db_default=0)
    # Which columns of a file have which role, as organisers chose it: rows of kind, columns and roles, the
    # latest first. A row of documents without columns has the path of the text in files of JSON.
    column_choices = models.JSONField(default=list, db_default=Value([], models.JSONField()), blank=True)
    # Names of the fields that its documents have, in the order in which they came.
    metadata_fields = models.JSONField(default=list, db_default=Value([], models.JSONField()), blank=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def lang(self) -> SafeString:
        """The attribute for texts of documents and topics. The default language is no one's choice: without
        the attribute, none is claimed."""
        if self.language == DEFAULT_LANGUAGE:
            return SafeString()
        return format_html('lang="{}"', _CODES.get(self.language, self.language[:2]))


class Document(models.Model):
    # 32 bits, because rankings pack these ids as int32.
    id = models.AutoField(primary_key=True)
    # Without a constraint: Postgres checks it row by row, for millions of rows with one collection. Who adds
    # or removes documents holds the collection's row.
    # Without an index of its own: while an upload added millions of documents, Postgres preferred it to the
    # one of (collection, docno), and read the whole collection for each ranking.
    collection = models.ForeignKey(
        Collection, models.CASCADE, related_name="documents", db_constraint=False, db_index=False
    )
    # Byte order, whatever the server's locale: ties between documents are broken by it.
    docno = models.CharField(max_length=512, db_collation="C")
    title = models.TextField(blank=True, default="")
    body = models.TextField(blank=True, default="")
    content_type = models.CharField(max_length=100, default="text/plain")
    # Further fields, such as author or date, by name (campaigns/formats/documents/metadata.py).
    metadata = models.JSONField(default=dict, db_default=Value({}, models.JSONField()), blank=True)
    # Safe HTML of what is shown as HTML; null until it is read.
    html = models.TextField(null=True, editable=False)  # noqa: DJ001
    # Counts its texts; metadata are no text.
    revision = models.PositiveIntegerField(default=1, db_default=1)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "docno"], name="document_docno")]

    def __str__(self) -> str:
        return self.docno

    # A served document says this of its text, too.
    @property
    def document_id(self) -> int:
        return self.id

    @property
    def document_revision(self) -> int:
        return self.revision

    @property
    def url_template(self) -> str:
        return self.collection.url_template


class DocumentRevision(models.Model):
    """An earlier text of a document that was judged, annotated, an example or in a training when another
    replaced it. Judgments, notes, examples and training items name the revision that they are about."""

    document = models.ForeignKey(Document, models.CASCADE, related_name="revisions")
    revision = models.PositiveIntegerField()
    title = models.TextField(blank=True, default="")
    body = models.TextField(blank=True, default="")
    content_type = models.CharField(max_length=100, default="text/plain")
    metadata = models.JSONField(default=dict, blank=True)
    html = models.TextField(null=True, editable=False)  # noqa: DJ001
    # Of title, line feed and body, as UTF-8.
    sha256 = models.CharField(max_length=64)
    replaced = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "revision"], name="document_revision")]

    def __str__(self) -> str:
        return f"{self.document_id} revision {self.revision}"


class DocumentWords(models.Model):
    """Search terms of a document. A table of its own, filled after an import: an index on the texts
    themselves would make each import wait for it."""

    document = models.OneToOneField(Document, models.CASCADE, primary_key=True, db_constraint=False)
    words = SearchVectorField()

    class Meta:
        indexes = [GinIndex(fields=["words"], name="document_words")]

    def __str__(self) -> str:
        return f"words of document {self.document_id}"


class TextSignature(models.Model):
    """A document's text in short, and the document that it duplicates: computed from the texts, and again
    when they change. Every duplicate stands directly under its representative, which has none itself."""

    document = models.OneToOneField(
        Document, models.CASCADE, primary_key=True, db_constraint=False, related_name="signature"
    )
    # Of the text, as `Document.revision`.
    revision = models.PositiveIntegerField()
    # Equal for texts that differ in nothing but markup, case, blanks and punctuation.
    text_hash = models.UUIDField(db_index=True)
    # Hashes that alike texts share; of representatives alone.
    bands = ArrayField(models.BigIntegerField(), default=list)
    # Null: the document duplicates none before it.
    representative = models.ForeignKey(
        Document, models.CASCADE, null=True, db_constraint=False, related_name="duplicates"
    )
    # Whether the two texts are the same; how alike they are, from 0 to 1.
    same = models.BooleanField(default=False)
    similarity = models.FloatField(null=True)

    class Meta:
        # Each batch looks for what the one before it stored. A list of pending entries would be read by all.
        indexes = [GinIndex(fields=["bands"], name="text_bands", fastupdate=False)]

    def __str__(self) -> str:
        return f"signature of document {self.document_id}"
