"""Lists come in pages, and a page's cursor says behind or before which row the next begins: however much is
added meanwhile, no row comes twice and none is left out, and the millionth is found as fast as the first."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from binascii import Error as NoBase64
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet
from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.utils.urls import remove_query_param, replace_query_param

from campaigns.api.shapes.base import MOST_ROWS
from campaigns.core.errors import Refusal

ListingKey = int | str
ListingRow = TypeVar("ListingRow")
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True)
class Listing(Generic[ListingRow]):
    """A list's order. `name`: in its cursors, for those of another list are refused; `key`: of a row, by
    which the rows are in order and no two are alike; `most`: of a page, whatever is asked for."""

    name: str
    key: Callable[[ListingRow], ListingKey]
    kind: type[ListingKey] = int
    descending: bool = False
    most: int = MOST_ROWS

    def of_rows(
        self, request: Request, asked: dict[str, Any], rows: Sequence[ListingRow]
    ) -> Page[ListingRow]:
        """Of rows that are there already, in order."""

        def find(place: _Place, count: int) -> Iterable[ListingRow]:
            ahead = rows[::-1] if place.backward else rows
            if place.key is None:
                return ahead[:count]
            falls = self.descending != place.backward
            beyond = [row for row in ahead if _is_beyond(self.key(row), place.key, falls)]
            return beyond[:count]

        return self._page(request, asked, find)

    def of_query(
        self, request: Request, asked: dict[str, Any], rows: QuerySet[Any, ListingRow], column: str
    ) -> Page[ListingRow]:
        """Of rows that the database finds by the column that the key is of."""

        def find(place: _Place, count: int) -> Iterable[ListingRow]:
            falls = self.descending != place.backward
            found = rows.order_by(f"-{column}" if falls else column)
            if place.key is not None:
                found = found.filter(**{f"{column}__{'lt' if falls else 'gt'}": place.key})
            return found[:count]

        return self._page(request, asked, find)

    def _page(
        self, request: Request, asked: dict[str, Any], find: Callable[[_Place, int], Iterable[ListingRow]]
    ) -> Page[ListingRow]:
        limit = min(asked["limit"], self.most)
        place = self._place(asked.get("cursor", ""))
        # One more than wanted tells whether there are more.
        found = list(find(place, limit + 1))
        more, rows = len(found) > limit, found[:limit]
        if place.backward:
            rows.reverse()
        goes_on = more or place.backward
        went_before = more if place.backward else place.key is not None
        address = remove_query_param(request.build_absolute_uri(), "cursor")
        return Page(
            rows,
            self._link(address, rows[-1], backward=False) if rows and goes_on else None,
            self._link(address, rows[0], backward=True) if rows and went_before else None,
        )

    def _link(self, address: str, row: ListingRow, *, backward: bool) -> str:
        said = f"{self.name} {'<' if backward else '>'}{self.key(row)}"
        return replace_query_param(address, "cursor", urlsafe_b64encode(said.encode()).decode().rstrip("="))

    def _place(self, cursor: str) -> _Place:
        if not cursor:
            return _Place(None, False)
        name, _, said = _decoded(cursor).partition(" ")
        way, key = said[:1], said[1:]
        if name != self.name or way not in ("<", ">") or (self.kind is int and not _NUMBER.fullmatch(key)):
            raise _bad_cursor()
        return _Place(self.kind(key), way == "<")


@dataclass(frozen=True)
class Page(Generic[ListingRow]):
    rows: list[ListingRow]
    next: str | None
    previous: str | None

    def told(self, tell: Callable[[ListingRow], Any]) -> dict[str, Any]:
        """As every list is answered."""
        return {"results": [tell(row) for row in self.rows], "next": self.next, "previous": self.previous}


@dataclass(frozen=True)
class _Place:
    """Behind which row a page begins; or before which it ends."""

    key: ListingKey | None
    backward: bool


def _is_beyond(key: Any, place: Any, falls: bool) -> bool:
    return bool(key < place if falls else key > place)


def _decoded(cursor: str) -> str:
    try:
        words = cursor.translate({ord("-"): "+", ord("_"): "/"}) + "=" * (-len(cursor) % 4)
        text = a2b_base64(words.encode("ascii"), strict_mode=True).decode()
    except (NoBase64, UnicodeError) as error:
        raise _bad_cursor() from error
    if "\0" in text:
        raise _bad_cursor()
    return text


def _bad_cursor() -> Refusal:
    words = gettext("this cursor is none of this list's; take them from “next” and “previous” as they are")
    return Refusal("bad_cursor", words, field="cursor")
