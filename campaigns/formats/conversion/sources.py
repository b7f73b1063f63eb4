"""Tables as rows of values: CSV, tab-separated lines, JSON, Parquet and Arrow files, a batch at a time.

Only the process that converts files imports this: what a library makes of a broken file stays in it.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import mmap
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import IO, Any

from campaigns.formats.errors import TEXT_BYTES, quote
from campaigns.formats.reading.json_objects import DoubledName, without_doubled_names
from campaigns.formats.recognition.column_names import is_header
from campaigns.formats.recognition.tables import BrokenJson, list_items, shallow_events
from evaluation.extras import extra

# Rows by which the columns of a file without a header are guessed.
SAMPLE_ROWS = 200
_BATCH_ROWS = 512
# Rows of long texts are read a few at a time.
_BATCH_BYTES = 16 << 20

Row = tuple[int, Any]


# Each row takes time by the number of all columns.
MOST_COLUMNS = 10_000


class Unreadable(ValueError):
    """A file that is not what its beginning says, with the reason."""


@dataclass
class Table:
    """Rows with the place of each, which errors name. `names` is empty where the file has none. `unread`
    counts the parts of the file that are no row, by name, while the rows are read."""

    names: list[str]
    rows: Iterator[Row]
    unread: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if len(self.names) > MOST_COLUMNS:
            raise Unreadable(f"{len(self.names):,} columns, where {MOST_COLUMNS:,} are read at most")

    def sample(self) -> list[list[str]]:
        """The first rows as text; they are still to come."""
        first, self.rows = peeked(self.rows)
        return [[str(value) for value in values] for _, values in first]


def peeked(rows: Iterator[Row]) -> tuple[list[Row], Iterator[Row]]:
    """The first rows, and all of them, with the error that one of the first may have in its place. Where no
    row comes before it, it is raised at once."""
    first: list[Row] = []
    try:
        first.extend(islice(rows, SAMPLE_ROWS))
    except Unreadable as error:
        if not first:
            raise
        return first, chain(first, _raised(error))
    return first, chain(first, rows)


def _raised(error: Unreadable) -> Iterator[Row]:
    raise error
    yield


def delimited(file: IO[bytes], delimiter: str, chosen: Collection[str]) -> Table:
    """Lines with a delimiter. A first row of known or chosen names is the header; places are those of a
    spreadsheet."""
    csv.field_size_limit(TEXT_BYTES)
    text = io.TextIOWrapper(file, "utf-8-sig", errors="strict", newline="")
    # Only CSV has rules for quotes; in a field between tabs they are characters.
    if delimiter in ",;":
        reader = csv.reader(text, delimiter=delimiter, strict=True)
    else:
        reader = csv.reader(text, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    rows = ((place, cells) for place, cells in enumerate(_csv_rows(reader), 1) if any(cells))
    first = next(rows, None)
    if first is None:
        raise Unreadable("no row in it")
    # What has only texts in its first row has names there.
    named = is_header(first[1]) or bool(set(first[1]) & set(chosen)) or not _holds_number(first[1])
    return Table(list(first[1]), rows) if named else Table([], chain([first], rows))


def _holds_number(cells: Sequence[str]) -> bool:
    return any(cell.strip().lstrip("+-").replace(".", "", 1).isdigit() for cell in cells)


def blank_separated(file: IO[bytes]) -> Table:
    """Columns between blanks, as `delimited`; lines from # on are passed over."""
    text = io.TextIOWrapper(file, "utf-8-sig", errors="strict")
    rows = (
        (place, words) for place, words in enumerate(_split_lines(text), 1) if words and words[0][0] != "#"
    )
    first = next(rows, None)
    if first is None:
        raise Unreadable("no row in it")
    return Table(first[1], rows) if is_header(first[1]) else Table([], chain([first], rows))


def _split_lines(text: io.TextIOWrapper) -> Iterator[list[str]]:
    try:
        for line in text:
            yield line.split()
    except UnicodeDecodeError as error:
        raise Unreadable(f"a byte that is not UTF-8 (0x{error.object[error.start]:02x})") from error


def _csv_rows(reader: Any) -> Iterator[list[str]]:
    place = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except UnicodeDecodeError as error:
            # What was decoded ends before the block that holds the byte.
            line = reader.line_num + 1 + error.object.count(b"\n", 0, error.start)
            raise Unreadable(
                f"line {line:,} has a byte that is not UTF-8 (0x{error.object[error.start]:02x})"
            ) from error
        except csv.Error as error:
            raise Unreadable(f"row {place + 1:,} is no row of CSV: {error}") from error
        place += 1
        yield cells


def json_lines(file: IO[bytes]) -> Table:
    """One object a line."""
    return _table_of_objects(_line_objects(file))


def json_list(file: IO[bytes]) -> Table:
    """Objects in one list."""
    return _table_of_objects(_list_objects(file))


def _without_doubled_names(events: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    names: list[set[str]] = []
    for event, value in events:
        if event == "start_map":
            names.append(set())
        elif event == "end_map":
            names.pop()
        elif event == "map_key":
            if value in names[-1]:
                raise Unreadable(str(DoubledName(value)))
            names[-1].add(value)
        yield event, value


def _list_objects(file: IO[bytes]) -> Iterator[Row]:
    events = _without_doubled_names(shallow_events(_without_mark(file)))
    return enumerate(_guarded(list_items(events)), 1)


def _line_objects(file: IO[bytes]) -> Iterator[Row]:
    for place, line in enumerate(_without_mark(file), 1):
        if not line.strip():
            continue
        try:
            yield place, json.loads(line, object_pairs_hook=without_doubled_names)
        except DoubledName as error:
            raise Unreadable(f"line {place:,}: {error}") from error
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"line {place:,} is no JSON: {error}") from error


def _table_of_objects(objects: Iterator[tuple[int, Any]]) -> Table:
    """Columns are the names of the first objects, as they come; a later name is named as not read."""
    first, objects = peeked(objects)
    names = list(dict.fromkeys(name for _, one in first if isinstance(one, dict) for name in one))
    table, known = Table(names, iter(())), set(names)

    def rows() -> Iterator[Row]:
        for place, one in objects:
            if not isinstance(one, dict):
                raise Unreadable(f"entry {place:,} is no object: {quote(repr(one)[:80])}")
            table.unread.update(one.keys() - known)
            yield place, [one.get(name) for name in names]

    table.rows = rows()
    return table


def json_tree(file: IO[bytes]) -> Table:
    """Numbers in an object of objects, `{topic: {docno: number}}`, at whatever depth they lie, or docnos in
    lists by rank, `{topic: [docno, …]}`. Several objects at one depth, such as splits, are refused."""
    table = Table(["topic", "docno", "number"], iter(()))
    table.rows = _tree_rows(_without_mark(file), table.unread)
    return table


def _tree_rows(file: Any, unread: Counter[str]) -> Iterator[Row]:
    keys: list[str] = []
    above: tuple[str, ...] | None = None
    place = rank = 0
    for event, value in _guarded(shallow_events(file)):
        if event == "map_key":
            keys[-1] = value
        elif event in ("start_map", "start_array"):
            keys.append("")
            rank = 0
        elif event in ("end_map", "end_array"):
            keys.pop()
        elif (event == "number" and len(keys) > 1 and keys[-1]) or (
            event == "string" and len(keys) > 1 and not keys[-1]
        ):
            if above is None:
                above = tuple(keys[:-2])
            elif above != tuple(keys[:-2]):
                raise Unreadable(f"several objects of numbers: “{_path(above)}” and “{_path(keys[:-2])}”")
            place, rank = place + 1, rank + 1
            yield place, (keys[-2], keys[-1], value) if keys[-1] else (keys[-2], value, -rank)
        else:
            unread[_path(keys)] += 1
            if len(unread) > 1000:
                raise Unreadable("over 1,000 values that are no numbers")


def _path(keys: Sequence[str]) -> str:
    return ".".join(key or "[]" for key in keys)


def _guarded(events: Iterable[Any]) -> Iterator[Any]:
    """Events of ijson, whose errors become those of the file."""
    try:
        yield from events
    except (BrokenJson, UnicodeDecodeError) as error:
        # Below its first line ijson draws the place.
        raise Unreadable(f"no JSON: {str(error).partition(chr(10))[0]}") from error


def _without_mark(file: IO[bytes]) -> IO[bytes]:
    mark = file.read(3)
    if mark != codecs.BOM_UTF8:
        file.seek(0)
    return file


def parquet(file: IO[bytes]) -> Table:
    """The rows of a Parquet file."""
    with extra("tables"):
        import pyarrow.parquet as pq

    whole_file = opened(lambda: pq.ParquetFile(file, pre_buffer=False, buffer_size=1 << 16))
    groups = [whole_file.metadata.row_group(place) for place in range(whole_file.num_row_groups)]
    longest = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(longest, 1)))
    return Table(list(whole_file.schema_arrow.names), _batch_rows(whole_file.iter_batches(batch_size=rows)))


def arrow(file: IO[bytes]) -> Table:
    """The rows of an Arrow file or stream, as a dataset of Hugging Face has on disk."""
    with extra("tables"):
        import pyarrow as pa
        from pyarrow import ipc

    is_file = file.read(6) == b"ARROW1"
    # Batches may be as long as the file: its pages are read as they are needed, and take no memory of ours.
    whole = pa.BufferReader(pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
    if is_file:
        whole_file = opened(lambda: ipc.open_file(whole))
        batches = map(whole_file.get_batch, range(whole_file.num_record_batches))
        return Table(list(whole_file.schema.names), _batch_rows(batches))
    stream = opened(lambda: ipc.open_stream(whole))
    return Table(list(stream.schema.names), _batch_rows(stream))


def opened(read: Callable[[], Any]) -> Any:
    import pyarrow as pa

    pa.set_cpu_count(1)
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        return read()
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise Unreadable(f"damaged or cut short: {error}") from error


def _batch_rows(batches: Iterable[Any]) -> Iterator[Row]:
    import pyarrow as pa

    place = 0
    try:
        for batch in batches:
            for begin in range(0, batch.num_rows, _BATCH_ROWS):
                piece = batch.slice(begin, _BATCH_ROWS)
                # Damaged offsets lead outside of the file.
                piece.validate(full=True)
                for values in zip(*(column.to_pylist() for column in piece.columns), strict=True):
                    place += 1
                    yield place, values
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"damaged behind row {place:,}: {error}") from error


# Objects as they are, with their places.
OBJECTS: dict[str, Callable[[IO[bytes]], Iterator[Row]]] = {
    "JSON lines": _line_objects,
    "a JSON list": _list_objects,
}
_DELIMITERS = {
    "comma-separated values": ",",
    "values separated by semicolons": ";",
    "tab-separated lines": "\t",
}
_READERS: dict[str, Callable[[IO[bytes]], Table]] = {
    "columns of a table": blank_separated,
    "JSON lines": json_lines,
    "a JSON list": json_list,
    "nested JSON": json_tree,
    "Parquet": parquet,
    "Arrow": arrow,
}


def table_of(file: IO[bytes], layout: str, chosen: Collection[str]) -> Table:
    """The table of a file of a layout; `chosen` are columns that have roles by choice.

    Raises
    ------
    Unreadable : at once or with a later row.
    """
    if layout in _DELIMITERS:
        return delimited(file, _DELIMITERS[layout], chosen)
    return _READERS[layout](file)
