"""Tables of the organiser's pages: sorted and paged by their address, so that a link shows what one sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.http import HttpRequest, QueryDict
from django.utils.encoding import escape_uri_path
from django.utils.functional import Promise

from campaigns.core.digits import read_digits

Row = TypeVar("Row")

ROWS_A_PAGE = 100


@dataclass(frozen=True)
class Column(Generic[Row]):
    """`key`: what rows are sorted by, None last; `in_database`: the database sorts by the column. With
    neither it cannot be sorted. `falls`: largest first, at the first click. `hidden`: only screen readers
    have its label."""

    name: str
    label: str | Promise
    key: Callable[[Row], Any] | None = None
    numeric: bool = False
    falls: bool = False
    hidden: bool = False
    in_database: bool = False

    @property
    def sortable(self) -> bool:
        return self.key is not None or self.in_database


@dataclass(frozen=True)
class Heading:
    """`address`: of the table sorted by this column, empty if it cannot be. `direction`: how it is now."""

    name: str
    label: str | Promise
    numeric: bool
    hidden: bool
    address: str
    direction: str


@dataclass(frozen=True)
class SortOption:
    value: str
    label: str | Promise
    falls: bool
    chosen: bool


@dataclass(frozen=True)
class Sorting:
    """Sorting of a table by `?sort=`: a column, "" for the usual order, and true if the largest comes
    first."""

    column: str
    falls: bool
    headings: list[Heading]
    options: list[SortOption]


@dataclass(frozen=True)
class TablePage(Generic[Row]):
    """One page of a table. `here`: its whole address; `first` and `last` count rows from 1."""

    rows: list[Row]
    total: int
    first: int
    last: int
    headings: list[Heading]
    sort_options: list[SortOption]
    here: str
    previous: str
    next: str

    @property
    def is_whole(self) -> bool:
        return self.total == len(self.rows)


def table_page(
    request: HttpRequest, rows: Sequence[Row], columns: Sequence[Column[Row]], *, path: str = ""
) -> TablePage[Row]:
    """The page that `?sort=` (a column, after a hyphen from the largest) and `?page=` ask for; the first page
    in the given order for anything else."""
    path = path or escape_uri_path(request.path)
    sorting, falls = _asked_sort(request.GET, columns)
    found = list(rows) if sorting is None else _sorted(rows, sorting, falls)
    pages = max(1, -(-len(found) // ROWS_A_PAGE))
    page = min(max(read_digits(request.GET.get("page", ""), 9) or 1, 1), pages)
    begin = (page - 1) * ROWS_A_PAGE
    some = found[begin : begin + ROWS_A_PAGE]
    return TablePage(
        rows=some,
        total=len(found),
        first=begin + 1,
        last=begin + len(some),
        headings=[_heading(request, path, column, sorting, falls) for column in columns],
        sort_options=_sort_options(columns, sorting, falls),
        here=address(request, path, page=str(page) if page > 1 else ""),
        previous=address(request, path, page=str(page - 1)) if page > 1 else "",
        next=address(request, path, page=str(page + 1)) if page < pages else "",
    )


def sorting_of(request: HttpRequest, columns: Sequence[Column[Row]], *, path: str = "") -> Sorting:
    """For a table that the database sorts."""
    here = escape_uri_path(request.path)
    column, falls = _asked_sort(request.GET, columns)
    return Sorting(
        column=column.name if column else "",
        falls=column is not None and falls,
        headings=[_heading(request, path or here, one, column, falls) for one in columns],
        options=_sort_options(columns, column, falls),
    )


def database_table(
    request: HttpRequest, columns: Sequence[Column[Row]], rows: list[Row], total: int, *, size: int
) -> TablePage[Row]:
    """The page of `asked_page`, whose rows the database has sorted and cut; `size`: rows of a whole page."""
    page, sorting = asked_page(request), sorting_of(request, columns)
    begin = (page - 1) * size
    path = escape_uri_path(request.path)
    return TablePage(
        rows=rows,
        total=total,
        first=begin + 1,
        last=begin + len(rows),
        headings=sorting.headings,
        sort_options=sorting.options,
        here=address(request, path, page=str(page) if page > 1 else ""),
        previous=address(request, path, page=str(page - 1)) if page > 1 else "",
        next=address(request, path, page=str(page + 1)) if begin + len(rows) < total else "",
    )


def asked_page(request: HttpRequest) -> int:
    """Page number of `?page=`, from 1."""
    return max(read_digits(request.GET.get("page", ""), 6) or 1, 1)


def address(request: HttpRequest, path: str, **changes: str) -> str:
    """Current address with other values; an empty one is left out."""
    query = request.GET.copy()
    for name, value in changes.items():
        query[name] = value
    for name in [name for name, value in query.items() if not value]:
        del query[name]
    return f"{path}?{query.urlencode()}" if query else path


def _asked_sort(query: QueryDict, columns: Sequence[Column[Row]]) -> tuple[Column[Row] | None, bool]:
    wish = query.get("sort", "")
    by_name: Mapping[str, Column[Row]] = {column.name: column for column in columns if column.sortable}
    return by_name.get(wish.removeprefix("-")), wish.startswith("-")


def _sorted(rows: Sequence[Row], column: Column[Row], falls: bool) -> list[Row]:
    key = column.key
    assert key is not None
    known = [row for row in rows if key(row) is not None]
    return sorted(known, key=key, reverse=falls) + [row for row in rows if key(row) is None]


def _heading(
    request: HttpRequest, path: str, column: Column[Row], sorting: Column[Row] | None, falls: bool
) -> Heading:
    is_sorted = column is sorting
    to_fall = not falls if is_sorted else column.falls
    wish = f"-{column.name}" if to_fall else column.name
    return Heading(
        name=column.name,
        label=column.label,
        numeric=column.numeric,
        hidden=column.hidden,
        address=address(request, path, sort=wish, page="") if column.sortable else "",
        direction=("descending" if falls else "ascending") if is_sorted else "",
    )


def _sort_options(
    columns: Sequence[Column[Row]], sorting: Column[Row] | None, falls: bool
) -> list[SortOption]:
    """For narrow screens, where a table has no headings."""
    return [
        SortOption(
            f"-{column.name}" if down else column.name,
            column.label,
            down,
            column is sorting and down == falls,
        )
        for column in columns
        if column.sortable
        for down in (column.falls, not column.falls)
    ]
