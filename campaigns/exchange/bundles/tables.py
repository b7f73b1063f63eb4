"""The tables of a bundle, and their values as JSON.

What the worker computes from them is left out, and is computed again.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.db.models import BigIntegerField, Count, Field, ForeignKey, Func, Model, QuerySet, Sum

from campaigns.exchange.bundles.column_rules import AnyField, check_value
from campaigns.models import (
    Anchor,
    Annotation,
    Campaign,
    Collection,
    Deed,
    DocumentRevision,
    Exclusion,
    GuidelineExample,
    Judgment,
    Membership,
    Postponement,
    QrelsImport,
    Ranking,
    Repeat,
    Run,
    Sample,
    Topic,
    TopicAssignment,
    TopicDraw,
    TopicRevision,
    TrainingAnswer,
    TrainingItem,
)
from campaigns.models.packed import DOCUMENT_IDS, RUN_IDS, SCORES, WEIGHTS


class ColumnContent(Enum):
    """Kind of the numbers in a packed column."""

    DOCUMENTS = "documents"
    SCORES = "scores"
    VALUES = "values"


PackedFormat = tuple[np.dtype[np.generic], ColumnContent]
DOCUMENTS: PackedFormat = (DOCUMENT_IDS, ColumnContent.DOCUMENTS)
SHARES: PackedFormat = (WEIGHTS, ColumnContent.VALUES)

RUN_COUNTS = ("ranked_topics", "ranked_documents")


@dataclass(frozen=True)
class Table:
    """`order` is that of the entry's lines, and of the copy's rows; `owner` leads from a row to its campaign;
    `packed` columns hold arrays, all of a row equally long. A table whose rows name people in their words
    `names_people`: it is empty where there are to be no names. A table that was `added` is missing from
    bundles of older versions; a column that is missing there has the value in `absent`, or its default.
    `counts` are no columns: they say of a row how much other tables hold of it."""

    name: str
    model: type[Model]
    order: tuple[str, ...]
    owner: str = "campaign"
    packed: Mapping[str, PackedFormat] = field(default_factory=dict)
    names_people: bool = False
    added: bool = False
    absent: Mapping[str, Any] = field(default_factory=dict)
    counts: tuple[str, ...] = ()

    @property
    def entry(self) -> str:
        return f"{self.name}.jsonl"

    @property
    def columns(self) -> dict[str, Field]:  # type: ignore[type-arg]  # of any kind
        return columns_of(self.model)


@cache
def columns_of(model: type[Model]) -> dict[str, Field]:  # type: ignore[type-arg]  # of any kind
    """Columns of a row that a bundle carries: all but its number in this database, its campaign and its
    collection."""
    return {
        column.name: column
        for column in model._meta.concrete_fields
        if not (column.primary_key and column.get_internal_type().endswith("AutoField"))
        and not (isinstance(column, ForeignKey) and column.related_model in (Campaign, Collection))
    }


def rows_of(table: Table, campaign: Campaign) -> QuerySet[Any]:
    return table.model._default_manager.filter(**{table.owner: campaign})


# In the order in which they are stored: each names only rows of those before it.
TABLES = (
    Table("members", Membership, ("id",)),
    Table("topics", Topic, ("position",)),
    Table("wordings", TopicRevision, ("topic__position", "revision"), "topic__campaign"),
    Table("assignments", TopicAssignment, ("id",), "topic__campaign"),
    Table("topic-draws", TopicDraw, ("id",), added=True),
    Table("runs", Run, ("id",), absent={"score_precision": 32}, counts=RUN_COUNTS),
    Table(
        "rankings",
        Ranking,
        ("run_id", "topic__position"),
        "run__campaign",
        {"documents": DOCUMENTS, "scores": (SCORES[64], ColumnContent.SCORES)},
    ),
    Table(
        "samples",
        Sample,
        ("topic__position",),
        "topic__campaign",
        {
            "documents": DOCUMENTS,
            "inclusion": SHARES,
            "buckets": (RUN_IDS, ColumnContent.VALUES),
            "masses": SHARES,
        },
    ),
    Table("anchors", Anchor, ("place",), "topic__campaign", added=True),
    Table("training", TrainingItem, ("position",)),
    Table("training-answers", TrainingAnswer, ("created", "id"), "item__campaign"),
    Table("examples", GuidelineExample, ("position",), added=True),
    Table(
        "replaced-texts",
        DocumentRevision,
        ("document_id", "revision"),
        "document__collection__campaigns",
        added=True,
    ),
    Table("judgments", Judgment, ("sequence",)),
    Table("repeats", Repeat, ("created", "id")),
    Table("annotations", Annotation, ("created", "id"), "topic__campaign", added=True),
    Table("set-aside", Postponement, ("id",), "topic__campaign"),
    Table("imports", QrelsImport, ("first",), added=True),
    Table("exclusions", Exclusion, ("id",), added=True),
    Table("deeds", Deed, ("id",), names_people=True),
)

MANIFEST, SIGNATURE = "manifest.json", "signature.json"
SETTINGS_ENTRY, TEXTS_ENTRY, PEOPLE_ENTRY = "campaign.json", "documents.jsonl", "people.jsonl"
ENTRIES = (SETTINGS_ENTRY, TEXTS_ENTRY, *(table.entry for table in TABLES), PEOPLE_ENTRY)
ADDED_ENTRIES = {table.entry for table in TABLES if table.added}

FORMAT, VERSION = "assess bundle", 1

# Called with how many more rows are done.
CountProgress = Callable[[int], object]

_TYPES: dict[str, tuple[type, ...]] = {
    "BooleanField": (bool,),
    "FloatField": (float, int),
}


def to_json(column: AnyField, value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if column.get_internal_type() == "JSONField":
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode()
    return str(value)


def from_json(column: AnyField, value: Any) -> Any:
    """The value as the model has it; ValueError with the reason if no write path would have stored it."""
    kind = column.get_internal_type()
    if value is None and column.null:
        return None
    if kind == "JSONField":
        wanted: tuple[type, ...] = (type(column.get_default()),)
    else:
        wanted = _TYPES.get(kind, (int,) if kind.endswith("IntegerField") else (str,))
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        raise ValueError(f"{_shown(value)} is of the wrong kind")
    _check_inside(value)
    if kind == "BinaryField":
        return _decoded(str(value))
    if value not in ("", [], {}) or column.unique or column.choices or kind == "DateTimeField":
        # Forms ask for a text; rows may be without.
        try:
            value = column.clean(value, None)
        except ValidationError as error:
            raise ValueError(" ".join(error.messages)) from None
    check_value(column, value)
    return value


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError("is not base64") from None


def _check_inside(value: Any) -> None:
    """Refuse values that are valid JSON but that Postgres cannot store."""
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("holds a NUL")
        if not value.isascii():
            _check_characters(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("is not finite")
    elif isinstance(value, dict):
        for name, inner in value.items():
            _check_inside(name)
            _check_inside(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_inside(inner)


def _check_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("holds half of a character") from None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def run_counts(campaign: Campaign) -> dict[str, dict[str, int]]:
    """Count the lists of each run that has any, and the documents in all of them, by its tag."""
    lists = Ranking.objects.filter(run__campaign=campaign).order_by().values_list("run__tag")
    size = Func("documents", function="octet_length", output_field=BigIntegerField())
    found = lists.annotate(lists=Count("id"), size=Sum(size))
    return {
        tag: dict(zip(RUN_COUNTS, (lists, int(size) // DOCUMENT_IDS.itemsize), strict=True))
        for tag, lists, size in found
    }
