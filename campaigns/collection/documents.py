"""Documents of a collection: loaded, found by their docnos, and removed.

Loading streams into Postgres by COPY: all or nothing, never a whole file in memory.
"""

from __future__ import annotations

import io
import json
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from unicodedata import normalize

import numpy as np
from django.db import IntegrityError, connection, transaction
from django.db.models import F, Q
from django.utils.translation import gettext

from campaigns.collection.document_revisions import keep_evidence, keep_late_evidence
from campaigns.collection.metadata import note_fields
from campaigns.collection.search_index import forget_texts, note_texts
from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_comparison
from campaigns.core.recompute_queue import reconfigure
from campaigns.formats.documents.reading import read_contents
from campaigns.formats.errors import MOST_LISTED_ERRORS, FormatError, LineError
from campaigns.formats.topics import DocumentRecord
from campaigns.log import audit
from campaigns.models import (
    Annotation,
    Campaign,
    Collection,
    Document,
    GuidelineExample,
    Judgment,
    Ranking,
    TrainingItem,
)
from campaigns.models.packed import unpack_ids
from selection.registry import METHODS

COPY_ROWS, COPY_BYTES = 20_000, 1 << 22
INSERT_CHUNK = 20_000
MAX_ERRORS = 100

# The backslash comes first: the others put in further ones.
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\ufffd"}
# Docnos in the order of their index: each of its pages is then filled once, however many documents there are.
_INSERT = (
    "INSERT INTO campaigns_document (collection_id, docno, title, body, content_type, metadata, html)"
    " SELECT %s, docno, title, body, content_type, metadata, html FROM arriving"
)
_IN_ORDER = " ORDER BY docno"
_UNKNOWN = " WHERE NOT EXISTS (SELECT FROM matched m WHERE m.place = arriving.place)"
# What becomes of a document that is there. One that no file has given a text has no HTML either, and gets
# its first text. Safe HTML does not count: another version or a busy machine makes other HTML of one page.
# Texts are compared in place, those of another length without being read.
_MATCH = """
CREATE TEMP TABLE matched ON COMMIT DROP AS
SELECT a.place, d.id, CASE
  WHEN d.title = '' AND d.body = '' AND d.html IS NULL THEN 'first'
  WHEN d.title = a.title AND d.body = a.body AND d.content_type = a.content_type THEN
    CASE WHEN d.metadata = a.metadata THEN 'unchanged' ELSE 'metadata' END
  ELSE 'changed' END AS kind
FROM arriving a JOIN campaigns_document d ON d.collection_id = %s AND d.docno = a.docno
"""
_REPLACE = """
UPDATE campaigns_document d SET metadata = a.metadata
FROM matched m JOIN arriving a USING (place) WHERE d.id = m.id AND m.kind = 'metadata';
WITH stored AS (
  UPDATE campaigns_document d SET title = a.title, body = a.body, content_type = a.content_type,
    metadata = a.metadata, html = a.html, revision = d.revision + (m.kind = 'changed')::int
  FROM matched m JOIN arriving a USING (place) WHERE d.id = m.id AND m.kind IN ('first', 'changed')
  RETURNING d.id)
SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM stored
"""
# A trigger forgets HTML that stays as it was with another text. An empty text of a file keeps its own.
_EMPTIED = """
UPDATE campaigns_document d SET html = a.html FROM matched m JOIN arriving a USING (place)
WHERE d.id = m.id AND m.kind IN ('first', 'changed') AND a.title = '' AND a.body = ''
"""
_LAST_ID = "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('campaigns_document', 'id')), 0)"


@dataclass
class StoredDocuments:
    """Numbers of a file's documents. `new`: not there before, or without a text; `replaced`: those of the
    changed ones whose earlier text is kept, as it is evidence; None where no text changes. More may become
    evidence until the transaction ends."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    replaced: int | None = None

    @property
    def documents(self) -> int:
        return self.new + self.changed + self.unchanged

    @property
    def taken(self) -> dict[str, int]:
        """Counts as reports list them."""
        counts = {"new": self.new, "changed": self.changed, "unchanged": self.unchanged}
        return {"documents": self.documents, **counts}


def store_documents(
    *,
    collection: Collection,
    records: Iterable[DocumentRecord],
    file: str,
    dataset: bool = False,
    replace: bool = False,
) -> StoredDocuments:
    """Add documents, or give known docnos their text. A docno twice in the file refuses the file, and so does
    another text for a judged document, unless it is to `replace` that. `file` may be the name of a data
    set."""
    with storing_documents(
        collection=collection, records=records, file=file, dataset=dataset, replace=replace
    ) as stored:
        return stored


@contextmanager
def storing_documents(
    *,
    collection: Collection,
    records: Iterable[DocumentRecord],
    file: str,
    dataset: bool = False,
    replace: bool = False,
) -> Iterator[StoredDocuments]:
    """Store documents as `store_documents` does, in one transaction with the block. What takes long stands in
    the block: judging waits only from its end to the commit, and only where texts change."""
    with transaction.atomic(), connection.cursor() as cursor:
        # Millions of rows are sorted in one pass, and take longer than a statement of a request may.
        cursor.execute("SET LOCAL work_mem = '64MB'; SET LOCAL statement_timeout = 0")
        # Between two chunks, costly documents may keep the readers for long.
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute(
            'CREATE TEMP TABLE arriving (place int, docno text COLLATE "C", title text, body text,'
            " content_type text, metadata jsonb, html text) ON COMMIT DROP"
        )
        fields: dict[str, None] = {}
        for chunk, _ in copy_chunks(_rows(records, fields)):
            cursor.copy_expert("COPY arriving FROM STDIN", chunk)
        hold(collection)
        stored = _store_arrived(cursor, collection, file, replace)
        cursor.execute("DROP TABLE arriving")
        if not stored.documents:
            raise FormatError(file, [LineError(None, gettext("the file contains no document"))])
        collection.complete = True
        collection.save(update_fields=["complete"])
        if fields:
            note_fields(collection=collection, names=fields)
        yield stored
        if stored.replaced is not None:
            stored.replaced += keep_late_evidence(cursor, collection=collection, file=file, replace=replace)
        if stored.new or stored.changed:
            recompute_where_read(collection)
        counts = stored.taken
        if stored.replaced:
            counts["replaced"] = stored.replaced
        name = file if dataset else PurePath(file).name
        audit.note_sharing(collection=collection, kind="documents", file=name, **counts)


def _rows(records: Iterable[DocumentRecord], fields: dict[str, None]) -> Iterator[tuple[str, ...]]:
    """Rows as they arrive; `fields` gets the names of their metadata."""
    for place, r in enumerate(read_contents(records), start=1):
        if r.metadata:
            fields.update(dict.fromkeys(r.metadata))
        yield str(place), r.docno, r.title, r.body, r.content_type, metadata_json(r.metadata), r.html or ""


def metadata_json(metadata: dict[str, str]) -> str:
    return json.dumps(metadata, ensure_ascii=False) if metadata else "{}"


def _store_arrived(cursor: Any, collection: Collection, file: str, replace: bool) -> StoredDocuments:
    try:
        with transaction.atomic():
            # Matching docnos that are there takes a third of the time of storing.
            if not collection.documents.exists():
                return StoredDocuments(new=_insert(cursor, collection))
            cursor.execute("CREATE UNIQUE INDEX ON arriving (docno)")
    except IntegrityError:
        # A docno twice: an index notices for nothing, where a search takes as long as reading the file.
        _refuse_duplicates(cursor, file)
        raise
    cursor.execute(_MATCH, [collection.id])
    cursor.execute("SELECT kind, count(*) FROM matched GROUP BY kind")
    kinds = dict(cursor.fetchall())
    new = _insert(cursor, collection, _UNKNOWN) + kinds.get("first", 0)
    replaced = None
    if kinds.get("changed"):
        replaced = keep_evidence(cursor, file=file, replace=replace)
    if kinds.keys() - {"unchanged"}:
        cursor.execute(_REPLACE)
        first, last = cursor.fetchone()
        cursor.execute(_EMPTIED)
        _index(collection, first, last)
    cursor.execute("DROP TABLE matched")
    changed = kinds.get("changed", 0) + kinds.get("metadata", 0)
    return StoredDocuments(new, changed, kinds.get("unchanged", 0), replaced)


def _insert(cursor: Any, collection: Collection, which: str = "") -> int:
    before = _last_id(cursor)
    cursor.execute(_INSERT + which + _IN_ORDER, [collection.id])
    inserted = int(cursor.rowcount)
    if inserted:
        _index(collection, before + 1, _last_id(cursor))
    return inserted


def _index(collection: Collection, first: int, last: int) -> None:
    if last:
        note_texts(collection=collection, first=first, last=last)


def _last_id(cursor: Any) -> int:
    cursor.execute(_LAST_ID)
    return int(cursor.fetchone()[0])


def hold(collection: Collection) -> None:
    """One at a time adds documents: in other orders, two would wait for each other in a circle. Who holds a
    campaign as well holds it after this."""
    Collection.objects.select_for_update(no_key=True).get(id=collection.id)


def recompute_where_read(collection: Collection) -> None:
    """Methods that serve any document of the collection have other ones now."""
    whole = [name for name, method in METHODS.items() if method.unranked]
    campaigns = Campaign.objects.filter(collection=collection)
    for campaign in campaigns.filter(Q(method__in=whole) | Q(topics__method__in=whole)).distinct():
        reconfigure(campaign)


def copy_chunks(rows: Iterable[Sequence[str]]) -> Iterator[tuple[io.BytesIO, int]]:
    """Rows as COPY reads them, and how many: a chunk is small, or one document."""
    some: list[Sequence[str]] = []
    size = 0
    for row in rows:
        some.append(row)
        size += sum(map(len, row))
        if len(some) == COPY_ROWS or size > COPY_BYTES:
            yield io.BytesIO(_copy_lines(some)), len(some)
            some, size = [], 0
    if some:
        yield io.BytesIO(_copy_lines(some)), len(some)


def _copy_lines(rows: Sequence[Sequence[str]]) -> bytes:
    """Rows of one width as COPY reads them."""
    text = "\n".join(["\t".join(row) for row in rows])
    tabs = len(rows) * (len(rows[0]) - 1)
    # Most chunks need no escape, and looking for one takes a tenth of the time of translating.
    if text.count("\t") != tabs or text.count("\n") >= len(rows) or any(c in text for c in "\\\r\0"):
        text = "\n".join("\t".join(map(_escaped, row)) for row in rows)
    return text.encode() + b"\n"


def _escaped(cell: str) -> str:
    for mark, escape in _ESCAPES.items():
        cell = cell.replace(mark, escape)
    return cell


def _refuse_duplicates(cursor: Any, file: str) -> None:
    cursor.execute(
        "SELECT docno, array_agg(place ORDER BY place), count(*) OVER () FROM arriving"
        " GROUP BY docno HAVING count(*) > 1 ORDER BY min(place) LIMIT %s",
        [MAX_ERRORS],
    )
    rows = cursor.fetchall()
    if rows:
        errors = [
            LineError(
                None,
                gettext("document %(place)s has the docno of document %(first)s: %(docno)s")
                % {"place": places[1], "first": places[0], "docno": docno},
                "docno",
            )
            for docno, places, _ in rows
        ]
        raise FormatError(file, errors, total=rows[0][2])


def ids_by_docno(*, collection: Collection, docnos: Sequence[str]) -> dict[str, int]:
    """The ids of those docnos that the collection knows."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT docno, id FROM campaigns_document WHERE collection_id = %s AND docno = ANY(%s)",
            [collection.id, list(docnos)],
        )
        return dict(cursor.fetchall())


def ensure_ids_by_docno(*, collection: Collection, docnos: Sequence[str]) -> dict[str, int]:
    """The ids of all docnos; those a text-less collection has not met yet are added without text."""
    known = ids_by_docno(collection=collection, docnos=docnos)
    if collection.complete or all(docno in known for docno in docnos):
        return known
    hold(collection)
    known = ids_by_docno(collection=collection, docnos=docnos)
    new = [docno for docno in docnos if docno not in known]
    for start in range(0, len(new), INSERT_CHUNK):
        chunk = new[start : start + INSERT_CHUNK]
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO campaigns_document (collection_id, docno, title, body, content_type)"
                " SELECT %s, docno, '', '', 'text/plain' FROM unnest(%s::text[]) AS docno",
                [collection.id, chunk],
            )
        known |= ids_by_docno(collection=collection, docnos=chunk)
    return known


def remove_documents(*, campaign: Campaign) -> int:
    """Take all documents out of the campaign's collection. What runs rank stays known by its docno, as if
    there had never been a text. Refused once there are judgments, or where other campaigns read them."""
    with transaction.atomic():
        collection = Collection.objects.select_for_update(no_key=True).get(id=campaign.collection_id)
        # A run that comes in, or a judgment, waits for these.
        Campaign.objects.select_for_update().get(id=campaign.id)
        if reason := removal_obstacle(campaign=campaign):
            raise Refusal("documents_in_use", reason, status=409)
        removed = collection.documents.exclude(body="", title="").count()
        ranked = _ranked(campaign)
        forget_texts(collection=collection)
        collection.documents.exclude(id__in=ranked).delete()
        nothing: dict[str, Any] = {
            "title": "",
            "body": "",
            "content_type": "text/plain",
            "metadata": {},
            "html": None,
        }
        collection.documents.update(**nothing, revision=F("revision") + 1)
        collection.complete, collection.metadata_fields, collection.compared_until = False, [], 0
        collection.save(update_fields=["complete", "metadata_fields", "compared_until"])
        request_comparison(collection.id)
        recompute_where_read(collection)
        audit.note_sharing(collection=collection, kind="documents removed", documents=removed)
    campaign.collection = collection
    return removed


def removal_obstacle(*, campaign: Campaign) -> str:
    """Reason why the documents cannot be removed; empty if they can."""
    if Campaign.objects.filter(collection=campaign.collection_id).exclude(id=campaign.id).exists():
        return gettext("other campaigns read these documents, so they stay")
    if Judgment.objects.filter(campaign=campaign).exists():
        return gettext(
            "documents were judged, so they stay; a file with the same docnos replaces their texts if you "
            "choose “Replace judged documents”, and the earlier ones are kept"
        )
    if Annotation.objects.filter(topic__campaign=campaign).exists():
        return gettext("documents have notes or marked passages of assessors, so they stay")
    if TrainingItem.objects.filter(campaign=campaign).exists():
        return gettext("documents are in the training of assessors; take them out there first")
    if GuidelineExample.objects.filter(campaign=campaign).exists():
        return gettext("documents are examples in the guidelines; delete these examples first")
    return ""


def _ranked(campaign: Campaign) -> list[int]:
    rows = Ranking.objects.filter(run__campaign=campaign).values_list("documents", flat=True)
    lists = [unpack_ids(packed) for packed in rows.iterator()]
    return np.unique(np.concatenate(lists)).tolist() if lists else []


def missing_document(collection: Collection, docno: str, *, errors: int) -> str:
    """Sentence about a docno that no document has. After fewer `errors` than are listed, it names a document
    with another form of the docno."""
    detail = gettext("the collection has no document %(docno)s") % {"docno": docno}
    if errors >= MOST_LISTED_ERRORS:
        return detail
    rows = Document.objects.filter(collection=collection, docno__in=_other_forms(docno))
    return detail + _another_form(docno, rows.values_list("docno", flat=True).first())


def missing_topic(topics: Container[str], number: str, *, errors: int) -> str:
    """Sentence about a topic number that the campaign lacks. After fewer `errors` than are listed, it names a
    topic with another form of the number."""
    detail = gettext("the campaign has no topic %(topic)s") % {"topic": number}
    if errors >= MOST_LISTED_ERRORS:
        return detail
    return detail + _another_form(
        number, min(filter(topics.__contains__, _other_forms(number)), default=None)
    )


def _other_forms(name: str) -> set[str]:
    """The name in other forms of Unicode, and in upper and lower case."""
    cases = {name, name.lower(), name.upper(), name.casefold()}
    composed = {form for one in cases for form in (normalize("NFC", one), normalize("NFKC", one))}
    return (cases | composed | {normalize("NFD", one) for one in composed}) - {name}


def _another_form(name: str, there: str | None) -> str:
    if there is None or there == name:
        return ""
    # Two forms of one letter look the same.
    alike = normalize("NFKC", there) == normalize("NFKC", name)
    shown = there.encode("ascii", "backslashreplace").decode() if alike else there
    return gettext("; another form of it is there: %(name)s") % {"name": shown}
