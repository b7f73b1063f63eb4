"""Output and input of the commands on files: reading, progress bars, tables, JSON and CSV, and files written
whole. None of them needs a database."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sys
import uuid
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, TypeVar

from campaigns.formats.compressed_files import find_files
from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading, read_gains
from campaigns.formats.tables import csv_cell
from campaigns.management.offline.command_line import CommandError, FileCommand
from campaigns.management.offline.files import read_files
from campaigns.scoring.judged_collection import JudgedCollection
from campaigns.scoring.scored_topics import gains_used, narrowest_scale, run_notices, scored_topics


class OfflineCommand(FileCommand):
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if isinstance(options.get("gains"), Path):
                options["gains"] = read_gains(options["gains"])
            self.run(options)
        except FormatError as error:
            self.stderr.write(str(error))
            raise SystemExit(1) from error

    @abstractmethod
    def run(self, options: dict[str, Any]) -> None: ...

    def read(self, options: dict[str, Any], *, only_named: bool = False) -> tuple[JudgedCollection, Grading]:
        """Read the files for scoring: with judgments of the documents that the runs rank."""
        campaign, grading = self.read_all(options, only_named=only_named)
        campaign = scored_topics(campaign, str(options["qrels"]), options["topics"], self.stderr.write)
        return campaign, grading

    def read_all(
        self, options: dict[str, Any], *, only_named: bool = False
    ) -> tuple[JudgedCollection, Grading]:
        """All topics, whatever is judged of them; qrels may miss. `only_named`: see `read_files`."""
        grading = Grading(options["gains"], narrowest_scale(options.get("measure") or ()))
        files = find_files(options["runs"])
        with progress_bar("Reading runs", len(files)) as advance:
            campaign = read_files(
                files,
                options["qrels"],
                grading,
                lambda file: advance(),
                order=options["order"],
                score_precision=options["score_precision"],
                jobs=options.get("jobs") or 1,
                only_named=only_named,
                cached=not options["no_cache"],
            )
        # As in trec_eval 10.0, a run is cut before its unjudged documents go.
        if depth := options.get("list_depth"):
            campaign = campaign.to_depth(depth)
        if options.get("judged_only"):
            campaign = campaign.judged_lists()
        for notice in run_notices(files, campaign.runs, campaign.tags, campaign.reports):
            self.stderr.write(notice)
        return campaign, grading

    def gains_used(
        self, campaign: JudgedCollection, grading: Grading, measures: Sequence[str]
    ) -> dict[str, Any]:
        """`gains_used`, with its line on stderr if no option gave the gains."""
        return gains_used(campaign, grading, measures, self.stderr.write)


@contextmanager
def progress_bar(description: str, total: int) -> Iterator[Callable[..., None]]:
    """A bar on stderr if that is a terminal and the extra `progress` is installed. Its value advances
    it by one, or to `completed=`."""
    if not sys.stderr.isatty() or find_spec("rich") is None:
        yield lambda completed=None: None
        return
    # Imported only where a bar is shown: it takes as long as reading a small file.
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(description, total=total)

        def advance(completed: int | None = None) -> None:
            if completed is None:
                progress.advance(task)
            else:
                progress.update(task, completed=completed)

        yield advance


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn refusals of options about the runs at hand into usage errors."""
    try:
        yield
    except FormatError:
        raise
    except ValueError as error:
        raise CommandError(str(error), returncode=2) from error


OutputLine = Mapping[str, Any]
Out = TypeVar("Out", bound=IO[Any])


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)


def as_csv(lines: Sequence[OutputLine]) -> str:
    """A header and a row for each line; text is guarded for spreadsheets (`csv_cell`)."""
    out = io.StringIO()
    names = _columns(lines)
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: csv_cell(value) for name, value in line.items()} for line in lines)
    return out.getvalue().rstrip("\n")


def as_table(lines: Sequence[OutputLine]) -> str:
    """Columns aligned: names to the left, numbers to the right with four decimals. A line that lacks a
    column of others has nothing there."""
    if not lines:
        return ""
    names = _columns(lines)
    cells = [names, *([_shown(line.get(name)) for name in names] for line in lines)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(names))]
    left = [isinstance(lines[0].get(name), str) for name in names]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in cells
    )


def _columns(lines: Sequence[OutputLine]) -> list[str]:
    """All names, in the order in which they first come."""
    return list(dict.fromkeys(name for line in lines for name in line))


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def is_stdout(file: Path) -> bool:
    """True if a file's name stands for the command's own output, such as /dev/stdout. /dev/null never
    does."""
    try:
        return file.resolve() != Path(os.devnull) and os.path.samestat(file.stat(), os.fstat(1))
    except OSError:
        return False


def atomic_write(file: Path) -> AbstractContextManager[TextIO]:
    """`atomic_write_bytes`, of text."""
    return _atomic_write(file, lambda path: path.open("w", encoding="utf-8", newline="\n"))


def atomic_write_bytes(file: Path) -> AbstractContextManager[BinaryIO]:
    """Open a file that takes the place of `file` once all has gone well; until then, and otherwise, `file`
    stays as it is. A pipe, or any other file that is not regular, is written at once.

    Raises FormatError, before anything is written, if the file cannot be.
    """
    return _atomic_write(file, lambda path: path.open("wb"))


@contextmanager
def _atomic_write(file: Path, opened: Callable[[Path], Out]) -> Iterator[Out]:
    # A link stays a link.
    target = file.resolve()
    whole = not target.exists() or target.is_file()
    beside = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}") if whole else target
    try:
        if target.is_file():
            target.open("r+b").close()
        out = opened(beside)
    except OSError as error:
        raise FormatError(str(file), [LineError(None, (error.strerror or str(error)).lower())]) from error
    try:
        with out:
            yield out
        if whole:
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
    except BaseException:
        if whole:
            beside.unlink(missing_ok=True)
        raise
