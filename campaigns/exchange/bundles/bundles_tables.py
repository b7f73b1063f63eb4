"""Which rows make a campaign. What the worker computes from them is left out, and is computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from django.db.models import Field, ForeignKey, Model, QuerySet

from campaigns.models import (
    Campaign,
    Collection,
    Deed,
    Judgment,
    Membership,
    Postponement,
    Ranking,
    Repeat,
    Run,
    Sample,
    Topic,
    TopicAssignment,
    TopicRevision,
    TrainingAnswer,
    TrainingItem,
)
from campaigns.models.packed import DOCUMENT_IDS, RUN_IDS, SCORES, WEIGHTS


class Holds(Enum):
    """What the numbers of a packed column are."""

    DOCUMENTS = "documents"
    VALUES = "values"


Packed = tuple[np.dtype[np.generic], Holds]
DOCUMENTS: Packed = (DOCUMENT_IDS, Holds.DOCUMENTS)
SHARES: Packed = (WEIGHTS, Holds.VALUES)


@dataclass(frozen=True)
class Table:
    """`order` is that of the entry's lines, and of the copy's rows; `owner` leads from a row to its campaign;
    `packed` columns hold arrays, all of a row equally long. A table whose rows name people in their words
    `names_people`: it is empty where there are to be no names."""

    name: str
    model: type[Model]
    order: tuple[str, ...]
    owner: str = "campaign"
    packed: Mapping[str, Packed] = field(default_factory=dict)
    names_people: bool = False

    @property
    def entry(self) -> str:
        return f"{self.name}.jsonl"

    @property
    def columns(self) -> dict[str, Field]:  # type: ignore[type-arg]  # of any kind
        return columns_of(self.model)


def columns_of(model: type[Model]) -> dict[str, Field]:  # type: ignore[type-arg]  # of any kind
    """What of a row is carried: all but its number in this database, its campaign and its collection."""
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
    Table("runs", Run, ("id",)),
    Table(
        "rankings",
        Ranking,
        ("run_id", "topic__position"),
        "run__campaign",
        {"documents": DOCUMENTS, "scores": (SCORES, Holds.VALUES)},
    ),
    Table(
        "samples",
        Sample,
        ("topic__position",),
        "topic__campaign",
        {
            "documents": DOCUMENTS,
            "inclusion": SHARES,
            "buckets": (RUN_IDS, Holds.VALUES),
            "masses": SHARES,
        },
    ),
    Table("training", TrainingItem, ("position",)),
    Table("training-answers", TrainingAnswer, ("created", "id"), "item__campaign"),
    Table("judgments", Judgment, ("sequence",)),
    Table("repeats", Repeat, ("created", "id")),
    Table("set-aside", Postponement, ("id",), "topic__campaign"),
    Table("deeds", Deed, ("id",), names_people=True),
)

MANIFEST, SIGNATURE = "manifest.json", "signature.json"
SETTINGS, TEXTS, PEOPLE = "campaign.json", "documents.jsonl", "people.jsonl"
ENTRIES = (SETTINGS, TEXTS, *(table.entry for table in TABLES), PEOPLE)
