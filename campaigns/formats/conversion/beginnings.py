"""The beginning of a table: its columns, the role of each, its first rows, and where these lie."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import islice, zip_longest
from typing import IO, Any

from campaigns.formats.conversion.sources import Row, Table, Unreadable, opened, table_of
from campaigns.formats.recognition.roles import (
    chosen_roles,
    columns_refusal,
    has_text,
    roles_of,
    what_is_missing,
)
from campaigns.formats.recognition.tables import Guess, of_columns
from evaluation.extras import extra

# What the first values of all columns of a Parquet file may take.
_FIRST_BYTES = 6 << 20
FIRST_ROWS = 100
_SHOWN_ROWS, _SHOWN, _MOST_COLUMNS = 3, 200, 200


def look_at(
    file: IO[bytes], order: Mapping[str, Any], named: Collection[str]
) -> tuple[Table, dict[str, Any]]:
    """The first rows as a table, and what is to be shown of it: `names`, `rows`, `kind`, the columns in
    `roles`, what is `missing`; of Parquet the `pieces` of the file that hold the first rows, unless these
    are the ones that `order` names."""
    look: dict[str, Any] = {"pieces": [], "kind": "", "roles": {}, "missing": [], "refusal": ""}
    table = _opened(file, order, named, look)
    rows: list[Row] = []
    # The beginning ends in a row.
    with suppress(Unreadable):
        rows.extend(islice(table.rows, FIRST_ROWS))
    table.rows = iter(rows)
    look["names"] = names = table.names[:_MOST_COLUMNS] if order["layout"] != "nested JSON" else []
    look["rows"] = [[_words(value) for value in values[:_MOST_COLUMNS]] for _, values in rows[:_SHOWN_ROWS]]
    values = [[*map(_words, values)] for _, values in rows]
    guess = of_columns(table.names, values, order["layout"])
    look["kind"] = kind = order["kind"] or guess.kind
    if kind and names:
        chosen = chosen_roles(table.names, order["columns"], order["known"])
        look["roles"] = roles_of(kind, table.names, chosen)
        look["missing"] = what_is_missing(kind, order["layout"], table.names, look["roles"])
        look["refusal"] = columns_refusal(kind, order["layout"], table.names, chosen)
        if kind == "documents" and not (chosen or look["refusal"]):
            look["refusal"] = lists_refusal(guess)
    return table, look


def lists_refusal(guess: Guess) -> str:
    """The reason why a table is no documents, empty if it may be: a run or qrels have no text."""
    if guess.kind not in ("run", "qrels") or has_text(guess.columns):
        return ""
    return f"this looks like {guess.words}, not a collection of many documents"


def _opened(file: IO[bytes], order: Mapping[str, Any], named: Collection[str], look: dict[str, Any]) -> Table:
    if order["layout"] == "Parquet":
        return _parquet(file, order["pieces"], look)
    return table_of(file, order["layout"], named)


def _words(value: Any) -> str:
    return "" if value is None else str(value)[:_SHOWN]


def _parquet(file: IO[bytes], pieces: list[list[int]], look: dict[str, Any]) -> Table:
    """Columns without their first pages have no values here."""
    with extra("tables"):
        import pyarrow.parquet as pq

    whole = opened(lambda: pq.ParquetFile(file, pre_buffer=False, buffer_size=1 << 16))
    names = list(whole.schema_arrow.names)
    wanted = _first_pages(whole.metadata)
    if not all(any(begin <= one and two <= end for begin, end in pieces) for one, two in wanted):
        look["pieces"] = wanted
    columns = [_first_values(whole, name) for name in names[:_MOST_COLUMNS]]
    rows: Iterator[Any] = enumerate(zip_longest(*columns), 1) if any(columns) else iter(())
    return Table(names, rows)


def _first_pages(metadata: Any) -> list[list[int]]:
    if not metadata.num_row_groups:
        return []
    group = metadata.row_group(0)
    most = _FIRST_BYTES // max(group.num_columns, 1)
    pieces = []
    for place in range(group.num_columns):
        column = group.column(place)
        begin = min(filter(None, (column.dictionary_page_offset, column.data_page_offset)), default=0)
        pieces.append([begin, begin + min(column.total_compressed_size, most)])
    return pieces


def _first_values(whole: Any, name: str) -> list[Any]:
    import pyarrow as pa

    try:
        batch = next(whole.iter_batches(batch_size=FIRST_ROWS, row_groups=[0], columns=[name]))
        return list(batch.column(0).to_pylist())
    except (pa.ArrowException, OSError, StopIteration, UnicodeDecodeError, IndexError):
        return []
