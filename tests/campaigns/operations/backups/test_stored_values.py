"""Values that no write path stores, found in a database that came from elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from campaigns.exchange.bundles.column_rules import RULES, AnyField
from campaigns.models import Campaign, Collection, Document, Judgment, Membership, Run
from campaigns.operations.backups.stored_values import wrong_values
from tests.campaigns.exchange.bundles.test_bundles import rich

pytestmark = pytest.mark.django_db

LISTS_OF_TEXTS = ("shown_fields", "settled", "metadata_fields")


def columns_of_type(kind: str) -> list[AnyField]:
    columns = (column for model in RULES for column in model._meta.concrete_fields)
    return [column for column in columns if column.get_internal_type() == kind]


def test_what_the_program_stores_is_never_named() -> None:
    rich("Small", method="statap")
    rich("Other", method="mtc", guidelines="Read.\nThink.", due_at=datetime(2026, 5, 1, tzinfo=UTC))
    assert wrong_values() == []


@pytest.mark.parametrize(
    ("model", "column", "value", "says"),
    [
        (Campaign, "guidelines", "x" * 100_001, "guidelines have at most 100,000 characters"),
        (Campaign, "method", "zzz", "'zzz' is not a valid choice"),
        (
            Campaign,
            "min_judgments",
            10**7,
            "from 0 to 1,000,000, not 10,000,000",
        ),
        (Collection, "url_template", "javascript:{docno}", "begins with http:// or https://"),
        (Document, "content_type", "text/html\r\nX-A: b", "is not like text/plain"),
        (Judgment, "inclusion_probability", 7.0, "a probability is above 0 and at most 1"),
        (Judgment, "method", "zzz", "'zzz' is none of"),
        (Membership, "created", datetime(9999, 12, 30, tzinfo=UTC), "outside the years 2000 to 2199"),
        (Run, "file_name", "a\nb", "control character"),
    ],
)
def test_a_value_that_no_write_path_stores_is_named(
    model: type[Model], column: str, value: Any, says: str
) -> None:
    rich("Small", method="C")
    row = model._default_manager.order_by("pk")[0]
    model._default_manager.filter(pk=row.pk).update(**{column: value})
    [found] = wrong_values()
    assert found.startswith(f"{model._meta.db_table} {row.pk}, {column}: ")
    assert says in found


def test_json_of_another_type_is_named_with_its_row() -> None:
    rich("Small", method="C")
    tried = 0
    for column in columns_of_type("JSONField"):
        row = column.model._default_manager.order_by("pk").first()
        if row is None:
            continue
        rows = column.model._default_manager.filter(pk=row.pk)
        others: tuple[Any, ...] = ("zzz", 7, {}, [], [{}], [[1]], {"a": 1})
        for wrong in others:
            if type(wrong) is type(column.get_default()) and (not wrong or column.name not in LISTS_OF_TEXTS):
                continue
            rows.update(**{column.name: wrong})
            words = wrong_values()[0]
            assert words.startswith(f"{column.model._meta.db_table} {row.pk}, {column.name}: "), wrong
            tried += 1
        rows.update(**{column.name: getattr(row, column.name)})
    assert tried > 40
    assert wrong_values() == []


def test_grades_of_another_type_inside_are_named_with_their_row() -> None:
    campaign = rich("Small", method="C")
    Campaign.objects.filter(pk=campaign.pk).update(grades=[{"grade": "x"}, {"grade": None}])
    [found] = wrong_values()
    assert found.startswith(f"campaigns_campaign {campaign.pk}, ")


def test_packed_columns_are_not_read() -> None:
    rich("Small", method="statap")
    with CaptureQueriesContext(connection) as queries:
        assert wrong_values() == []
    read = " ".join(query["sql"] for query in queries if 'FROM "campaigns_' in query["sql"])
    assert '"campaigns_run"."tag"' in read
    for packed in columns_of_type("BinaryField"):
        assert f'"{packed.model._meta.db_table}"."{packed.column}"' not in read
