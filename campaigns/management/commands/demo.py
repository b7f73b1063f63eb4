from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar

from campaigns.core.errors import Refused
from campaigns.demo import loading
from campaigns.demo.accounts import Login, known_logins
from campaigns.demo.files import BuildFailed, Progress, build_apart
from campaigns.formats.errors import FormatError
from campaigns.models import Campaign

# Each stage's part of the bar: about its part of the time.
STAGES = {"Collecting documents": 0.5, "Indexing": 0.1, "Ranking": 0.15, "Writing runs": 0.05, "Loading": 0.2}


class Command(BaseCommand):
    help = "Make the demo campaign out of this machine's Python libraries, unless it is there already."

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(settings.DATA_DIR) / "demo"
        campaign = loading.existing()
        if campaign is None:
            demo = self.make(folder)
            campaign, logins = demo.campaign, demo.logins
        else:
            logins = known_logins(folder)
        self.stdout.write(_summary(campaign))
        for login in logins:
            self.stdout.write(_login_line(login))

    def make(self, folder: Path) -> loading.Demo:
        folder.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        try:
            with _bar() as progress:
                demo = loading.load(folder, build_apart(folder, progress), progress)
        except (Refused, FormatError, BuildFailed) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Made the demo campaign in {time.monotonic() - started:.0f} s.")
        if demo.shipped.absent:
            self.stdout.write(
                f"{demo.shipped.absent:,} of the judgments that came along are of documents that this"
                " installation does not have; they were left out."
            )
        return demo


@contextmanager
def _bar() -> Iterator[Progress]:
    columns = [TextColumn("{task.description:<20}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn()]
    console = Console(stderr=True)
    with ProgressBar(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("Starting", total=1.0)
        before = {stage: sum(list(STAGES.values())[:place]) for place, stage in enumerate(STAGES)}

        def show(stage: str, share: float) -> None:
            bar.update(task, description=stage, completed=before[stage] + share * STAGES[stage])

        yield show


def _summary(campaign: Campaign) -> str:
    counts = {
        "documents": campaign.collection.documents.count(),
        "topics": campaign.topics.count(),
        "runs": campaign.runs.count(),
        "judgments": campaign.judgments.count(),
    }
    listed = ", ".join(f"{count:,} {what}" for what, count in counts.items())
    return f"{campaign.name}: {listed}."


def _login_line(login: Login) -> str:
    secret = f"password {login.password}" if login.password else "password as it was set before"
    return f"Sign in as {login.username:<6} ({login.role}), {secret}"
