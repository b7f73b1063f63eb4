"""Stored values that no write path of this program would have stored. A restore writes rows as they are, also
those of a dump that was made or changed elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model

from campaigns.core.errors import Refusal
from campaigns.exchange.bundles.column_rules import RULES, AnyField, check_value, has_stored_rule
from campaigns.models import Campaign, Document
from campaigns.setup.settings import CAMPAIGN_SETTINGS, check_settings

MOST_NAMED = 20
ROWS_AT_ONCE = 2000
# Raised by rules where something inside a JSON value is of another type.
WRONG_INSIDE = (AttributeError, TypeError, KeyError)


def wrong_values() -> list[str]:
    """The first of them, each with its table, row and column."""
    problems = (words for model in RULES for words in _wrong_in(model))
    return list(islice(problems, MOST_NAMED))


def _wrong_in(model: type[Model]) -> Iterator[str]:
    columns = [column for column in model._meta.concrete_fields if _is_checked(column)]
    rows = model._default_manager.order_by("pk").values_list("pk", *(column.attname for column in columns))
    reasons = [lru_cache(ROWS_AT_ONCE, typed=True)(partial(_what_is_wrong, column)) for column in columns]
    for key, *values in rows.iterator(ROWS_AT_ONCE):
        for column, reason_of, value in zip(columns, reasons, values, strict=True):
            # Most columns hold few values, however many rows there are.
            is_plain = isinstance(value, str | int | float | None)
            if reason := reason_of(value) if is_plain else _what_is_wrong(column, value):
                yield f"{model._meta.db_table} {key}, {column.name}: {reason}"
    if model is Campaign:
        yield from _wrong_settings()


def _is_checked(column: AnyField) -> bool:
    # The texts of millions of documents are long, and all that could be wrong is their length.
    of_texts = column.model is Document and column.name in ("title", "body")
    return not of_texts and (
        has_stored_rule(column) or bool(column.choices) or column.get_internal_type() == "DateTimeField"
    )


def _what_is_wrong(column: AnyField, value: Any) -> str:
    if value is None and column.null:
        return ""
    if not _is_typed(column, value):
        return f"{value!r:.60} is of the wrong kind"
    try:
        if value not in ("", [], {}) or column.choices:
            column.clean(value, None)
        check_value(column, value)
    except ValidationError as error:
        return " ".join(error.messages)
    except ValueError as error:
        return str(error)
    except WRONG_INSIDE:
        return f"{value!r:.60} holds something of the wrong kind"
    return ""


def _is_typed(column: Any, value: Any) -> bool:
    return column.get_internal_type() != "JSONField" or isinstance(value, type(column.get_default()))


def _wrong_settings() -> Iterator[str]:
    for row in Campaign.objects.order_by("pk"):
        values = {name: getattr(row, name) for name in CAMPAIGN_SETTINGS}
        typed = {
            name: value for name, value in values.items() if _is_typed(Campaign._meta.get_field(name), value)
        }
        try:
            check_settings(typed)
        except Refusal as refused:
            yield f"{Campaign._meta.db_table} {row.pk}, {refused.field}: {refused.detail}"
        except WRONG_INSIDE as error:
            where = f"{Campaign._meta.db_table} {row.pk}, settings"
            yield f"{where}: one holds something of the wrong kind ({error})"
