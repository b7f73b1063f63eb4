"""Search of a collection: by docno, exact or from its beginning, and by words of title and body."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Func, IntegerField
from django.db.models.functions import Left
from django.utils.translation import gettext
from psycopg2.errors import QueryCanceled

from campaigns.collection.search_index import LANGUAGE, LONG_MARK, collection_mark
from campaigns.collection.search_query import STEMS, SearchQuery, pieces_of, read_query, shown_words
from campaigns.collection.terms import Token, plain, words
from campaigns.core.database import statement_timeout
from campaigns.core.errors import Refusal
from campaigns.formats.content_types import BINARY, kind_of
from campaigns.models import Collection, Document

LONGEST_QUERY = 200
# Ranking reads every match: of a word in most texts that is all of them.
MOST_RANKED = 10_000
MOST_PAGES = 50
MOST_DOCNOS = 10
SEARCH_SECONDS = 5
# A page whose texts take longer to split has no further snippets.
SNIPPET_CHARACTERS, SNIPPET_SECONDS = 20_000, 1.5

# In a long text, the pairs of letters of a word need not follow each other. A query of nothing but stop words
# has no nodes, and finds nothing.
_ASKED = """
WITH asked AS (SELECT CASE
  WHEN %(loose)s = '' OR numnode(exact) = 0 THEN exact
  ELSE (exact && !! %(long)s::tsquery) || (to_tsquery(%(language)s, %(loose)s) && %(long)s::tsquery)
  END AS query
  FROM to_tsquery(%(language)s, %(exact)s) exact),
"""
_RANKED = f"""{_ASKED}
matching AS MATERIALIZED (
  SELECT document_id, words, query FROM campaigns_documentwords, asked
  WHERE numnode(query) > 0 AND words @@ (query && %(mark)s::tsquery) LIMIT %(most)s)
SELECT document_id, count(*) OVER () FROM matching
ORDER BY ts_rank(words, query, 1) DESC, document_id OFFSET %(offset)s LIMIT %(limit)s
"""  # noqa: S608
# The length of a text that lies outside its row stands in the row: no text is read for it.
_LENGTH = "octet_length(body)"
# Documents without a title come last in either direction.
_ORDERS = {
    "docno": "docno {way}",
    "title": "title = '', lower(title) {way}, docno",
    "length": "length {way}, docno",
}
# With OFFSET 0 matches are looked up one by one. A join read the whole collection for a thousand matches.
_SORTED = f"""{_ASKED}
matching AS MATERIALIZED (
  SELECT document_id FROM campaigns_documentwords, asked
  WHERE numnode(query) > 0 AND words @@ (query && %(mark)s::tsquery) LIMIT %(most)s),
either AS (SELECT document_id AS id FROM matching UNION SELECT unnest(%(named)s::int[]))
SELECT id, count(*) OVER () FROM either CROSS JOIN LATERAL (
  SELECT docno, title, {_LENGTH} AS length FROM campaigns_document d WHERE d.id = either.id OFFSET 0) shown
ORDER BY {{order}} OFFSET %(offset)s LIMIT %(limit)s
"""  # noqa: S608


@dataclass(frozen=True)
class FoundDocument:
    """`snippet`: pieces of the text, each with whether it is a match. `by_docno`: found by its docno.
    `length`: bytes of the text, as UTF-8."""

    docno: str
    title: str
    length: int
    snippet: list[tuple[str, bool]]
    by_docno: bool

    @property
    def excerpt(self) -> str:
        return "".join(piece for piece, _ in self.snippet)


@dataclass(frozen=True)
class SearchPage:
    """`matching`: documents that hold the words, and where they are sorted those found by their docno, too;
    None where there are more than are ranked. `incomplete`: some texts are not in the index yet."""

    rows: list[FoundDocument]
    matching: int | None
    page: int
    is_last: bool
    incomplete: bool


def search_documents(
    *,
    collection: Collection,
    query: str,
    page: int = 1,
    limit: int = 20,
    order: str = "",
    falls: bool = False,
) -> SearchPage:
    """The documents that match best: those with this docno, those whose docno begins so, then by words,
    where title words weigh most. Or the same documents in one of `_ORDERS`, ties by docno. Pages
    count from 1, up to `MOST_PAGES`."""
    query = query.replace("\0", "").strip()[:LONGEST_QUERY]
    if not query:
        raise Refusal("no_query", gettext("enter a word or the beginning of a docno"), field="search")
    asked = read_query(query)
    with _bounded_time():
        named = _by_docno(collection, query) if page == 1 or order else []
        statement = _sorted_by(order, falls) if order else _RANKED
        ranked, matching = _by_words(collection, asked, statement, named, (page - 1) * limit, limit)
        ids = ranked if order else list(dict.fromkeys([*named, *ranked]))
        rows = _shown(ids, set(named), asked)
    stored = Collection.objects.get(id=collection.id)
    return SearchPage(
        rows=rows,
        matching=None if matching >= MOST_RANKED else matching,
        page=page,
        is_last=page * limit >= matching or page >= MOST_PAGES,
        incomplete=stored.indexed_until < stored.texts_until,
    )


@contextmanager
def _bounded_time() -> Iterator[None]:
    try:
        with transaction.atomic(), statement_timeout(SEARCH_SECONDS):
            yield
    except OperationalError as error:
        if not isinstance(error.__cause__, QueryCanceled):
            raise
        message = gettext("the search took longer than %(seconds)s seconds; add a rarer word")
        detail = message % {"seconds": SEARCH_SECONDS}
        raise Refusal("search_timeout", detail, field="search", status=409) from error


def _by_docno(collection: Collection, query: str) -> list[int]:
    """In byte order, so that the docno itself comes before those that it begins."""
    if re.search(r"\s", query):
        return []
    rows = Document.objects.filter(collection=collection, docno__gte=query, docno__startswith=query)
    return list(rows.order_by("docno").values_list("id", flat=True)[:MOST_DOCNOS])


def _sorted_by(order: str, falls: bool) -> str:
    return _SORTED.format(order=_ORDERS[order].format(way="DESC" if falls else "ASC"))


def _by_words(
    collection: Collection, query: SearchQuery, statement: str, named: list[int], offset: int, limit: int
) -> tuple[list[int], int]:
    parameters: dict[str, Any] = {
        "language": LANGUAGE,
        "exact": query.exact,
        "loose": query.loose if query.has_runs else "",
        "long": f"'{LONG_MARK}'",
        "mark": f"'{collection_mark(collection.id)}'",
        "most": MOST_RANKED,
        "named": named,
        "offset": offset,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows = cursor.fetchall()
    return [id_ for id_, _ in rows], rows[0][1] if rows else 0


def _shown(ids: list[int], named: set[int], query: SearchQuery) -> list[FoundDocument]:
    columns = Left("body", SNIPPET_CHARACTERS), OctetLength("body")
    rows = Document.objects.filter(id__in=ids).values_list("id", "docno", "title", "content_type", *columns)
    end = time.monotonic() + SNIPPET_SECONDS
    texts: dict[int, tuple[str, list[Token]]] = {}
    by_id: dict[int, tuple[str, str, int]] = {}
    for id_, docno, title, kind, body, length in rows:
        by_id[id_] = docno, title, length
        if kind_of(kind) not in BINARY and time.monotonic() < end:
            text = shown_words(plain(body, kind))
            texts[id_] = text, list(words(text))
    forms = {token.form for _, tokens in texts.values() for token in tokens if not token.joined}
    with connection.cursor() as cursor:
        cursor.execute(STEMS, [[*(forms | query.words)]])
        stems = dict(cursor.fetchall())
    return [
        FoundDocument(
            *by_id[id_],
            pieces_of(*texts[id_], query, stems) if id_ in texts and time.monotonic() < end else [],
            id_ in named,
        )
        for id_ in ids
        if id_ in by_id
    ]


class OctetLength(Func):
    """Bytes of a text. The length of a text that lies outside its row stands in the row."""

    function, output_field = "octet_length", IntegerField()
