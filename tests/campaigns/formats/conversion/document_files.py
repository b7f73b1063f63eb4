"""Documents as tables and lists, as the tools of the field write them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
from pyarrow import ipc

Columns = Mapping[str, Sequence[Any]]
Writer = Callable[[Columns], bytes]


def parquet(columns: Columns, **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), file, **options)
    return file.getvalue()


def arrow_file(columns: Columns) -> bytes:
    table, file = pa.table(dict(columns)), io.BytesIO()
    with ipc.new_file(file, table.schema) as out:
        out.write_table(table, max_chunksize=700)
    return file.getvalue()


def arrow_stream(columns: Columns) -> bytes:
    table, file = pa.table(dict(columns)), io.BytesIO()
    with ipc.new_stream(file, table.schema) as out:
        out.write_table(table)
    return file.getvalue()


def feather(columns: Columns) -> bytes:
    file = io.BytesIO()
    pf.write_feather(pa.table(dict(columns)), file, compression="lz4")
    return file.getvalue()


def delimited(delimiter: str, *, header: bool = True, mark: str = "") -> Writer:
    def write(columns: Columns) -> bytes:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=delimiter)
        if header:
            writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        return (mark + text.getvalue()).encode()

    return write


def tabs(columns: Columns) -> bytes:
    rows = ["\t".join(columns), *("\t".join(row) for row in zip(*columns.values(), strict=True))]
    return "\n".join(rows).encode()


def json_list(columns: Columns) -> bytes:
    return json.dumps(_objects(columns), indent=1).encode()


def json_lines(columns: Columns) -> bytes:
    return "\n".join(map(json.dumps, _objects(columns))).encode()


def _objects(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


TABLES: dict[str, Writer] = {
    "docs.parquet": lambda columns: parquet(columns, row_group_size=333),
    "zstd.parquet": lambda columns: parquet(columns, compression="zstd", data_page_version="2.0"),
    "docs.arrow": arrow_file,
    "data-00000-of-00001.arrow": arrow_stream,
    "docs.feather": feather,
    "docs.csv": delimited(","),
    "excel.csv": delimited(";", mark="\ufeff"),
    "docs.json": json_list,
    "docs.jsonl": json_lines,
}
