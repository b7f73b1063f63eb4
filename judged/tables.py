"""Tables of results: rows that are read by name, and as data frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, overload

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from campaigns.formats.errors import NoticeRow

Value: TypeAlias = str | float | int | bool | None
_MOST_SHOWN = 40


class Row(Mapping[str, Value]):
    """One line of a table: its values by name, as items and as attributes.

    >>> row = Row({"run": "BM25", "base": 0.25})
    >>> row.base, row["run"]
    (0.25, 'BM25')
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __getattr__(self, name: str) -> Value:
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"no column is called {name!r}; there are {', '.join(self)}")
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __reduce__(self) -> tuple[type[Row], tuple[dict[str, Value]]]:
        return type(self), (self._values,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={_shown(self[name])}' for name in self)})"


R_co = TypeVar("R_co", bound=Row, covariant=True)


class Table(Generic[R_co]):
    """An immutable table. `keys`: the columns by whose values rows are found.

    Parameters
    ----------
    rows : iterable of mappings
        With the same names in the same order, or some without the last ones.
    notices : sequence of str
        What was noticed while the input was read.

    Examples
    --------
    >>> table = Table([{"run": "A", "base": 0.5}, {"run": "B", "base": 0.25}], ("run",), Row)
    >>> table["B"].base, len(table), table.columns
    (0.25, 2, ('run', 'base'))
    >>> table
    Table of 2 rows: run, base
    """

    def __init__(
        self,
        rows: Iterable[Mapping[str, Value]],
        keys: Sequence[str],
        row: Callable[[Mapping[str, Value]], R_co],
        *,
        notices: Sequence[str] = (),
        spelled: Callable[[str, object], Value] = lambda column, key: str(key),
    ) -> None:
        self._rows = tuple(row(one) for one in rows)
        self._keys, self._spelled = tuple(keys), spelled
        self.columns = tuple(dict.fromkeys(name for one in self._rows for name in one))
        self.notices = tuple(notices)

    @property
    def rows(self) -> list[dict[str, Value]]:
        """Each row as a dictionary, as the JSON of the commands has it."""
        return [dict(row) for row in self._rows]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[R_co]:
        return iter(self._rows)

    @overload
    def __getitem__(self, key: int | str | tuple[object, ...]) -> R_co: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[R_co]: ...
    def __getitem__(self, key: int | slice | str | tuple[object, ...]) -> R_co | Sequence[R_co]:
        """The row at a place, or the one row with these values of the first key columns.

        Raises KeyError if no row has them, or several have.
        """
        if isinstance(key, int | slice):
            return self._rows[key]
        given = key if isinstance(key, tuple) else (key,)
        if len(given) > len(self._keys):
            raise KeyError(f"{key!r}: rows are found by {', '.join(self._keys)}")
        wanted = {name: self._spelled(name, one) for name, one in zip(self._keys, given, strict=False)}
        matching = [row for row in self._rows if all(row[name] == one for name, one in wanted.items())]
        if len(matching) != 1:
            words = " and ".join(f"{name} {value!r}" for name, value in wanted.items())
            raise KeyError(f"{len(matching) or 'no'} rows have {words}; keys are {', '.join(self._keys)}")
        return matching[0]

    def column(self, name: str) -> list[Value]:
        """All values of one column; None where a row lacks it."""
        return [row.get(name) for row in self._rows]

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame; NaN where a number lacks."""
        import pandas as pd

        types = {str: "object", bool: "object", int: "float64", float: "float64"}
        return pd.DataFrame(
            {
                name: pd.Series(values, dtype=types[kind] if None in values else None)
                for name, values, kind in self._typed()
            }
        )

    def to_polars(self) -> polars.DataFrame:
        """A polars DataFrame; null where a value lacks."""
        import polars as pl

        types = {str: pl.String, bool: pl.Boolean, int: pl.Int64, float: pl.Float64}
        return pl.DataFrame([pl.Series(name, values, types[kind]) for name, values, kind in self._typed()])

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow Table; null where a value lacks."""
        import pyarrow as pa

        types = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
        return pa.table({name: pa.array(values, types[kind]) for name, values, kind in self._typed()})

    def _typed(self) -> Iterator[tuple[str, list[Value], type]]:
        """Name, values and type of each column; a column without any value is one of numbers."""
        for name in self.columns:
            values = self.column(name)
            kinds = {type(value) for value in values if value is not None}
            yield name, values, kinds.pop() if len(kinds) == 1 else float

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {len(self)} rows: {', '.join(self.columns)}"

    def _repr_html_(self) -> str:
        cells = [
            "".join(f"<td>{escape(_shown(row.get(name)))}</td>" for name in self.columns)
            for row in self._rows[:_MOST_SHOWN]
        ]
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(f"<tr>{line}</tr>" for line in cells)
        rest = len(self) - len(cells)
        notices = [*([f"{rest} more rows"] if rest else []), *self.notices]
        below = "".join(f"<p>{escape(notice)}</p>" for notice in notices)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def notice_table(
    reports: Iterable[tuple[Mapping[str, Value], Iterable[NoticeRow]]], keys: Sequence[str]
) -> Table[Row]:
    """Counts of what was noticed: what, count and detail, after what names each report."""
    rows = (
        {**named, "what": notice["what"], "count": notice["count"], "detail": notice["detail"]}
        for named, notices in reports
        for notice in notices
    )
    return Table(rows, keys, Row)


def _shown(value: Value) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
