"""The one entry that is not a table: the campaign's own row and its collection's."""

from __future__ import annotations

from typing import Any

from campaigns.exchange.bundles.bundles_tables import SETTINGS, columns_of
from campaigns.exchange.bundles.reading import Bundle
from campaigns.exchange.bundles.values import from_json
from campaigns.models import Campaign, Collection

MODELS = {"campaign": Campaign, "collection": Collection}


def read_settings(bundle: Bundle) -> dict[str, dict[str, Any]]:
    """The values of both rows, each as its column takes it; those that are not given stay as by default."""
    rows = list(bundle.lines(SETTINGS))
    if len(rows) != 1 or set(rows[0]) != set(MODELS):
        bundle.refuse(SETTINGS, "it is one object, of a campaign and its collection")
    return {part: _values(bundle, part, rows[0][part]) for part in MODELS}


def _values(bundle: Bundle, part: str, given: Any) -> dict[str, Any]:
    columns = columns_of(MODELS[part])
    if not isinstance(given, dict):
        bundle.refuse(SETTINGS, f"{part} is no JSON object", field=part)
    values = {}
    for name, value in given.items():
        if name not in columns:
            bundle.refuse(SETTINGS, f"{part} has no setting {name}", field=name)
        try:
            values[name] = from_json(columns[name], value)
        except ValueError as error:
            bundle.refuse(SETTINGS, f"{part}.{name}: {error}", field=name)
    for name, column in columns.items():
        if name not in given and not column.has_default() and not column.null and name not in ("owner",):
            bundle.refuse(SETTINGS, f"{part}.{name} is missing", field=name)
    return values
