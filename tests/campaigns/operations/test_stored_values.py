"""Values that no write path stores, found in a database that came from elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db.models import Model

from campaigns.models import Campaign, Collection, Document, Judgment, Membership, Run
from campaigns.operations.stored_values import wrong_values
from tests.campaigns.exchange.bundles.test_bundles import rich

pytestmark = pytest.mark.django_db


def test_what_the_program_stores_is_never_named() -> None:
    rich("Small", method="statap")
    rich("Other", method="mtc", guidelines="Read.\nThink.", due_at=datetime(2026, 5, 1, tzinfo=UTC))
    assert wrong_values() == []


@pytest.mark.parametrize(
    ("model", "column", "value", "says"),
    [
        (Campaign, "guidelines", "x" * 100_001, "guidelines have at most 100,000 characters"),
        (Campaign, "method", "zzz", "'zzz' is not a valid choice"),
        (Campaign, "min_judgments", 10**7, "a whole number from 0 to 1000000"),
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
