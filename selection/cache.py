"""A cache whose size is limited by the cost of its values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

CacheKey = TypeVar("CacheKey", bound=Hashable)
CacheValue = TypeVar("CacheValue")


class LruCache(Generic[CacheKey, CacheValue]):
    """Cache of values that can be made again: the least recently used is dropped first when there is no
    room."""

    def __init__(
        self, make: Callable[[CacheKey], CacheValue], cost: Callable[[CacheKey, CacheValue], int], room: int
    ) -> None:
        self._make, self._cost, self._room = make, cost, room
        self._values: OrderedDict[CacheKey, tuple[CacheValue, int]] = OrderedDict()
        self._held = 0

    def __getitem__(self, key: CacheKey) -> CacheValue:
        entry = self._values.get(key)
        if entry is not None:
            self._values.move_to_end(key)
            return entry[0]
        value = self._make(key)
        self._values[key] = value, (cost := self._cost(key, value))
        self._held += cost
        # The newest stays, however large it is.
        while self._held > self._room and len(self._values) > 1:
            _, (_, cost) = self._values.popitem(last=False)
            self._held -= cost
        return value

    def peek(self, key: CacheKey) -> CacheValue | None:
        """The value if it is there; it does not count as used."""
        entry = self._values.get(key)
        return None if entry is None else entry[0]

    def discard(self, key: CacheKey) -> None:
        entry = self._values.pop(key, None)
        if entry is not None:
            self._held -= entry[1]
