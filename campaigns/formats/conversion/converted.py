"""Files of other formats as streams of the lines that readers take."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import PurePosixPath
from typing import IO, Any, NoReturn

from campaigns.formats.compressed_files import (
    ByteReader,
    PrefixedStream,
    plain_name,
    readable_size,
    what_is_disproportionate,
)
from campaigns.formats.errors import ErrorList, Notices
from campaigns.formats.reading.readers import PROJECT, guarded_environment
from campaigns.formats.recognition.content import (
    TABLES,
    Kind,
    Layout,
    Recognition,
    recognise,
    refuse_other_kind,
    with_columns,
)
from campaigns.formats.recognition.heads import HEAD_BYTES
from campaigns.formats.recognition.roles import ColumnChoice, columns_refusal

ROWS = "rows"
# Names of columns are foreign.
_LONGEST_LOOK = 1 << 20
# Names of layouts whose rows are lines of an editor; those of others are counted.
_BY_LINE = (Layout.JSON, Layout.COLUMNS, Layout.TABS)


class ConvertedStream:
    """The lines that a process makes of a file. At their end, `errors` and `notices` hold what it found."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        report: IO[bytes],
        errors: ErrorList,
        notices: Notices,
        packed: int,
        limit: int | None,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self._process, self._report, self._errors, self._columns = process, report, errors, columns
        self._packed, self._limit, self._seen = packed, limit, 0
        self._ended = False
        self.notices = notices
        self.without_ranks = False

    def read(self, size: int, /) -> bytes:
        assert self._process.stdout is not None
        piece = self._process.stdout.read(size)
        self._seen += len(piece)
        if self._limit is not None and self._seen > self._limit:
            size_name = readable_size(self._limit)
            self._stop(f"larger than {size_name} when unpacked, the limit for this kind of file")
        if reason := what_is_disproportionate(self._seen, self._packed):
            self._stop(reason)
        if not piece and not self._ended:
            self._ended = True
            self._take_report()
        return piece

    def _take_report(self) -> None:
        self._process.wait()
        self._report.seek(0)
        try:
            report: dict[str, Any] = json.loads(self._report.read())
            errors = report["errors"]
        except (ValueError, KeyError):
            # Of a reader that broke off, the report still is the order.
            self._stop(f"its reader ended (code {self._process.returncode}): damaged, or a part is too large")
        for place, about, detail in errors:
            self._errors.add(place, detail, about)
        if (unlisted := report["total"] - len(errors)) > 0:
            self._errors.count(None, unlisted, "")
        if report["stopped"]:
            self._stop(report["stopped"])
        self.without_ranks = report["without_ranks"]
        if isinstance(self._columns, ColumnChoice):
            self._columns.names, self._columns.used = report["names"], report["chosen"]
        if self.notices.unit == ROWS:
            self.notices.records = report["rows"]
        for name, count in report["unread"].items():
            self.notices.unread(name, count=count)
        if report["ranks_for_scores"]:
            self.notices.add(
                "ranks in place of scores", "The file has no scores: its ranks order the documents."
            )

    def _stop(self, detail: str) -> NoReturn:
        raise self._errors.stopped(None, detail)


@contextmanager
def field_lines(
    stream: ByteReader,
    wanted: Kind,
    errors: ErrorList,
    notices: Notices | None = None,
    *,
    limit: int | None = None,
    columns: Mapping[str, str] | None = None,
    folder: str | None = None,
) -> Iterator[ByteReader | ConvertedStream]:
    """The stream from its beginning as its reader takes it: as it is, or converted from another format.

    Parameters
    ----------
    notices : gets the parts that no line holds; new ones if there are none.
    limit : the most bytes that lines may have.
    columns : the column of each role or field, as chosen.
    folder : where the unpacked file is while it is converted.

    Raises
    ------
    FormatError : a file that certainly is of another known kind; more in `ConvertedStream.read`.
    """
    head = stream.read(HEAD_BYTES)
    found = recognise(head)
    refuse_other_kind(found, wanted, errors)
    whole = PrefixedStream(head, stream)
    if not is_converted(found, wanted, columns, head):
        refuse_choice(found, columns, errors)
        if wanted is Kind.TOPICS:
            refuse_unknown_columns(found, wanted, head, errors)
        yield whole
        return
    errors.unit = "line" if found.layout in _BY_LINE else "row"
    order = conversion_order(found.layout, wanted, errors.file, {} if columns is None else columns)
    with tempfile.TemporaryFile() as report, _converting(whole, order, report, folder) as (process, size):
        # Notices are false while nothing was noticed.
        noticed = Notices(ROWS) if notices is None else notices
        yield ConvertedStream(process, report, errors, noticed, size, limit, columns)


def is_converted(found: Recognition, wanted: Kind, columns: Mapping[str, str] | None, head: bytes) -> bool:
    """True for a file that is no line of a reader. Runs and qrels have one layout of their own; topics and
    documents have several, among them tabs, unless the columns are chosen."""
    if found.layout not in (Layout.TABS, Layout.JSON):
        return found.layout in TABLES
    has_other_lines = wanted in (Kind.RUN, Kind.QRELS) and (found.layout is Layout.JSON or found.columns)
    return bool(has_other_lines) or _is_chosen(columns, head)


def _is_chosen(columns: Mapping[str, str] | None, head: bytes) -> bool:
    if isinstance(columns, ColumnChoice):
        return columns.may_apply(head.split(b"\n", 1)[0])
    return bool(columns)


def refuse_unknown_columns(found: Recognition, wanted: Kind, head: bytes, errors: ErrorList) -> None:
    """Raise an error if objects of JSON, which are read as they are, have no field that names a record."""
    if found.layout is not Layout.JSON:
        return
    names: dict[str, None] = {}
    for line in head.splitlines():
        # The head cuts a line off, and the reader says what is wrong with others.
        with suppress(ValueError, RecursionError):
            one = json.loads(line)
            names |= dict.fromkeys(one if isinstance(one, dict) else ())
    if names and (reason := columns_refusal(wanted.value, found.layout, list(names), {})):
        raise errors.stopped(None, reason)


def refuse_choice(found: Recognition, columns: Mapping[str, str] | None, errors: ErrorList) -> None:
    """Raise an error if columns were chosen for a file that has none with names."""
    if columns is not None and len(columns):
        raise errors.stopped(None, f"this looks like {found.words}, which has no columns to choose")


def recognise_by_columns(stream: ByteReader, found: Recognition, *, folder: str | None = None) -> Recognition:
    """The kind of a Parquet or Arrow file, whose names of columns only a reader finds. What cannot be read
    stays as it was found."""
    order = conversion_order(found.layout, Kind.UNKNOWN, "", {})
    with tempfile.TemporaryFile() as report, _converting(stream, order, report, folder) as (process, _):
        assert process.stdout is not None
        said = process.stdout.read(_LONGEST_LOOK)
    try:
        table = json.loads(said)
    except ValueError:
        return found
    return with_columns(found, table["names"], table["rows"])


@contextmanager
def _converting(
    stream: ByteReader, order: Mapping[str, Any], report: IO[bytes], folder: str | None
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The process that converts a stream, and the size of its file."""
    with tempfile.TemporaryFile(dir=folder) as file:
        while piece := stream.read(1 << 18):
            file.write(piece)
        size = file.tell()
        file.seek(0)
        process = start_conversion(file, report, order)
        try:
            yield process, size
        finally:
            process.kill()
            process.communicate()


def conversion_order(
    layout: Layout | None, wanted: str, name: str, columns: Mapping[str, str]
) -> dict[str, Any]:
    """Instructions of the process for its file."""
    tag = "_".join(PurePosixPath(plain_name(name)).stem.split())[:100] or "run"
    choice = columns if isinstance(columns, ColumnChoice) else ColumnChoice(columns)
    return {
        "layout": layout,
        "kind": wanted,
        "columns": dict(columns),
        "tag": tag,
        "known": choice.known,
        "titles": dict(choice.titles()) if wanted == Kind.QRELS else {},
        "look": False,
    }


def start_conversion(file: IO[bytes], report: IO[bytes], order: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    """Start the process that reads `file`. The report has the order first, which may be longer than
    arguments are."""
    report.write(json.dumps(order).encode())
    report.seek(0)
    return subprocess.Popen(
        [sys.executable, "-m", "campaigns.formats.conversion.process", str(report.fileno())],
        stdin=file,
        stdout=subprocess.PIPE,
        pass_fds=(report.fileno(),),
        cwd=PROJECT,
        env=guarded_environment(),
    )
