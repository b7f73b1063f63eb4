from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from campaigns.exchange.qrels import store_qrels
from campaigns.formats.qrels import read_qrels
from campaigns.management.loading_command import LoadingCommand
from campaigns.models import Campaign


class Command(LoadingCommand):
    help = "Append the judgments of TREC qrels files to a campaign's log."

    def take(self, campaign: Campaign, user: User, path: Path, options: dict[str, Any]) -> str:
        parsed = read_qrels(path, str(path))
        stored = store_qrels(campaign=campaign, user=user, parsed=parsed, file=str(path))
        return f"{stored.added:,} judgments added, {stored.unchanged:,} unchanged"
