"""Lists in pages: a cursor names the row behind or before which a page begins, so inserts move no row.

DRF's `CursorPagination` does not fit: four lists are no querysets, and it answers a bad cursor with 404, one
of another list with rows, and a key of the wrong type with 500.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from binascii import Error as NoBase64
from binascii import a2b_base64
from collections.abc import Callable, Iterable
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
# Behind which row (`>`) a page begins, or before which (`<`) it ends; of strings, any key fits.
_PLACE = {
    int: re.compile(r"([<>])([0-9]{1,18})", re.ASCII),
    str: re.compile(r"([<>])(.*)", re.DOTALL),
}


@dataclass(frozen=True)
class Page(Generic[ListingRow]):
    rows: list[ListingRow]
    next: str | None
    previous: str | None

    def as_json(self, row_json: Callable[[ListingRow], Any]) -> dict[str, Any]:
        return {"results": [row_json(row) for row in self.rows], "next": self.next, "previous": self.previous}


@dataclass(frozen=True)
class Listing(Generic[ListingRow]):
    """A list's order. `name` stands in its cursors, so that those of other lists are refused. `key` orders
    the rows; no two rows share one. `most` caps a page, so that one request stays cheap."""

    name: str
    key: Callable[[ListingRow], ListingKey]
    kind: type[ListingKey] = int
    descending: bool = False
    most: int = MOST_ROWS

    def of_rows(
        self, request: Request, asked: dict[str, Any], rows: Iterable[ListingRow]
    ) -> Page[ListingRow]:
        """A page of rows in memory, in any order."""

        def find(place: Any, falls: bool, count: int) -> list[ListingRow]:
            key: Callable[[ListingRow], Any] = self.key
            ordered = sorted(rows, key=key, reverse=falls)
            if place is not None:
                ordered = [row for row in ordered if (key(row) < place if falls else key(row) > place)]
            return ordered[:count]

        return self._page(request, asked, find)

    def of_query(
        self, request: Request, asked: dict[str, Any], rows: QuerySet[Any, ListingRow], column: str
    ) -> Page[ListingRow]:
        """A page of a query's rows; `column` holds their key."""

        def find(place: Any, falls: bool, count: int) -> list[ListingRow]:
            ordered = rows.order_by(f"-{column}" if falls else column)
            if place is not None:
                ordered = ordered.filter(**{f"{column}__{'lt' if falls else 'gt'}": place})
            return list(ordered[:count])

        return self._page(request, asked, find)

    def _page(
        self,
        request: Request,
        asked: dict[str, Any],
        find: Callable[[ListingKey | None, bool, int], list[ListingRow]],
    ) -> Page[ListingRow]:
        limit = min(asked["limit"], self.most)
        place, backward = self._place(asked.get("cursor", ""))
        # One more than wanted shows whether there are more.
        found = find(place, self.descending != backward, limit + 1)
        more, rows = len(found) > limit, found[:limit]
        if backward:
            rows.reverse()
        goes_on = more or backward
        went_before = more if backward else place is not None
        address = remove_query_param(request.build_absolute_uri(), "cursor")
        return Page(
            rows,
            self._link(address, ">", rows[-1]) if rows and goes_on else None,
            self._link(address, "<", rows[0]) if rows and went_before else None,
        )

    def _link(self, address: str, way: str, row: ListingRow) -> str:
        cursor = urlsafe_b64encode(f"{self.name} {way}{self.key(row)}".encode()).decode().rstrip("=")
        return replace_query_param(address, "cursor", cursor)

    def _place(self, cursor: str) -> tuple[ListingKey | None, bool]:
        """The key that the cursor names, and whether the page ends before it."""
        if not cursor:
            return None, False
        name, _, place = _decode(cursor).partition(" ")
        found = _PLACE[self.kind].fullmatch(place)
        if name != self.name or found is None:
            raise _bad_cursor()
        return self.kind(found[2]), found[1] == "<"


def _decode(cursor: str) -> str:
    try:
        words = cursor.translate({ord("-"): "+", ord("_"): "/"}) + "=" * (-len(cursor) % 4)
        text = a2b_base64(words.encode("ascii"), strict_mode=True).decode()
    except (NoBase64, UnicodeError) as error:
        raise _bad_cursor() from error
    if "\0" in text:
        raise _bad_cursor()
    return text


def _bad_cursor() -> Refusal:
    words = gettext("invalid cursor; use the “next” and “previous” links unchanged")
    return Refusal("bad_cursor", words, field="cursor")
