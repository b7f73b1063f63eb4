"""Common ground of the import commands: find the campaign, read each file, report the result or the error."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import track

from campaigns.core.actors import COMMAND_LINE, acting_as
from campaigns.core.errors import Refusal
from campaigns.exchange.column_choices import choice_of
from campaigns.formats.compressed_files import find_files
from campaigns.formats.errors import FormatError, NoticeRow
from campaigns.formats.recognition.content import Kind
from campaigns.formats.recognition.heads import about_others
from campaigns.formats.recognition.roles import ColumnChoice
from campaigns.models import Campaign, Membership
from evaluation.name_suggestions import nearest_name, or_all


def campaign_named(slug: str) -> Campaign:
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None:
        slugs = list(Campaign.objects.values_list("slug", flat=True))
        listed = ", ".join(slugs[:10]) or "none yet"
        raise CommandError(f"there is no campaign {slug}; {or_all(nearest_name(slug, slugs), listed)}")
    return campaign


def organiser_of(campaign: Campaign) -> User:
    """Files loaded on the server are put down to the campaign's first organiser."""
    membership = (
        Membership.objects.select_related("user")
        .filter(campaign=campaign, role=Membership.Role.ORGANISER)
        .order_by("id")
        .first()
    )
    if membership is None:
        raise CommandError(f"the campaign {campaign.slug} has no organiser")
    return membership.user


def notice_lines(rows: Sequence[NoticeRow]) -> str:
    """Notices as they follow what was taken."""
    return "".join(f"; {row['what']}: {row['count']:,} ({row['detail']})" for row in rows)


class LoadingCommand(BaseCommand):
    """Each file is taken whole or refused whole; one bad file does not keep out the good ones."""

    paths = "+"
    kind: Kind

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="slug of the campaign, e.g. news-2026")
        parser.add_argument(
            "paths",
            metavar="PATH",
            nargs=self.paths,
            type=Path,
            help="files or folders; plain, .gz, .bz2, .xz, .zst or .lz4",
        )
        parser.add_argument(
            "--column",
            action="append",
            metavar="ROLE=NAME",
            help="a column of a table or of JSON objects, such as docno=key; may be repeated (default: the "
            "columns chosen last for a file with the same ones, else by their names)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        user = organiser_of(campaign)
        try:
            files = find_files(options["paths"])
        except FormatError as error:
            raise CommandError(str(error)) from error
        refused = 0
        console = Console(stderr=True)
        for path in track(files, "Loading", console=console, disable=not sys.stderr.isatty(), transient=True):
            try:
                if path not in options["paths"] and (words := about_others(path)):
                    self.stdout.write(f"{path}: left out: {words}")
                    continue
                with acting_as(COMMAND_LINE):
                    taken = self.take(campaign, user, path, options)
                self.stdout.write(f"{path}: {taken}")
            except (FormatError, Refusal) as error:
                self.stderr.write(str(error))
                refused += 1
        if refused:
            raise CommandError(f"{refused} of {len(files)} files were refused; nothing of them was stored")

    def choice(self, campaign: Campaign, options: dict[str, Any]) -> ColumnChoice:
        """The columns of a file of the command's kind."""
        pairs = [pair.partition("=") for pair in options["column"] or ()]
        if wrong := next((role for role, _, name in pairs if not name), None):
            raise CommandError(f"--column {wrong}: give ROLE=NAME, such as docno=key", returncode=2)
        return choice_of(
            collection=campaign.collection,
            kind=self.kind.value,
            chosen={role: name for role, _, name in pairs},
            text_field=options.get("text_field"),
        )

    @abstractmethod
    def take(self, campaign: Campaign, user: User, path: Path, options: dict[str, Any]) -> str:
        """Load one file; return what was taken, in words."""
