"""Checks of a bundle's row as a whole: against the campaign's scale, its topics and its log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from django.db import connection
from django.db.models import Model
from numpy.typing import NDArray

from campaigns.collection.rankings import DocnoOrder
from campaigns.exchange.bundles.tables import Table
from campaigns.formats.content_types import BINARY, kind_of
from campaigns.formats.documents.single import checked_base64
from campaigns.formats.errors import TEXT_BYTES
from campaigns.formats.qrels import JUNK
from campaigns.models import (
    Anchor,
    Campaign,
    Deed,
    Document,
    DocumentRevision,
    GuidelineExample,
    Judgment,
    Postponement,
    QrelsImport,
    Ranking,
    Sample,
    TopicRevision,
)
from campaigns.models.judgment import COPIED
from campaigns.models.packed import unpack_ids, unpack_runs, unpack_scores, unpack_weights
from campaigns.setup.examples import MOST_EXAMPLES
from evaluation.measures.ordering import Scores
from selection.pool import Ids

# Columns that name a place in the log.
PLACES: Mapping[type[Model], str] = {
    Anchor: "as_of",
    Deed: "after",
    Judgment: "queue_age",
    Postponement: "queue_age",
    QrelsImport: "last",
}


@dataclass(frozen=True)
class RowSurroundings:
    """`log`: number of rows of the judgment log; `revisions`: of each topic, `precisions`: of each run's
    scores, by their ids; `docno_order`: places of documents by their docnos."""

    campaign: Campaign
    log: int
    revisions: Mapping[int, int]
    precisions: Mapping[int, int]
    docno_order: DocnoOrder


def check_row(table: Table, row: Mapping[str, Any], line: int, among: RowSurroundings) -> None:
    """ValueError, which names the column, for a row that no write path would have stored there."""
    grade = row.get("grade")
    if grade is not None and (
        among.campaign.gain_of(grade) is None or (grade == JUNK and table.model is not Judgment)
    ):
        raise ValueError(f"grade: {grade} is not a grade of this campaign")
    place = PLACES.get(table.model)
    if place is not None and (row[place] or 0) > among.log:
        raise ValueError(f"{place}: {row[place]}, and the log has {among.log} entries")
    check = _CHECKS.get(table.model)
    if check is not None:
        check(row, line, among)


def _check_judgment(row: Mapping[str, Any], line: int, among: RowSurroundings) -> None:
    if row["sequence"] != line:
        raise ValueError(f"sequence: act {line} of the log has the number {row['sequence']}")
    _check_revision("topic_revision", row, among)
    # Bundles of older versions have no copies.
    if (row["method"] == COPIED) != (row.get("copied_from_id") is not None):
        raise ValueError(f"copied_from: a copy has one, and its method is {COPIED}; others have none")


def _check_revision(name: str, row: Mapping[str, Any], among: RowSurroundings) -> None:
    latest = among.revisions[row["topic_id"]]
    if row[name] > latest:
        raise ValueError(f"{name}: {row[name]}, and the topic has {latest}")


def _check_ranking(row: Mapping[str, Any], line: int, among: RowSurroundings) -> None:
    documents = unpack_ids(row["documents"])
    if not len(documents):
        raise ValueError("documents: a list of none")
    scores = unpack_scores(row["scores"], len(documents))
    bits, wanted = 8 * scores.dtype.itemsize, among.precisions[row["run_id"]]
    if bits != wanted:
        raise ValueError(f"scores: they have {bits} bits, and the run’s score_precision is {wanted}")
    steps = np.diff(scores)
    if (steps > 0).any():
        raise ValueError("scores: they rise on the way down the list")
    if (steps == 0).any():
        _check_ties(documents, scores, steps == 0, among)


def _check_ties(documents: Ids, scores: Scores, ties: NDArray[np.bool_], among: RowSurroundings) -> None:
    """Documents of one score are ordered by docno, descending; see `evaluation.measures.ordering`."""
    wrong = np.flatnonzero(ties & (np.diff(among.docno_order(documents)) > 0))
    if len(wrong):
        first, second = documents[wrong[0] : wrong[0] + 2].tolist()
        docnos = Document.objects.in_bulk([first, second])
        raise ValueError(
            f"documents: of the score {scores[wrong[0]]:g}, {docnos[first].docno} stands before "
            f"{docnos[second].docno}; ties are ordered by docno, descending"
        )


def _check_sample(row: Mapping[str, Any], line: int, among: RowSurroundings) -> None:
    chances, masses = unpack_weights(row["inclusion"]), unpack_weights(row["masses"])
    if not np.logical_and(chances > 0, chances <= 1).all():
        raise ValueError("inclusion: a probability is above 0 and at most 1")
    if not np.logical_and(masses >= 0, masses <= 1).all():
        raise ValueError("masses: a share lies between 0 and 1")
    if (unpack_runs(row["buckets"]) < 0).any():
        raise ValueError("buckets: they are counted from 0")


def _check_deed(row: Mapping[str, Any], line: int, among: RowSurroundings) -> None:
    name = {"exported": "file", "role removed": "person"}.get(row["kind"], "")
    if name and name not in row["detail"]:
        raise ValueError(f"detail: {name} is missing")


def _check_example(row: Mapping[str, Any], line: int, among: RowSurroundings) -> None:
    if line > MOST_EXAMPLES:
        raise ValueError(f"position: a campaign has at most {MOST_EXAMPLES} examples")


def check_body(body: str, content_type: str) -> None:
    """ValueError for a body that no reader would have returned."""
    if kind_of(content_type) in BINARY:
        if checked_base64(body, content_type) != body:
            raise ValueError("is not base64 as it is stored")
    elif len(body) > TEXT_BYTES:
        raise ValueError(f"a text longer than {TEXT_BYTES:,} characters")


def _check_text(row: Mapping[str, Any], line: int, among: RowSurroundings) -> None:
    try:
        check_body(row["body"], row["content_type"])
    except ValueError as error:
        raise ValueError(f"body: {error}") from None


_CHECKS: Mapping[type[Model], Callable[[Mapping[str, Any], int, RowSurroundings], None]] = {
    DocumentRevision: _check_text,
    Judgment: _check_judgment,
    TopicRevision: lambda row, line, among: _check_revision("revision", row, among),
    Ranking: _check_ranking,
    Sample: _check_sample,
    GuidelineExample: _check_example,
    Deed: _check_deed,
}

# Acts that supersede or repeat another than one of the same assessor on the same document: table, line (of
# repeats unknown, as they have no place of their own) and column. Ids may be other ones than in the file.
_WRONG_REFERENCES = " UNION ALL ".join(
    f"""
SELECT '{name}', {place}, '{column.removesuffix("_id")}'
FROM campaigns_{table} one LEFT JOIN campaigns_judgment other ON other.id = one.{column}
WHERE one.campaign_id = %(campaign)s AND one.{column} IS NOT NULL
  AND (other.campaign_id, other.topic_id, other.document_id, other.assessor_id)
    IS DISTINCT FROM (one.campaign_id, one.topic_id, one.document_id, one.assessor_id)"""  # noqa: S608
    for name, place, table, column in (
        ("judgments", "one.sequence", "judgment", "supersedes_id"),
        ("repeats", "NULL", "repeat", "first_id"),
    )
)
# Copies of another act than one of the same assessor and grade on another document of the topic.
_WRONG_REFERENCES += """
UNION ALL
SELECT 'judgments', one.sequence, 'copied_from'
FROM campaigns_judgment one JOIN campaigns_judgment other ON other.id = one.copied_from_id
WHERE one.campaign_id = %(campaign)s AND (
  (other.campaign_id, other.topic_id, other.assessor_id)
    IS DISTINCT FROM (one.campaign_id, one.topic_id, one.assessor_id)
  OR other.document_id = one.document_id OR other.copied_from_id IS NOT NULL)"""
# Rows about a text that their document never had.
_OWNERS = {
    "judgments": ("judgment", "one.campaign_id"),
    "repeats": ("repeat", "one.campaign_id"),
    "training": ("trainingitem", "one.campaign_id"),
    "examples": ("guidelineexample", "one.campaign_id"),
    "annotations": ("annotation", "(SELECT campaign_id FROM campaigns_topic t WHERE t.id = one.topic_id)"),
}
_WRONG_REVISIONS = " UNION ALL ".join(
    [
        f"""
SELECT '{name}', 'document_revision' FROM campaigns_{table} one
JOIN campaigns_document d ON d.id = one.document_id
WHERE {owner} = %(campaign)s AND one.document_revision > d.revision"""  # noqa: S608
        for name, (table, owner) in _OWNERS.items()
    ]
    + [
        """
SELECT 'replaced-texts', 'revision' FROM campaigns_documentrevision one
JOIN campaigns_document d ON d.id = one.document_id
WHERE d.collection_id = %(collection)s AND one.revision >= d.revision"""
    ]
)


def wrong_revision(campaign: Campaign) -> tuple[str, str] | None:
    """Table and column of a row about a text that its document never had; None if all are right."""
    with connection.cursor() as cursor:
        values = {"campaign": campaign.id, "collection": campaign.collection_id}
        cursor.execute(f"{_WRONG_REVISIONS} LIMIT 1", values)
        return cast("tuple[str, str] | None", cursor.fetchone())


def wrong_reference(campaign: Campaign) -> tuple[str, int | None, str] | None:
    """Table, line and column of the first act that names a wrong one; None if all are right."""
    with connection.cursor() as cursor:
        cursor.execute(f"{_WRONG_REFERENCES} ORDER BY 1, 2 LIMIT 1", {"campaign": campaign.id})
        return cast("tuple[str, int | None, str] | None", cursor.fetchone())
