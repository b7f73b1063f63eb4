"""Earlier texts of documents: kept when an upload replaces a text that was judged, annotated, an example or
in a training, and shown with what is about them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from copy import copy
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext, ngettext

from campaigns.core.phrases import group_digits
from campaigns.formats.errors import MOST_LISTED_ERRORS, FormatError, LineError
from campaigns.models import Campaign, Collection, Document, DocumentRevision, Judgment, LogHead

# Each names a document and the revision that it is about.
_USES = ("judgment", "annotation", "guidelineexample", "trainingitem")
# Documents that are to get another text (`matched`, as documents.py fills it), with the present one where it
# may have to be kept.
_CHANGING = """
CREATE TEMP TABLE changing ON COMMIT DROP AS
SELECT d.id, d.docno, d.revision, texts.* FROM matched m JOIN campaigns_document d USING (id)
LEFT JOIN LATERAL (SELECT d.title, d.body, d.content_type, d.metadata, d.html) texts ON %s
WHERE m.kind = 'changed'
"""
_USED = " OR ".join(
    f"EXISTS (SELECT FROM campaigns_{use} u WHERE u.document_id = c.id AND u.document_revision <= c.revision)"
    for use in _USES
)
# Those of them whose text is evidence, and was not found to be before.
_EVIDENCE = f"""
DROP TABLE IF EXISTS evidence;
CREATE TEMP TABLE evidence ON COMMIT DROP AS SELECT c.* FROM changing c WHERE {_USED};
DELETE FROM changing c USING evidence e WHERE c.id = e.id;
SELECT count(*) FROM evidence
"""  # noqa: S608
_COUNTS = ", ".join(
    f"(SELECT count(*) FROM campaigns_{use} WHERE document_id = evidence.id)"  # noqa: S608
    for use in _USES
)
_NAMED = f"SELECT docno, {_COUNTS} FROM evidence ORDER BY docno LIMIT {MOST_LISTED_ERRORS}"  # noqa: S608
_KEEP = """
INSERT INTO campaigns_documentrevision
  (document_id, revision, title, body, content_type, metadata, html, sha256, replaced)
SELECT id, revision, title, body, content_type, metadata, html,
  encode(sha256(convert_to(title || chr(10) || body, 'UTF8')), 'hex'), now()
FROM evidence
"""
# An empty text has the checksum of one.
_HELD = ~Q(title="", body="") | Q(sha256=hashlib.sha256(b"\n").hexdigest())
_HOLD = "SELECT FROM campaigns_loghead WHERE campaign_id = %s FOR KEY SHARE"


class JudgedTexts(FormatError):
    """A file that would replace texts which are evidence, without the wish to do so."""

    def __init__(self, file: str, errors: list[LineError], total: int) -> None:
        super().__init__(file, errors, total)
        words = ngettext(
            "%(file)s: it would replace the text of a document that was judged, annotated, an example or in "
            "the training. Nothing was stored. With “Replace judged documents” the earlier text stays with "
            "what is about it.",
            "%(file)s: it would replace the texts of %(count)s documents that were judged, annotated, "
            "examples or in the training. Nothing was stored. With “Replace judged documents” the earlier "
            "texts stay with what is about them.",
            total,
        )
        self.detail = words % {"file": file, "count": group_digits(total)}


def keep_evidence(cursor: Any, *, file: str, replace: bool) -> int:
    """Store the texts that are evidence and are about to change; JudgedTexts unless `replace`. Judging goes
    on until `keep_late_evidence`. The caller holds the collection. Returns the number of texts stored."""
    cursor.execute(_CHANGING, [replace])
    return _keep(cursor, file, replace)


def keep_late_evidence(cursor: Any, *, collection: Collection, file: str, replace: bool) -> int:
    """The same for texts that became evidence since: others still saw them. It comes last in a transaction:
    judgments, notes, examples and training items of the collection wait from here until the commit."""
    campaigns = Campaign.objects.filter(collection=collection).order_by("id")
    held = list(campaigns.select_for_update(no_key=True).values_list("id", flat=True))
    heads = LogHead.objects.filter(campaign__in=held)
    list(heads.order_by("campaign_id").select_for_update())
    heads.update(replacements=F("replacements") + 1)
    total = _keep(cursor, file, replace)
    cursor.execute("DROP TABLE changing")
    return total


def _keep(cursor: Any, file: str, replace: bool) -> int:
    cursor.execute(_EVIDENCE)
    total = int(cursor.fetchone()[0])
    if total and not replace:
        cursor.execute(_NAMED)
        raise JudgedTexts(file, [LineError(None, _use(*row), "docno") for row in cursor.fetchall()], total)
    cursor.execute(_KEEP)
    return total


def _use(docno: str, judgments: int, notes: int, examples: int, training: int) -> str:
    uses = []
    if judgments:
        words = ngettext("%(count)s judgment", "%(count)s judgments", judgments)
        uses.append(words % {"count": group_digits(judgments)})
    if notes:
        uses.append(gettext("notes or marked passages"))
    if examples:
        uses.append(gettext("a place in the examples"))
    if training:
        uses.append(gettext("a place in the training"))
    return gettext("%(docno)s would get another text, and has %(uses)s") % {
        "docno": docno,
        "uses": ", ".join(uses),
    }


def hold_texts(campaign: Campaign) -> None:
    """Have no upload replace a text of the campaign's documents until the transaction ends. Judging goes
    on."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [campaign.id])


def current_revisions(documents: Iterable[int]) -> dict[int, int]:
    """The revision of each document's text, for what is about to name it; the caller holds the texts."""
    return dict(Document.objects.filter(id__in=set(documents)).values_list("id", "revision"))


def replaced_texts(document: Document) -> QuerySet[DocumentRevision]:
    """Earlier texts in their order, each with whether it is `held`: a bundle without texts brought only its
    checksum."""
    return document.revisions.annotate(held=_HELD).order_by("revision")


def earlier_text(document: Document, revision: int) -> DocumentRevision | None:
    """None where it is the document's text, or is not held."""
    if revision == document.revision:
        return None
    return document.revisions.filter(_HELD, revision=revision).first()


def as_it_was(document: Document, revision: int) -> Document:
    """The document with the text of a revision, not to be saved; its present text where none is held."""
    earlier = earlier_text(document, revision)
    if earlier is None:
        return document
    names = ("revision", "title", "body", "content_type", "metadata", "html")
    was = copy(document)
    for name in names:
        setattr(was, name, getattr(earlier, name))
    return was


def earlier_judged(topic: int, document: int) -> list[tuple[int, datetime]]:
    """Replaced texts of the document that were judged in the topic, and when they were replaced."""
    rows = DocumentRevision.objects.filter(
        document=document,
        revision__in=Judgment.objects.filter(topic=topic, document=document).values("document_revision"),
    )
    return list(rows.order_by("revision").values_list("revision", "replaced"))
