"""The full-text index of documents: built by the worker after an import, a batch at a time.

An import only says up to which id there are texts. So it takes no longer than without a search, and a worker
that dies goes on where it was.
"""

from __future__ import annotations

import time
from typing import Any

from django.db import connection, transaction
from django.db.models import Case, F, IntegerField, Value, When
from django.db.models.functions import Greatest, Least

from campaigns.core.jobs import request_indexing
from campaigns.formats.content_types import BINARY, kind_of
from campaigns.models import Collection, Document, DocumentWords

# Stemming as for English: most collections of the field are English. Texts and queries pass the same stemmer,
# so words of any other language are found as they are written.
LANGUAGE = "english"
# A search vector holds at most a megabyte.
MOST_CHARACTERS = 100_000
# Ids of a batch, for which an import into the same collection may have to wait; and the seconds after which
# other tasks get their turn.
BATCH_IDS, SECONDS_A_TURN = 500, 5.0


# No text file holds it.
UNDERSCORE = "\x1f"


def parsed(column: str) -> str:
    """A text whose words Postgres finds in linear time. Its parser takes the square or more where a comment
    may begin, and for words joined by underscores, which it takes apart in any case."""
    return f"replace(translate(left({column}, %(most)s), '_', '{UNDERSCORE}'), '<!--', ' ')"


_INDEX = f"""
INSERT INTO campaigns_documentwords (document_id, words)
SELECT id, array_to_tsvector(ARRAY[%(mark)s])
  || setweight(to_tsvector(%(language)s, {parsed("title")}), 'A')
  || to_tsvector(%(language)s, CASE WHEN content_type = ANY(%(binary)s) THEN '' ELSE {parsed("body")} END)
FROM campaigns_document
WHERE collection_id = %(collection)s AND id > %(after)s AND id <= %(until)s AND (title <> '' OR body <> '')
ON CONFLICT (document_id) DO UPDATE SET words = excluded.words
"""  # noqa: S608


def collection_mark(collection: int) -> str:
    """A word that no text holds, in all documents of the collection: the index then passes over matches in
    others, however many they are."""
    return f"#{collection}"


def note_texts(*, collection: Collection, first: int, last: int) -> None:
    """Have the documents from the first id to the last indexed after the commit. Where all others are, the
    ids between them and these belong to other collections."""
    before = Value(first - 1, output_field=IntegerField())
    is_done = When(indexed_until__gte=F("texts_until"), then=before)
    Collection.objects.filter(id=collection.id).update(
        indexed_until=Case(is_done, default=Least(F("indexed_until"), before)),
        texts_until=Greatest(F("texts_until"), last),
    )
    request_indexing(collection.id)


def forget_texts(*, collection: Collection) -> None:
    """Take all documents of the collection out of the index; before they are deleted themselves."""
    with connection.cursor() as cursor:
        mark = f"'{collection_mark(collection.id)}'"
        cursor.execute("DELETE FROM campaigns_documentwords WHERE words @@ %s::tsquery", [mark])


def due_collections() -> list[int]:
    due = Collection.objects.filter(indexed_until__lt=F("texts_until"))
    return list(due.values_list("id", flat=True))


def index_for_a_while(*, collection: int) -> bool:
    """Index until all is done or the turn is over. Whether documents are left."""
    end = time.monotonic() + SECONDS_A_TURN
    while time.monotonic() < end:
        if not _index_batch(collection):
            return False
    return True


def _index_batch(collection: int) -> bool:
    """Index one batch; true if there may be more. Does nothing while an import holds the collection: its ids
    may be lower than some that are seen already, and it requests another turn."""
    with transaction.atomic():
        rows = Collection.objects.select_for_update(no_key=True, skip_locked=True)
        held = rows.filter(id=collection, indexed_until__lt=F("texts_until")).first()
        if held is None:
            return False
        until = min(held.indexed_until + BATCH_IDS, held.texts_until)
        _index_ids(held, held.indexed_until, until)
        held.indexed_until = until
        held.save(update_fields=["indexed_until"])
    return held.indexed_until < held.texts_until


def _index_ids(held: Collection, after: int, until: int) -> None:
    rows = Document.objects.filter(collection=held, id__gt=after, id__lte=until)
    kinds = set(rows.order_by().values_list("content_type", flat=True).distinct())
    given: dict[str, Any] = {
        "mark": collection_mark(held.id),
        "language": LANGUAGE,
        "most": MOST_CHARACTERS,
        "binary": [kind for kind in kinds if kind_of(kind) in BINARY],
        "collection": held.id,
        "after": after,
        "until": until,
    }
    # A document that lost its text is found no more.
    DocumentWords.objects.filter(document_id__in=rows.filter(title="", body="").values("id")).delete()
    with connection.cursor() as cursor:
        cursor.execute(_INDEX, given)
