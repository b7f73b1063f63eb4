from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """What can always be made again, kept while there is room: the least recently used goes first."""

    def __init__(self, make: Callable[[Key], Value], cost: Callable[[Key, Value], int], room: int) -> None:
        self._make, self._cost, self._room = make, cost, room
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._held = 0

    def __getitem__(self, key: Key) -> Value:
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
            return found[0]
        value = self._make(key)
        self._values[key] = value, (cost := self._cost(key, value))
        self._held += cost
        # The newest stays, however large it is.
        while self._held > self._room and len(self._values) > 1:
            _, (_, cost) = self._values.popitem(last=False)
            self._held -= cost
        return value

    def peek(self, key: Key) -> Value | None:
        """The value if it is there; it does not count as used."""
        found = self._values.get(key)
        return None if found is None else found[0]

    def discard(self, key: Key) -> None:
        found = self._values.pop(key, None)
        if found is not None:
            self._held -= found[1]
