"""What the commands on files share. None of them needs a database."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.progress import Progress

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.formats.opening import find_files
from campaigns.management.offline.files import OfflineCampaign, read_files


class OfflineCommand(BaseCommand):
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.run(options)
        except FormatError as error:
            self.stderr.write(str(error))
            raise SystemExit(1) from error

    @abstractmethod
    def run(self, options: dict[str, Any]) -> None: ...

    def read(self, options: dict[str, Any]) -> tuple[OfflineCampaign, Grading]:
        """As scoring needs it: with judgments of what the runs rank."""
        campaign, grading = self.read_all(options)
        if not any(topic.grades and topic.is_ranked for topic in campaign.topics):
            raise FormatError(str(options["qrels"]), [LineError(None, "judges no topic of the runs")])
        open_ = campaign.without_judgments
        if options["topics"] == "judged":
            campaign = campaign.only_judged()
        elif open_:
            some = ", ".join(open_[:5]) + (" …" if len(open_) > 5 else "")
            self.stderr.write(
                f"{len(open_)} of {len(campaign.topics)} topics have no judgments and leave their whole "
                f"score open ({some}); --topics judged leaves them out"
            )
        if not campaign.topics:
            raise FormatError(str(options["qrels"]), [LineError(None, "holds no judgments")])
        return campaign, grading

    def read_all(self, options: dict[str, Any]) -> tuple[OfflineCampaign, Grading]:
        """All topics, whatever is judged of them; qrels may miss."""
        grading = Grading(options["gains"])
        files = find_files(options["runs"])
        with progress_bar("Reading runs", len(files)) as advance:
            return read_files(files, options["qrels"], grading, lambda file: advance()), grading


@contextmanager
def progress_bar(description: str, total: int) -> Iterator[Callable[..., None]]:
    """A bar on stderr if that is a terminal. Its value advances it by one, or to `completed=`."""
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as progress:
        task = progress.add_task(description, total=total)

        def advance(completed: int | None = None) -> None:
            if completed is None:
                progress.advance(task)
            else:
                progress.update(task, completed=completed)

        yield advance
