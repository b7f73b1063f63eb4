"""From the names in a bundle to the rows of this database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from django.contrib.auth.models import User
from django.db.models import ForeignKey, Model
from numpy.typing import NDArray

from campaigns.exchange.bundles.bundles_tables import Holds, Packed, Table
from campaigns.exchange.bundles.values import AnyField, from_json
from campaigns.models import Document, Judgment, Run, Topic, TrainingItem


class Known:
    """What was stored already, by name. `shift` leads from a document's number to its id; with `fresh` every
    act gets another id, since those of the bundle are in use here."""

    def __init__(
        self, people: Mapping[str, int], numbers: NDArray[np.int64], shift: int, fresh: UUID | None
    ) -> None:
        self.numbers, self.shift, self.fresh = numbers, shift, fresh
        self._of: dict[type[Model], Mapping[Any, int]] = {User: people}

    def learn(self, table: Table, owner: int) -> None:
        """Take note of the rows that others name, once they are stored."""
        rows = table.model._default_manager.filter(**{table.owner: owner})
        if table.model is Topic:
            self._of[Topic] = dict(rows.values_list("number", "id"))
        elif table.model is Run:
            self._of[Run] = dict(rows.values_list("tag", "id"))
        elif table.model is TrainingItem:
            self._of[TrainingItem] = dict(rows.values_list("position", "id"))

    def row(self, table: Table, given: Mapping[str, Any]) -> dict[str, Any]:
        """The row as the table has it; ValueError, which names the column, if it is none."""
        columns = table.columns
        for name in given:
            if name not in columns:
                raise ValueError(f"{name}: there is no such column")
        row, lengths = {}, set()
        for name, column in columns.items():
            if name not in given and not column.has_default():
                raise ValueError(f"{name} is missing")
            try:
                value = self._value(column, given.get(name, column.get_default()))
                if name in table.packed and value is not None:
                    value, length = self._packed(value, table.packed[name])
                    lengths.add(length)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
            row[column.attname] = value
        if len(lengths) > 1:
            raise ValueError("its lists are not equally long")
        return row

    def _value(self, column: AnyField, value: Any) -> Any:
        if column.get_internal_type() == "UUIDField" and column.primary_key:
            return self.act(from_json(column, value))
        if not isinstance(column, ForeignKey):
            return from_json(column, value)
        if value is None and column.null:
            return None
        if column.related_model is Document:
            return self._document(value)
        if column.related_model is Judgment:
            return self.act(from_json(Judgment._meta.pk, value))
        known = self._of.get(column.related_model, {})
        if isinstance(value, bool | float | list | dict) or value not in known:
            raise ValueError(f"the bundle has no {column.related_model._meta.verbose_name} {value!r}")
        return known[value]

    def act(self, id: UUID) -> UUID:
        return id if self.fresh is None else uuid5(self.fresh, id.hex)

    def _document(self, number: Any) -> int:
        if type(number) is not int or not self._has(np.array([number], dtype=object)):
            raise ValueError(f"the bundle has no document {number!r}")
        return number + self.shift

    def _has(self, numbers: NDArray[Any]) -> bool:
        if not len(numbers):
            return True
        if not len(self.numbers) or numbers.min() < self.numbers[0] or numbers.max() > self.numbers[-1]:
            return False
        wanted = numbers.astype(np.int64)
        return bool((self.numbers[np.searchsorted(self.numbers, wanted)] == wanted).all())

    def _packed(self, value: bytes, packing: Packed) -> tuple[bytes, int]:
        dtype, holds = packing
        if len(value) % dtype.itemsize:
            raise ValueError("is cut off in the middle of a number")
        found = np.frombuffer(value, dtype=dtype)
        if holds is Holds.DOCUMENTS:
            if not self._has(found.astype(np.int64)):
                raise ValueError("names a document that the bundle does not hold")
            if len(np.unique(found)) < len(found):
                raise ValueError("names a document twice")
            value = (found.astype(np.int64) + self.shift).astype(dtype).tobytes()
        elif dtype.kind == "f" and not np.isfinite(found).all():
            raise ValueError("holds a number that is not finite")
        return value, len(found)
