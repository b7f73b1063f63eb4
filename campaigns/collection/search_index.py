"""The full-text index of documents: built by the worker after an import, a batch at a time.

An import only says up to which id there are texts. So it takes no longer than without a search, and a worker
that dies goes on where it was.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Case, F, IntegerField, QuerySet, TextField, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Greatest, Least, Left
from psycopg2.errors import QueryCanceled

from campaigns.collection.terms import grams, searchable, split_runs
from campaigns.core.database import statement_timeout
from campaigns.core.jobs import request_comparison, request_indexing
from campaigns.formats.content_types import BINARY, kind_of
from campaigns.models import Collection, Document, DocumentWords

logger = logging.getLogger(__name__)

# Stemming as for English: most collections of the field are English. Texts and queries pass the same stemmer,
# so words of any other language are found as they are written, but for what `fold` removes.
LANGUAGE = "english"
# A search vector holds at most a megabyte: 100,000 characters of words, or 60,000 pairs of letters that stand
# without blanks, of up to 14 bytes each.
MOST_CHARACTERS, MOST_PAIRS = 100_000, 60_000
# Postgres counts places up to 16,383. Longer texts are found by the pairs of a word in any order.
LONG_TEXT, LONG_MARK = 12_000, "#long"
# Blanks, punctuation and control characters of ASCII: what separates words in a prepared text.
_SEPARATORS = r"\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f"
# At least as many as the places that Postgres counts, which gives words with hyphens one more.
_PLACES = re.compile(f"[^{_SEPARATORS}]+|-")
# Characters that are prepared at once.
MOST_PREPARED = 2_000_000
# Ids of a batch, and the seconds after which other tasks get their turn.
BATCH_IDS, SECONDS_A_TURN = 500, 5.0
# A batch that takes longer is divided by so much, down to one document, whose text is then only split into
# words.
SECONDS_A_STATEMENT, DIVIDED_BY = 10.0, 8

# Characters inside emails, URLs and paths, for which the parser of Postgres takes the square of the time, and
# control characters in their places. \v and \f are spaces, which a tag may contain.
_COMPOUNDING, _STAND_INS = "/_@", "\v\f\x0e"
# No spaces: the words of a compound are then searched as a phrase.
_JOINED = str.maketrans(_COMPOUNDING, "\x0e" * len(_COMPOUNDING))


def parsed(column: str) -> str:
    """SQL of a text that the parser of Postgres splits in linear time: without comments, and with separated
    words in emails, URLs and paths. Closing tags remain tags."""
    text = f"regexp_replace({column}, '<!--.*?-->', ' ', 'g')"
    text = f"translate({text}, '{_COMPOUNDING}{_STAND_INS}', '{_STAND_INS}{' ' * len(_STAND_INS)}')"
    return f"replace(replace({text}, '<!--', ' '), '<{_STAND_INS[0]}', '</')"


def parsed_query(word: str) -> str:
    """A word of a query whose compounds are split as in `parsed`."""
    return word.translate(_JOINED)


def prepared(text: str) -> str:
    """A text as it is indexed: folded, and pairs of letters in place of what has no blanks."""
    pairs_left = MOST_PAIRS

    def pairs(run: str) -> str:
        nonlocal pairs_left
        words = grams(run)[:pairs_left]
        pairs_left -= len(words)
        return f" {' '.join(words)} "

    return split_runs(searchable(text[:MOST_CHARACTERS]), pairs)


_PARSED = (
    f"setweight(to_tsvector(%(language)s, {parsed('title')}), 'A') ||"
    f" to_tsvector(%(language)s, {parsed('body')})"
)
# Without positions, so phrases of words are not found; in linear time, whatever the text.
_SPLIT = rf"""(
  SELECT array_to_tsvector(coalesce(array_agg(DISTINCT stem), '{{}}'))
  FROM regexp_split_to_table(lower({parsed("title")} || ' ' || {parsed("body")}), '[{_SEPARATORS}]+') word,
    unnest(ts_lexize('english_stem', word)) stem
  WHERE octet_length(word) BETWEEN 1 AND 1000
)"""  # noqa: S608
_INDEX = """
INSERT INTO campaigns_documentwords (document_id, words)
SELECT id, array_to_tsvector(string_to_array(marks, ' ')) || {words}
FROM unnest(%(ids)s::int[], %(titles)s::text[], %(bodies)s::text[], %(marks)s::text[])
  AS texts(id, title, body, marks)
ON CONFLICT (document_id) DO UPDATE SET words = excluded.words
"""


def collection_mark(collection: int) -> str:
    """A word that no text holds, in all documents of the collection: the index then passes over matches in
    others, however many they are."""
    return f"#{collection}"


def note_texts(*, collection: Collection, first: int, last: int) -> None:
    """Have the documents from the first id to the last indexed and compared after the commit. Where all
    others are, the ids between them and these belong to other collections."""
    before = Value(first - 1, output_field=IntegerField())

    def until(column: str) -> Case:
        is_done = When(**{f"{column}__gte": F("texts_until")}, then=before)
        return Case(is_done, default=Least(F(column), before))

    Collection.objects.filter(id=collection.id).update(
        indexed_until=until("indexed_until"),
        compared_until=until("compared_until"),
        texts_until=Greatest(F("texts_until"), last),
    )
    request_indexing(collection.id)
    request_comparison(collection.id)


def forget_texts(*, collection: Collection) -> None:
    """Take all documents of the collection out of the index; before they are deleted themselves."""
    with connection.cursor() as cursor:
        mark = f"'{collection_mark(collection.id)}'"
        cursor.execute("DELETE FROM campaigns_documentwords WHERE words @@ %s::tsquery", [mark])


def due_collections() -> list[int]:
    due = Collection.objects.filter(indexed_until__lt=F("texts_until"))
    return list(due.values_list("id", flat=True))


def index_for_a_while(*, collection: int) -> bool:
    """Index until all is done or the turn is over. True if documents are left."""
    end = time.monotonic() + SECONDS_A_TURN
    # At 0, the words of one document are only split.
    ids = BATCH_IDS
    while True:
        try:
            if not _index_batch(collection, ids):
                return False
        except OperationalError as error:
            if not isinstance(error.__cause__, QueryCanceled) or not ids:
                raise
            ids = ids // DIVIDED_BY or int(ids > 1)
            continue
        ids = min(max(ids, 1) * DIVIDED_BY, BATCH_IDS)
        if time.monotonic() >= end:
            return True


def _index_batch(collection: int, ids: int) -> bool:
    """Index one batch; true if there may be more. Does nothing where an import holds the collection: its ids
    may be lower than some that are seen already, and it requests another turn. The collection is held only
    when the words are there; if it was changed meanwhile, they are dropped."""
    with transaction.atomic():
        seen = unheld(collection, "indexed_until")
    if seen is None:
        return False
    until = min(seen.indexed_until + max(ids, 1), seen.texts_until)
    with transaction.atomic():
        _index_ids(seen, seen.indexed_until, until, split=not ids)
        held = unheld(collection, "indexed_until")
        if held is None or held.version != seen.version:
            transaction.set_rollback(True)
            return held is not None
        held.indexed_until = until
        held.save(update_fields=["indexed_until"])
    return bool(until < seen.texts_until)


def unheld(collection: int, done_until: str) -> Any:
    """The collection, held, with the version of its row; None where all is done, by this column, or an import
    holds it."""
    rows = Collection.objects.select_for_update(no_key=True, skip_locked=True)
    version = RawSQL("campaigns_collection.xmin::text", [], TextField())
    due = rows.filter(id=collection, **{f"{done_until}__lt": F("texts_until")})
    return due.annotate(version=version).first()


def _index_ids(held: Collection, after: int, until: int, *, split: bool) -> None:
    rows = Document.objects.filter(collection=held, id__gt=after, id__lte=until)
    if split:
        for docno in rows.values_list("docno", flat=True):
            logger.warning(
                "document %s takes over %s s to index: its words are only split", docno, SECONDS_A_STATEMENT
            )
    # A document that lost its text is found no more.
    DocumentWords.objects.filter(document_id__in=rows.filter(title="", body="").values("id")).delete()
    statement = _INDEX.format(words=_SPLIT if split else _PARSED)
    with statement_timeout(SECONDS_A_STATEMENT):
        for texts in _prepared_texts(held, rows.exclude(title="", body=""), split=split):
            ids, titles, bodies, marks = map(list, zip(*texts, strict=True))
            parameters: dict[str, Any] = {
                "language": LANGUAGE,
                "ids": ids,
                "titles": titles,
                "bodies": bodies,
                "marks": marks,
            }
            with connection.cursor() as cursor:
                cursor.execute(statement, parameters)


def _prepared_texts(
    held: Collection, rows: QuerySet[Document], *, split: bool
) -> Iterator[list[tuple[int, str, str, str]]]:
    """Id, title, body and marks of each document, in parts of bounded size. Where words have no places, the
    text counts as long."""
    mark = collection_mark(held.id)
    columns = rows.order_by("id").annotate(beginning=Left("body", MOST_CHARACTERS))
    texts: list[tuple[int, str, str, str]] = []
    size = 0
    for id_, title, body, kind in columns.values_list("id", "title", "beginning", "content_type").iterator(
        20
    ):
        title, body = prepared(title), "" if kind_of(kind) in BINARY else prepared(body)
        is_long = split or len(_PLACES.findall(f"{title} {body}")) > LONG_TEXT
        texts.append((id_, title, body, f"{mark} {LONG_MARK}" if is_long else mark))
        size += len(title) + len(body)
        if size > MOST_PREPARED:
            yield texts
            texts, size = [], 0
    if texts:
        yield texts
