"""Rows by the names that files give them."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db.models import ForeignKey, Model

from campaigns.exchange.bundles.bundles_tables import Holds, Packed
from campaigns.exchange.bundles.values import AnyField, to_json
from campaigns.models import Campaign, Document, Judgment, Run, Topic, TrainingItem
from campaigns.models.packed import unpack_ids


class Names:
    """From this database's ids to names. People are noted as they are met."""

    def __init__(self, campaign: Campaign, *, pseudonyms: bool) -> None:
        self._origin = campaign.collection.origin
        self._pseudonyms = pseudonyms
        self._names: dict[int, str] = {}
        self._of: dict[type[Model], dict[Any, Any]] = {
            Topic: dict(campaign.topics.values_list("id", "number")),
            Run: dict(campaign.runs.values_list("id", "tag")),
            TrainingItem: dict(campaign.training_items.values_list("id", "position")),
        }

    @property
    def people(self) -> list[str]:
        return sorted(self._names.values())

    def to_json(self, column: AnyField, value: Any) -> Any:
        if not isinstance(column, ForeignKey) or value is None:
            return to_json(column, value)
        kind = column.related_model
        if kind is Document:
            return self.number(value)
        if kind is Judgment:
            return str(value)
        return self._person(value) if kind is User else self._of[kind][value]

    def number(self, document: int) -> int:
        return document - self._origin

    def packed(self, value: bytes | memoryview, packing: Packed) -> bytes:
        dtype, holds = packing
        if holds is Holds.DOCUMENTS:
            return (unpack_ids(value).astype(np.int64) - self._origin).astype(dtype).tobytes()
        return bytes(value)

    def _person(self, user: int) -> str:
        if user not in self._names:
            known = User.objects.values_list("username", flat=True).get(id=user)
            self._names[user] = f"person-{len(self._names) + 1}" if self._pseudonyms else known
        return self._names[user]
