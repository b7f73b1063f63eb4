from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandParser

from campaigns.collection.topics import store_topics
from campaigns.exchange.column_choices import remember_choice
from campaigns.formats.errors import Notices
from campaigns.formats.recognition.content import Kind
from campaigns.formats.topics import read_topics
from campaigns.management.loading_command import LoadingCommand, notice_lines
from campaigns.models import Campaign


class Command(LoadingCommand):
    help = "Load topics (TREC, XML, TSV, JSONL, SMART) into a campaign."

    kind = Kind.TOPICS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--reword", action="store_true", help="also change the titles of topics with judgments"
        )

    def take(self, campaign: Campaign, user: User, path: Path, options: dict[str, Any]) -> str:
        notices, columns = Notices("topics"), self.choice(campaign, options)
        records = read_topics(path, str(path), notices=notices, columns=columns)
        stored = store_topics(
            campaign=campaign, user=user, records=records, file=path.name, reword=options["reword"]
        )
        remember_choice(collection=campaign.collection, kind=self.kind, choice=columns)
        taken = f"{stored.added} topics added, {stored.revised} revised, {stored.unchanged} unchanged"
        return taken + notice_lines(notices.rows())
