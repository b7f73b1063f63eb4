"""Collections and their documents."""

from django.conf import settings
from django.db import models


class Collection(models.Model):
    name = models.CharField(max_length=200, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="collections")
    # Without uploaded documents a collection learns its docnos from the runs; with them, a docno that
    # no document has is an error in the run.
    complete = models.BooleanField(default=False)
    # Where a document can be seen at its source, with {docno} for its docno; empty: nowhere.
    url_template = models.CharField(max_length=500, blank=True, default="")
    # Of a document, whatever is drawn hangs on its number, its id less this: a copy has other ids and the
    # same numbers.
    origin = models.IntegerField(default=0, db_default=0)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Document(models.Model):
    # 32 bits, because rankings pack these ids as int32.
    id = models.AutoField(primary_key=True)
    # Without a constraint: Postgres checks it row by row, for millions of rows with one collection. Who adds
    # or removes documents holds the collection's row.
    collection = models.ForeignKey(Collection, models.CASCADE, related_name="documents", db_constraint=False)
    # Byte order, whatever the server's locale: ties between documents are broken by it.
    docno = models.CharField(max_length=512, db_collation="C")
    title = models.TextField(blank=True, default="")
    body = models.TextField(blank=True, default="")
    content_type = models.CharField(max_length=100, default="text/plain")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "docno"], name="document_docno")]

    def __str__(self) -> str:
        return self.docno
