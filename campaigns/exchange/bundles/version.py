"""What the bytes of a bundle hang on, found without writing it."""

from __future__ import annotations

import zlib
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, DecimalField, Model, QuerySet, Sum
from django.db.models.expressions import RawSQL

from campaigns.core.database import consistent_reads
from campaigns.exchange.bundles.bundles_tables import TABLES, columns_of, rows_of
from campaigns.exchange.bundles.signing import own_key
from campaigns.exchange.bundles.tables import VERSION
from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Collection, Judgment

# Rows that are only ever appended are told by their number. Documents come and go with a deed of every
# campaign that reads them; but where only docnos are known, another campaign's runs may bring some.
_BY_LENGTH = Judgment


def of_bundle(campaign: Campaign) -> tuple[Any, ...]:
    with consistent_reads():
        rows = [_rows(rows_of(table, campaign)) for table in TABLES if table.model is not _BY_LENGTH]
        collection = Collection.objects.filter(id=campaign.collection_id)
        return (
            *_of_code(),
            length_of(campaign=campaign),
            0 if campaign.collection.complete else campaign.collection.documents.count(),
            _rows(Campaign.objects.filter(id=campaign.id)),
            _rows(collection),
            *rows,
            _sum(User.objects.all(), "username"),
        )


def _of_code() -> tuple[Any, ...]:
    """The key, and how rows become bytes."""
    settings = tuple(columns_of(Campaign)), tuple(columns_of(Collection))
    columns = *settings, *(tuple(table.columns) for table in TABLES)
    return own_key(), VERSION, zlib.ZLIB_RUNTIME_VERSION, columns


def _rows(rows: QuerySet[Any]) -> str:
    """Another whenever a row comes, goes or is written: Postgres notes which transaction wrote each."""
    return _sum(rows, "xmin")


def _sum(rows: QuerySet[Any], column: str) -> str:
    model: type[Model] = rows.model
    table, key = model._meta.db_table, model._meta.pk.column
    # Names of the model and of this file.
    mark = RawSQL(  # noqa: S611
        f"hashtextextended(concat({table}.{key}, ' ', {table}.{column}), 0)", [], DecimalField()
    )
    found = rows.order_by().aggregate(count=Count("pk"), sum=Sum(mark))
    return f"{found['count']} {found['sum']}"
