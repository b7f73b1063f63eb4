"""A process that converts one file: `python -m campaigns.formats.conversion.process`.

The file is its standard input, which can be sought in; lines go to standard output, the report as JSON to
another file. It knows no table and no secret, and the system limits its memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from campaigns.formats.conversion.rows import Report, first_rows, json_objects, json_rows, trec_lines
from campaigns.formats.conversion.sources import OBJECTS, Unreadable, table_of

MEMORY_BYTES = 768 << 20
_PIECE = 1 << 16
_NICENESS = 5
# The report has names and values of the file; it never fills the disk.
_MOST_NAMES = 200


def main() -> None:
    order = json.loads(sys.argv[1])
    os.nice(_NICENESS)
    _limit_memory()
    report = Report()
    try:
        _write(_lines(order, report))
    except BrokenPipeError:
        os._exit(0)
    except Unreadable as error:
        _end(report, str(error))
    except MemoryError:
        _end(report, f"a part of it takes over {MEMORY_BYTES >> 20} MiB to read")
    else:
        _end(report, "")


def _lines(order: dict[str, Any], report: Report) -> Iterator[str]:
    file = os.fdopen(os.dup(0), "rb")
    kind, columns = order["kind"], order["columns"]
    if order["layout"] in OBJECTS and kind in ("topics", "documents"):
        return json_objects(OBJECTS[order["layout"]](file), columns, report)
    table = table_of(file, order["layout"], columns.values())
    if kind in ("run", "qrels"):
        return trec_lines(table, kind, columns, order["tag"], report)
    if kind in ("topics", "documents"):
        return json_rows(table, kind, columns, report)
    return iter([json.dumps({"names": table.names, "rows": first_rows(table)})])


def _write(lines: Iterable[str]) -> None:
    piece, size = [], 0
    for line in lines:
        piece.append(line)
        size += len(line)
        if size > _PIECE:
            _send("\n".join(piece) + "\n")
            piece, size = [], 0
    if piece:
        _send("\n".join(piece) + "\n")


def _send(text: str) -> None:
    left = memoryview(text.encode("utf-8", "surrogatepass"))
    while left:
        left = left[os.write(1, left) :]


def _end(report: Report, stopped: str) -> None:
    unread = dict(report.unread.most_common(_MOST_NAMES))
    answer = {
        "errors": report.errors,
        "total": report.total,
        "rows": report.rows,
        "unread": {name[:200]: count for name, count in unread.items() if count},
        "ranks_for_scores": report.ranks_for_scores,
        "without_ranks": report.without_ranks,
        "stopped": stopped,
    }
    with os.fdopen(int(sys.argv[2]), "wb") as file:
        file.write(json.dumps(answer).encode())


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Systems without this limit refuse it.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main()
