"""A process that converts one file: `python -m campaigns.formats.conversion.process`.

The file is its standard input, which can be sought in; lines go to standard output. Another file has the
order as JSON, and then the report. It knows no table and no secret, and the system limits its memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from campaigns.formats.conversion.beginnings import lists_refusal, look_at
from campaigns.formats.conversion.rows import Report, first_rows, json_objects, json_rows, trec_lines
from campaigns.formats.conversion.sources import OBJECTS, Table, Unreadable, peeked, table_of
from campaigns.formats.recognition.roles import (
    ROLES,
    chosen_roles,
    columns_refusal,
    layout_words,
    roles_of,
)
from campaigns.formats.recognition.tables import of_columns
from evaluation.extras import MissingExtra

MEMORY_BYTES = 768 << 20
_PIECE = 1 << 16
_NICENESS = 5
# The report has names and values of the file; it never fills the disk.
_MOST_NAMES = 200
_MOST_COLUMNS = 1000


def main() -> None:
    with os.fdopen(os.dup(int(sys.argv[1])), "rb") as file:
        order = json.loads(file.read())
    os.nice(_NICENESS)
    _limit_memory()
    report = Report()
    try:
        _write(_lines(order, report))
    except BrokenPipeError:
        os._exit(0)
    except (Unreadable, MissingExtra) as error:
        _end(report, str(error))
    except MemoryError:
        _end(report, f"a part of it takes over {MEMORY_BYTES >> 20} MiB to read")
    else:
        _end(report, "")


def _lines(order: dict[str, Any], report: Report) -> Iterator[str]:
    file = os.fdopen(os.dup(0), "rb")
    kind, columns, known = order["kind"], order["columns"], order["known"]
    named = {name for one in (columns, *(row["roles"] for row in known)) for name in one.values()}
    if order["look"]:
        table, report.look = look_at(file, order, named)
        kind = report.look["kind"]
        if not kind or report.look["refusal"]:
            return iter(())
    elif order["layout"] in OBJECTS and kind in ("topics", "documents"):
        first, objects = peeked(OBJECTS[order["layout"]](file))
        report.names = list(dict.fromkeys(name for _, one in first if isinstance(one, dict) for name in one))
        columns = _checked(kind, order, report.names, report)
        return json_objects(objects, columns, report)
    else:
        table = table_of(file, order["layout"], named)
    if kind in ROLES:
        columns = _checked(kind, order, [] if order["layout"] == "nested JSON" else table.names, report)
    if kind == "documents" and not (report.chosen or order["look"]):
        _refuse_lists(table, order["layout"])
    if kind in ("run", "qrels"):
        return trec_lines(table, kind, columns, order["tag"], report, order["titles"])
    if kind in ("topics", "documents"):
        return json_rows(table, kind, columns, report)
    return iter([json.dumps({"names": table.names, "rows": first_rows(table)})])


def _checked(kind: str, order: dict[str, Any], names: list[str], report: Report) -> dict[str, str]:
    """The columns to read by. A text that is a path is left to the reader of documents, and so are other
    fields that were not chosen: it reads the first that has a value."""
    layout = order["layout"]
    if not names:
        if order["columns"]:
            raise Unreadable(f"This is {layout_words(layout)} without names of columns: none can be chosen")
        return {}
    chosen = chosen_roles(names, order["columns"], order["known"])
    report.names, report.chosen = names, chosen
    if reason := columns_refusal(kind, layout, names, chosen):
        raise Unreadable(reason)
    roles = roles_of(kind, names, chosen)
    if kind == "documents":
        roles = {role: name for role, name in roles.items() if role in chosen or role == "docno"}
    return {role: name for role, name in roles.items() if name in names}


def _refuse_lists(table: Table, layout: str) -> None:
    """Only binary tables are not recognised before. Names show the kind; first values, which one of both."""
    if lists_refusal(of_columns(table.names, [], layout)) and (
        reason := lists_refusal(of_columns(table.names, table.sample(), layout))
    ):
        raise Unreadable(reason)


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
        "names": report.names[:_MOST_COLUMNS],
        "chosen": report.chosen,
        "look": report.look,
    }
    with os.fdopen(int(sys.argv[1]), "r+b") as file:
        file.seek(0)
        file.truncate()
        file.write(json.dumps(answer).encode())


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Systems without this limit refuse it.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main()
