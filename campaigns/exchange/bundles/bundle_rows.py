"""The rows of a bundle on their way into the tables, a few at a time."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Model
from numpy.typing import NDArray
from psycopg2 import sql
from psycopg2.extras import execute_values

from campaigns.collection.documents import copy_line
from campaigns.core.errors import Refused
from campaigns.core.methods import LARGEST
from campaigns.exchange.bundles.bundles_tables import TEXTS, columns_of
from campaigns.exchange.bundles.reading import Bundle
from campaigns.exchange.bundles.values import from_json
from campaigns.models import Collection, Document

CHUNK = 500
_COPY = "COPY campaigns_document (id, collection_id, docno, title, body, content_type) FROM STDIN"

Progress = Callable[[int], object]


def insert(model: type[Model], rows: Sequence[dict[str, Any]]) -> None:
    """Every column as it is given: what Django would fill in by itself is part of the bundle."""
    if not rows:
        return
    columns = [column for column in model._meta.concrete_fields if column.attname in rows[0]]
    values = [[c.get_db_prep_save(row[c.attname], connection) for c in columns] for row in rows]
    # Names of the model, not of the file.
    names = sql.SQL(", ").join(sql.Identifier(column.column) for column in columns)
    statement = sql.SQL("INSERT INTO {} ({}) VALUES %s").format(sql.Identifier(model._meta.db_table), names)
    with connection.cursor() as cursor, connection.wrap_database_errors:
        execute_values(cursor.cursor, statement, values, page_size=CHUNK)


def store_documents(
    bundle: Bundle, collection: Collection, progress: Progress
) -> tuple[NDArray[np.int64], int]:
    """All documents, at the distances from each other at which they lay. Returns their numbers, and how far
    each document's id is from its number; the collection keeps that as its origin."""
    first, last = _ends(bundle)
    shift = _reserve(last - first + 1) - first if last else 0
    collection.origin = shift
    collection.save(update_fields=["origin"])
    numbers = np.empty(bundle.rows[TEXTS], dtype=np.int64)
    rows, count = _documents(bundle), 0
    with connection.cursor() as cursor:
        while some := list(islice(rows, CHUNK)):
            if count + len(some) > len(numbers):
                bundle.refuse(TEXTS, "it holds more documents than the manifest says")
            numbers[count : count + len(some)] = [number for number, *_ in some]
            count += len(some)
            lines = [copy_line((str(number + shift), str(collection.id), *words)) for number, *words in some]
            with connection.wrap_database_errors:
                cursor.copy_expert(_COPY, io.StringIO("".join(lines)))
            progress(len(some))
    return numbers[:count], shift


def _documents(bundle: Bundle) -> Iterator[tuple[int, str, str, str, str]]:
    carried = columns_of(Document)
    columns = {name: carried[name] for name in ("docno", "title", "body", "content_type")}
    wanted = {"number", *columns} if bundle.texts else {"number", "docno", "sha256"}
    before = 0
    for line, row in enumerate(bundle.lines(TEXTS), start=1):
        if set(row) != wanted:
            bundle.refuse(TEXTS, f"a document has {', '.join(sorted(wanted))}", line=line)
        number = row["number"]
        if type(number) is not int or not before < number <= LARGEST:
            bundle.refuse(TEXTS, "numbers ascend from 1", line=line, field="number")
        before = number
        try:
            words = [
                from_json(column, row[name]) if name in row else column.get_default()
                for name, column in columns.items()
            ]
        except ValueError as error:
            bundle.refuse(TEXTS, str(error), line=line)
        yield number, words[0], words[1], words[2], words[3]


def _ends(bundle: Bundle) -> tuple[int, int]:
    first = last = 0
    for number, *_ in _documents(bundle):
        first, last = first or number, number
    return first, last


def _reserve(many: int) -> int:
    """The first of so many ids in a row, which nobody else gets. Uploads wait for it a moment, since one that
    is under way may take any id."""
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE campaigns_document IN SHARE ROW EXCLUSIVE MODE")
        cursor.execute("SELECT nextval(pg_get_serial_sequence('campaigns_document', 'id'))")
        first = int(cursor.fetchone()[0])
        if first + many > LARGEST:
            raise Refused("too_many_documents", "this database has no room for so many documents", status=409)
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence('campaigns_document', 'id'), %s)", [first + many - 1]
        )
    return first
